// Finds each name in the registry, reads its value, and sets it once.
#include "capi/sampling_parameters.h"

#include <string>
#include <utility>

#include "decode/parameter_json.h"
#include "json/value.h"

namespace decant::capi {
namespace {

// The parameters that one step depends on.
Result<const ParameterSpec*> FindSamplingParameter(const std::string& name) {
  DECANT_TRY(const ParameterSpec* const spec, FindParameter(name));
  if (spec->name == "seed") {
    return Fail(ErrorCode::kUnknownParameter, "seed belongs to a sequence; a sampler has none",
                {.subject = "seed", .hint = "set seed in decant_state_options"});
  }
  if (AffectsStep(*spec)) return spec;
  return Fail(ErrorCode::kUnknownParameter, name + " has no effect on one step", {.subject = name});
}

}  // namespace

Result<ParameterSet> ParseSamplingParameters(std::string_view json) {
  DECANT_TRY(const json::Value value, json::Read(json, {}));
  const json::Object* const members = value.if_object();
  if (members == nullptr) {
    return Fail(ErrorCode::kWrongType, "params is " + std::string(value.kind()) + "; expected an object",
                {.subject = "params", .allowed = "an object"});
  }
  ParameterSet parameters;
  for (const auto& [name, member] : *members) {
    DECANT_TRY(const ParameterSpec* const spec, FindSamplingParameter(name));
    DECANT_TRY(ParameterValue parsed, decode::ReadParameterValue(*spec, member));
    DECANT_CHECKED(parameters.SetOnce(*spec, std::move(parsed), ParameterSource::kRequest));
  }
  return parameters;
}

}  // namespace decant::capi
