// Running one stage: the one place that knows which function a stage's name stands for.
#ifndef DECANT_DECODE_STAGE_RUN_H_
#define DECANT_DECODE_STAGE_RUN_H_

#include "decant/candidates.h"
#include "decant/chain.h"
#include "decant/error.h"
#include "process/row.h"

namespace decant::decode {

// Changes the row's scores. REQUIRES: a processor other than temperature; monostate = its bans gave way, nothing to do.
Result<void> RunProcessor(const StageSpec& stage, process::Row& row);
// Drops candidates. REQUIRES: a filter, at least one candidate, a temperature above 0.
void RunFilter(const StageSpec& stage, Candidates& candidates);

}  // namespace decant::decode

#endif  // DECANT_DECODE_STAGE_RUN_H_
