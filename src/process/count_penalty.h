// frequency_penalty: takes α from a token's score for each time it occurred. presence_penalty: takes α once.
//
// Both add, so their strength does not depend on the score's sign. (OpenAI's parameters; there and in vLLM only
// generated tokens count, in llama.cpp a window with the prompt: `scope` says which.)
#ifndef DECANT_PROCESS_COUNT_PENALTY_H_
#define DECANT_PROCESS_COUNT_PENALTY_H_

#include "process/row.h"

namespace decant::process {

// stage: kFrequencyPenalty or kPresencePenalty. kOutOfRange unless the penalty is finite and the window -1 or more.
Result<void> ValidateCountPenalty(StageId stage, const CountPenaltyParams& params);
// score - penalty * count (presence: count = 1), in f64, rounded once. O(distinct tokens of the window). Skips
// structural tokens.
Result<void> ApplyCountPenalty(StageId stage, const CountPenaltyParams& params, Row& row);

}  // namespace decant::process

#endif  // DECANT_PROCESS_COUNT_PENALTY_H_
