// repetition_penalty: makes every token that occurred less likely, once, however often it occurred.
//
// A score above 0 is divided by θ, any other multiplied (CTRL, Keskar et al. 2019, with the sign rule that Hugging Face
// and llama.cpp share: dividing a negative score would raise it). How hard θ bites depends on where 0 lies, which the
// model never promised; frequency_penalty and presence_penalty do not have this weakness.
#ifndef DECANT_PROCESS_REPETITION_PENALTY_H_
#define DECANT_PROCESS_REPETITION_PENALTY_H_

#include "process/row.h"

namespace decant::process {

// kOutOfRange unless the penalty is finite and above 0, and the window -1 or more.
Result<void> ValidateRepetitionPenalty(const RepetitionPenaltyParams& params);
// O(distinct tokens of the window). Skips structural tokens.
Result<void> ApplyRepetitionPenalty(const RepetitionPenaltyParams& params, Row& row);

}  // namespace decant::process

#endif  // DECANT_PROCESS_REPETITION_PENALTY_H_
