// Only generated tokens count.
#include "process/min_tokens.h"

#include <string>

namespace decant::process {

Result<void> ValidateMinTokens(const MinTokensParams& params, std::size_t vocabulary) {
  if (params.count < 0) {
    return Fail(ErrorCode::kOutOfRange,
                "min_tokens is " + std::to_string(params.count) + "; expected 0 (off) or a number of tokens",
                {.subject = "min_tokens", .allowed = "0.."});
  }
  return CheckTokens("min_tokens", params.tokens, vocabulary);
}

void ApplyMinTokens(const MinTokensParams& params, Row& row) {
  if (row.history.output_size() >= static_cast<std::size_t>(params.count)) return;
  for (const TokenId token : params.tokens) row.scores.Ban(token);
}

}  // namespace decant::process
