// Parameter values as JSON, both ways: what traces hold.
#ifndef DECANT_DECODE_PARAMETER_JSON_H_
#define DECANT_DECODE_PARAMETER_JSON_H_

#include "decant/error.h"
#include "decant/parameters.h"
#include "json/value.h"
#include "json/writer.h"

namespace decant::decode {

// Numbers as numbers (-Infinity as the string "-Infinity"), seeds as decimal strings, biases as {"id": bias}.
void WriteParameterValue(const ParameterValue& value, json::Writer& writer);
// The inverse. kWrongType names the parameter.
Result<ParameterValue> ReadParameterValue(const ParameterSpec& spec, const json::Value& value);

}  // namespace decant::decode

#endif  // DECANT_DECODE_PARAMETER_JSON_H_
