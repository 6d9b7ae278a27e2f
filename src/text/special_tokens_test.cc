// Leftmost, then longest.
#include "text/special_tokens.h"

#include "gtest/gtest.h"

namespace decant::text {
namespace {

void ExpectMatch(const SpecialTokens& specials, std::string_view text, std::size_t from, std::size_t start,
                 std::size_t length, TokenId token) {
  const std::optional<SpecialMatch> match = specials.Next(text, from);
  ASSERT_TRUE(match.has_value()) << text;
  EXPECT_EQ(match->start, start) << text;
  EXPECT_EQ(match->length, length) << text;
  EXPECT_EQ(match->token, token) << text;
}

TEST(SpecialTokensTest, TakesTheLeftmostThenTheLongest) {
  const SpecialTokens specials({{"<a", 1}, {"<a>", 2}, {"<a>>b", 3}, {"a>", 4}, {"c", 5}});
  ExpectMatch(specials, "x<a>y", 0, 1, 3, 2);
  ExpectMatch(specials, "x<ay", 0, 1, 2, 1);
  ExpectMatch(specials, "<a>>", 0, 0, 3, 2);  // the longer one is not all there
  ExpectMatch(specials, "<a>>b", 0, 0, 5, 3);
  ExpectMatch(specials, "<a>>b", 1, 1, 2, 4);
  ExpectMatch(specials, "<<ac", 0, 1, 2, 1);
  ExpectMatch(specials, "zzc", 0, 2, 1, 5);
}

TEST(SpecialTokensTest, FindsNothingWhereNothingIs) {
  const SpecialTokens specials({{"<a>", 2}, {"\xFF\x80", 3}});
  EXPECT_FALSE(specials.Next("<<a <a", 0).has_value());
  EXPECT_FALSE(specials.Next("", 0).has_value());
  EXPECT_FALSE(specials.Next("<a>", 1).has_value());
  EXPECT_FALSE(SpecialTokens({}).Next("<a>", 0).has_value());
  ExpectMatch(specials, "a\xFF\x80", 0, 1, 2, 3);
}

}  // namespace
}  // namespace decant::text
