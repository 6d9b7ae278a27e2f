// One pass of a few rows through the decoder: embedding, layers, logits. The operations and their order are those of
// docs/determinism.md, "Model".
#ifndef DECANT_MODEL_LLAMA_PASS_H_
#define DECANT_MODEL_LLAMA_PASS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "decant/language_model.h"
#include "decant/runtime.h"
#include "model/kv_layout.h"
#include "model/llama_weights.h"
#include "simd/aligned_buffer.h"
#include "simd/product.h"

namespace decant::model {

struct PassRow {
  const KvSequence* sequence = nullptr;  // its blocks reach `position`
  TokenId token = 0;
  std::size_t position = 0;
  bool wants_logits = false;
  std::string failed_at;  // out: "blk.3.attn_norm", the activation that was not finite; empty = none
};

// Owns the buffers of a pass; used by one call at a time.
class LlamaPass {
 public:
  static constexpr std::size_t kMaxRows = 64;

  LlamaPass(const LlamaWeights& weights, Runtime& runtime);
  // What the buffers of one take. REQUIRES: widths up to 2^20.
  static std::uint64_t BufferBytes(const LlamaConfig& config);

  // Stores keys and values of all rows and writes the logits of the wanting rows, in order. Rows of one sequence are in
  // order of position. A row that fails is marked; its numbers, and those of later rows of its sequence, mean nothing.
  // REQUIRES: at most kMaxRows rows.
  void Run(std::span<PassRow> rows, float* logits);

 private:
  // The input of a product: values, and their quantised form where a weight needs it.
  struct Input {
    Input() = default;
    Input(std::size_t rows, std::size_t width);
    simd::Activations View(std::size_t rows) const;
    std::size_t width = 0;
    simd::AlignedBuffer<float> values;
    simd::AlignedBuffer<std::int16_t> q;
    simd::AlignedBuffer<float> scales;
    simd::AlignedBuffer<std::int32_t> sums;
  };
  enum class Needs : std::uint8_t { kFloats = 1, kQuantized = 2, kBoth = 3 };
  struct Product {
    const simd::PackedMatrix* weights;
    simd::Store store;
    float* out;
    std::size_t stride;
  };

  static Needs NeedsOf(std::initializer_list<const simd::PackedMatrix*> matrices);
  // Checks, and quantises where needed, row `row` of an input; false if it is not finite.
  static bool Prepare(Input& input, std::size_t row, Needs needs);
  void ForEach(std::size_t count, const std::function<void(std::size_t)>& body);
  // Products of one input with several matrices, shared out by tiles.
  void Multiply(const Input& input, std::size_t rows, std::initializer_list<Product> products);
  void Embed(std::span<PassRow> rows);
  void Layer(std::size_t index, std::span<PassRow> rows);
  void StoreKeyValue(std::size_t layer, std::size_t row, PassRow& target);
  void Attend(std::size_t layer, std::span<PassRow> rows);
  void Logits(std::span<PassRow> rows, float* logits);

  const LlamaWeights& weights_;
  Runtime& runtime_;
  KvLayout layout_;
  std::vector<double> frequencies_;
  simd::AlignedBuffer<float> x_, rope_, query_, key_, value_, gate_, up_;
  simd::AlignedBuffer<std::uint16_t> halves_;
  Input normed_, mixed_, gated_;
  std::vector<std::byte*> blocks_;                   // tables of all rows, one after another
  std::vector<std::size_t> table_;                   // where a row's table starts
  std::vector<simd::AlignedBuffer<float>> scratch_;  // one a task
  std::vector<std::uint8_t> scores_failed_;          // row x KV head
};

}  // namespace decant::model

#endif  // DECANT_MODEL_LLAMA_PASS_H_
