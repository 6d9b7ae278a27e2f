// Reads a case, samples, and writes the answer.
//
// Faults are looked for in a fixed order: the line and its keys, the preset, each parameter, then the row.
#include "sample_case.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/number_text.h"
#include "flags.h"
#include "json/spelling.h"
#include "json/value.h"
#include "json/writer.h"
#include "parameter_json.h"
#include "record_json.h"

namespace decant::cli {
namespace {

constexpr std::string_view kKeys[] = {"logits", "prompt_ids", "output_ids", "params", "preset", "seed", "draws", "id"};
constexpr std::uint64_t kMostDraws = std::uint64_t{1} << 20;

struct SampleCase {
  std::vector<double> logits;
  std::vector<TokenId> prompt, output;
  ParameterSet parameters;
  Preset preset = Preset::kNative;
  std::uint64_t draws = 1;
};

std::unexpected<Error> WrongType(const std::string& subject, const json::Value& value, const std::string& allowed) {
  return Fail(ErrorCode::kWrongType, subject + " is " + std::string(value.kind()) + "; expected " + allowed,
              {.subject = subject, .allowed = allowed});
}

// Did-you-mean included: an error's line has only a message.
std::unexpected<Error> UnknownKey(const std::string& key, const std::string& where,
                                  std::span<const std::string> known) {
  const auto close = core::Closest(key, known);
  const std::string hint = close.has_value() ? "did you mean \"" + *close + "\"?" : "";
  return Fail(ErrorCode::kUnknownParameter,
              "there is no " + where + " \"" + key + "\"" + (hint.empty() ? "" : "; " + hint),
              {.subject = key, .hint = hint});
}

// The parameter of a key of `params`, among those that one step depends on.
Result<const ParameterSpec*> FindSamplingParameter(const std::string& key) {
  const auto found = FindParameter(key);
  if (found.has_value() && IsInScope(**found, ParameterScope::kSampling)) return *found;
  if (found.has_value()) {
    return Fail(ErrorCode::kUnknownParameter, key + " has no effect on one step; decant run has it", {.subject = key});
  }
  std::vector<std::string> known;
  for (const ParameterSpec& spec : Parameters()) {
    if (!IsInScope(spec, ParameterScope::kSampling)) continue;
    known.emplace_back(spec.name);
    known.insert(known.end(), spec.aliases.begin(), spec.aliases.end());
  }
  return UnknownKey(key, "parameter", known);
}

Result<void> CheckKeys(const json::Value& line) {
  const std::vector<std::string> known(std::begin(kKeys), std::end(kKeys));
  for (const json::Member& member : *line.if_object()) {
    if (std::ranges::find(known, member.first) != known.end()) continue;
    const auto parameter = FindParameter(member.first);
    if (parameter.has_value() && IsInScope(**parameter, ParameterScope::kSampling)) {
      return Fail(ErrorCode::kUnknownParameter, member.first + " belongs into \"params\"", {.subject = member.first});
    }
    return UnknownKey(member.first, "key", known);
  }
  const json::Value* const params = line.Find("params");
  if (params == nullptr) return {};
  if (params->if_object() == nullptr) return WrongType("params", *params, "an object");
  for (const json::Member& member : *params->if_object()) {
    DECANT_TRY([[maybe_unused]] const ParameterSpec* const spec, FindSamplingParameter(member.first));
  }
  return {};
}

Result<std::vector<double>> ReadLogits(const json::Value* value) {
  std::vector<double> logits;
  if (value == nullptr) return logits;
  const json::Array* const array = value->if_array();
  if (array == nullptr) return WrongType("logits", *value, "an array of numbers");
  logits.reserve(array->size());
  for (const json::Value& element : *array) {
    const auto logit = json::ReadScore(element);
    if (!logit.has_value()) {
      return WrongType("logit of token " + std::to_string(logits.size()), element, "a number, null or \"-inf\"");
    }
    logits.push_back(*logit);
  }
  return logits;
}

Result<std::vector<TokenId>> ReadIds(const json::Value& line, const std::string& key) {
  const json::Value* const value = line.Find(key);
  std::vector<TokenId> ids;
  if (value == nullptr) return ids;
  const json::Array* const array = value->if_array();
  if (array == nullptr) return WrongType(key, *value, "an array of token ids");
  for (const json::Value& element : *array) {
    if (element.if_number() == nullptr) return WrongType("an element of " + key, element, "a token id");
    const auto id = element.AsUint64();
    if (id.has_value() && *id <= UINT32_MAX) {
      ids.push_back(static_cast<TokenId>(*id));
      continue;
    }
    return Fail(ErrorCode::kOutOfRange, key + " has " + element.if_number()->text + "; expected a token id",
                {.subject = key, .allowed = "0..4294967295"});
  }
  return ids;
}

Result<std::uint64_t> ReadDraws(const json::Value* value) {
  if (value == nullptr) return 1;
  if (value->if_number() == nullptr) return WrongType("draws", *value, "an integer");
  const auto draws = value->AsUint64();
  const double number = value->AsDouble().value_or(0);
  if (!draws.has_value() && !(std::floor(number) == number)) {
    return Fail(ErrorCode::kWrongType, "draws is " + value->if_number()->text + "; expected an integer",
                {.subject = "draws", .allowed = "an integer"});
  }
  if (draws.has_value() && *draws >= 1 && *draws <= kMostDraws) return *draws;
  const std::string allowed = "an integer in 1.." + std::to_string(kMostDraws);
  return Fail(ErrorCode::kOutOfRange, "draws is " + value->if_number()->text + "; expected " + allowed,
              {.subject = "draws", .allowed = allowed});
}

// A line says a parameter once; saying the same twice changes nothing.
Result<ParameterSet> ReadParameters(const json::Value& line, ParameterSet parameters) {
  if (const json::Value* const params = line.Find("params"); params != nullptr) {
    for (const json::Member& member : *params->if_object()) {
      DECANT_TRY(const ParameterSpec* const spec, FindSamplingParameter(member.first));
      DECANT_TRY(ParameterValue value, ParameterFromJson(*spec, member.second));
      DECANT_CHECKED(parameters.SetOnce(*spec, std::move(value), ParameterSource::kRequest));
    }
  }
  if (const json::Value* const seed = line.Find("seed"); seed != nullptr) {
    DECANT_TRY(const ParameterSpec* const spec, FindParameter("seed"));
    DECANT_TRY(ParameterValue value, ParameterFromJson(*spec, *seed));
    DECANT_CHECKED(parameters.SetOnce(*spec, std::move(value), ParameterSource::kRequest));
  }
  return parameters;
}

Result<SampleCase> ReadCase(const json::Value& line, const SampleDefaults& defaults) {
  DECANT_CHECKED(CheckKeys(line));
  SampleCase read;
  DECANT_TRY(read.logits, ReadLogits(line.Find("logits")));
  DECANT_TRY(read.prompt, ReadIds(line, "prompt_ids"));
  DECANT_TRY(read.output, ReadIds(line, "output_ids"));
  read.preset = defaults.preset;
  if (const json::Value* const preset = line.Find("preset"); preset != nullptr) {
    if (preset->if_string() == nullptr) return WrongType("preset", *preset, "a string");
    DECANT_TRY(read.preset, FindPreset(*preset->if_string()));
  }
  DECANT_TRY(read.parameters, ReadParameters(line, defaults.parameters));
  DECANT_TRY(read.draws, ReadDraws(line.Find("draws")));
  return read;
}

struct SampleResult {
  std::vector<TokenId> tokens;
  StepRecord first;
};

Result<SampleResult> Sample(const SampleCase& read) {
  DECANT_TRY(Chain chain, BuildChain(read.parameters, {.preset = read.preset}));
  if (read.logits.empty()) {
    return Fail(ErrorCode::kEmptyLogits, "there are no logits; expected at least one", {.subject = "logits"});
  }
  DECANT_TRY(const auto sampler, MakeSampler(std::move(chain), read.logits.size(), {.preset = read.preset}));
  const bool is_stream = read.preset != Preset::kNative;  // one generator, drawn from on and on
  const bool is_f64 = read.preset == Preset::kReference;
  std::vector<float> rounded;
  if (!is_f64) {
    rounded.resize(read.logits.size());
    std::ranges::transform(read.logits, rounded.begin(), [](double logit) { return static_cast<float>(logit); });
  }
  const RowView row = is_f64 ? RowView::F64(read.logits) : RowView::F32(rounded);
  const std::uint64_t seed = read.parameters.Get<std::uint64_t>("seed").value_or(0);
  SamplerState stream({.seed = seed, .prompt = read.prompt, .output = read.output});
  SampleResult result;
  for (std::uint64_t i = 0; i < read.draws; ++i) {
    SamplerState addressed(
        {.seed = seed, .sequence = static_cast<std::uint32_t>(i), .prompt = read.prompt, .output = read.output});
    SamplerState& state = is_stream ? stream : addressed;
    DECANT_TRY(const Choice choice, sampler->Sample(row, state, i == 0 ? &result.first : nullptr));
    state.CommitDraw();
    result.tokens.push_back(choice.token);
  }
  return result;
}

void WriteResult(json::Writer& w, const SampleResult& result, Preset preset) {
  w.Key("token");
  w.Uint(result.tokens.front());
  w.Key("tokens");
  WriteIds(w, result.tokens);
  w.Key("kept");
  WriteIds(w, result.first.kept);
  w.Key("support");
  WriteIds(w, result.first.support);
  w.Key("probs");
  w.BeginArray();
  for (const double p : result.first.probabilities) w.Double(p);
  w.EndArray();
  w.Key("stages");
  WriteStages(w, result.first.stages, StageFields::kCounts);
  w.Key("draw");
  WriteDraw(w, result.first.draw, preset);
}

// "line 7, column 15: …". The reader's own line is always 1: the text that it has is one line of the input.
std::string MessageAt(const Error& error, std::uint64_t number) {
  std::string place = "line " + std::to_string(number);
  std::string message = error.message;
  if (error.at.has_value() && error.at->line > 0) {
    const std::string column = ", column " + std::to_string(error.at->column);
    const std::string own = "JSON, line " + std::to_string(error.at->line) + column + ": ";
    if (message.starts_with(own)) message.erase(0, own.size());
    place += column;
  }
  return place + ": " + message;
}

void WriteFault(json::Writer& w, const Error& error, std::uint64_t number) {
  w.Key("error");
  w.BeginObject();
  w.Key("code");
  w.String(RowOf(error.code).name);
  w.Key("message");
  std::string message = MessageAt(error, number);
  // A way out that the message does not name yet.
  if (!error.hint.empty() && message.find(error.hint) == std::string::npos) message += "; " + error.hint;
  w.String(message);
  w.EndObject();
}

}  // namespace

std::string AnswerSampleLine(SampleLine line, const SampleDefaults& defaults) {
  json::Writer w;
  w.BeginObject();
  w.Key("id");
  auto value = json::Read(line.text, {});
  if (value.has_value() && value->if_object() == nullptr) {
    value = Fail(ErrorCode::kInvalidJson, "the line is " + std::string(value->kind()) + "; expected an object");
  }
  if (!value.has_value()) {
    w.Null();
    WriteFault(w, value.error(), line.number);
    w.EndObject();
    return w.Take();
  }
  const json::Value* const id = value->Find("id");
  if (id == nullptr) {
    w.Null();
  } else {
    w.Write(*id);
  }
  Preset preset = defaults.preset;
  const auto result = [&]() -> Result<SampleResult> {
    DECANT_TRY(const SampleCase read, ReadCase(*value, defaults));
    preset = read.preset;
    return Sample(read);
  }();
  if (result.has_value()) {
    WriteResult(w, *result, preset);
  } else {
    WriteFault(w, result.error(), line.number);
  }
  w.EndObject();
  return w.Take();
}

}  // namespace decant::cli
