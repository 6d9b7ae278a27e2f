// One function a type and direction; numbers keep their text until the parameter says what it is.
#include "decode/parameter_json.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/number_text.h"
#include "json/spelling.h"

namespace decant {
namespace decode {
namespace {

std::unexpected<Error> WrongType(const ParameterSpec& spec, const json::Value& value) {
  return Fail(
      ErrorCode::kWrongType,
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
      return Fail(ErrorCode::kOutOfRange,
                  std::string(spec.name) + " has " + element.if_number()->text + "; expected token ids",
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
    const auto bias = json::ReadScore(bias_value);
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

Result<ParameterValue> SequencesFrom(const ParameterSpec& spec, const json::Value& value) {
  const json::Array* const array = value.if_array();
  if (array == nullptr) return WrongType(spec, value);
  std::vector<TokenSequence> sequences;
  for (const json::Value& element : *array) {
    DECANT_TRY(ParameterValue tokens, TokensFrom(spec, element));
    sequences.push_back(std::get<std::vector<TokenId>>(std::move(tokens)));
  }
  return sequences;
}

void WriteNumber(double value, json::Writer& writer) {
  if (std::isinf(value)) {
    writer.String(value > 0 ? "Infinity" : "-Infinity");
  } else {
    writer.Double(value);
  }
}

struct Write {
  json::Writer& writer;
  void operator()(bool value) const { writer.Bool(value); }
  void operator()(std::int64_t value) const { writer.Int(value); }
  void operator()(std::uint64_t value) const { json::WriteSeed(value, writer); }
  void operator()(double value) const { WriteNumber(value, writer); }
  void operator()(const std::vector<std::string>& value) const {
    writer.BeginArray();
    for (const std::string& text : value) writer.String(text);
    writer.EndArray();
  }
  void operator()(const std::vector<TokenId>& value) const {
    writer.BeginArray();
    for (const TokenId id : value) writer.Uint(id);
    writer.EndArray();
  }
  void operator()(const std::vector<TokenBias>& value) const {
    writer.BeginObject();
    for (const TokenBias& bias : value) {
      writer.Key(std::to_string(bias.token));
      WriteNumber(bias.bias, writer);
    }
    writer.EndObject();
  }
  void operator()(const std::vector<StageId>& value) const {
    writer.BeginArray();
    for (const StageId id : value) writer.String(NameOf(id));
    writer.EndArray();
  }
  void operator()(const std::string& value) const { writer.String(value); }
  void operator()(const std::vector<TokenSequence>& value) const {
    writer.BeginArray();
    for (const TokenSequence& sequence : value) (*this)(sequence);
    writer.EndArray();
  }
};

}  // namespace

void WriteParameterValue(const ParameterValue& value, json::Writer& writer) { std::visit(Write{writer}, value); }

void WriteParameters(const ParameterSet& parameters, json::Writer& writer) {
  writer.BeginObject();
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    writer.Key(entry.spec->name);
    writer.BeginObject();
    writer.Key("value");
    WriteParameterValue(entry.value, writer);
    writer.Key("source");
    writer.String(NameOf(entry.source));
    writer.EndObject();
  }
  writer.EndObject();
}

Result<ParameterValue> ReadParameterValue(const ParameterSpec& spec, const json::Value& value) {
  switch (spec.type) {
    case ParameterType::kBoolean:
      if (value.if_bool() == nullptr) return WrongType(spec, value);
      return *value.if_bool();
    case ParameterType::kInteger:
      return IntegerFrom(spec, value);
    case ParameterType::kSeed:
      return SeedFrom(spec, value);
    case ParameterType::kNumber:
      if (value.if_number() == nullptr) return WrongType(spec, value);
      return *value.AsDouble();
    case ParameterType::kStrings:
      return StringsFrom(spec, value);
    case ParameterType::kTokens:
      return TokensFrom(spec, value);
    case ParameterType::kTokenBiases:
      return BiasesFrom(spec, value);
    case ParameterType::kStages:
      return StagesFrom(spec, value);
    case ParameterType::kChoice:
    case ParameterType::kText:
      if (value.if_string() == nullptr) return WrongType(spec, value);
      return *value.if_string();
    case ParameterType::kTokenSequences:
      return SequencesFrom(spec, value);
  }
  return WrongType(spec, value);
}

}  // namespace decode

Result<ParameterValue> ParameterFromJson(const ParameterSpec& spec, std::string_view text) {
  DECANT_TRY(const json::Value value, json::Read(text, {}));
  return decode::ReadParameterValue(spec, value);
}

std::string ParametersToJson(const ParameterSet& parameters) {
  json::Writer writer;
  decode::WriteParameters(parameters, writer);
  return writer.Take();
}

}  // namespace decant
