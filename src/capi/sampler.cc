// A chain from a JSON text, planned.
#include "decant/sampler.h"

#include <utility>

#include "capi/call.h"
#include "capi/handles.h"
#include "capi/sampling_parameters.h"
#include "decant/c.h"
#include "decant/parameters.h"

using decant::Result;
using decant::capi::Call;
using decant::capi::Require;

decant_status decant_sampler_new(const char* params, const char* preset, size_t vocabulary, decant_sampler** sampler,
                                 decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(sampler, "sampler"));
    decant::SamplerOptions options;
    if (preset != nullptr) {
      DECANT_TRY(options.preset, decant::FindPreset(preset));
    }
    DECANT_TRY(const auto parameters, decant::capi::ParseSamplingParameters(params == nullptr ? "{}" : params));
    DECANT_TRY(decant::Chain chain, decant::BuildChain(parameters, {.preset = options.preset}));
    DECANT_TRY(auto made, decant::MakeSampler(std::move(chain), vocabulary, options));
    std::string plan = made->PlanText();
    decant::capi::Give(std::make_unique<decant_sampler>(decant_sampler{std::move(made), std::move(plan)}), sampler);
    return {};
  });
}

size_t decant_sampler_vocabulary(const decant_sampler* sampler) {
  return sampler == nullptr ? 0 : sampler->sampler->vocabulary();
}
const char* decant_sampler_preset(const decant_sampler* sampler) {
  return sampler == nullptr ? "" : decant::NameOf(sampler->sampler->preset()).data();
}
const char* decant_sampler_plan(const decant_sampler* sampler) {
  return sampler == nullptr ? "" : sampler->plan.c_str();
}
uint64_t decant_sampler_exact_falls(const decant_sampler* sampler) {
  return sampler == nullptr ? 0 : sampler->sampler->exact_falls();
}

void decant_sampler_free(decant_sampler* sampler) { decant::capi::Take(sampler); }
