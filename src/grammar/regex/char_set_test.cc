// Set algebra, letter case and named sets.
#include "grammar/regex/char_set.h"

#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace decant::grammar {
namespace {

CharSet Set(std::u32string_view members) {
  std::vector<CodePointRange> ranges;
  for (const char32_t c : members) ranges.push_back({c, c});
  return CharSet(ranges);
}

TEST(CharSetTest, KeepsRangesSortedAndApart) {
  const CharSet set({{'x', 'z'}, {'a', 'c'}, {'d', 'e'}, {'b', 'b'}, {'9', '1'}});
  ASSERT_EQ(set.ranges().size(), 2u);
  EXPECT_EQ(set.ranges()[0].first, U'a');
  EXPECT_EQ(set.ranges()[0].last, U'e');
  EXPECT_EQ(set.size(), 8u);
  EXPECT_TRUE(set.Has('e'));
  EXPECT_FALSE(set.Has('f'));
  EXPECT_EQ(Set(U"q").Only(), U'q');
  EXPECT_EQ(set.Only(), std::nullopt);
}

TEST(CharSetTest, HoldsNoSurrogate) {
  EXPECT_TRUE(CharSet({{0xD800, 0xDFFF}}).IsEmpty());
  EXPECT_EQ(CharSet::All().size(), 0x110000u - 0x800u);
  EXPECT_FALSE(CharSet::All().Has(0xDABC));
  EXPECT_TRUE(CharSet::All().Complement().IsEmpty());
  EXPECT_FALSE(Set(U"a").Complement().Has(0xD800));
  EXPECT_EQ(CharSet({{0xD700, 0xE000}}).ranges().size(), 2u);
}

TEST(CharSetTest, UnitesIntersectsAndComplements) {
  const CharSet abc = Set(U"abc"), cd = Set(U"cd");
  EXPECT_EQ(abc.Unite(cd), Set(U"abcd"));
  EXPECT_EQ(abc.Intersect(cd), Set(U"c"));
  EXPECT_EQ(abc.Without(cd), Set(U"ab"));
  EXPECT_EQ(abc.Complement().Complement(), abc);
  EXPECT_TRUE(abc.Complement().IsAll() == false && CharSet().Complement().IsAll());
  EXPECT_TRUE(abc.Covers(Set(U"ac")));
  EXPECT_FALSE(abc.Covers(cd));
}

TEST(CharSetTest, AddsOtherCases) {
  EXPECT_EQ(WithCases(Set(U"k"), CaseRule::kSimple), Set(U"kK\u212A"));
  EXPECT_EQ(WithCases(Set(U"k"), CaseRule::kAscii), Set(U"kK"));
  EXPECT_EQ(WithCases(Set(U"iß"), CaseRule::kSimple), Set(U"iIßẞ"));
  EXPECT_EQ(WithCases(Set(U"ı"), CaseRule::kPython), Set(U"iIİı"));
  EXPECT_EQ(WithCases(Set(U"ΐ"), CaseRule::kPython), Set(U"ΐ\u1FD3"));
  EXPECT_EQ(WithCases(Set(U"1-"), CaseRule::kPython), Set(U"1-"));
}

TEST(CharSetTest, KnowsPropertiesByTheirPrefixes) {
  EXPECT_EQ(UnicodeProperty("gc=Lu"), UnicodeProperty("Uppercase_Letter"));
  EXPECT_EQ(UnicodeProperty("Script=Greek"), UnicodeProperty("Greek"));
  EXPECT_NE(UnicodeProperty("scx=Greek"), UnicodeProperty("sc=Greek"));
  EXPECT_EQ(UnicodeProperty("sc=Lu"), std::nullopt);
  EXPECT_EQ(UnicodeProperty("=Lu"), std::nullopt);
  EXPECT_EQ(PosixClass("xdigit"), Set(U"0123456789abcdefABCDEF"));
  EXPECT_EQ(PosixClass("letter"), std::nullopt);
}

}  // namespace
}  // namespace decant::grammar
