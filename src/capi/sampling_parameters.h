// The JSON text of sampling parameters, as decant_sampler_new takes it.
#ifndef DECANT_CAPI_SAMPLING_PARAMETERS_H_
#define DECANT_CAPI_SAMPLING_PARAMETERS_H_

#include <string_view>

#include "decant/parameters.h"

namespace decant::capi {

// The members of a JSON object, named as in "params" of `decant sample`: what a step depends on, without the seed.
// kInvalidJson, kWrongType (no object, or a value), kUnknownParameter, kOutOfRange, kTokenOutOfRange, kConflict (a
// parameter twice with two values, an alias included).
Result<ParameterSet> ParseSamplingParameters(std::string_view json);

}  // namespace decant::capi

#endif  // DECANT_CAPI_SAMPLING_PARAMETERS_H_
