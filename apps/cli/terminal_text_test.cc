// What a terminal would obey is spelled out; what it only shows stays.
#include "terminal_text.h"

#include <gtest/gtest.h>

namespace decant::cli {
namespace {

TEST(TerminalTextTest, SpellsControlsOut) {
  EXPECT_EQ(TerminalText("a\x1b[2Jb"), "a\\u{1b}[2Jb");
  EXPECT_EQ(TerminalText("\r\x7f\a"), "\\u{d}\\u{7f}\\u{7}");
  EXPECT_EQ(TerminalText("\xC2\x9B"), "\\u{9b}");  // C1: the other way to write ESC [
  EXPECT_EQ(TerminalText(std::string_view("\0", 1)), "\\u{0}");
}

TEST(TerminalTextTest, KeepsTextLineFeedsAndTabs) {
  EXPECT_EQ(TerminalText("é\t日本\n👩‍🚀"), "é\t日本\n👩‍🚀");
  EXPECT_EQ(TerminalText(""), "");
}

TEST(TerminalTextTest, ShowsBytesThatAreNoTextAsReplacements) { EXPECT_EQ(TerminalText("a\xFFz"), "a\xEF\xBF\xBDz"); }

}  // namespace
}  // namespace decant::cli
