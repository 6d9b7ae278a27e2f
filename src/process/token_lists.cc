// Bans are written over the scores; a list of what is allowed bans the rest.
#include "process/token_lists.h"

#include <algorithm>
#include <vector>

namespace decant::process {
namespace {

void Ban(std::span<const TokenId> tokens, Row& row) {
  for (const TokenId token : tokens) row.scores[token] = kBanned;
}

void BanAllBut(std::span<const TokenId> tokens, Row& row) {
  std::vector<float> kept;
  for (const TokenId token : tokens) kept.push_back(row.scores[token]);
  std::ranges::fill(row.scores, kBanned);
  for (std::size_t i = 0; i < tokens.size(); ++i) row.scores[tokens[i]] = kept[i];
}

}  // namespace

Result<void> ValidateTokenList(StageId stage, const TokenListParams& params, std::size_t vocabulary) {
  return CheckTokens(NameOf(stage), params.tokens, vocabulary);
}

void ApplyTokenList(StageId stage, const TokenListParams& params, Row& row) {
  const std::size_t generated = row.history.output_size();
  switch (stage) {
    case StageId::kAllowedTokens:
      return BanAllBut(params.tokens, row);
    case StageId::kBannedTokens:
      return Ban(params.tokens, row);
    case StageId::kBeginSuppress:
      return generated == 0 ? Ban(params.tokens, row) : void();
    case StageId::kForcedTokens:
      return generated < params.tokens.size() ? BanAllBut({&params.tokens[generated], 1}, row) : void();
    default:
      return;
  }
}

}  // namespace decant::process
