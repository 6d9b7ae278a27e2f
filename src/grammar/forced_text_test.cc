// Forced bytes and tokens.
#include "grammar/forced_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <vector>

#include "decant/token.h"
#include "grammar/expr_pool.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ForcedTextTest, GoesOnToTheFirstChoice) {
  ExprPool pool;
  const ForcedText forced = FindForcedText(pool, pool.Literals({"hello world", "hello there"}));
  EXPECT_EQ(forced.bytes, "hello ");
  EXPECT_FALSE(forced.ends_text);
  EXPECT_EQ(FindForcedText(pool, pool.AnyText()).bytes, "");
}

TEST(ForcedTextTest, TheEndIsAChoiceWhereMoreMayCome) {
  ExprPool pool;
  const ForcedText open = FindForcedText(pool, pool.Literals({"ab", "abc"}));
  EXPECT_EQ(open.bytes, "ab");
  EXPECT_FALSE(open.ends_text);
  const ForcedText closed = FindForcedText(pool, pool.Literal("ab"));
  EXPECT_EQ(closed.bytes, "ab");
  EXPECT_TRUE(closed.ends_text);
  EXPECT_TRUE(FindForcedText(pool, kEmptyText).ends_text);
}

TEST(ForcedTextTest, WholeCharactersEndOnABorder) {
  EXPECT_EQ(WholeCharacters("", "a\xe5\xa8"), "a");
  EXPECT_EQ(WholeCharacters("", "\xe5\xa8\x83"), "\xe5\xa8\x83");
  EXPECT_EQ(WholeCharacters("", "\xf0\x9f\x98"), "");
  EXPECT_EQ(WholeCharacters("x\xe5", "\xa8"), "");
  EXPECT_EQ(WholeCharacters("x\xe5", "\xa8\x83z\xc3"), "\xa8\x83z");
  EXPECT_EQ(WholeCharacters("abc", ""), "");
}

class SplitForcedTest : public ::testing::Test {
 protected:
  std::vector<TokenId> Split(std::string_view bytes, bool ends_text) {
    return SplitForced(*vocabulary_, {.bytes = std::string(bytes), .ends_text = ends_text});
  }
  const std::vector<std::string_view> bytes_ = {"h", "he", "hell", "l", "o", " w", "</s>", "lo!"};
  const std::shared_ptr<const Vocabulary> vocabulary_ =
      *Vocabulary::Make({.bytes = bytes_, .end = std::vector<TokenId>{6}});
};

TEST_F(SplitForcedTest, TakesTheLongestTokens) { EXPECT_THAT(Split("hello", true), ElementsAre(2, 4, 6)); }

TEST_F(SplitForcedTest, LeavesOutWhatALongerTokenCouldCover) {
  EXPECT_THAT(Split("hello", false), ElementsAre(2, 4));
  EXPECT_THAT(Split("hellhe", false), ElementsAre(2));  // "hell" again is longer than "he"
  EXPECT_THAT(Split("o ", false), ElementsAre(4));
  EXPECT_THAT(Split("o ", true), ElementsAre(4));  // no token has these bytes
  EXPECT_THAT(Split("", false), IsEmpty());
  EXPECT_THAT(Split("", true), ElementsAre(6));
}

}  // namespace
}  // namespace decant::grammar
