// Stop strings over every kind of token border.
#include "decode/stop_strings.h"

#include <gtest/gtest.h>

namespace decant::decode {
namespace {

TEST(StopStringsTest, FindsAStringSplitOverTokens) {
  const StopStrings stops({"DEFGHIJ"});
  EXPECT_FALSE(stops.Find("abcDEF", 3).has_value());
  EXPECT_FALSE(stops.Find("abcDEFGHI", 6).has_value());
  EXPECT_EQ(stops.Find("abcDEFGHIJ", 9)->begin, 3u);
}

TEST(StopStringsTest, FindsAStringInsideOneToken) { EXPECT_EQ(StopStrings({"\n"}).Find("ab\ncd", 0)->begin, 2u); }

TEST(StopStringsTest, TheEarliestStartWinsThenTheLongest) {
  const StopStrings stops({"cd", "bc", "bcd"});
  const auto match = stops.Find("abcd", 0);
  EXPECT_EQ(match->begin, 1u);
  EXPECT_EQ(match->string, "bcd");
}

TEST(StopStringsTest, HoldsOnlyWhatCouldBecomeAStop) {
  const StopStrings stops({"END", "\n\n"});
  EXPECT_EQ(stops.HeldBytes("abc"), 0u);
  EXPECT_EQ(stops.HeldBytes("abE"), 1u);
  EXPECT_EQ(stops.HeldBytes("abEN"), 2u);
  EXPECT_EQ(stops.HeldBytes("abENx"), 0u);
  EXPECT_EQ(stops.HeldBytes("a\n"), 1u);
  EXPECT_EQ(StopStrings({}).HeldBytes("abc"), 0u);
}

TEST(StopStringsTest, HoldsTheLongestHeadOfARepetitiveStop) { EXPECT_EQ(StopStrings({"aab"}).HeldBytes("aaa"), 2u); }

}  // namespace
}  // namespace decant::decode
