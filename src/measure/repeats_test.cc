// Repeats and loops: cases counted by hand, every short string against brute force, and long ones for the cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "decant/measure.h"

namespace decant {
namespace {

std::vector<Symbol> Letters(std::string_view text) {
  std::vector<Symbol> symbols;
  for (const char c : text) symbols.push_back(static_cast<Symbol>(c));
  return symbols;
}

// Calls `check` with every string of length 0..longest over the symbols.
template <class Check>
void ForEveryString(std::size_t longest, std::string_view alphabet, const Check& check) {
  std::vector<std::string> strings = {""};
  for (std::size_t length = 0; length <= longest; ++length) {
    std::vector<std::string> longer;
    for (const std::string& text : strings) {
      check(text);
      for (const char c : alphabet) longer.push_back(text + c);
    }
    strings = std::move(longer);
  }
}

RepeatCounts PlainRepeats(const std::string& text, std::size_t n) {
  RepeatCounts counts;
  std::set<std::string> seen;
  for (std::size_t i = 0; i + n <= text.size(); ++i) {
    ++counts.runs;
    if (!seen.insert(text.substr(i, n)).second) ++counts.repeats;
  }
  return counts;
}

std::optional<Repeat> PlainLongest(const std::string& text) {
  for (std::size_t length = text.size(); length >= 1; --length) {
    for (std::size_t first = 0; first + length <= text.size(); ++first) {
      const std::size_t again = text.find(text.substr(first, length), first + 1);
      if (again != std::string::npos) return Repeat{.length = length, .first = first, .again = again};
    }
  }
  return std::nullopt;
}

std::optional<Loop> PlainLoop(const std::string& text, LoopOptions options) {
  for (std::size_t period = 1; period < text.size(); ++period) {
    std::size_t start = text.size() - period;
    while (start > 0 && text[start - 1] == text[start - 1 + period]) --start;
    const std::size_t length = text.size() - start;
    if (length / period < options.least_repetitions || length < options.least_length) continue;
    return Loop{.start = start, .period = period, .length = length};
  }
  return std::nullopt;
}

TEST(CountRepeatsTest, CountsRunsThatEqualAnEarlierOne) {
  EXPECT_EQ(CountRepeats(Letters("abcabcab"), 3), (RepeatCounts{.runs = 6, .repeats = 3}));
  EXPECT_EQ(CountRepeats(Letters("aaaaa"), 2), (RepeatCounts{.runs = 4, .repeats = 3}));
  EXPECT_EQ(CountRepeats(Letters("abc"), 3), (RepeatCounts{.runs = 1, .repeats = 0}));
  EXPECT_EQ(CountRepeats(Letters("abc"), 4), (RepeatCounts{.runs = 0, .repeats = 0}));
  EXPECT_EQ(CountRepeats({}, 1), RepeatCounts{});
}

TEST(CountRepeatsTest, SharesAreOfTheSums) {
  RepeatCounts all{.runs = 10, .repeats = 4};
  all += {.runs = 30, .repeats = 2};
  EXPECT_EQ(all.Share(), 0.15);
  EXPECT_FALSE(RepeatCounts{}.Share().has_value());
}

TEST(CountRepeatsTest, EqualsBruteForceOnEveryShortString) {
  const auto check = [](const std::string& text) {
    for (std::size_t n = 1; n <= 9; ++n) {
      EXPECT_EQ(CountRepeats(Letters(text), n), PlainRepeats(text, n)) << text << ", runs of " << n;
    }
  };
  ForEveryString(8, "ab", check);
  ForEveryString(6, "abc", check);
}

TEST(CountRunsTest, RunsDoNotCrossFromTextToText) {
  const std::vector<std::vector<Symbol>> texts = {Letters("ab"), Letters("ba"), Letters(""), Letters("a")};
  EXPECT_EQ(CountRuns(texts, 1), (RunCounts{.runs = 5, .distinct = 2}));
  EXPECT_EQ(CountRuns(texts, 2), (RunCounts{.runs = 2, .distinct = 2}));
  EXPECT_EQ(CountRuns(texts, 3), RunCounts{});
  EXPECT_EQ(CountRuns({}, 1), RunCounts{});
}

TEST(CountRunsTest, AnySymbolsWillDo) {
  const std::vector<std::vector<Symbol>> texts = {{UINT32_MAX, 0, UINT32_MAX, 0}};
  EXPECT_EQ(CountRuns(texts, 2), (RunCounts{.runs = 3, .distinct = 2}));
}

TEST(LongestRepeatTest, MayOverlapAndComesFirst) {
  EXPECT_EQ(LongestRepeat(Letters("xabyabzabc")), (Repeat{.length = 2, .first = 1, .again = 4}));
  EXPECT_EQ(LongestRepeat(Letters("aaa")), (Repeat{.length = 2, .first = 0, .again = 1}));
  EXPECT_FALSE(LongestRepeat(Letters("abc")).has_value());
  EXPECT_FALSE(LongestRepeat({}).has_value());
}

TEST(LongestRepeatTest, EqualsBruteForceOnEveryShortString) {
  const auto check = [](const std::string& text) {
    EXPECT_EQ(LongestRepeat(Letters(text)), PlainLongest(text)) << text;
  };
  ForEveryString(10, "ab", check);
  ForEveryString(8, "abc", check);
}

TEST(FindLoopTest, GoesBackAsFarAsTheRepetitionHolds) {
  EXPECT_EQ(FindLoop(Letters("once catcatcatc"), {}), (Loop{.start = 5, .period = 3, .length = 10}));
  EXPECT_EQ(FindLoop(Letters("once catcatcatc"), {})->repetitions(), 3);
}

TEST(FindLoopTest, TheSmallestPeriodWins) {
  EXPECT_EQ(FindLoop(Letters("xabababababab"), {}), (Loop{.start = 1, .period = 2, .length = 12}));
}

TEST(FindLoopTest, ShortOnesAndBrokenOnesAreNone) {
  EXPECT_FALSE(FindLoop(Letters("so funny hahaha"), {}).has_value());
  EXPECT_FALSE(FindLoop(Letters("catcatcatcatcat."), {}).has_value());
  EXPECT_TRUE(FindLoop(Letters("hahaha"), {.least_repetitions = 3, .least_length = 6}).has_value());
  EXPECT_FALSE(FindLoop(Letters("hahaha"), {.least_repetitions = 4, .least_length = 0}).has_value());
  EXPECT_FALSE(FindLoop({}, {}).has_value());
}

TEST(FindLoopTest, EqualsBruteForceOnEveryShortString) {
  const auto check = [](const std::string& text) {
    for (const LoopOptions options : {LoopOptions{2, 0}, LoopOptions{3, 0}, LoopOptions{3, 8}, LoopOptions{2, 5}}) {
      EXPECT_EQ(FindLoop(Letters(text), options), PlainLoop(text, options))
          << text << ", " << options.least_repetitions << " times, " << options.least_length << " symbols";
    }
  };
  ForEveryString(10, "ab", check);
  ForEveryString(8, "abc", check);
}

TEST(RepeatsTest, LongTextsStayCheap) {
  // A Fibonacci word has as many long repeats as a text can have; brute force would take hours.
  std::string a = "a", b = "ab";
  while (b.size() < 200000) a = std::exchange(b, b + a);
  const std::vector<Symbol> symbols = Letters(b);
  const auto longest = LongestRepeat(symbols);
  ASSERT_TRUE(longest.has_value());
  // Two places with one text, and none that goes on longer.
  EXPECT_EQ(b.substr(longest->first, longest->length), b.substr(longest->again, longest->length));
  const RepeatCounts at = CountRepeats(symbols, longest->length), past = CountRepeats(symbols, longest->length + 1);
  EXPECT_GT(at.repeats, 0);
  EXPECT_EQ(past.repeats, 0);
  EXPECT_EQ(FindLoop(std::vector<Symbol>(300000, 7), {}), (Loop{.start = 0, .period = 1, .length = 300000}));
}

}  // namespace
}  // namespace decant
