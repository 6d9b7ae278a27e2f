// How bytes and places are shown to people.
#include "constraint_walk.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace decant::cli {
namespace {

TEST(ConstraintWalkTest, ShowsBytesInRuns) {
  EXPECT_EQ(ByteRanges(std::vector<unsigned char>{}), "");
  EXPECT_EQ(ByteRanges(std::vector<unsigned char>{'\t', '"', '0', '1', '2', '9'}), R"("\t", "\"", "0".."2", "9")");
  EXPECT_EQ(ByteRanges(std::vector<unsigned char>{'a', 'b'}), R"("a", "b")");
  EXPECT_EQ(ByteRanges(std::vector<unsigned char>{0x7E, 0x7F, 0x80, 0x81, 0x82}), R"("~", "\u{7f}", "\x80".."\x82")");
}

TEST(ConstraintWalkTest, CountsLinesAndCodePoints) {
  const std::string text = "a\né!x";
  EXPECT_EQ(PlaceIn(text, 0), (Position{.offset = 0, .line = 1, .column = 1}));
  EXPECT_EQ(PlaceIn(text, 2), (Position{.offset = 2, .line = 2, .column = 1}));
  EXPECT_EQ(PlaceIn(text, 3), (Position{.offset = 3, .line = 2, .column = 1}));  // inside the é
  EXPECT_EQ(PlaceIn(text, 4), (Position{.offset = 4, .line = 2, .column = 2}));
  EXPECT_EQ(PlaceIn(text, 6), (Position{.offset = 6, .line = 2, .column = 4}));
}

TEST(ConstraintWalkTest, PointsAtAPlace) {
  EXPECT_EQ(Excerpt("{\"a\": x}", {.offset = 6}), "  {\"a\": x}\n        ^");
  EXPECT_EQ(Excerpt("one\ntwo\nthree", {.offset = 5}), "  two\n   ^");
  EXPECT_EQ(Excerpt("", {.offset = 0}), "  \n  ^");
  EXPECT_EQ(Excerpt("ab", {.offset = 9}), "  ab\n    ^");
  const std::string wide = Excerpt(std::string(100, 'a') + "日本x", {.offset = 106});
  EXPECT_EQ(wide.substr(wide.find('\n') + 1), "  " + std::string(1 + 54 + 4, ' ') + "^");
}

}  // namespace
}  // namespace decant::cli
