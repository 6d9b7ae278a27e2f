// Preset `octlm` as a decant::Sampler: chains of temperature, top_k, top_p and a drawer, in the arithmetic of
// presets/octlm.h, drawn as torch.multinomial draws.
//
// Rows are f32. Every token takes two words of the stream, removed ones too: its probability is divided by an
// exponential number, and the largest quotient wins, the lowest id of equal ones. The steps run in the preset's order,
// top_k, temperature, top_p, whatever the chain's. Temperature 0 and the drawer `greedy` take the first of the largest
// logits without randomness; the filters then have no say. The stream is the twister's state in SamplerState::stream().
#ifndef DECANT_PRESETS_OCTLM_SAMPLER_H_
#define DECANT_PRESETS_OCTLM_SAMPLER_H_

#include <cstddef>
#include <memory>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/sampler.h"

namespace decant::presets {

// Errors: kUnsupportedStage (a stage that the preset lacks), kConflict (a stage twice, a drawer that is not last),
// kWrongType (parameters of another stage), those of CheckOctlmSettings, kEmptyLogits and kVocabularyTooLarge (above
// 2^24, the most that torch.multinomial takes). Sample adds kLogitCountMismatch, kWrongType (an f64 row),
// kNonFiniteLogit (NaN, +inf), kUnsupportedStage for a mask, and the errors of OctlmDistributionOf.
Result<std::shared_ptr<const Sampler>> MakeOctlmSampler(Chain chain, std::size_t vocabulary);

}  // namespace decant::presets

#endif  // DECANT_PRESETS_OCTLM_SAMPLER_H_
