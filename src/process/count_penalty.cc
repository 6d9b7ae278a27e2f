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
  const bool each = stage == StageId::kFrequencyPenalty;
  for (const TokenCount& seen : row.history.Counts({.scope = params.scope, .size = params.window})) {
    if (seen.token >= row.scores.size()) return NoSuchToken(row, stage, seen.token);
    if (row.IsStructural(seen.token)) continue;
    float& score = row.scores.Edit(seen.token);
    if (!ChangeScore(score, static_cast<double>(score) - params.penalty * (each ? seen.count : 1))) {
      return LeavesTheFloats(stage, seen.token);
    }
  }
  return {};
}

}  // namespace decant::process
