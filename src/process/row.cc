// The checks that processors share.
#include "process/row.h"

#include <string>

namespace decant::process {

std::unexpected<Error> LeavesTheFloats(StageId stage, TokenId token) {
  return Fail(
      ErrorCode::kNonFiniteLogit,
      "the score of token " + std::to_string(token) + " leaves the 32-bit floats under " + std::string(NameOf(stage)),
      {.subject = std::string(NameOf(stage)), .allowed = "a score within +-3.4028235e38"});
}

std::unexpected<Error> NoSuchToken(const Row& row, StageId stage, TokenId token) {
  return Fail(ErrorCode::kTokenOutOfRange,
              std::string(NameOf(stage)) + " looks back on token " + std::to_string(token) +
                  "; the vocabulary has tokens 0 to " + std::to_string(row.scores.size() - 1),
              {.subject = std::string(NameOf(stage)), .allowed = "0.." + std::to_string(row.scores.size() - 1)});
}

Result<void> CheckTokens(std::string_view parameter, std::span<const TokenId> tokens, std::size_t vocabulary) {
  for (const TokenId token : tokens) {
    if (token < vocabulary) continue;
    const std::string last = std::to_string(vocabulary - 1);
    return Fail(
        ErrorCode::kTokenOutOfRange,
        std::string(parameter) + " names token " + std::to_string(token) + "; the vocabulary has tokens 0 to " + last,
        {.subject = std::string(parameter), .allowed = "0.." + last});
  }
  return {};
}

Result<void> CheckWindow(std::string_view parameter, std::int64_t window) {
  if (window >= -1) return {};
  const std::string allowed = "-1 (all), 0 (off) or a number of tokens";
  return Fail(ErrorCode::kOutOfRange,
              std::string(parameter) + " is " + std::to_string(window) + "; expected " + allowed,
              {.subject = std::string(parameter), .allowed = allowed});
}

}  // namespace decant::process
