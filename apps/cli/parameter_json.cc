// Parameter values as people read them; their JSON is the library's own.
#include "parameter_json.h"

#include <cstdint>
#include <limits>

#include "core/number_text.h"

namespace decant::cli {
namespace {

std::string JoinedText(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ",") + text;
  return joined;
}

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
  std::string operator()(const std::string& word) const { return word; }
  std::string operator()(const std::vector<TokenSequence>& sequences) const {
    std::string text;
    for (const TokenSequence& sequence : sequences) text += (text.empty() ? "" : ";") + (*this)(sequence);
    return text;
  }
};

}  // namespace

Result<ParameterValue> ParameterFromJson(const ParameterSpec& spec, const json::Value& value) {
  json::Writer text;
  text.Write(value);
  return decant::ParameterFromJson(spec, text.text());
}

void WriteParameters(json::Writer& writer, const ParameterSet& parameters) { writer.Raw(ParametersToJson(parameters)); }

std::string ParameterText(const ParameterValue& value) { return std::visit(ShowValue{}, value); }

std::string_view TypeWord(ParameterType type) {
  switch (type) {
    case ParameterType::kBoolean:
      return "boolean";
    case ParameterType::kInteger:
      return "integer";
    case ParameterType::kSeed:
      return "seed";
    case ParameterType::kNumber:
      return "number";
    case ParameterType::kStrings:
      return "strings";
    case ParameterType::kTokens:
      return "tokens";
    case ParameterType::kTokenBiases:
      return "token_biases";
    case ParameterType::kStages:
      return "stages";
    case ParameterType::kChoice:
      return "choice";
    case ParameterType::kTokenSequences:
      return "token_sequences";
    case ParameterType::kText:
      return "text";
  }
  return "";
}

}  // namespace decant::cli
