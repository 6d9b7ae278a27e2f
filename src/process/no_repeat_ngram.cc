// The places come from the history's index of (n - 1)-grams; for n = 1 its counts name the tokens.
#include "process/no_repeat_ngram.h"

#include <string>

namespace decant::process {
namespace {

Result<void> Ban(TokenId token, Row& row) {
  if (token >= row.scores.size()) return NoSuchToken(row, StageId::kNoRepeatNgram, token);
  if (!row.IsStructural(token)) row.scores.Ban(token);
  return {};
}

}  // namespace

Result<void> ValidateNoRepeatNgram(const NoRepeatNgramParams& params) {
  if (params.size >= 0) return {};
  return Fail(ErrorCode::kOutOfRange,
              "no_repeat_ngram_size is " + std::to_string(params.size) + "; expected 0 (off) or a number of tokens",
              {.subject = "no_repeat_ngram_size", .allowed = "0.."});
}

Result<void> ApplyNoRepeatNgram(const NoRepeatNgramParams& params, Row& row) {
  if (params.size == 1) {
    for (const TokenCount& seen : row.history.Counts({})) DECANT_CHECKED(Ban(seen.token, row));
    return {};
  }
  const auto tokens = row.history.tokens();
  for (const std::size_t place : row.history.PlacesAfterSuffix(static_cast<std::size_t>(params.size) - 1, 0)) {
    DECANT_CHECKED(Ban(tokens[place], row));
  }
  return {};
}

}  // namespace decant::process
