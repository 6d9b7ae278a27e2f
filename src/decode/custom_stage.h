// Stages of the caller's own: their names, and what they may and may not do to a row.
#ifndef DECANT_DECODE_CUSTOM_STAGE_H_
#define DECANT_DECODE_CUSTOM_STAGE_H_

#include <span>

#include "decant/candidates.h"
#include "decant/chain.h"
#include "decant/error.h"
#include "decant/history.h"

namespace decant::decode {

// stage: null is kWrongType. A name against the rules of decant/chain.h is kOutOfRange, one of decant's own kConflict.
Result<void> ValidateCustomStage(StageId id, const CustomStage* stage);

// Calls the stage and checks what it did; on an error the scores and the candidates are not to be used.
Result<void> RunCustomProcessor(const CustomProcessor& stage, const History& history, std::span<float> scores);
// Leaves the candidates by id. REQUIRES: at least one candidate.
Result<void> RunCustomFilter(const CustomFilter& stage, const History& history, Candidates& candidates);

}  // namespace decant::decode

#endif  // DECANT_DECODE_CUSTOM_STAGE_H_
