// Charts drawn by hand, and an SVG that is well formed and escapes what it is told.
#include "chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "table.h"

namespace decant::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ChartGlyphs Glyphs(std::map<std::string, std::string> variables) {
  return GlyphsOf([&](const char* name) { return variables[name]; });
}

TEST(ChartTest, DrawsEighthsOfACharacter) {
  const Series series{.name = "p", .values = {0, 0.0625, 0.5, 0.75, 1}};
  EXPECT_EQ(DrawChart(series, 1, {.columns = 80, .rows = 2}), "p\n1.0 │   ▄█\n0.0 │ ▁███\n");
}

TEST(ChartTest, DrawsThirdsInAscii) {
  const Series series{.name = "p", .values = {0, 0.34, 0.5, 0.67, 1}};
  EXPECT_EQ(DrawChart(series, 1, {.columns = 80, .rows = 1, .glyphs = ChartGlyphs::kAscii}), "p\n1.0 | .::#\n");
  const std::string two = DrawChart(series, 1, {.columns = 80, .rows = 2, .glyphs = ChartGlyphs::kAscii});
  EXPECT_TRUE(std::ranges::all_of(two, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) << two;
}

TEST(ChartTest, AColumnIsAMeanWhereThereIsNoRoom) {
  const std::vector<Series> series = {{.name = "a", .values = std::vector<double>(100, 1)},
                                      {.name = "b", .values = {1, 0}}};
  EXPECT_EQ(ValuesPerColumn(series, {.columns = 106}), 1);
  EXPECT_EQ(ValuesPerColumn(series, {.columns = 105}), 2);
  EXPECT_EQ(ValuesPerColumn({}, {.columns = 80}), 1);
  EXPECT_EQ(DrawChart(series[1], 2, {.rows = 1}), "b\n1.0 │▄\n");
  EXPECT_EQ(DrawChart({.name = "none", .values = {}}, 1, {.rows = 1}), "none\n1.0 │\n");
}

TEST(ChartTest, FollowsTheLocale) {
  EXPECT_EQ(Glyphs({{"LANG", "de_DE.UTF-8"}}), ChartGlyphs::kUnicode);
  EXPECT_EQ(Glyphs({{"LC_ALL", "C"}, {"LANG", "de_DE.UTF-8"}}), ChartGlyphs::kAscii);
  EXPECT_EQ(Glyphs({{"LC_CTYPE", "C.utf8"}}), ChartGlyphs::kUnicode);
  EXPECT_EQ(Glyphs({}), ChartGlyphs::kAscii);
  EXPECT_EQ(ColumnsOf(-1), 80);
}

TEST(SvgTest, NamesItselfAndItsAxes) {
  const std::vector<Series> series = {{.name = "a < b", .values = {0, 1, 0.5}}, {.name = "c", .values = {1}}};
  const std::string svg =
      DrawSvg(series, {.title = "T & \"t\"", .description = "D", .x_label = "token", .y_label = "p"});
  EXPECT_THAT(svg, HasSubstr("<title id=\"title\">T &amp; &quot;t&quot;</title>"));
  EXPECT_THAT(svg, HasSubstr("<desc id=\"description\">D</desc>"));
  EXPECT_THAT(svg, HasSubstr("a &lt; b (mean 0.50)"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(svg, HasSubstr(">token</text>"));
  EXPECT_THAT(svg, HasSubstr("points=\"64.0,178.00 404.0,74.00 744.0,126.00\""));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_EQ(svg, DrawSvg(series, {.title = "T & \"t\"", .description = "D", .x_label = "token", .y_label = "p"}));
}

TEST(SvgTest, HoldsNoControlCharactersAndNoNumbersOutOfRange) {
  const std::string svg = DrawSvg({}, {.title = "a\x01\xFF", .description = "", .x_label = "", .y_label = ""});
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_THAT(svg, HasSubstr("a\xEF\xBF\xBD"));
  EXPECT_THAT(DrawSvg(std::vector<Series>{{.name = "one", .values = {0.25}}}, {}), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace decant::cli
