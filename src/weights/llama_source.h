// A Llama decoder as a file holds it: the numbers of its shape and its tensors by what they are for. One interface over
// the formats, so that nothing above asks which one a model came in.
#ifndef DECANT_WEIGHTS_LLAMA_SOURCE_H_
#define DECANT_WEIGHTS_LLAMA_SOURCE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/error.h"
#include "weights/tensor_view.h"

namespace decant::weights {

// What a format calls the numbers of a shape, so that messages speak of what is in the file.
struct LlamaNames {
  std::string_view tokens, context, layers, width, feed_forward, heads, kv_heads, head_width, rope_width, epsilon,
      rope_base, rope_linear, rope_factors;
};
inline constexpr LlamaNames kGgufNames = {.tokens = "tokenizer.ggml.tokens",
                                          .context = "llama.context_length",
                                          .layers = "llama.block_count",
                                          .width = "llama.embedding_length",
                                          .feed_forward = "llama.feed_forward_length",
                                          .heads = "llama.attention.head_count",
                                          .kv_heads = "llama.attention.head_count_kv",
                                          .head_width = "llama.attention.key_length",
                                          .rope_width = "llama.rope.dimension_count",
                                          .epsilon = "llama.attention.layer_norm_rms_epsilon",
                                          .rope_base = "llama.rope.freq_base",
                                          .rope_linear = "llama.rope.scaling.factor",
                                          .rope_factors = "rope_freqs.weight"};
inline constexpr LlamaNames kFolderNames = {.tokens = "vocab_size",
                                            .context = "max_position_embeddings",
                                            .layers = "num_hidden_layers",
                                            .width = "hidden_size",
                                            .feed_forward = "intermediate_size",
                                            .heads = "num_attention_heads",
                                            .kv_heads = "num_key_value_heads",
                                            .head_width = "head_dim",
                                            .rope_width = "head_dim",
                                            .epsilon = "rms_norm_eps",
                                            .rope_base = "rope_theta",
                                            .rope_linear = "rope_scaling.factor",
                                            .rope_factors = "rope_scaling"};

// The numbers as the file states them; ranges are not checked. What is absent has a value that follows from others.
struct LlamaShape {
  const LlamaNames* names = &kGgufNames;
  std::uint64_t vocabulary = 0, context = 0, layers = 0, width = 0, feed_forward = 0, heads = 0;
  std::optional<std::uint64_t> kv_heads = {};    // absent: heads
  std::optional<std::uint64_t> head_width = {};  // absent: width / heads
  std::optional<std::uint64_t> rope_width = {};  // absent: head_width
  double epsilon = 0;
  double rope_base = 10000;
  double rope_linear = 1;
  std::vector<float> rope_factors = {};  // divisors of the angles, one a pair; empty = none
};

enum class LlamaTensor : std::uint8_t {
  kEmbedding,
  kOutputNorm,
  kHead,  // absent: the embedding
  kRopeFactors,
  // One a layer.
  kAttentionNorm,
  kQuery,
  kKey,
  kValue,
  kAttentionOutput,
  kFeedForwardNorm,
  kGate,
  kUp,
  kDown,
};

// Which elements of a head RoPE rotates together, by the order of the rows of Q and K.
enum class RopePairs : std::uint8_t {
  kAdjacent,  // (2i, 2i+1)
  kHalves,    // (i, i + d/2)
};

// Immutable: may be read from several threads. Views live as long as the source.
class LlamaSource {
 public:
  virtual ~LlamaSource() = default;
  // kUnsupportedFile names what decant does not compute; kCorruptFile what is missing or of the wrong type.
  virtual Result<LlamaShape> Shape() const = 0;
  // The format's name of a tensor; `layer` counts for those of layers.
  virtual std::string NameOf(LlamaTensor tensor, std::uint32_t layer) const = 0;
  virtual RopePairs rope_pairs() const = 0;
  // All tensors that the decoder must use.
  virtual std::span<const TensorView> tensors() const = 0;
  // Null when there is none.
  virtual const TensorView* Find(std::string_view name) const = 0;
  // Of the file or files, in bytes.
  virtual std::uint64_t size() const = 0;
};

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_LLAMA_SOURCE_H_
