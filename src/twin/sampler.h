// The plain twin of the native sampler: the definition of docs/determinism.md and docs/sampling.md, read aloud.
//
// Full sorts, one loop a rule, nothing shared with the fast path but Ratio. Never shipped, never optimised; when a rule
// changes, it changes here first.
#ifndef DECANT_TWIN_SAMPLER_H_
#define DECANT_TWIN_SAMPLER_H_

#include <cstdint>
#include <span>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/step.h"

namespace decant::twin {

struct DrawAddress {
  std::uint64_t seed = 0;
  std::uint64_t position = 0;
  std::uint32_t sequence = 0;
};

// REQUIRES: a chain that MakeSampler accepts for logits.size() tokens. mask as in RowView.
Result<StepRecord> Sample(const Chain& chain, std::span<const float> logits, const std::uint32_t* mask,
                          const DrawAddress& address);

}  // namespace decant::twin

#endif  // DECANT_TWIN_SAMPLER_H_
