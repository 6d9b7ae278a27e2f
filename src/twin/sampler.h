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

// One step's input. Masks as in RowView; prompt and output are the tokens before.
struct StepInput {
  std::span<const float> logits;
  const std::uint32_t* mask = nullptr;
  const std::uint32_t* structural = nullptr;
  std::span<const TokenId> prompt = {};
  std::span<const TokenId> output = {};
  DrawAddress address = {};
};

// REQUIRES: a chain that MakeSampler accepts for logits.size() tokens.
Result<StepRecord> Sample(const Chain& chain, const StepInput& input);

}  // namespace decant::twin

#endif  // DECANT_TWIN_SAMPLER_H_
