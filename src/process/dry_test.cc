// Matches, breakers and powers of DRY, checked by hand.
#include "process/dry.h"

#include <gtest/gtest.h>

#include "process/row_for_test.h"

namespace decant::process {
namespace {

std::vector<float> Penalized(const std::vector<TokenId>& tokens, DryParams params) {
  RowForTest test({0, 0, 0, 0, 0}, tokens, {});
  Row row = test.row();
  SortBreakers(params);
  EXPECT_TRUE(ApplyDry(params, row).has_value());
  return test.scores;
}

TEST(DryTest, PenalizesTheTokenThatWouldLengthenARepeat) {
  // … 1 2 stood before a 3: one more 3 would make the repeat three long. 2 = allowed, so base^0.
  EXPECT_EQ(Penalized({1, 2, 3, 1, 2}, {.multiplier = 0.5, .base = 2}), (std::vector<float>{0, 0, 0, -0.5, 0}));
}

TEST(DryTest, GrowsWithTheLengthOfTheMatch) {
  EXPECT_EQ(Penalized({0, 1, 2, 3, 0, 1, 2}, {.multiplier = 0.5, .base = 2}), (std::vector<float>{0, 0, 0, -1, 0}));
}

TEST(DryTest, OverlappingMatchesCount) {
  // 0 0 0 0: shifted by one, three tokens match.
  EXPECT_EQ(Penalized({0, 0, 0, 0}, {.multiplier = 1, .base = 2}), (std::vector<float>{-2, 0, 0, 0, 0}));
}

TEST(DryTest, ShorterRepeatsAreFree) {
  EXPECT_EQ(Penalized({1, 3, 1}, {.multiplier = 1}), (std::vector<float>{0, 0, 0, 0, 0}));
  EXPECT_EQ(Penalized({1, 3, 1}, {.multiplier = 1, .allowed_length = 1}), (std::vector<float>{0, 0, 0, -1, 0}));
}

TEST(DryTest, TheLongestMatchOfATokenCountsAlone) {
  // 3 followed "1 2" (3^0) and "1 2 3 0 1 2" (3^4).
  EXPECT_EQ(Penalized({1, 2, 3, 0, 1, 2, 3, 0, 1, 2}, {.multiplier = 1, .base = 3})[3], -81.0f);
}

TEST(DryTest, NoMatchReachesOverABreaker) {
  const std::vector<TokenId> tokens = {0, 1, 4, 2, 3, 0, 1, 4, 2};
  EXPECT_EQ(Penalized(tokens, {.multiplier = 1, .base = 2})[3], -4.0f);
  EXPECT_EQ(Penalized(tokens, {.multiplier = 1, .base = 2, .breakers = {{4}}})[3], 0.0f);
  EXPECT_EQ(Penalized(tokens, {.multiplier = 1, .base = 2, .breakers = {{0, 1}}})[3], -1.0f);
}

TEST(DryTest, ABreakerOfOneTokenIsNeverPenalized) {
  EXPECT_EQ(Penalized({1, 2, 3, 1, 2}, {.multiplier = 1, .breakers = {{3}}}), (std::vector<float>{0, 0, 0, 0, 0}));
}

TEST(DryTest, TheWindowHidesWhatIsOlder) {
  EXPECT_EQ(Penalized({1, 2, 3, 1, 2}, {.multiplier = 1, .window = 4}), (std::vector<float>{0, 0, 0, 0, 0}));
  EXPECT_EQ(Penalized({1, 2, 3, 1, 2}, {.multiplier = 1, .window = 5})[3], -1.0f);
}

TEST(DryTest, ThePowerStopsAt2To64) {
  const std::vector<TokenId> same(500, 1);
  EXPECT_EQ(Penalized(same, {.multiplier = 1, .base = 2})[1], -0x1p64f);
  EXPECT_EQ(Penalized(same, {.multiplier = 1, .base = 1})[1], -1.0f);
}

TEST(DryTest, ShortSequencesHaveNothingToRepeat) {
  EXPECT_EQ(Penalized({}, {.multiplier = 1}), (std::vector<float>{0, 0, 0, 0, 0}));
  EXPECT_EQ(Penalized({1, 1}, {.multiplier = 1}), (std::vector<float>{0, 0, 0, 0, 0}));
}

TEST(DryTest, NamesValuesOutOfRange) {
  EXPECT_EQ(ValidateDry({.multiplier = -1}, 5).error().message, "dry_multiplier is -1; expected a number in [0, 1e6]");
  EXPECT_EQ(ValidateDry({.multiplier = 1, .base = 0.5}, 5).error().subject, "dry_base");
  EXPECT_EQ(ValidateDry({.multiplier = 1, .allowed_length = 0}, 5).error().subject, "dry_allowed_length");
  EXPECT_EQ(ValidateDry({.multiplier = 1, .window = -3}, 5).error().subject, "dry_penalty_last_n");
  EXPECT_EQ(ValidateDry({.multiplier = 1, .breakers = {{9}}}, 5).error().code, ErrorCode::kTokenOutOfRange);
  EXPECT_FALSE(ValidateDry({.multiplier = 1, .breakers = {{}}}, 5).has_value());
}

}  // namespace
}  // namespace decant::process
