#include "model/llama_config.h"

#include <limits>
#include <string>
#include <string_view>

#include "model/rope.h"
#include "weights/dequantize.h"

namespace decant::model {
namespace {

constexpr double kMaxAngle = 0x1p20;  // what core::Sin is defined for

std::unexpected<Error> Corrupt(std::string_view subject, std::string message) {
  return Fail(ErrorCode::kCorruptFile, std::move(message), {.subject = std::string(subject)});
}

// A size: 1 ... 2^24.
Result<std::uint32_t> Size(const weights::GgufFile& file, std::string_view key) {
  DECANT_TRY(const std::uint64_t value, file.Unsigned(key));
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  if (value < 1 || value > kMost) {
    return Corrupt(key, "metadata \"" + std::string(key) + "\" is " + std::to_string(value) + "; expected 1 to " +
                            std::to_string(kMost));
  }
  return static_cast<std::uint32_t>(value);
}
Result<std::uint32_t> SizeOr(const weights::GgufFile& file, std::string_view key, std::uint32_t fallback) {
  if (!file.Has(key)) return fallback;
  return Size(file, key);
}

Result<void> ParseRope(const weights::GgufFile& file, LlamaConfig& config) {
  DECANT_TRY(config.rope_width, SizeOr(file, "llama.rope.dimension_count", config.head_width));
  DECANT_TRY(const double base, file.FloatOr("llama.rope.freq_base", 10000.0));
  config.rope_base = static_cast<float>(base);
  DECANT_TRY(const std::string_view scaling, file.StringOr("llama.rope.scaling.type", "none"));
  if (scaling == "linear") {
    DECANT_TRY(const double factor, file.Float("llama.rope.scaling.factor"));
    config.rope_linear = static_cast<float>(factor);
  } else if (scaling != "none") {
    return Fail(ErrorCode::kUnsupportedFile,
                "llama.rope.scaling.type is \"" + std::string(scaling) + "\"; expected none or linear",
                {.subject = "llama.rope.scaling.type", .allowed = "none, linear"});
  } else if (file.Has("llama.rope.scale_linear")) {
    DECANT_TRY(const double factor, file.Float("llama.rope.scale_linear"));
    config.rope_linear = static_cast<float>(factor);
  }
  if (file.FindTensor("rope_freqs.weight") == nullptr) return {};
  DECANT_TRY(const weights::GgufTensor* factors, file.Tensor("rope_freqs.weight"));
  if (config.rope_linear != 1.0f) {
    return Fail(ErrorCode::kUnsupportedFile, "the file has both rope_freqs.weight and a linear rope scaling",
                {.subject = "rope_freqs.weight"});
  }
  if (factors->elements != config.rope_width / 2 || factors->columns() != factors->elements) {
    return Corrupt("rope_freqs.weight", "tensor \"rope_freqs.weight\" has " + std::to_string(factors->elements) +
                                            " elements; expected " + std::to_string(config.rope_width / 2));
  }
  config.rope_factors.resize(config.rope_width / 2);
  weights::DequantizeRow(*factors, 0, std::span(config.rope_factors));
  return {};
}

Result<std::uint32_t> Vocabulary(const weights::GgufFile& file) {
  std::uint64_t rows = 0;
  if (const weights::GgufTensor* embedding = file.FindTensor("token_embd.weight")) rows = embedding->rows();
  std::uint64_t tokens = rows;
  if (const weights::GgufValue* list = file.Find("tokenizer.ggml.tokens")) {
    if (list->type != weights::GgufType::kArray) {
      return Corrupt("tokenizer.ggml.tokens", "metadata \"tokenizer.ggml.tokens\" is not an array");
    }
    tokens = list->count;
  }
  if (tokens < 1 || tokens > rows) {
    return Corrupt("tokenizer.ggml.tokens", "the file has " + std::to_string(tokens) + " tokens and " +
                                                std::to_string(rows) + " embedding rows; expected 1 token to a row");
  }
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  if (tokens > kMost) return Corrupt("tokenizer.ggml.tokens", "the file has " + std::to_string(tokens) + " tokens");
  return static_cast<std::uint32_t>(tokens);
}

}  // namespace

Result<LlamaConfig> ParseLlamaConfig(const weights::GgufFile& file) {
  DECANT_TRY(const std::string_view architecture, file.String("general.architecture"));
  if (architecture != "llama") {
    return Fail(ErrorCode::kUnsupportedFile,
                "architecture \"" + std::string(architecture) + "\" is not supported; expected llama",
                {.subject = "general.architecture", .allowed = "llama"});
  }
  DECANT_TRY(const std::uint64_t experts, file.UnsignedOr("llama.expert_count", 0));
  if (experts != 0) {
    return Fail(ErrorCode::kUnsupportedFile,
                "llama.expert_count is " + std::to_string(experts) + "; mixtures of experts are not supported",
                {.subject = "llama.expert_count", .allowed = "0"});
  }
  LlamaConfig config;
  DECANT_TRY(config.vocabulary, Vocabulary(file));
  DECANT_TRY(config.context, Size(file, "llama.context_length"));
  DECANT_TRY(config.layers, Size(file, "llama.block_count"));
  DECANT_TRY(config.width, Size(file, "llama.embedding_length"));
  DECANT_TRY(config.feed_forward, Size(file, "llama.feed_forward_length"));
  DECANT_TRY(config.heads, Size(file, "llama.attention.head_count"));
  DECANT_TRY(config.kv_heads, SizeOr(file, "llama.attention.head_count_kv", config.heads));
  if (!file.Has("llama.attention.key_length") && config.width % config.heads != 0) {
    return Corrupt("llama.attention.head_count", "width " + std::to_string(config.width) + " is not a multiple of " +
                                                     std::to_string(config.heads) + " heads");
  }
  DECANT_TRY(config.head_width, SizeOr(file, "llama.attention.key_length", config.width / config.heads));
  DECANT_TRY(const std::uint32_t value_width, SizeOr(file, "llama.attention.value_length", config.head_width));
  if (value_width != config.head_width) {
    return Fail(ErrorCode::kUnsupportedFile,
                "llama.attention.value_length is " + std::to_string(value_width) + "; expected the key length " +
                    std::to_string(config.head_width),
                {.subject = "llama.attention.value_length"});
  }
  DECANT_TRY(const double epsilon, file.Float("llama.attention.layer_norm_rms_epsilon"));
  config.epsilon = static_cast<float>(epsilon);
  DECANT_CHECKED(ParseRope(file, config));
  DECANT_CHECKED(CheckLlamaConfig(config));
  return config;
}

Result<void> CheckLlamaConfig(const LlamaConfig& config) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  const auto is_size = [](std::uint64_t n) { return n >= 1 && n <= kMost; };
  if (!is_size(config.vocabulary) || !is_size(config.context) || !is_size(config.layers) || !is_size(config.width) ||
      !is_size(config.feed_forward) || !is_size(config.heads) || !is_size(config.kv_heads) ||
      !is_size(config.head_width)) {
    return Corrupt("config", "a size of the model is 0 or above 2^24");
  }
  if (config.heads % config.kv_heads != 0) {
    return Corrupt("llama.attention.head_count_kv", std::to_string(config.heads) + " heads are not a multiple of " +
                                                        std::to_string(config.kv_heads) + " KV heads");
  }
  if (std::uint64_t{config.heads} * config.head_width > kMost) {
    return Corrupt("llama.attention.key_length", std::to_string(config.heads) + " heads of width " +
                                                     std::to_string(config.head_width) + " are more than 2^24");
  }
  if (config.rope_width < 2 || config.rope_width % 2 != 0 || config.rope_width > config.head_width) {
    return Corrupt("llama.rope.dimension_count", "llama.rope.dimension_count is " + std::to_string(config.rope_width) +
                                                     "; expected an even number from 2 to the head width " +
                                                     std::to_string(config.head_width));
  }
  if (!(config.epsilon > 0.0f && config.epsilon < 1.0f)) {
    return Corrupt("llama.attention.layer_norm_rms_epsilon", "the epsilon of RMSNorm is not in (0, 1)");
  }
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (!(config.rope_base > 0.0f && config.rope_base <= kLargest)) {
    return Corrupt("llama.rope.freq_base", "llama.rope.freq_base is not a finite number above 0");
  }
  if (!(config.rope_linear > 0.0f && config.rope_linear <= kLargest)) {
    return Corrupt("llama.rope.scaling.factor", "llama.rope.scaling.factor is not a finite number above 0");
  }
  if (!config.rope_factors.empty() && config.rope_factors.size() != config.rope_width / 2) {
    return Corrupt("rope_freqs.weight", "there are " + std::to_string(config.rope_factors.size()) +
                                            " rope factors; expected " + std::to_string(config.rope_width / 2));
  }
  for (const float factor : config.rope_factors) {
    if (!(factor > 0.0f && factor <= kLargest)) {
      return Corrupt("rope_freqs.weight", "tensor \"rope_freqs.weight\" has a factor that is not finite and above 0");
    }
  }
  for (const double frequency : RopeFrequencies(config)) {
    if (!(frequency * static_cast<double>(config.context) < kMaxAngle)) {
      return Corrupt("llama.rope.freq_base", "the rotation angles of RoPE reach 2^20 within the context");
    }
  }
  return {};
}

}  // namespace decant::model
