// Biases, bans, and what a bias may not be.
#include "process/logit_bias.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace decant::process {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(LogitBiasTest, AddsInDoubleAndRoundsOnce) {
  std::vector<float> scores = {1.0f, 2.0f};
  RowScores row(scores);
  ASSERT_TRUE(ApplyLogitBias({{{.token = 1, .bias = 0.1}}}, row).has_value());
  EXPECT_EQ(scores[0], 1.0f);
  EXPECT_EQ(scores[1], static_cast<float>(2.0 + 0.1));
}

TEST(LogitBiasTest, MinusInfinityBansAndBannedStaysBanned) {
  std::vector<float> scores = {1.0f, -std::numeric_limits<float>::infinity()};
  RowScores row(scores);
  ASSERT_TRUE(ApplyLogitBias({{{.token = 0, .bias = -kInf}, {.token = 1, .bias = 100}}}, row).has_value());
  EXPECT_EQ(scores[0], -std::numeric_limits<float>::infinity());
  EXPECT_EQ(scores[1], -std::numeric_limits<float>::infinity());
}

TEST(LogitBiasTest, ASumPastTheFloatsIsAnErrorAndNoBan) {
  std::vector<float> scores = {-3e38f};
  RowScores row(scores);
  const auto result = ApplyLogitBias({{{.token = 0, .bias = -3e38}}}, row);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kNonFiniteLogit);
}

TEST(LogitBiasTest, RefusesUnknownTokensBadValuesAndRepeats) {
  EXPECT_EQ(ValidateLogitBias({{{.token = 5, .bias = 1}}}, 5).error().message,
            "logit_bias names token 5; the vocabulary has tokens 0 to 4");
  EXPECT_EQ(ValidateLogitBias({{{.token = 0, .bias = kInf}}}, 5).error().code, ErrorCode::kOutOfRange);
  EXPECT_EQ(ValidateLogitBias({{{.token = 0, .bias = std::numeric_limits<double>::quiet_NaN()}}}, 5).error().code,
            ErrorCode::kOutOfRange);
  EXPECT_EQ(ValidateLogitBias({{{.token = 3, .bias = 1}, {.token = 3, .bias = 2}}}, 5).error().code,
            ErrorCode::kConflict);
  EXPECT_TRUE(ValidateLogitBias({{{.token = 3, .bias = -kInf}}}, 5).has_value());
}

}  // namespace
}  // namespace decant::process
