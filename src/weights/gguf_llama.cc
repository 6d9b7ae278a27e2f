// Keys of GGUF's metadata to a LlamaShape.
#include "weights/gguf_llama.h"

#include <string>
#include <utility>

#include "core/utf8.h"
#include "weights/dequantize.h"

namespace decant::weights {
namespace {

constexpr std::uint64_t kMostRopeFactors = std::uint64_t{1} << 20;

std::unexpected<Error> Corrupt(std::string_view subject, std::string message) {
  return Fail(ErrorCode::kCorruptFile, std::move(message), {.subject = std::string(subject)});
}

Result<std::optional<std::uint64_t>> Optional(const GgufFile& file, std::string_view key) {
  if (!file.Has(key)) return std::nullopt;
  return file.Unsigned(key);
}

Result<void> ReadRope(const GgufFile& file, LlamaShape& shape) {
  DECANT_TRY(shape.rope_width, Optional(file, "llama.rope.dimension_count"));
  DECANT_TRY(shape.rope_base, file.FloatOr("llama.rope.freq_base", 10000.0));
  DECANT_TRY(const std::string_view scaling, file.StringOr("llama.rope.scaling.type", "none"));
  if (scaling == "linear") {
    DECANT_TRY(shape.rope_linear, file.Float("llama.rope.scaling.factor"));
  } else if (scaling != "none") {
    return Fail(ErrorCode::kUnsupportedFile,
                "llama.rope.scaling.type is " + core::Quoted(scaling) + "; expected none or linear",
                {.subject = "llama.rope.scaling.type", .allowed = "none, linear"});
  } else if (file.Has("llama.rope.scale_linear")) {
    DECANT_TRY(shape.rope_linear, file.Float("llama.rope.scale_linear"));
  }
  if (file.FindTensor("rope_freqs.weight") == nullptr) return {};
  DECANT_TRY(const TensorView* factors, file.Tensor("rope_freqs.weight"));
  if (static_cast<float>(shape.rope_linear) != 1.0f) {
    return Fail(ErrorCode::kUnsupportedFile, "the file has both rope_freqs.weight and a linear rope scaling",
                {.subject = "rope_freqs.weight"});
  }
  if (factors->columns() != factors->elements || factors->elements > kMostRopeFactors) {
    return Corrupt("rope_freqs.weight", "tensor \"rope_freqs.weight\" has " + std::to_string(factors->rows()) +
                                            " rows of " + std::to_string(factors->columns()) +
                                            " elements; expected one row, one element a pair");
  }
  shape.rope_factors.resize(static_cast<std::size_t>(factors->elements));
  DequantizeRow(*factors, 0, std::span(shape.rope_factors));
  return {};
}

Result<std::uint64_t> Vocabulary(const GgufFile& file) {
  std::uint64_t rows = 0;
  if (const TensorView* embedding = file.FindTensor("token_embd.weight")) rows = embedding->rows();
  std::uint64_t tokens = rows;
  if (const GgufValue* list = file.Find("tokenizer.ggml.tokens")) {
    if (list->type != GgufType::kArray) {
      return Corrupt("tokenizer.ggml.tokens", "metadata \"tokenizer.ggml.tokens\" is not an array");
    }
    tokens = list->count;
  }
  if (tokens < 1 || tokens > rows) {
    return Corrupt("tokenizer.ggml.tokens", "the file has " + std::to_string(tokens) + " tokens and " +
                                                std::to_string(rows) + " embedding rows; expected 1 token to a row");
  }
  return tokens;
}

}  // namespace

Result<LlamaShape> GgufLlama::Shape() const {
  DECANT_TRY(const std::string_view architecture, file_.String("general.architecture"));
  if (architecture != "llama") {
    return Fail(ErrorCode::kUnsupportedFile,
                "architecture " + core::Quoted(architecture) + " is not supported; expected llama",
                {.subject = "general.architecture", .allowed = "llama"});
  }
  DECANT_TRY(const std::uint64_t experts, file_.UnsignedOr("llama.expert_count", 0));
  if (experts != 0) {
    return Fail(ErrorCode::kUnsupportedFile,
                "llama.expert_count is " + std::to_string(experts) + "; mixtures of experts are not supported",
                {.subject = "llama.expert_count", .allowed = "0"});
  }
  LlamaShape shape;
  DECANT_TRY(shape.vocabulary, Vocabulary(file_));
  DECANT_TRY(shape.context, file_.Unsigned("llama.context_length"));
  DECANT_TRY(shape.layers, file_.Unsigned("llama.block_count"));
  DECANT_TRY(shape.width, file_.Unsigned("llama.embedding_length"));
  DECANT_TRY(shape.feed_forward, file_.Unsigned("llama.feed_forward_length"));
  DECANT_TRY(shape.heads, file_.Unsigned("llama.attention.head_count"));
  DECANT_TRY(shape.kv_heads, Optional(file_, "llama.attention.head_count_kv"));
  DECANT_TRY(shape.head_width, Optional(file_, "llama.attention.key_length"));
  DECANT_TRY(const auto value_width, Optional(file_, "llama.attention.value_length"));
  const std::uint64_t key_width = shape.head_width.value_or(shape.heads == 0 ? 0 : shape.width / shape.heads);
  if (value_width && *value_width != key_width) {
    return Fail(ErrorCode::kUnsupportedFile,
                "llama.attention.value_length is " + std::to_string(*value_width) + "; expected the key length " +
                    std::to_string(key_width),
                {.subject = "llama.attention.value_length"});
  }
  DECANT_TRY(shape.epsilon, file_.Float("llama.attention.layer_norm_rms_epsilon"));
  DECANT_CHECKED(ReadRope(file_, shape));
  return shape;
}

std::string GgufLlama::NameOf(LlamaTensor tensor, std::uint32_t layer) const {
  const auto of_layer = [layer](const char* name) { return "blk." + std::to_string(layer) + "." + name + ".weight"; };
  switch (tensor) {
    case LlamaTensor::kEmbedding:
      return "token_embd.weight";
    case LlamaTensor::kOutputNorm:
      return "output_norm.weight";
    case LlamaTensor::kHead:
      return "output.weight";
    case LlamaTensor::kRopeFactors:
      return "rope_freqs.weight";
    case LlamaTensor::kAttentionNorm:
      return of_layer("attn_norm");
    case LlamaTensor::kQuery:
      return of_layer("attn_q");
    case LlamaTensor::kKey:
      return of_layer("attn_k");
    case LlamaTensor::kValue:
      return of_layer("attn_v");
    case LlamaTensor::kAttentionOutput:
      return of_layer("attn_output");
    case LlamaTensor::kFeedForwardNorm:
      return of_layer("ffn_norm");
    case LlamaTensor::kGate:
      return of_layer("ffn_gate");
    case LlamaTensor::kUp:
      return of_layer("ffn_up");
    case LlamaTensor::kDown:
      return of_layer("ffn_down");
  }
  return "";
}

}  // namespace decant::weights
