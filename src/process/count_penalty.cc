// One pass over the distinct tokens of the window.
#include "process/count_penalty.h"

#include <cmath>
#include <string>

#include "core/number_text.h"

namespace decant::process {

Result<void> ValidateCountPenalty(StageId stage, const CountPenaltyParams& params) {
  if (!std::isfinite(params.penalty)) {
    const std::string name(NameOf(stage));
    return Fail(ErrorCode::kOutOfRange, name + " is " + core::NumberText(params.penalty) + "; expected a finite number",
                {.subject = name, .allowed = "a finite number", .hint = "0 switches it off"});
  }
  return CheckWindow("penalty_window", params.window);
}

Result<void> ApplyCountPenalty(StageId stage, const CountPenaltyParams& params, Row& row) {
  for (const TokenCount& seen : row.history.Counts({.scope = params.scope, .size = params.window})) {
    DECANT_CHECKED(CheckHistoryToken(row, stage, seen.token));
    if (row.IsStructural(seen.token)) continue;
    const double count = stage == StageId::kFrequencyPenalty ? seen.count : 1;
    const auto score = static_cast<double>(row.scores[seen.token]);
    DECANT_CHECKED(SetScore(row, stage, seen.token, score - params.penalty * count));
  }
  return {};
}

}  // namespace decant::process
