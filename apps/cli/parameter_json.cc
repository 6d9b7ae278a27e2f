// Both directions, type by type.
#include "parameter_json.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/number_text.h"

namespace decant::cli {
namespace {

std::unexpected<Error> WrongType(const ParameterSpec& spec, const json::Value& value) {
  return Fail(ErrorCode::kWrongType,
              std::string(spec.name) + " is " + std::string(value.kind()) + "; expected " + std::string(NameOf(spec.type)),
              {.subject = std::string(spec.name), .allowed = std::string(NameOf(spec.type))});
}

std::unexpected<Error> NotWhole(const ParameterSpec& spec, const json::Number& number) {
  const std::string allowed(NameOf(spec.type));
  return Fail(ErrorCode::kWrongType, std::string(spec.name) + " is " + number.text + "; expected " + allowed,
              {.subject = std::string(spec.name), .allowed = allowed});
}

// What an integer's text says where it is past 2^63: only its side of 0 matters then. Fractions, NaN and "Infinity" are
// nothing.
std::optional<std::int64_t> FarInteger(const json::Value& value) {
  const double number = value.AsDouble().value_or(0);
  const bool named = value.if_number()->text.find_first_of("NI") != std::string::npos;
  if (named || std::isnan(number) || std::abs(number) < 0x1p63) return std::nullopt;
  return number > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

Result<ParameterValue> IntegerFrom(const ParameterSpec& spec, const json::Value& value) {
  if (value.if_number() == nullptr) return WrongType(spec, value);
  if (const auto integer = value.AsInt64(); integer.has_value()) return *integer;
  if (const auto far = FarInteger(value); far.has_value()) return *far;
  return NotWhole(spec, *value.if_number());
}

Result<ParameterValue> SeedFrom(const ParameterSpec& spec, const json::Value& value) {
  if (const std::string* const text = value.if_string(); text != nullptr) return ParseParameter(spec, *text);
  if (value.if_number() == nullptr) return WrongType(spec, value);
  if (const auto integer = value.AsUint64(); integer.has_value()) return *integer;
  if (const auto integer = value.AsInt64(); integer.has_value()) return ParseParameter(spec, std::to_string(*integer));
  if (!FarInteger(value).has_value()) return NotWhole(spec, *value.if_number());
  return Fail(ErrorCode::kOutOfRange, "seed is " + value.if_number()->text + "; expected an integer in -2^63..2^64-1",
              {.subject = "seed"});
}

Result<ParameterValue> StringsFrom(const ParameterSpec& spec, const json::Value& value) {
  if (const std::string* const text = value.if_string(); text != nullptr) return std::vector<std::string>{*text};
  const json::Array* const array = value.if_array();
  if (array == nullptr) return WrongType(spec, value);
  std::vector<std::string> texts;
  for (const json::Value& element : *array) {
    if (element.if_string() == nullptr) return WrongType(spec, element);
    texts.push_back(*element.if_string());
  }
  return texts;
}

Result<ParameterValue> TokensFrom(const ParameterSpec& spec, const json::Value& value) {
  const json::Array* const array = value.if_array();
  if (array == nullptr) return WrongType(spec, value);
  std::vector<TokenId> tokens;
  for (const json::Value& element : *array) {
    if (element.if_number() == nullptr) return WrongType(spec, element);
    const auto id = element.AsUint64();
    if (!id.has_value() || *id > UINT32_MAX) {
      return Fail(ErrorCode::kOutOfRange, std::string(spec.name) + " has " + element.if_number()->text + "; expected token ids",
                  {.subject = std::string(spec.name), .allowed = "0..4294967295"});
    }
    tokens.push_back(static_cast<TokenId>(*id));
  }
  return tokens;
}

Result<ParameterValue> BiasesFrom(const ParameterSpec& spec, const json::Value& value) {
  const json::Object* const object = value.if_object();
  if (object == nullptr) return WrongType(spec, value);
  std::vector<TokenBias> biases;
  for (const auto& [key, bias_value] : *object) {
    if (key.empty() || key.find_first_not_of("0123456789") != std::string::npos) {
      return Fail(ErrorCode::kWrongType, "logit_bias of \"" + key + "\": the key is no token id",
                  {.subject = "logit_bias", .allowed = std::string(NameOf(spec.type))});
    }
    const auto id = core::ParseUint64(key);
    if (!id.has_value() || *id > UINT32_MAX) {
      return Fail(ErrorCode::kTokenOutOfRange, "logit_bias names token " + key + "; there is no such token",
                  {.subject = "logit_bias"});
    }
    const auto bias = ScoreFromJson(bias_value);
    if (!bias.has_value()) {
      return Fail(ErrorCode::kWrongType,
                  "logit_bias of \"" + key + "\" is " + std::string(bias_value.kind()) +
                      "; expected a number, null or \"-inf\"",
                  {.subject = "logit_bias", .allowed = std::string(NameOf(spec.type))});
    }
    biases.push_back({.token = static_cast<TokenId>(*id), .bias = *bias});
  }
  return biases;
}

Result<ParameterValue> StagesFrom(const ParameterSpec& spec, const json::Value& value) {
  if (const std::string* const text = value.if_string(); text != nullptr) return ParseParameter(spec, *text);
  const json::Array* const array = value.if_array();
  if (array == nullptr) return WrongType(spec, value);
  std::vector<StageId> stages;
  for (const json::Value& element : *array) {
    if (element.if_string() == nullptr) return WrongType(spec, element);
    const bool is_one_name = !element.if_string()->empty() && element.if_string()->find(',') == std::string::npos;
    if (!is_one_name) {
      return Fail(ErrorCode::kOutOfRange, "samplers has \"" + *element.if_string() + "\"; expected stage names",
                  {.subject = "samplers", .allowed = "stage names"});
    }
    DECANT_TRY(ParameterValue one, ParseParameter(spec, *element.if_string()));
    stages.push_back(std::get<std::vector<StageId>>(one).front());
  }
  return stages;
}

std::string JoinedText(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ",") + text;
  return joined;
}

struct WriteValue {
  json::Writer& writer;
  void operator()(bool value) const { writer.Bool(value); }
  void operator()(std::int64_t value) const { writer.Int(value); }
  void operator()(std::uint64_t value) const { writer.Uint(value); }
  void operator()(double value) const { writer.Double(value); }
  void operator()(const std::vector<std::string>& texts) const {
    writer.BeginArray();
    for (const std::string& text : texts) writer.String(text);
    writer.EndArray();
  }
  void operator()(const std::vector<TokenId>& tokens) const { WriteIds(writer, tokens); }
  void operator()(const std::vector<TokenBias>& biases) const {
    writer.BeginObject();
    for (const TokenBias& bias : biases) {
      writer.Key(std::to_string(bias.token));
      writer.Double(bias.bias);
    }
    writer.EndObject();
  }
  void operator()(const std::vector<StageId>& stages) const {
    writer.BeginArray();
    for (const StageId stage : stages) writer.String(NameOf(stage));
    writer.EndArray();
  }
};

struct ShowValue {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    const std::string text = core::NumberText(value);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
  }
  std::string operator()(const std::vector<std::string>& texts) const { return JoinedText(texts); }
  std::string operator()(const std::vector<TokenId>& tokens) const {
    std::vector<std::string> texts;
    for (const TokenId token : tokens) texts.push_back(std::to_string(token));
    return JoinedText(texts);
  }
  std::string operator()(const std::vector<TokenBias>& biases) const {
    std::vector<std::string> texts;
    for (const TokenBias& bias : biases) {
      texts.push_back(std::to_string(bias.token) + "=" + core::NumberText(bias.bias));
    }
    return JoinedText(texts);
  }
  std::string operator()(const std::vector<StageId>& stages) const {
    std::vector<std::string> texts;
    for (const StageId stage : stages) texts.emplace_back(NameOf(stage));
    return JoinedText(texts);
  }
};

}  // namespace

std::optional<double> ScoreFromJson(const json::Value& value) {
  constexpr double kBan = -std::numeric_limits<double>::infinity();
  if (value.is_null()) return kBan;
  if (const std::string* const text = value.if_string(); text != nullptr) {
    return *text == "-inf" || *text == "-Infinity" ? std::optional(kBan) : std::nullopt;
  }
  return value.AsDouble();
}

Result<ParameterValue> ParameterFromJson(const ParameterSpec& spec, const json::Value& value) {
  switch (spec.type) {
    case ParameterType::kBoolean:
      if (value.if_bool() == nullptr) return WrongType(spec, value);
      return *value.if_bool();
    case ParameterType::kInteger: return IntegerFrom(spec, value);
    case ParameterType::kSeed: return SeedFrom(spec, value);
    case ParameterType::kNumber:
      if (value.if_number() == nullptr) return WrongType(spec, value);
      return *value.AsDouble();
    case ParameterType::kStrings: return StringsFrom(spec, value);
    case ParameterType::kTokens: return TokensFrom(spec, value);
    case ParameterType::kTokenBiases: return BiasesFrom(spec, value);
    case ParameterType::kStages: return StagesFrom(spec, value);
  }
  return WrongType(spec, value);
}

void WriteParameterValue(json::Writer& writer, const ParameterValue& value) { std::visit(WriteValue{writer}, value); }

void WriteParameters(json::Writer& writer, const ParameterSet& parameters) {
  writer.BeginObject();
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    writer.Key(entry.spec->name);
    writer.BeginObject();
    writer.Key("value");
    WriteParameterValue(writer, entry.value);
    writer.Key("source");
    writer.String(NameOf(entry.source));
    writer.EndObject();
  }
  writer.EndObject();
}

std::string ParameterText(const ParameterValue& value) { return std::visit(ShowValue{}, value); }

std::string_view TypeWord(ParameterType type) {
  switch (type) {
    case ParameterType::kBoolean: return "boolean";
    case ParameterType::kInteger: return "integer";
    case ParameterType::kSeed: return "seed";
    case ParameterType::kNumber: return "number";
    case ParameterType::kStrings: return "strings";
    case ParameterType::kTokens: return "tokens";
    case ParameterType::kTokenBiases: return "token_biases";
    case ParameterType::kStages: return "stages";
  }
  return "";
}

void WriteStages(json::Writer& writer, const std::vector<StageRecord>& stages) {
  writer.BeginArray();
  for (const StageRecord& stage : stages) {
    writer.BeginObject();
    writer.Key("name");
    writer.String(NameOf(stage.id));
    writer.Key("kept");
    writer.Uint(stage.kept);
    writer.Key("removed");
    writer.Uint(stage.removed);
    writer.Key("removed_mass");
    writer.Double(stage.removed_mass);
    if (stage.skipped) {
      writer.Key("skipped");
      writer.Bool(true);
    }
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteDraw(json::Writer& writer, const DrawRecord& draw, Preset preset) {
  writer.BeginObject();
  writer.Key("kind");
  writer.String(NameOf(draw.kind));
  if (draw.kind == DrawKind::kInverseCdf) {
    if (preset == Preset::kNative) {
      const std::pair<std::string_view, std::uint64_t> integers[] = {
          {"r", draw.r}, {"t", draw.t}, {"z", draw.z}, {"lo", draw.lo}, {"hi", draw.hi}};
      for (const auto& [key, integer] : integers) {
        writer.Key(key);
        writer.String(std::to_string(integer));
      }
    }
    writer.Key("u");
    writer.Double(draw.u);
    writer.Key("interval");
    writer.BeginArray();
    writer.Double(draw.interval[0]);
    writer.Double(draw.interval[1]);
    writer.EndArray();
  }
  writer.EndObject();
}

void WriteIds(json::Writer& writer, std::span<const TokenId> ids) {
  writer.BeginArray();
  for (const TokenId id : ids) writer.Uint(id);
  writer.EndArray();
}

}  // namespace decant::cli
