// Which words are at their last token.
#include "process/bad_words.h"

#include <gtest/gtest.h>

#include "process/row_for_test.h"

namespace decant::process {
namespace {

TEST(BadWordsTest, BansTheLastTokenWhereTheOthersStand) {
  RowForTest test({0, 0, 0, 0}, {1}, {2});
  Row row = test.row();
  ApplyBadWords({.words = {{1, 2, 3}, {2, 0}, {0, 1}, {9, 9, 9, 9, 2}}}, row);
  EXPECT_EQ(test.scores, (std::vector<float>{kBanned, 0, 0, kBanned}));
}

TEST(BadWordsTest, AWordOfOneTokenIsAlwaysBanned) {
  RowForTest test({0, 0}, {}, {});
  Row row = test.row();
  ApplyBadWords({.words = {{1}}}, row);
  EXPECT_EQ(test.scores, (std::vector<float>{0, kBanned}));
}

TEST(BadWordsTest, RefusesEmptyWordsAndUnknownTokens) {
  EXPECT_EQ(ValidateBadWords({.words = {{}}}, 4).error().code, ErrorCode::kOutOfRange);
  EXPECT_EQ(ValidateBadWords({.words = {{1, 7}}}, 4).error().message,
            "bad_words names token 7; the vocabulary has tokens 0 to 3");
}

}  // namespace
}  // namespace decant::process
