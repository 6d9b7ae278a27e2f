// The four lists, each by its place in the sequence.
#include "process/token_lists.h"

#include <gtest/gtest.h>

#include "process/row_for_test.h"

namespace decant::process {
namespace {

std::vector<float> After(StageId stage, std::vector<TokenId> tokens, const std::vector<TokenId>& output) {
  RowForTest test({1, 2, 3}, {0}, output);
  Row row = test.row();
  ApplyTokenList(stage, {.tokens = std::move(tokens)}, row);
  return test.scores;
}

TEST(TokenListsTest, AllowedTokensBanTheRest) {
  EXPECT_EQ(After(StageId::kAllowedTokens, {2, 0, 2}, {}), (std::vector<float>{1, kBanned, 3}));
}

TEST(TokenListsTest, BannedTokensNeverCome) {
  EXPECT_EQ(After(StageId::kBannedTokens, {1}, {2}), (std::vector<float>{1, kBanned, 3}));
}

TEST(TokenListsTest, SuppressedTokensDoNotComeFirst) {
  EXPECT_EQ(After(StageId::kBeginSuppress, {1}, {}), (std::vector<float>{1, kBanned, 3}));
  EXPECT_EQ(After(StageId::kBeginSuppress, {1}, {2}), (std::vector<float>{1, 2, 3}));
}

TEST(TokenListsTest, ForcedTokensComeInTheirOrderThenNothingIsForced) {
  EXPECT_EQ(After(StageId::kForcedTokens, {2, 1}, {}), (std::vector<float>{kBanned, kBanned, 3}));
  EXPECT_EQ(After(StageId::kForcedTokens, {2, 1}, {2}), (std::vector<float>{kBanned, 2, kBanned}));
  EXPECT_EQ(After(StageId::kForcedTokens, {2, 1}, {2, 1}), (std::vector<float>{1, 2, 3}));
}

TEST(TokenListsTest, NamesUnknownTokens) {
  EXPECT_EQ(ValidateTokenList(StageId::kAllowedTokens, {.tokens = {3}}, 3).error().message,
            "allowed_token_ids names token 3; the vocabulary has tokens 0 to 2");
}

}  // namespace
}  // namespace decant::process
