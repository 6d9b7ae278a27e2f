// Metadata keys to numbers, each within its bound, then the numbers against each other. A crafted file may claim any
// size: what running the model would take is computed and refused here, before anything is allocated.
#include "model/llama_config.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "core/utf8.h"
#include "model/kv_layout.h"
#include "model/llama_pass.h"
#include "model/rope.h"
#include "simd/attention.h"
#include "weights/dequantize.h"

namespace decant::model {
namespace {

constexpr double kMaxAngle = 0x1p20;  // what core::Sin is defined for

// What a configuration may ask for. Published models stay below a tenth of each; sums of them stay within 64 bits.
constexpr std::uint64_t kMaxTokens = std::uint64_t{1} << 24;  // of the vocabulary, of the context
constexpr std::uint64_t kMaxLayers = std::uint64_t{1} << 16;
constexpr std::uint64_t kMaxWidth = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxPassBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxScratchBytes = std::uint64_t{1} << 28;
constexpr std::uint64_t kMaxBlockBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxCacheBytes = std::uint64_t{1} << 42;  // of one sequence; taken block by block

std::unexpected<Error> Corrupt(std::string_view subject, std::string message) {
  return Fail(ErrorCode::kCorruptFile, std::move(message), {.subject = std::string(subject)});
}
std::unexpected<Error> TooLarge(std::string_view subject, std::string message) {
  return Fail(ErrorCode::kUnsupportedFile, std::move(message), {.subject = std::string(subject)});
}

Result<void> CheckSize(std::string_view key, std::uint64_t value, std::uint64_t most) {
  if (value >= 1 && value <= most) return {};
  std::string message = std::string(key) + " is " + std::to_string(value) + "; expected 1 to " + std::to_string(most);
  if (value < 1) return Corrupt(key, std::move(message));
  return TooLarge(key, std::move(message));
}

Result<std::uint32_t> Size(const weights::GgufFile& file, std::string_view key, std::uint64_t most) {
  DECANT_TRY(const std::uint64_t value, file.Unsigned(key));
  DECANT_CHECKED(CheckSize(key, value, most));
  return static_cast<std::uint32_t>(value);
}
Result<std::uint32_t> SizeOr(const weights::GgufFile& file, std::string_view key, std::uint64_t most,
                             std::uint32_t fallback) {
  if (!file.Has(key)) return fallback;
  return Size(file, key, most);
}

Result<void> CheckSizes(const LlamaConfig& c) {
  DECANT_CHECKED(CheckSize("the number of tokens", c.vocabulary, kMaxTokens));
  DECANT_CHECKED(CheckSize("llama.context_length", c.context, kMaxTokens));
  DECANT_CHECKED(CheckSize("llama.block_count", c.layers, kMaxLayers));
  DECANT_CHECKED(CheckSize("llama.embedding_length", c.width, kMaxWidth));
  DECANT_CHECKED(CheckSize("llama.feed_forward_length", c.feed_forward, kMaxWidth));
  DECANT_CHECKED(CheckSize("llama.attention.head_count", c.heads, kMaxWidth));
  DECANT_CHECKED(CheckSize("llama.attention.head_count_kv", c.kv_heads, kMaxWidth));
  DECANT_CHECKED(CheckSize("llama.attention.key_length", c.head_width, kMaxWidth));
  if (c.heads % c.kv_heads != 0) {
    return Corrupt("llama.attention.head_count_kv", std::to_string(c.heads) + " heads are not a multiple of " +
                                                        std::to_string(c.kv_heads) + " KV heads");
  }
  if (std::uint64_t{c.heads} * c.head_width > kMaxWidth) {
    return TooLarge("llama.attention.key_length",
                    "llama.attention.key_length is " + std::to_string(c.head_width) + ", of " +
                        std::to_string(c.heads) + " heads; expected a product of at most " + std::to_string(kMaxWidth));
  }
  if (c.rope_width < 2 || c.rope_width % 2 != 0 || c.rope_width > c.head_width) {
    return Corrupt("llama.rope.dimension_count", "llama.rope.dimension_count is " + std::to_string(c.rope_width) +
                                                     "; expected an even number from 2 to the head width " +
                                                     std::to_string(c.head_width));
  }
  return {};
}

// "llama.block_count is 4000: a KV block would take 2000000000 bytes; expected at most 1073741824".
Result<void> CheckBytes(std::string_view key, std::uint64_t value, std::string_view what, std::uint64_t bytes,
                        std::uint64_t most) {
  if (bytes <= most) return {};
  return TooLarge(key, std::string(key) + " is " + std::to_string(value) + ": " + std::string(what) + " would take " +
                           std::to_string(bytes) + " bytes; expected at most " + std::to_string(most));
}

// What running the model takes besides its weights: numbers of the file alone decide it, so it is bounded before
// anything is allocated. REQUIRES: CheckSizes.
Result<void> CheckMemory(const LlamaConfig& c) {
  const std::uint64_t pass = LlamaPass::BufferBytes(c);
  const std::uint64_t query = std::uint64_t{c.heads} * c.head_width;
  if (query > std::max(c.width, c.feed_forward)) {
    DECANT_CHECKED(CheckBytes("llama.attention.key_length", c.head_width, "a pass", pass, kMaxPassBytes));
  } else if (c.feed_forward > c.width) {
    DECANT_CHECKED(CheckBytes("llama.feed_forward_length", c.feed_forward, "a pass", pass, kMaxPassBytes));
  }
  DECANT_CHECKED(CheckBytes("llama.embedding_length", c.width, "a pass", pass, kMaxPassBytes));
  const std::uint64_t scratch = std::uint64_t{simd::ScratchFloats(c.heads / c.kv_heads, c.context)} * sizeof(float);
  DECANT_CHECKED(
      CheckBytes("llama.attention.head_count", c.heads, "attention over the context", scratch, kMaxScratchBytes));
  const std::uint64_t block = KvLayout(c).block_bytes();
  DECANT_CHECKED(CheckBytes("llama.block_count", c.layers, "a KV block of 32 tokens", block, kMaxBlockBytes));
  const std::uint64_t blocks = (std::uint64_t{c.context} + kKvBlockTokens - 1) / kKvBlockTokens;
  return CheckBytes("llama.context_length", c.context, "the KV cache of a sequence", blocks * block, kMaxCacheBytes);
}

Result<void> ParseRope(const weights::GgufFile& file, LlamaConfig& config) {
  DECANT_TRY(config.rope_width, SizeOr(file, "llama.rope.dimension_count", kMaxWidth, config.head_width));
  DECANT_TRY(const double base, file.FloatOr("llama.rope.freq_base", 10000.0));
  config.rope_base = static_cast<float>(base);
  DECANT_TRY(const std::string_view scaling, file.StringOr("llama.rope.scaling.type", "none"));
  if (scaling == "linear") {
    DECANT_TRY(const double factor, file.Float("llama.rope.scaling.factor"));
    config.rope_linear = static_cast<float>(factor);
  } else if (scaling != "none") {
    return Fail(ErrorCode::kUnsupportedFile,
                "llama.rope.scaling.type is " + core::Quoted(scaling) + "; expected none or linear",
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
  DECANT_CHECKED(CheckSize("the number of tokens", tokens, kMaxTokens));
  return static_cast<std::uint32_t>(tokens);
}

}  // namespace

Result<LlamaConfig> ParseLlamaConfig(const weights::GgufFile& file) {
  DECANT_TRY(const std::string_view architecture, file.String("general.architecture"));
  if (architecture != "llama") {
    return Fail(ErrorCode::kUnsupportedFile,
                "architecture " + core::Quoted(architecture) + " is not supported; expected llama",
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
  DECANT_TRY(config.context, Size(file, "llama.context_length", kMaxTokens));
  DECANT_TRY(config.layers, Size(file, "llama.block_count", kMaxLayers));
  if (config.layers > file.tensors().size()) {
    return Corrupt("llama.block_count", "llama.block_count is " + std::to_string(config.layers) + "; the file has " +
                                            std::to_string(file.tensors().size()) + " tensors");
  }
  DECANT_TRY(config.width, Size(file, "llama.embedding_length", kMaxWidth));
  DECANT_TRY(config.feed_forward, Size(file, "llama.feed_forward_length", kMaxWidth));
  DECANT_TRY(config.heads, Size(file, "llama.attention.head_count", kMaxWidth));
  DECANT_TRY(config.kv_heads, SizeOr(file, "llama.attention.head_count_kv", kMaxWidth, config.heads));
  if (!file.Has("llama.attention.key_length") && config.width % config.heads != 0) {
    return Corrupt("llama.attention.head_count", "width " + std::to_string(config.width) + " is not a multiple of " +
                                                     std::to_string(config.heads) + " heads");
  }
  DECANT_TRY(config.head_width, SizeOr(file, "llama.attention.key_length", kMaxWidth, config.width / config.heads));
  DECANT_TRY(const std::uint32_t value_width,
             SizeOr(file, "llama.attention.value_length", kMaxWidth, config.head_width));
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
  DECANT_CHECKED(CheckSizes(config));
  DECANT_CHECKED(CheckMemory(config));
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
