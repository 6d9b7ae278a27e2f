// Which tokens would repeat an n-gram.
#include "process/no_repeat_ngram.h"

#include <gtest/gtest.h>

#include "process/row_for_test.h"

namespace decant::process {
namespace {

// The tokens that stay.
std::vector<TokenId> Kept(RowForTest test, std::int64_t n) {
  Row row = test.row();
  EXPECT_TRUE(ApplyNoRepeatNgram({.size = n}, row).has_value());
  std::vector<TokenId> kept;
  for (TokenId id = 0; id < test.scores.size(); ++id) {
    if (test.scores[id] != kBanned) kept.push_back(id);
  }
  return kept;
}

// transformers 4.57, NoRepeatNGramLogitsProcessor, on the same ids.
TEST(NoRepeatNgramTest, AgreesWithTransformers) {
  const RowForTest test({0, 0, 0, 0}, {0, 0}, {1});
  EXPECT_EQ(Kept(test, 1), (std::vector<TokenId>{2, 3}));
  EXPECT_EQ(Kept(test, 2), (std::vector<TokenId>{0, 1, 2, 3}));
}

TEST(NoRepeatNgramTest, BansEveryTokenThatFollowedTheSuffix) {
  EXPECT_EQ(Kept({{0, 0, 0, 0}, {0, 1, 2, 0, 1, 3, 0}, {1}}, 3), (std::vector<TokenId>{0, 1}));
}

TEST(NoRepeatNgramTest, SkipsStructuralTokens) {
  RowForTest test({0, 0, 0}, {1, 2, 1}, {});
  test.structural = {0b100};
  EXPECT_EQ(Kept(std::move(test), 2), (std::vector<TokenId>{0, 1, 2}));
}

TEST(NoRepeatNgramTest, NamesValuesOutOfRange) {
  EXPECT_EQ(ValidateNoRepeatNgram({.size = -1}).error().message,
            "no_repeat_ngram_size is -1; expected 0 (off) or a number of tokens");
}

}  // namespace
}  // namespace decant::process
