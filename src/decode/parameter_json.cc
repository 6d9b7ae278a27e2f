#include "decode/parameter_json.h"

#include <cmath>
#include <string>

namespace decant::decode {
namespace {

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
  void operator()(std::uint64_t value) const { writer.String(std::to_string(value)); }
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
};

// A scalar's text as a flag would spell it.
std::optional<std::string> ScalarText(const json::Value& value) {
  if (const bool* boolean = value.if_bool()) return *boolean ? "true" : "false";
  if (const json::Number* number = value.if_number()) return number->text;
  if (const std::string* text = value.if_string()) return *text;
  return std::nullopt;
}

}  // namespace

void WriteParameterValue(const ParameterValue& value, json::Writer& writer) { std::visit(Write{writer}, value); }

Result<ParameterValue> ReadParameterValue(const ParameterSpec& spec, const json::Value& value) {
  const auto wrong = [&spec] {
    return Fail(ErrorCode::kWrongType, std::string(spec.name) + " has a value of another type; expected " +
                                           std::string(NameOf(spec.type)),
                {.subject = std::string(spec.name), .allowed = std::string(NameOf(spec.type))});
  };
  if (spec.type == ParameterType::kStrings) {
    std::vector<std::string> texts;
    if (value.if_array() == nullptr) return wrong();
    for (const json::Value& item : *value.if_array()) {
      if (item.if_string() == nullptr) return wrong();
      texts.push_back(*item.if_string());
    }
    return texts;
  }
  std::string joined;
  if (const json::Array* array = value.if_array()) {
    for (const json::Value& item : *array) {
      const auto text = ScalarText(item);
      if (!text) return wrong();
      joined += (joined.empty() ? "" : ",") + *text;
    }
    return ParseParameter(spec, joined);
  }
  if (const json::Object* object = value.if_object()) {
    for (const auto& [key, item] : *object) {
      const auto text = ScalarText(item);
      if (!text) return wrong();
      joined += (joined.empty() ? "" : ",") + key + "=" + *text;
    }
    return ParseParameter(spec, joined);
  }
  const auto text = ScalarText(value);
  if (!text) return wrong();
  return ParseParameter(spec, *text);
}

}  // namespace decant::decode
