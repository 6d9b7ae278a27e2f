// A chain run the plain way: each stage over every candidate, with the evidence if it is wanted. Any chain, any row;
// the bounded passes (decode/bounded_step.h) come back to it whenever they cannot prove their choice.
#ifndef DECANT_DECODE_STAGE_BY_STAGE_H_
#define DECANT_DECODE_STAGE_BY_STAGE_H_

#include "decant/candidates.h"
#include "decant/error.h"
#include "decant/sampler.h"
#include "decant/step.h"
#include "decode/plan.h"
#include "decode/work.h"
#include "draw/categorical.h"
#include "simd/weigh.h"

namespace decant::decode {

// Every detail of the choice. `record`, if not null, is overwritten, even on failure. REQUIRES: a row of the plan's
// vocabulary, of f32, f16 or bf16.
Result<Choice> SampleStageByStage(const Plan& plan, const RowView& row, SamplerState& state, Work& work,
                                  StepRecord* record);

// kNonFiniteLogit, naming the token.
Error BadLogit(std::size_t index, float value);
// A state that was given a position alone cannot serve a stage that looks back: kConflict.
Result<void> CheckHistory(const Plan& plan, const SamplerState& state);
// The plan's drawer over candidates, ids ascending, with their weights; randomness at the state's address.
draw::Drawn RunDrawer(const Plan& plan, const Candidates& candidates, const simd::Weights& weights,
                      const SamplerState& state);
std::uint64_t DrawBits(const SamplerState& state);
// What was drawn, but for its rank.
Choice ChoiceOf(const draw::Drawn& drawn, const Candidates& candidates, const simd::Weights& weights);
// The natural logarithm of the share that a token at this gap has of the total weight.
double LogShare(double gap, std::uint64_t total);

}  // namespace decant::decode

#endif  // DECANT_DECODE_STAGE_BY_STAGE_H_
