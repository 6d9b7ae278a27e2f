// Parameter values as JSON, both ways: what traces, requests and reports hold.
#ifndef DECANT_DECODE_PARAMETER_JSON_H_
#define DECANT_DECODE_PARAMETER_JSON_H_

#include "decant/error.h"
#include "decant/parameters.h"
#include "json/value.h"
#include "json/writer.h"

namespace decant::decode {

// Numbers as numbers (-Infinity as the string "-Infinity"), seeds past 2^53 as decimal strings, biases as {"id": bias}.
void WriteParameterValue(const ParameterValue& value, json::Writer& writer);
// {"top_k":{"value":40,"source":"flag"},…}
void WriteParameters(const ParameterSet& parameters, json::Writer& writer);

// The inverse, and what a request may say (docs/sampling.md, "In"). kWrongType, kOutOfRange, kTokenOutOfRange.
Result<ParameterValue> ReadParameterValue(const ParameterSpec& spec, const json::Value& value);

}  // namespace decant::decode

#endif  // DECANT_DECODE_PARAMETER_JSON_H_
