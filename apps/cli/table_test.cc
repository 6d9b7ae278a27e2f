// Widths, escapes and columns.
#include "table.h"

#include <gtest/gtest.h>

namespace decant::cli {
namespace {

TEST(DisplayWidthTest, CountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("é"), 1u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u) << "a combining mark takes no column";
  EXPECT_EQ(DisplayWidth("你好"), 4u);
  EXPECT_EQ(DisplayWidth("\U0001F44D\U0001F3FD"), 2u) << "a skin tone joins the emoji before it";
  EXPECT_EQ(DisplayWidth("\x1b[1mab\x1b[0m"), 2u) << "colour takes no column";
}

TEST(HarmlessTextTest, EscapesWhatATerminalObeys) {
  EXPECT_EQ(HarmlessText("say \"a\\b\" é"), "say \"a\\b\" é");
  EXPECT_EQ(HarmlessText("\x1b]0;x\x07\n\u009b2J"), R"(\u{1b}]0;x\u{7}\n\u{9b}2J)");
  EXPECT_EQ(HarmlessText("\x9b 2J"), "\uFFFD 2J") << "a C1 byte alone is not UTF-8";
}

TEST(VisibleTextTest, EscapesWhatDisturbsALine) {
  EXPECT_EQ(VisibleText("a\n\t\r\"\\"), R"("a\n\t\r\"\\")");
  EXPECT_EQ(VisibleText("\x1b[2J"), R"("\u{1b}[2J")");
  EXPECT_EQ(VisibleText("\u202Eevil"), R"("\u{202e}evil")");
  EXPECT_EQ(VisibleText(std::string_view("\0", 1)), R"("\u{0}")");
}

TEST(VisibleTextTest, ShowsBrokenBytesAsReplacementCharacters) {
  EXPECT_EQ(VisibleText("\xF0\x9F"), "\"\uFFFD\"");
  EXPECT_EQ(VisibleText("a\xFFz"), "\"a\uFFFDz\"");
}

TEST(VisibleTextTest, EscapesAMarkThatWouldSitOnTheQuote) { EXPECT_EQ(VisibleText("\u0301"), R"("\u{301}")"); }

TEST(VisibleTextTest, CutsLongText) { EXPECT_EQ(VisibleText("abcdef", 4), "\"abcd…\""); }

TEST(TableTest, LinesColumnsUpAndPadsNoLastColumn) {
  Table table({Align::kRight, Align::kLeft, Align::kLeft});
  table.Add({"id", "text", "note"});
  table.AddLine("-- between --");
  table.Add({"1", "你好", "a"});
  table.Add({"100", "b"});
  EXPECT_EQ(table.Text(" "),
            "  id  text  note\n"
            " -- between --\n"
            "   1  你好  a\n"
            " 100  b\n");
}

TEST(BarTest, HasEighths) {
  EXPECT_EQ(Bar(1, 2, 4), "██");
  EXPECT_EQ(Bar(1, 16, 2), "▏");
  EXPECT_EQ(Bar(0, 0, 4), "");
}

TEST(QuotedBytesTest, SpellsBytesThatAreNoText) {
  EXPECT_EQ(QuotedBytes("a\xC3\xA9"), "\"aé\"");
  EXPECT_EQ(QuotedBytes("\xC3"), "\"\\xc3\"");
}

}  // namespace
}  // namespace decant::cli
