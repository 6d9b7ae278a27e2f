// The sign rule, the window, and what is left alone.
#include "process/repetition_penalty.h"

#include <gtest/gtest.h>

#include <limits>

#include "process/row_for_test.h"

namespace decant::process {
namespace {

std::vector<float> Penalized(RowForTest test, RepetitionPenaltyParams params) {
  Row row = test.row();
  EXPECT_TRUE(ApplyRepetitionPenalty(params, row).has_value());
  return test.scores;
}

TEST(RepetitionPenaltyTest, DividesAboveZeroAndMultipliesBelow) {
  EXPECT_EQ(Penalized({{3, -1, 0, 2}, {0, 1, 2}, {}}, {.penalty = 2}), (std::vector<float>{1.5, -2, 0, 2}));
}

TEST(RepetitionPenaltyTest, CountsATokenOnceHoweverOftenItOccurred) {
  EXPECT_EQ(Penalized({{8, 1}, {0, 0}, {0}}, {.penalty = 2}), (std::vector<float>{4, 1}));
}

TEST(RepetitionPenaltyTest, LooksAtTheWindowAlone) {
  EXPECT_EQ(Penalized({{4, 4, 4}, {0, 1}, {2}}, {.penalty = 2, .window = 2}), (std::vector<float>{4, 2, 2}));
}

TEST(RepetitionPenaltyTest, LeavesBansAndStructuralTokensAlone) {
  RowForTest test({kBanned, 4, 4}, {0, 1, 2}, {});
  test.structural = {0b010};
  EXPECT_EQ(Penalized(std::move(test), {.penalty = 2}), (std::vector<float>{kBanned, 4, 2}));
}

TEST(RepetitionPenaltyTest, RefusesScoresThatLeaveTheFloats) {
  RowForTest test({-3e38f}, {0}, {});
  Row row = test.row();
  const auto done = ApplyRepetitionPenalty({.penalty = 2}, row);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ErrorCode::kNonFiniteLogit);
}

TEST(RepetitionPenaltyTest, RefusesAHistoryOutsideTheRow) {
  RowForTest test({1, 1}, {5}, {});
  Row row = test.row();
  EXPECT_EQ(ApplyRepetitionPenalty({.penalty = 2}, row).error().code, ErrorCode::kTokenOutOfRange);
}

TEST(RepetitionPenaltyTest, NamesValuesOutOfRange) {
  EXPECT_EQ(ValidateRepetitionPenalty({.penalty = 0}).error().message,
            "repetition_penalty is 0; expected a number above 0");
  EXPECT_FALSE(ValidateRepetitionPenalty({.penalty = std::numeric_limits<double>::infinity()}).has_value());
  EXPECT_EQ(ValidateRepetitionPenalty({.penalty = 1.1, .window = -2}).error().message,
            "repetition_window is -2; expected -1 (all), 0 (off) or a number of tokens");
  EXPECT_TRUE(ValidateRepetitionPenalty({.penalty = 0.5}).has_value());
}

}  // namespace
}  // namespace decant::process
