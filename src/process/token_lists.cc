// Bans are written over the scores; a list of what is allowed bans the rest.
#include "process/token_lists.h"

namespace decant::process {
namespace {

void Ban(std::span<const TokenId> tokens, Row& row) {
  for (const TokenId token : tokens) row.scores.Ban(token);
}

}  // namespace

Result<void> ValidateTokenList(StageId stage, const TokenListParams& params, std::size_t vocabulary) {
  return CheckTokens(NameOf(stage), params.tokens, vocabulary);
}

void ApplyTokenList(StageId stage, const TokenListParams& params, Row& row) {
  const std::size_t generated = row.history.output_size();
  switch (stage) {
    case StageId::kAllowedTokens:
      return row.scores.BanAllBut(params.tokens);
    case StageId::kBannedTokens:
      return Ban(params.tokens, row);
    case StageId::kBeginSuppress:
      return generated == 0 ? Ban(params.tokens, row) : void();
    case StageId::kForcedTokens:
      return generated < params.tokens.size() ? row.scores.BanAllBut({&params.tokens[generated], 1}) : void();
    default:
      return;
  }
}

}  // namespace decant::process
