// Stated numbers within their bounds, then against each other. A crafted file may claim any size: what running the
// model would take is computed and refused here, before anything is allocated.
#include "model/llama_config.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "model/kv_layout.h"
#include "model/llama_pass.h"
#include "model/rope.h"
#include "simd/attention.h"

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

Result<std::uint32_t> Size(std::string_view key, std::uint64_t value, std::uint64_t most) {
  DECANT_CHECKED(CheckSize(key, value, most));
  return static_cast<std::uint32_t>(value);
}

Result<void> CheckSizes(const LlamaConfig& c, const weights::LlamaNames& names) {
  DECANT_CHECKED(CheckSize("the number of tokens", c.vocabulary, kMaxTokens));
  DECANT_CHECKED(CheckSize(names.context, c.context, kMaxTokens));
  DECANT_CHECKED(CheckSize(names.layers, c.layers, kMaxLayers));
  DECANT_CHECKED(CheckSize(names.width, c.width, kMaxWidth));
  DECANT_CHECKED(CheckSize(names.feed_forward, c.feed_forward, kMaxWidth));
  DECANT_CHECKED(CheckSize(names.heads, c.heads, kMaxWidth));
  DECANT_CHECKED(CheckSize(names.kv_heads, c.kv_heads, kMaxWidth));
  DECANT_CHECKED(CheckSize(names.head_width, c.head_width, kMaxWidth));
  if (c.heads % c.kv_heads != 0) {
    return Corrupt(names.kv_heads, std::to_string(c.heads) + " heads are not a multiple of " +
                                       std::to_string(c.kv_heads) + " KV heads");
  }
  if (std::uint64_t{c.heads} * c.head_width > kMaxWidth) {
    return TooLarge(names.head_width, std::string(names.head_width) + " is " + std::to_string(c.head_width) + ", of " +
                                          std::to_string(c.heads) + " heads; expected a product of at most " +
                                          std::to_string(kMaxWidth));
  }
  if (c.rope_width < 2 || c.rope_width % 2 != 0 || c.rope_width > c.head_width) {
    return Corrupt(names.rope_width, std::string(names.rope_width) + " is " + std::to_string(c.rope_width) +
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
Result<void> CheckMemory(const LlamaConfig& c, const weights::LlamaNames& names) {
  const std::uint64_t pass = LlamaPass::BufferBytes(c);
  const std::uint64_t query = std::uint64_t{c.heads} * c.head_width;
  if (query > std::max(c.width, c.feed_forward)) {
    DECANT_CHECKED(CheckBytes(names.head_width, c.head_width, "a pass", pass, kMaxPassBytes));
  } else if (c.feed_forward > c.width) {
    DECANT_CHECKED(CheckBytes(names.feed_forward, c.feed_forward, "a pass", pass, kMaxPassBytes));
  }
  DECANT_CHECKED(CheckBytes(names.width, c.width, "a pass", pass, kMaxPassBytes));
  const std::uint64_t scratch = std::uint64_t{simd::ScratchFloats(c.heads / c.kv_heads, c.context)} * sizeof(float);
  DECANT_CHECKED(CheckBytes(names.heads, c.heads, "attention over the context", scratch, kMaxScratchBytes));
  const std::uint64_t block = KvLayout(c).block_bytes();
  DECANT_CHECKED(CheckBytes(names.layers, c.layers, "a KV block of 32 tokens", block, kMaxBlockBytes));
  const std::uint64_t blocks = (std::uint64_t{c.context} + kKvBlockTokens - 1) / kKvBlockTokens;
  return CheckBytes(names.context, c.context, "the KV cache of a sequence", blocks * block, kMaxCacheBytes);
}

}  // namespace

Result<LlamaConfig> ParseLlamaConfig(const weights::LlamaSource& source) {
  DECANT_TRY(const weights::LlamaShape shape, source.Shape());
  const weights::LlamaNames& names = *shape.names;
  LlamaConfig config;
  DECANT_TRY(config.vocabulary, Size("the number of tokens", shape.vocabulary, kMaxTokens));
  DECANT_TRY(config.context, Size(names.context, shape.context, kMaxTokens));
  DECANT_TRY(config.layers, Size(names.layers, shape.layers, kMaxLayers));
  if (config.layers > source.tensors().size()) {
    return Corrupt(names.layers, std::string(names.layers) + " is " + std::to_string(config.layers) +
                                     "; the file has " + std::to_string(source.tensors().size()) + " tensors");
  }
  DECANT_TRY(config.width, Size(names.width, shape.width, kMaxWidth));
  DECANT_TRY(config.feed_forward, Size(names.feed_forward, shape.feed_forward, kMaxWidth));
  DECANT_TRY(config.heads, Size(names.heads, shape.heads, kMaxWidth));
  DECANT_TRY(config.kv_heads, Size(names.kv_heads, shape.kv_heads.value_or(config.heads), kMaxWidth));
  if (!shape.head_width && config.width % config.heads != 0) {
    return Corrupt(names.heads, "width " + std::to_string(config.width) + " is not a multiple of " +
                                    std::to_string(config.heads) + " heads");
  }
  DECANT_TRY(config.head_width,
             Size(names.head_width, shape.head_width.value_or(config.width / config.heads), kMaxWidth));
  DECANT_TRY(config.rope_width, Size(names.rope_width, shape.rope_width.value_or(config.head_width), kMaxWidth));
  config.epsilon = static_cast<float>(shape.epsilon);
  config.rope_base = static_cast<float>(shape.rope_base);
  config.rope_linear = static_cast<float>(shape.rope_linear);
  config.rope_factors = shape.rope_factors;
  DECANT_CHECKED(CheckLlamaConfig(config, names));
  return config;
}

Result<void> CheckLlamaConfig(const LlamaConfig& config, const weights::LlamaNames& names) {
  DECANT_CHECKED(CheckSizes(config, names));
  DECANT_CHECKED(CheckMemory(config, names));
  if (!(config.epsilon > 0.0f && config.epsilon < 1.0f)) {
    return Corrupt(names.epsilon, "the epsilon of RMSNorm is not in (0, 1)");
  }
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (!(config.rope_base > 0.0f && config.rope_base <= kLargest)) {
    return Corrupt(names.rope_base, std::string(names.rope_base) + " is not a finite number above 0");
  }
  if (!(config.rope_linear > 0.0f && config.rope_linear <= kLargest)) {
    return Corrupt(names.rope_linear, std::string(names.rope_linear) + " is not a finite number above 0");
  }
  if (!config.rope_factors.empty() && config.rope_factors.size() != config.rope_width / 2) {
    return Corrupt(names.rope_factors, "there are " + std::to_string(config.rope_factors.size()) +
                                           " rope factors; expected " + std::to_string(config.rope_width / 2));
  }
  for (const float factor : config.rope_factors) {
    if (!(factor > 0.0f && factor <= kLargest)) {
      return Corrupt(names.rope_factors,
                     std::string(names.rope_factors) + " has a factor that is not finite and above 0");
    }
  }
  for (const double frequency : RopeFrequencies(config)) {
    if (!(frequency * static_cast<double>(config.context) < kMaxAngle)) {
      return Corrupt(names.rope_base, "the rotation angles of RoPE reach 2^20 within the context");
    }
  }
  return {};
}

}  // namespace decant::model
