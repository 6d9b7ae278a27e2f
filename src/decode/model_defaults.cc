// ModelDefaults: what a model's own files say of how to sample from it.
//
// Both formats hold much that is no sampling value (ids, versions, lengths of training). So the keys that are one are
// named here, with the value at which they do nothing; all others are passed over.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "core/mapped_file.h"
#include "core/number_text.h"
#include "decant/parameters.h"
#include "json/value.h"
#include "weights/gguf.h"

namespace decant {
namespace {

namespace fs = std::filesystem;

// A key of a model's file.
struct Recommendation {
  std::string_view key;
  std::string_view parameter;
  double off;  // the value that changes nothing; NaN = there is none
};

constexpr double kNeverOff = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kGgufPrefix = "general.sampling.";
constexpr Recommendation kGgufKeys[] = {
    {"temp", "temperature", 1},
    {"top_k", "top_k", 0},
    {"top_p", "top_p", 1},
    {"min_p", "min_p", 0},
    {"xtc_probability", "xtc_probability", 0},
    {"xtc_threshold", "xtc_threshold", kNeverOff},
    {"penalty_last_n", "repeat_last_n", kNeverOff},
    {"penalty_repeat", "repeat_penalty", 1},
    {"mirostat", "mirostat", 0},
    {"mirostat_tau", "mirostat_tau", kNeverOff},
    {"mirostat_eta", "mirostat_eta", kNeverOff},
    {"sequence", "samplers", kNeverOff},
};
constexpr Recommendation kFolderKeys[] = {
    {"temperature", "temperature", 1},
    {"top_k", "top_k", 0},
    {"top_p", "top_p", 1},
    {"min_p", "min_p", 0},
    {"typical_p", "typical_p", 1},
    {"epsilon_cutoff", "epsilon_cutoff", 0},
    {"eta_cutoff", "eta_cutoff", 0},
    {"top_h", "top_h", kNeverOff},
    {"repetition_penalty", "repetition_penalty", 1},
    {"encoder_repetition_penalty", "encoder_repetition_penalty", 1},
    {"no_repeat_ngram_size", "no_repeat_ngram_size", 0},
    {"guidance_scale", "guidance_scale", 1},
    {"min_new_tokens", "min_tokens", 0},
    {"max_new_tokens", "max_tokens", kNeverOff},
};

// Takes one recommendation, its value spelled as JSON.
Result<void> Take(const Recommendation& row, const std::string& json, const std::string& place, ParameterSet& set) {
  const auto spec = FindParameter(row.parameter);
  if (!spec.has_value()) {
    if (const auto number = core::ParseDouble(json); number.has_value() && *number == row.off) return {};
    return Fail(ErrorCode::kUnsupportedFile,
                place + ": the model recommends " + std::string(row.key) + " " + json + ", which decant does not have",
                {.subject = std::string(row.key), .hint = "leave --model-defaults out and give the values yourself"});
  }
  auto value = ParameterFromJson(**spec, json);
  if (value.has_value()) {
    auto done = set.Set(**spec, *std::move(value), ParameterSource::kModel);
    if (done.has_value()) return {};
    value = std::unexpected(std::move(done).error());
  }
  value.error().message = place + ": " + value.error().message;
  return std::unexpected(std::move(value).error());
}

// A float's shortest text: 0.7f is 0.7, which was meant, and not 0.699999988079071.
std::string FloatText(double value) {
  if (!std::isfinite(value)) return core::NumberText(value);
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), static_cast<float>(value));
  return {text, end.ptr};
}

Result<ParameterSet> FromGguf(const std::string& path) {
  DECANT_TRY(const weights::GgufFile file, weights::GgufFile::Open(path));
  ParameterSet set;
  for (const Recommendation& row : kGgufKeys) {
    const std::string key = std::string(kGgufPrefix) + std::string(row.key);
    const weights::GgufValue* const value = file.Find(key);
    if (value == nullptr) continue;
    const std::string place = path + ": " + key;
    std::string json;
    if (value->type == weights::GgufType::kF32 || value->type == weights::GgufType::kF64) {
      DECANT_TRY(const double number, file.Float(key));
      json = value->type == weights::GgufType::kF32 ? FloatText(number) : core::NumberText(number);
    } else if (value->type == weights::GgufType::kString) {
      return Fail(ErrorCode::kUnsupportedFile,
                  place + ": the model names an order of samplers in its own spelling, which decant does not read",
                  {.subject = key, .hint = "leave --model-defaults out and give the values yourself"});
    } else {
      DECANT_TRY(const std::int64_t number, file.Signed(key));
      json = std::to_string(number);
    }
    DECANT_CHECKED(Take(row, json, place, set));
  }
  return set;
}

std::string NumberJson(const json::Value& value) {
  if (value.if_number() != nullptr) return value.if_number()->text;
  if (value.if_bool() != nullptr) return *value.if_bool() ? "true" : "false";
  return value.if_string() != nullptr ? "\"" + *value.if_string() + "\"" : "[]";
}

// Whether a stage picks among several tokens, which "do_sample": false leaves without effect.
bool IsForSampling(std::string_view parameter) {
  const auto spec = FindParameter(parameter);
  if (!spec.has_value()) return parameter != "encoder_repetition_penalty" && parameter != "no_repeat_ngram_size";
  return std::ranges::any_of(
      (*spec)->stages, [](StageId id) { return KindOf(id) == StageKind::kFilter || id == StageId::kTemperature; });
}

Result<ParameterSet> FromFolder(const fs::path& folder) {
  const fs::path path = folder / "generation_config.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return ParameterSet();
  const std::string place = path.string();
  DECANT_TRY(const core::MappedFile file, core::MappedFile::Open(place));
  const auto bytes = file.bytes();
  auto parsed = json::Read({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, {.max_depth = 64});
  if (!parsed.has_value()) {
    return Fail(ErrorCode::kCorruptFile, place + ": not JSON: " + parsed.error().message,
                {.subject = place, .at = parsed.error().at});
  }
  if (parsed->if_object() == nullptr) {
    return Fail(ErrorCode::kCorruptFile, place + " is " + std::string(parsed->kind()) + "; expected an object",
                {.subject = place});
  }
  const json::Value* const do_sample = parsed->Find("do_sample");
  const bool is_greedy = do_sample != nullptr && do_sample->if_bool() != nullptr && !*do_sample->if_bool();
  ParameterSet set;
  if (is_greedy) DECANT_CHECKED(Take({"do_sample", "temperature", 1}, "0", place, set));
  for (const Recommendation& row : kFolderKeys) {
    const json::Value* const value = parsed->Find(row.key);
    if (value == nullptr || value->is_null()) continue;
    if (is_greedy && IsForSampling(row.parameter)) continue;
    DECANT_CHECKED(Take(row, NumberJson(*value), place, set));
  }
  return set;
}

}  // namespace

Result<ParameterSet> ModelDefaults(const std::string& model_path) {
  std::error_code ignored;
  if (fs::is_directory(model_path, ignored)) return FromFolder(model_path);
  const fs::path path(model_path);
  const std::string extension = path.extension().string();
  const bool is_in_folder = path.filename() == "config.json" || path.filename() == "model.safetensors.index.json";
  if (is_in_folder || extension == ".safetensors") return FromFolder(path.parent_path());
  if (extension != ".gguf") {
    DECANT_TRY(const core::MappedFile file, core::MappedFile::Open(model_path));
    const auto bytes = file.bytes();
    if (bytes.size() < 4 || std::string_view(reinterpret_cast<const char*>(bytes.data()), 4) != "GGUF") {
      return ParameterSet();
    }
  }
  return FromGguf(model_path);
}

}  // namespace decant
