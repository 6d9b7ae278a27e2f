// Parameter values as JSON and as text.
#ifndef DECANT_CLI_PARAMETER_JSON_H_
#define DECANT_CLI_PARAMETER_JSON_H_

#include <optional>
#include <string>
#include <string_view>

#include "decant/parameters.h"
#include "json/value.h"
#include "json/writer.h"

namespace decant::cli {

// A JSON value as the parameter's type (decant::ParameterFromJson).
Result<ParameterValue> ParameterFromJson(const ParameterSpec& spec, const json::Value& value);

// {"top_k":{"value":40,"source":"built-in"},…}
void WriteParameters(json::Writer& writer, const ParameterSet& parameters);
std::string ParameterText(const ParameterValue& value);

// "number", "token_biases": the type in one word.
std::string_view TypeWord(ParameterType type);

}  // namespace decant::cli

#endif  // DECANT_CLI_PARAMETER_JSON_H_
