// The shape of a Llama-architecture decoder, checked.
#ifndef DECANT_MODEL_LLAMA_CONFIG_H_
#define DECANT_MODEL_LLAMA_CONFIG_H_

#include <cstdint>
#include <vector>

#include "decant/error.h"
#include "weights/llama_source.h"

namespace decant::model {

struct LlamaConfig {
  std::uint32_t vocabulary = 0;  // tokens; rows of the embedding beyond them do not exist for decant
  std::uint32_t context = 0;     // positions
  std::uint32_t layers = 0;
  std::uint32_t width = 0;  // of the residual stream
  std::uint32_t feed_forward = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;  // divides heads
  std::uint32_t head_width = 0;
  std::uint32_t rope_width = 0;  // elements of a head that are rotated; even, at most head_width
  float epsilon = 1e-5f;         // of RMSNorm
  float rope_base = 10000.0f;
  float rope_linear = 1.0f;              // angles are divided by it; 1 = off
  std::vector<float> rope_factors = {};  // rope_width/2 divisors of the angles; empty = none

  std::uint32_t query_width() const { return heads * head_width; }
  std::uint32_t kv_width() const { return kv_heads * head_width; }
};

// What the source states, checked. kUnsupportedFile names an architecture or a rope scaling that decant does not have;
// kCorruptFile what is missing, of the wrong type or out of range. Sizes that would take more memory than decant is
// made for are kUnsupportedFile, with key, value and bound.
Result<LlamaConfig> ParseLlamaConfig(const weights::LlamaSource& source);

// kCorruptFile unless the numbers fit together and angles stay below 2^20; kUnsupportedFile for sizes as above.
// Messages call the numbers by `names`.
Result<void> CheckLlamaConfig(const LlamaConfig& config, const weights::LlamaNames& names = weights::kGgufNames);

}  // namespace decant::model

#endif  // DECANT_MODEL_LLAMA_CONFIG_H_
