// MakeSampler: the one place that turns a preset into its sampler.
#include "decant/sampler.h"

#include <utility>

#include "decode/native_sampler.h"
#include "presets/octlm_sampler.h"
#include "presets/reference_sampler.h"

namespace decant {

Result<std::shared_ptr<const Sampler>> MakeSampler(Chain chain, std::size_t vocabulary, SamplerOptions options) {
  switch (options.preset) {
    case Preset::kNative:
      return decode::MakeNativeSampler(std::move(chain), vocabulary);
    case Preset::kReference:
      return presets::MakeReferenceSampler(std::move(chain), vocabulary);
    case Preset::kOctlm:
      return presets::MakeOctlmSampler(std::move(chain), vocabulary);
  }
  return Fail(ErrorCode::kInternal, "a preset without a sampler");
}

}  // namespace decant
