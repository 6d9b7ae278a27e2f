// Keys are read from the file's own text: numbers once, as f64 or as whole numbers.
#include "weights/folder_config.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/math.h"
#include "core/utf8.h"
#include "json/value.h"

namespace decant::weights {
namespace {

using core::Quoted;

constexpr std::size_t kMaxDepth = 100;
constexpr std::uint64_t kMostHeadWidth = std::uint64_t{1} << 20;
constexpr double kTwoPi = 0x1.921fb54442d18p+2;

std::unexpected<Error> Corrupt(std::string_view key, std::string message) {
  return Fail(ErrorCode::kCorruptFile, std::move(message), {.subject = std::string(key)});
}
std::unexpected<Error> Unsupported(std::string_view key, std::string message, std::string allowed = {}) {
  return Fail(ErrorCode::kUnsupportedFile, std::move(message),
              {.subject = std::string(key), .allowed = std::move(allowed)});
}

// An object of the file, with the name that messages put before its keys.
class Keys {
 public:
  Keys(const json::Value& object, std::string prefix) : object_(object), prefix_(std::move(prefix)) {}

  // Null when the key is absent or null: transformers treats them alike.
  bool States(std::string_view key) const { return object_.Find(key) != nullptr; }  // null too
  const json::Value* Find(std::string_view key) const {
    const json::Value* value = object_.Find(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  std::string Named(std::string_view key) const { return prefix_ + std::string(key); }

  Result<std::optional<std::uint64_t>> OptionalUnsigned(std::string_view key) const {
    const json::Value* value = Find(key);
    if (value == nullptr) return std::nullopt;
    if (const auto number = value->AsUint64()) return number;
    return Wrong(key, *value, "a whole number, 0 or more");
  }
  Result<std::uint64_t> Unsigned(std::string_view key) const {
    DECANT_TRY(const auto number, OptionalUnsigned(key));
    if (number) return *number;
    return Missing(key, "a whole number, 0 or more");
  }
  Result<std::optional<double>> OptionalNumber(std::string_view key) const {
    const json::Value* value = Find(key);
    if (value == nullptr) return std::nullopt;
    if (const auto number = value->AsDouble()) return number;
    return Wrong(key, *value, "a number");
  }
  Result<double> Number(std::string_view key) const {
    DECANT_TRY(const auto number, OptionalNumber(key));
    if (number) return *number;
    return Missing(key, "a number");
  }
  Result<std::string> TextOr(std::string_view key, std::string_view fallback) const {
    const json::Value* value = Find(key);
    if (value == nullptr) return std::string(fallback);
    if (const std::string* text = value->if_string()) return *text;
    return Wrong(key, *value, "a string");
  }
  Result<bool> BoolOr(std::string_view key, bool fallback) const {
    const json::Value* value = Find(key);
    if (value == nullptr) return fallback;
    if (const bool* truth = value->if_bool()) return *truth;
    return Wrong(key, *value, "true or false");
  }
  std::unexpected<Error> Missing(std::string_view key, std::string_view expected) const {
    return Corrupt(Named(key), Named(key) + " is missing; expected " + std::string(expected));
  }

 private:
  std::unexpected<Error> Wrong(std::string_view key, const json::Value& value, std::string_view expected) const {
    const json::Number* number = value.if_number();
    const std::string found = number != nullptr ? number->text.substr(0, 40) : std::string(value.kind());
    return Corrupt(Named(key), Named(key) + " is " + found + "; expected " + std::string(expected));
  }

  const json::Value& object_;
  std::string prefix_;
};

Result<void> CheckKind(const Keys& config) {
  DECANT_TRY(const std::string type, config.TextOr("model_type", ""));
  if (type.empty()) return config.Missing("model_type", "llama or mistral");
  if (type != "llama" && type != "mistral") {
    return Unsupported("model_type", "model_type " + Quoted(type) + " is not supported; expected llama or mistral",
                       "llama, mistral");
  }
  DECANT_TRY(const std::string act, config.TextOr("hidden_act", "silu"));
  if (act != "silu") return Unsupported("hidden_act", "hidden_act is " + Quoted(act) + "; expected silu", "silu");
  for (const std::string_view key : {"attention_bias", "mlp_bias", "rope_interleaved"}) {
    DECANT_TRY(const bool on, config.BoolOr(key, false));
    if (on) return Unsupported(key, std::string(key) + " is true; expected false", "false");
  }
  DECANT_TRY(const auto rotated, config.OptionalNumber("partial_rotary_factor"));
  if (rotated && *rotated != 1.0) {
    return Unsupported("partial_rotary_factor", "partial_rotary_factor is not 1; whole heads are rotated", "1");
  }
  if (config.Find("quantization_config") != nullptr) {
    return Unsupported("quantization_config",
                       "quantization_config is set; expected weights that are F32, F16 or BF16 as they lie");
  }
  if (type == "llama") return {};
  // null is no window; a file without the key has transformers' default.
  constexpr std::uint64_t kDefaultWindow = 4096;
  DECANT_TRY(auto window, config.OptionalUnsigned("sliding_window"));
  if (!config.States("sliding_window")) window = kDefaultWindow;
  DECANT_TRY(const auto context, config.Unsigned("max_position_embeddings"));
  if (window.has_value() && *window < context) {
    const std::string stated = config.States("sliding_window") ? "" : "absent, so transformers' default of ";
    return Unsupported("sliding_window",
                       "sliding_window is " + stated + std::to_string(*window) +
                           ", shorter than the context; expected null or at least max_position_embeddings, " +
                           std::to_string(context));
  }
  return {};
}

Result<void> ReadLlama3(const Keys& rope, LlamaShape& shape) {
  DECANT_TRY(const double factor, rope.Number("factor"));
  DECANT_TRY(const double low, rope.Number("low_freq_factor"));
  DECANT_TRY(const double high, rope.Number("high_freq_factor"));
  DECANT_TRY(const double length, rope.Number("original_max_position_embeddings"));
  const bool usable = factor >= 1 && factor <= 1e6 && low > 0 && low < high && high <= 1e6 && length >= 1 &&
                      length <= 0x1p31 && shape.rope_base >= 1 && shape.rope_base <= 1e30;
  if (!usable) {
    return Corrupt(rope.Named("rope_type"),
                   "the numbers of rope type llama3 do not fit together; expected factor >= 1, 0 < low_freq_factor < "
                   "high_freq_factor, original_max_position_embeddings >= 1, rope_theta >= 1");
  }
  const std::uint64_t width = shape.head_width.value_or(shape.heads == 0 ? 0 : shape.width / shape.heads);
  if (width < 2 || width % 2 != 0 || width > kMostHeadWidth) return {};  // refused when the ranges are checked
  const double log2_base = core::Log2(static_cast<double>(static_cast<float>(shape.rope_base)));
  for (std::uint64_t i = 0; i < width / 2; ++i) {
    const double frequency = core::Exp2(-(static_cast<double>(2 * i) / static_cast<double>(width)) * log2_base);
    const double wavelength = kTwoPi / frequency;
    double divisor = 1;
    if (wavelength > length / low) {
      divisor = factor;
    } else if (wavelength >= length / high) {
      const double smooth = (length / wavelength - low) / (high - low);
      divisor = 1 / ((1 - smooth) / factor + smooth);
    }
    shape.rope_factors.push_back(static_cast<float>(divisor));
  }
  return {};
}

// Since version 5, transformers writes "rope_parameters" with rope_theta inside; before, "rope_scaling" and a
// "rope_theta" beside it.
Result<void> ReadRope(const Keys& config, LlamaShape& shape) {
  DECANT_TRY(const auto outer, config.OptionalNumber("rope_theta"));
  shape.rope_base = outer.value_or(10000.0);
  const bool is_new = config.Find("rope_parameters") != nullptr;
  const std::string_view key = is_new ? "rope_parameters" : "rope_scaling";
  const json::Value* object = config.Find(key);
  if (object == nullptr) return {};
  if (is_new && config.Find("rope_scaling") != nullptr && !(*config.Find("rope_scaling") == *object)) {
    return Corrupt("rope_parameters", "rope_parameters and rope_scaling are both set, and differ");
  }
  if (object->if_object() == nullptr) {
    return Corrupt(key, std::string(key) + " is " + std::string(object->kind()) + "; expected an object");
  }
  const Keys rope(*object, std::string(key) + ".");
  DECANT_TRY(const auto inner, rope.OptionalNumber("rope_theta"));
  if (inner && outer && *inner != *outer) {
    return Corrupt("rope_theta", "rope_theta and " + rope.Named("rope_theta") + " differ");
  }
  if (inner) shape.rope_base = *inner;
  DECANT_TRY(const auto rotated, rope.OptionalNumber("partial_rotary_factor"));
  if (rotated && *rotated != 1.0) {
    return Unsupported(rope.Named("partial_rotary_factor"),
                       rope.Named("partial_rotary_factor") + " is not 1; whole heads are rotated", "1");
  }
  DECANT_TRY(const std::string old_type, rope.TextOr("type", "default"));
  DECANT_TRY(const std::string type, rope.TextOr("rope_type", old_type));
  if (type == "default") return {};
  if (type == "linear") {
    DECANT_TRY(shape.rope_linear, rope.Number("factor"));
    return {};
  }
  if (type == "llama3") return ReadLlama3(rope, shape);
  return Unsupported(rope.Named("rope_type"),
                     rope.Named("rope_type") + " is " + Quoted(type) + "; expected default, linear or llama3",
                     "default, linear, llama3");
}

// A key twice would be read as the last one by some readers and as the first by others.
Result<void> CheckKeysOnce(const json::Object& object) {
  const auto repeated = json::RepeatedKey(object);
  if (!repeated.has_value()) return {};
  return Corrupt(*repeated, Quoted(*repeated) + " appears twice");
}

}  // namespace

Result<FolderConfig> ParseFolderConfig(std::string_view text) {
  const Result<json::Value> value = json::Read(text, {.max_depth = kMaxDepth});
  if (!value.has_value()) {
    return Fail(ErrorCode::kCorruptFile, "not JSON: " + value.error().message, {.at = value.error().at});
  }
  if (value->if_object() == nullptr) return Corrupt("", "the file is no JSON object");
  DECANT_CHECKED(CheckKeysOnce(*value->if_object()));
  const Keys config(*value, "");
  DECANT_CHECKED(CheckKind(config));
  FolderConfig parsed;
  LlamaShape& shape = parsed.shape;
  shape.names = &kFolderNames;
  DECANT_TRY(shape.vocabulary, config.Unsigned("vocab_size"));
  DECANT_TRY(shape.context, config.Unsigned("max_position_embeddings"));
  DECANT_TRY(shape.layers, config.Unsigned("num_hidden_layers"));
  DECANT_TRY(shape.width, config.Unsigned("hidden_size"));
  DECANT_TRY(shape.feed_forward, config.Unsigned("intermediate_size"));
  DECANT_TRY(shape.heads, config.Unsigned("num_attention_heads"));
  DECANT_TRY(shape.kv_heads, config.OptionalUnsigned("num_key_value_heads"));
  // transformers' default for mistral is 8, not the number of heads: say so rather than guess.
  DECANT_TRY(const std::string type, config.TextOr("model_type", ""));
  if (type == "mistral" && !shape.kv_heads) return config.Missing("num_key_value_heads", "a whole number, 0 or more");
  DECANT_TRY(shape.head_width, config.OptionalUnsigned("head_dim"));
  DECANT_TRY(shape.epsilon, config.Number("rms_norm_eps"));
  DECANT_CHECKED(ReadRope(config, shape));
  DECANT_TRY(const bool tied, config.BoolOr("tie_word_embeddings", false));
  parsed.tied = tied ? TiedHead::kYes : TiedHead::kNo;
  return parsed;
}

}  // namespace decant::weights
