// The rules about colour and rewriting, and the progress line against a clock that the test moves.
#include "terminal.h"

#include <gtest/gtest.h>

#include <string>

namespace decant::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kAuto = ColorChoice::kAuto;

StreamFacts Terminal() { return {.is_terminal = true, .term = "xterm"}; }

TEST(ColorTest, IsUsedOnACapableTerminal) { EXPECT_TRUE(MayColor(Terminal(), kAuto)); }

TEST(ColorTest, IsNotUsedInAPipe) { EXPECT_FALSE(MayColor({.is_terminal = false, .term = "xterm"}, kAuto)); }

TEST(ColorTest, IsNotUsedOnADumbTerminal) { EXPECT_FALSE(MayColor({.is_terminal = true, .term = "dumb"}, kAuto)); }

TEST(ColorTest, ObeysNoColor) {
  StreamFacts facts = Terminal();
  facts.no_color = "1";
  EXPECT_FALSE(MayColor(facts, kAuto));
  EXPECT_FALSE(MayRewrite(facts, kAuto));
}

TEST(ColorTest, TheFlagDecidesOverTheEnvironment) {
  StreamFacts facts = Terminal();
  EXPECT_FALSE(MayColor(facts, ColorChoice::kNever));
  facts.no_color = "1";
  EXPECT_TRUE(MayColor(facts, ColorChoice::kAlways));
}

TEST(ColorTest, CanBeForcedIntoAPipe) {
  EXPECT_TRUE(MayColor({.clicolor_force = "1"}, kAuto));
  EXPECT_FALSE(MayColor({.clicolor_force = "0"}, kAuto));
  EXPECT_FALSE(MayRewrite({.clicolor_force = "1"}, kAuto)) << "a pipe has no line to rewrite";
}

TEST(PaintTest, AddsNothingWithoutColor) {
  EXPECT_EQ(Paint(false).Bold("a"), "a");
  EXPECT_EQ(Paint(true).Bold("a"), "\x1b[1ma\x1b[0m");
}

struct FakeScreen {
  std::string text;
  steady_clock::time_point now{};
  ProgressLine Line(ProgressStyle style) {
    return {style, [this](std::string_view more) { text += more; }, [this] { return now; }};
  }
};

TEST(ProgressLineTest, IsRewrittenAtMostTenTimesASecondAndErased) {
  FakeScreen screen;
  {
    ProgressLine line = screen.Line(ProgressStyle::kRewritten);
    line.Update("a");
    screen.now += milliseconds(99);
    line.Update("b");
    screen.now += milliseconds(1);
    line.Update("c");
  }
  EXPECT_EQ(screen.text, "\r\x1b[Ka\r\x1b[Kc\r\x1b[K");
}

TEST(ProgressLineTest, IsAPlainLineEveryTenSecondsWithoutATerminal) {
  FakeScreen screen;
  ProgressLine line = screen.Line(ProgressStyle::kPlain);
  line.Update("a");
  screen.now += milliseconds(9999);
  line.Update("b");
  screen.now += milliseconds(1);
  line.Update("c");
  line.Update("d");
  line.Finish();
  EXPECT_EQ(screen.text, "c\n");
}

TEST(ProgressLineTest, WritesNothingWhenSilent) {
  FakeScreen screen;
  ProgressLine line = screen.Line(ProgressStyle::kSilent);
  line.Update("a");
  screen.now += milliseconds(100000);
  line.Update("b");
  EXPECT_EQ(screen.text, "");
}

TEST(ProgressBarTest, FillsInProportion) {
  EXPECT_EQ(ProgressBar(1, 4, 4), "█░░░");
  EXPECT_EQ(ProgressBar(4, 4, 2), "██");
}

}  // namespace
}  // namespace decant::cli
