// The plain twin of the forward pass: docs/determinism.md, "Model", word by word, from the file's own bytes.
//
// Simple loops over the whole prefix, no cache, no packing, no vectors, no threads. It says what the right bits are and
// must never ship in the library.
#ifndef DECANT_TWIN_FORWARD_H_
#define DECANT_TWIN_FORWARD_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "decant/error.h"
#include "decant/token.h"
#include "weights/gguf.h"

namespace decant::twin {

struct ForwardResult {
  // A row for every position before the first failing one.
  std::vector<std::vector<float>> logits;
  // Where the position logits.size() failed, such as "blk.3.attn_norm"; empty when none did.
  std::string failed_at;
};

// The logits of every position of a sequence. REQUIRES: a correct Llama file, ids within its vocabulary.
Result<ForwardResult> Forward(const weights::GgufFile& file, std::span<const TokenId> ids);

// The parts, for tests of kernels.
struct QuantizedBlock {
  std::vector<int> q;  // of one block of 32
  float scale = 0;
  int sum = 0;
};
QuantizedBlock Quantize(std::span<const float> values);
// Element i into accumulator i mod 16, then the tree.
float LaneSum(std::span<const float> terms);
// One output of a matrix product: a row of the tensor times the activations.
float Product(const weights::TensorView& tensor, std::size_t row, std::span<const float> x);
std::vector<float> RmsNorm(std::span<const float> x, std::span<const float> weights, float epsilon);
float SwiGlu(float gate, float up);
// Attention of one head; keys and values hold what the f16 cache would give back. False if a score is not finite.
bool Attend(std::span<const float> query, const std::vector<std::vector<float>>& keys,
            const std::vector<std::vector<float>>& values, std::vector<float>& out);

}  // namespace decant::twin

#endif  // DECANT_TWIN_FORWARD_H_
