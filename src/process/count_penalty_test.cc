// Counts, scopes and windows of the additive penalties.
#include "process/count_penalty.h"

#include <gtest/gtest.h>

#include <cmath>

#include "process/row_for_test.h"

namespace decant::process {
namespace {

std::vector<float> Penalized(RowForTest test, StageId stage, CountPenaltyParams params) {
  Row row = test.row();
  EXPECT_TRUE(ApplyCountPenalty(stage, params, row).has_value());
  return test.scores;
}

TEST(CountPenaltyTest, FrequencyCountsAndPresenceDoesNot) {
  const RowForTest test({0, 0, 1}, {}, {1, 1, 1, 2});
  EXPECT_EQ(Penalized(test, StageId::kFrequencyPenalty, {.penalty = 1}), (std::vector<float>{0, -3, 0}));
  EXPECT_EQ(Penalized(test, StageId::kPresencePenalty, {.penalty = 1}), (std::vector<float>{0, -1, 0}));
}

TEST(CountPenaltyTest, ThePromptCountsInScopeWindowOnly) {
  const RowForTest test({2, 2}, {0}, {});
  EXPECT_EQ(Penalized(test, StageId::kPresencePenalty, {.penalty = 1}), (std::vector<float>{2, 2}));
  EXPECT_EQ(Penalized(test, StageId::kPresencePenalty, {.penalty = 1, .scope = PenaltyScope::kWindow}),
            (std::vector<float>{1, 2}));
}

TEST(CountPenaltyTest, TheWindowIsTheEndOfPromptAndOutput) {
  const RowForTest test({0, 0, 0}, {0, 0}, {1, 2, 2});
  EXPECT_EQ(Penalized(test, StageId::kFrequencyPenalty, {.penalty = 1, .scope = PenaltyScope::kWindow, .window = 4}),
            (std::vector<float>{-1, -1, -2}));
  EXPECT_EQ(Penalized(test, StageId::kFrequencyPenalty, {.penalty = 1, .window = 2}), (std::vector<float>{0, 0, -2}));
}

TEST(CountPenaltyTest, BelowZeroRewards) {
  EXPECT_EQ(Penalized({{0, 0}, {}, {1}}, StageId::kPresencePenalty, {.penalty = -0.5}), (std::vector<float>{0, 0.5}));
}

TEST(CountPenaltyTest, SkipsStructuralTokens) {
  RowForTest test({0, 0}, {}, {0, 1});
  test.structural = {0b01};
  EXPECT_EQ(Penalized(std::move(test), StageId::kPresencePenalty, {.penalty = 1}), (std::vector<float>{0, -1}));
}

TEST(CountPenaltyTest, NamesValuesOutOfRange) {
  EXPECT_EQ(ValidateCountPenalty(StageId::kFrequencyPenalty, {.penalty = NAN}).error().message,
            "frequency_penalty is NaN; expected a finite number");
  EXPECT_EQ(ValidateCountPenalty(StageId::kPresencePenalty, {.window = -7}).error().subject, "penalty_window");
}

}  // namespace
}  // namespace decant::process
