// Exactly k tokens, ties included.
#include "filter/top_k.h"

#include <gtest/gtest.h>

#include <vector>

namespace decant::filter {
namespace {

std::vector<TokenId> After(std::vector<float> scores, std::int64_t k) {
  Candidates candidates(scores, 1.0);
  ApplyTopK({k}, candidates);
  return {candidates.ids().begin(), candidates.ids().end()};
}

TEST(TopKTest, KeepsExactlyKAndTheLowerIdsOfATie) {
  EXPECT_EQ(After({0, 1, 1, 2}, 2), (std::vector<TokenId>{1, 3}));
  EXPECT_EQ(After({1, 1, 1, 1}, 3), (std::vector<TokenId>{0, 1, 2}));
}

TEST(TopKTest, AboveTheCandidatesKeepsAll) {
  EXPECT_EQ(After({0, 1}, 5).size(), 2u);
  EXPECT_EQ(After({0, 1}, INT64_MAX).size(), 2u);
}

TEST(TopKTest, ZeroAndMinusOneAreOffLessIsAnError) {
  EXPECT_TRUE(IsOff(TopKParams{0}));
  EXPECT_TRUE(IsOff(TopKParams{-1}));
  EXPECT_FALSE(IsOff(TopKParams{1}));
  EXPECT_TRUE(ValidateTopK({-1}).has_value());
  EXPECT_EQ(ValidateTopK({-3}).error().code, ErrorCode::kInvalidTopK);
}

}  // namespace
}  // namespace decant::filter
