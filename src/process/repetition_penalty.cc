// One pass over the distinct tokens of the window.
#include "process/repetition_penalty.h"

#include <cmath>

#include "core/number_text.h"

namespace decant::process {

Result<void> ValidateRepetitionPenalty(const RepetitionPenaltyParams& params) {
  if (!(std::isfinite(params.penalty) && params.penalty > 0)) {
    return Fail(ErrorCode::kOutOfRange,
                "repetition_penalty is " + core::NumberText(params.penalty) + "; expected a number above 0",
                {.subject = "repetition_penalty", .allowed = "a number above 0", .hint = "1 switches it off"});
  }
  return CheckWindow("repetition_window", params.window);
}

Result<void> ApplyRepetitionPenalty(const RepetitionPenaltyParams& params, Row& row) {
  for (const TokenCount& seen : row.history.Counts({.scope = PenaltyScope::kWindow, .size = params.window})) {
    if (seen.token >= row.scores.size()) return NoSuchToken(row, StageId::kRepetitionPenalty, seen.token);
    if (row.IsStructural(seen.token)) continue;
    float& score = row.scores.Edit(seen.token);
    const auto exact = static_cast<double>(score);
    if (!ChangeScore(score, exact > 0 ? exact / params.penalty : exact * params.penalty)) {
      return LeavesTheFloats(StageId::kRepetitionPenalty, seen.token);
    }
  }
  return {};
}

}  // namespace decant::process
