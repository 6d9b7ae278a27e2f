// Preset `reference` as a decant::Sampler: chains of temperature, top_k and a drawer, in the arithmetic of
// decant/reference.h.
//
// Rows may be f64 or f32 (converted exactly). The stream is SplitMix64, its state SamplerState::stream().word; one draw
// a token, none for the greedy drawer. A chain without a temperature has temperature 1, one without a top_k keeps all.
// The greedy drawer is the preset's greedy policy: its token alone is kept, with probability 1.
#ifndef DECANT_PRESETS_REFERENCE_SAMPLER_H_
#define DECANT_PRESETS_REFERENCE_SAMPLER_H_

#include <cstddef>
#include <memory>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/sampler.h"

namespace decant::presets {

// Errors: kUnsupportedStage (a stage that the preset lacks), kConflict (a drawer that is not last), kWrongType
// (parameters of another stage), kInvalidTemperature (0 too; the product of several must hold as well), kInvalidTopK
// outside 1..vocabulary, kEmptyLogits and kVocabularyTooLarge for the vocabulary. Sample adds kLogitCountMismatch,
// kNonFiniteLogit (any infinity) and kUnsupportedStage for a mask.
Result<std::shared_ptr<const Sampler>> MakeReferenceSampler(Chain chain, std::size_t vocabulary);

}  // namespace decant::presets

#endif  // DECANT_PRESETS_REFERENCE_SAMPLER_H_
