// The token that crosses the mass, and the ends of the range of p.
#include "filter/top_p.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace decant::filter {
namespace {

std::vector<TokenId> After(std::vector<float> scores, double p) {
  Candidates candidates(scores, 1.0);
  ApplyTopP({p}, candidates);
  return {candidates.ids().begin(), candidates.ids().end()};
}

TEST(TopPTest, KeepsTheTokenThatCrossesTheMass) {
  // Four equal tokens, a quarter each: .5 is reached by two, .51 by three.
  EXPECT_EQ(After({1, 1, 1, 1}, 0.5), (std::vector<TokenId>{0, 1}));
  EXPECT_EQ(After({1, 1, 1, 1}, 0.51), (std::vector<TokenId>{0, 1, 2}));
}

TEST(TopPTest, ATinyPKeepsTheBestOnly) {
  EXPECT_EQ(After({0, 3, 1}, 1e-300), (std::vector<TokenId>{1}));
  EXPECT_EQ(After({0, 3, 1}, std::numeric_limits<double>::denorm_min()), (std::vector<TokenId>{1}));
}

TEST(TopPTest, FindsACutPastTheFirstDepth) {
  std::vector<float> flat(5000, 1.0f);
  EXPECT_EQ(After(flat, 0.5).size(), 2500u);
  EXPECT_EQ(After(flat, 0.9999).size(), 5000u);
}

TEST(TopPTest, RangeIsAboveZeroToOne) {
  EXPECT_TRUE(ValidateTopP({1}).has_value());
  EXPECT_TRUE(IsOff(TopPParams{1}));
  for (const double p : {0.0, -0.5, 1.3, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(ValidateTopP({p}).error().code, ErrorCode::kOutOfRange) << p;
  }
  EXPECT_EQ(ValidateTopP({1.3}).error().message, "top_p is 1.3; expected a number in (0, 1]");
}

}  // namespace
}  // namespace decant::filter
