// Characters, the shapes that must stay small, and the questions one may ask of an expression.
#include "grammar/expr_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace decant::grammar {
namespace {

constexpr SearchBudget kBudget{};

ByteSet SetOf(std::string_view bytes) {
  ByteSet set;
  for (const char c : bytes) set.Add(static_cast<std::uint8_t>(c));
  return set;
}

Expr Range(ExprPool& pool, char32_t first, char32_t last) {
  const std::array<CodePointRange, 1> range = {{{first, last}}};
  return pool.CodePoints(range);
}

bool Takes(ExprPool& pool, Expr e, std::string_view text) {
  const Expr after = pool.Next(e, text);
  return after != kNothing && pool.IsNullable(after);
}

std::string Utf8(char32_t c) {
  std::string text;
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0 | c >> 6), add(0x80 | (c & 63));
  } else if (c < 0x10000) {
    add(0xE0 | c >> 12), add(0x80 | (c >> 6 & 63)), add(0x80 | (c & 63));
  } else {
    add(0xF0 | c >> 18), add(0x80 | (c >> 12 & 63)), add(0x80 | (c >> 6 & 63)), add(0x80 | (c & 63));
  }
  return text;
}

// ---- Characters ----

TEST(ExprPoolTest, ClassesTakeExactlyTheirCodePoints) {
  const std::vector<std::vector<CodePointRange>> classes = {
      {{0, 0x10FFFF}},
      {{0x7F, 0x80}},
      {{0x7FF, 0x800}},
      {{0xD700, 0xE0FF}},
      {{0xFFFF, 0x10000}},
      {{0x10FFFF, 0x10FFFF}},
      {{'0', '9'}, {'a', 'z'}, {0xE9, 0xE9}, {0x400, 0x4FF}, {0x1F600, 0x1F64F}},
      {{0x3FFFF, 0x100001}, {0x900, 0xA3F}, {0xA00, 0xFC0}},
  };
  const std::set<char32_t> edges = {0,      0x10FFFF, 0x7F,   0x80,    0x7FF,   0x800,
                                    0xD7FF, 0xE000,   0xFFFF, 0x10000, 0x3FFFF, 0x40000};
  for (const auto& ranges : classes) {
    ExprPool pool;
    const Expr e = pool.CodePoints(ranges);
    std::set<char32_t> points = edges;
    for (const CodePointRange& range : ranges) {
      for (const char32_t c : {range.first, range.last}) {
        for (int off = -65; off <= 65; ++off) points.insert(c + static_cast<char32_t>(off));
      }
    }
    for (const char32_t c : points) {
      if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) continue;
      const bool in = std::ranges::any_of(ranges, [c](const CodePointRange& r) { return r.first <= c && c <= r.last; });
      ASSERT_EQ(Takes(pool, e, Utf8(c)), in) << std::hex << static_cast<std::uint32_t>(c);
    }
    EXPECT_FALSE(Takes(pool, e, "\xED\xA0\x80"));      // a surrogate
    EXPECT_FALSE(Takes(pool, e, "\xC0\x80"));          // overlong
    EXPECT_FALSE(Takes(pool, e, "\xE0\x80\x80"));      // overlong
    EXPECT_FALSE(Takes(pool, e, "\xF4\x90\x80\x80"));  // past the last
  }
}

TEST(ExprPoolTest, ClassesJoinAndIntersectToOneNode) {
  ExprPool pool;
  EXPECT_EQ(pool.Union(Range(pool, 'a', 0x400), Range(pool, 0x300, 0xFFFF)), Range(pool, 'a', 0xFFFF));
  EXPECT_EQ(pool.Intersect(Range(pool, 'a', 0x400), Range(pool, 0x300, 0xFFFF)), Range(pool, 0x300, 0x400));
  EXPECT_EQ(pool.Intersect(Range(pool, 'a', 'b'), Range(pool, 0x300, 0xFFFF)), kNothing);
  EXPECT_EQ(pool.Intersect(pool.AnyCodePoint(), Range(pool, 0x300, 0xFFFF)), Range(pool, 0x300, 0xFFFF));
}

// ---- Shapes ----

// States reached by breadth-first walking, up to `most`.
std::size_t CountStates(ExprPool& pool, Expr e, std::size_t most) {
  std::set<Expr> seen = {e};
  std::vector<Expr> states = {e};
  for (std::size_t i = 0; i < states.size() && states.size() < most; ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      const Expr next = pool.Next(states[i], static_cast<std::uint8_t>(byte));
      if (next != kNothing && seen.insert(next).second) states.push_back(next);
    }
  }
  return states.size();
}

TEST(ExprPoolTest, UnanchoredCountsHaveOneStateACount) {
  ExprPool pool;
  const Expr any = pool.AnyText(), a = pool.Bytes(SetOf("a"));
  const Expr found = pool.Concat(any, pool.Concat(pool.Repeat(a, 500, 500), any));
  EXPECT_LE(CountStates(pool, found, 20000), 1520u);  // and a few inside characters, before the match
  EXPECT_TRUE(Takes(pool, found, std::string(300, 'a') + "b" + std::string(501, 'a') + "c"));
  EXPECT_FALSE(Takes(pool, found, std::string(300, 'a') + "b" + std::string(499, 'a') + "c"));
  const Expr digits = pool.Concat(any, pool.Concat(pool.Repeat(Range(pool, '0', '9'), 2, 2), any));
  EXPECT_LE(CountStates(pool, digits, 1000), 20u);
  const Expr one = pool.AnyCodePoint();
  const Expr mixed = pool.Repeat(pool.Union(pool.Repeat(one, 3, 3), pool.Repeat(one, 7, 7)), 0, kUnbounded);
  EXPECT_LE(CountStates(pool, mixed, 1000), 200u);
}

TEST(ExprPoolTest, LargeCountsStayCounters) {
  ExprPool pool;
  Expr e = pool.Repeat(Range(pool, 'a', 'z'), 2, 20000);
  const std::size_t before = pool.size();
  EXPECT_LT(before, 40u);
  EXPECT_FALSE(pool.IsNullable(pool.Next(e, "a")));
  EXPECT_TRUE(Takes(pool, e, std::string(20000, 'q')));
  EXPECT_FALSE(Takes(pool, e, std::string(20001, 'q')));
  EXPECT_LT(pool.size(), before + 3 * 20000);
  const std::uint64_t many = std::uint64_t{1} << 40;
  e = pool.Repeat(pool.Literal("ab"), many, many + 1);
  EXPECT_NE(pool.Next(e, "ababab"), kNothing);
  EXPECT_EQ(pool.Next(e, "abb"), kNothing);
}

TEST(ExprPoolTest, StarsInStarsLeaveNoTrace) {
  ExprPool pool;
  const auto star = [&](Expr e) { return pool.Repeat(e, 0, kUnbounded); };
  const Expr a = pool.Literal("ab"), b = pool.Literal("cd");
  EXPECT_EQ(star(pool.Concat(star(a), star(b))), star(pool.Union(a, b)));
  EXPECT_EQ(pool.Repeat(pool.Union(pool.Repeat(a, 1, 3), b), 1, kUnbounded),
            pool.Repeat(pool.Union(a, b), 1, kUnbounded));
  EXPECT_EQ(pool.Repeat(pool.Repeat(a, 2, 3), 2, 4), pool.Repeat(a, 4, 12));
  EXPECT_NE(pool.Repeat(pool.Repeat(a, 2, 2), 2, 4), pool.Repeat(a, 4, 8));  // 5 has no place
  Expr nested = star(a);
  for (int i = 0; i < 20000; ++i) nested = star(pool.Concat(nested, star(i % 2 == 0 ? a : b)));
  EXPECT_EQ(nested, star(pool.Union(a, b)));
}

TEST(ExprPoolTest, TablesOfThousandsOfTexts) {
  ExprPool pool;
  std::mt19937 random(7);
  std::set<std::string> texts;
  while (texts.size() < 5000) {
    std::string text = "key_";
    for (int i = 0; i < 8; ++i) text += static_cast<char>('a' + random() % 26);
    texts.insert(text);
  }
  const Expr e = pool.Literals({texts.begin(), texts.end()});
  EXPECT_LT(pool.size(), 30u);
  for (const std::string& text : texts) {
    ASSERT_TRUE(Takes(pool, e, text));
    ASSERT_FALSE(Takes(pool, e, text.substr(0, 11)));
  }
  EXPECT_EQ(pool.Next(e, "key_?"), kNothing);
  const Expr others = pool.Intersect(pool.AnyText(), pool.Complement(e));
  EXPECT_EQ(pool.Next(others, "x"), pool.AnyText());
  EXPECT_FALSE(Takes(pool, others, *texts.begin()));
  EXPECT_TRUE(Takes(pool, others, texts.begin()->substr(0, 11)));
  std::vector<Expr> alternatives;
  for (const std::string& text : texts) alternatives.push_back(pool.Literal(text));
  EXPECT_TRUE(Takes(pool, pool.Union(alternatives), *texts.rbegin()));
  EXPECT_EQ(pool.CountTexts(e, 10000, {.states = 10}), 5000u);  // a table is counted without a search
  EXPECT_EQ(pool.CountTexts(e, 3000, {}), 3000u);
  const Expr marked = pool.Concat(e, pool.Literal("!"));
  EXPECT_EQ(pool.CountTexts(marked, 10000, {.states = 1000}), std::nullopt);  // more states than that
  EXPECT_EQ(pool.CountTexts(marked, 10000, {.states = 100000}), 5000u);
}

TEST(ExprPoolTest, DeepNestingOverflowsNoStack) {
  ExprPool pool;
  Expr left = pool.Bytes(SetOf("ab")), right = left, starred = left;
  const std::array<Expr, 2> ends = {pool.Bytes(SetOf("bc")), pool.Bytes(SetOf("cd"))};
  for (std::size_t i = 0; i < 100000; ++i) {
    left = pool.Concat(left, ends[i % 2]);
    right = pool.Union(pool.Concat(ends[i % 2], right), kEmptyText);
  }
  EXPECT_NE(pool.Next(left, "abcb"), kNothing);
  EXPECT_NE(pool.Next(right, "cbdb"), kNothing);
  EXPECT_TRUE(pool.HasText(pool.Complement(right), kBudget).value());
  EXPECT_EQ(pool.ContentWithin(left, 40), pool.ContentWithin(left, 40));
  for (std::size_t i = 0; i < 2000; ++i) starred = pool.Repeat(pool.Concat(starred, ends[i % 2]), 0, kUnbounded);
  EXPECT_NE(pool.Next(starred, "ab"), kNothing);
  EXPECT_FALSE(pool.ToText(left).empty());
}

// ---- Emptiness ----

TEST(ExprPoolTest, EmptyIntersectionsAreFound) {
  ExprPool pool;
  const Expr letters = pool.Repeat(Range(pool, 'a', 'z'), 0, kUnbounded), any = pool.AnyText();
  const Expr foo = pool.Concat(any, pool.Concat(pool.Literal("foo"), any));
  EXPECT_EQ(pool.HasText(pool.Intersect(foo, pool.Complement(foo)), kBudget), false);
  EXPECT_EQ(pool.HasText(pool.Intersect(pool.Concat(letters, pool.Literal("1")), letters), kBudget), false);
  EXPECT_EQ(pool.HasText(pool.Intersect(foo, letters), kBudget), true);
  const Expr long_text = pool.Repeat(pool.AnyCodePoint(), 10000, kUnbounded);
  EXPECT_EQ(pool.HasText(pool.Intersect(long_text, letters), kBudget), true);
  const Expr pairs = pool.Repeat(pool.Literal("ab"), 0, kUnbounded);
  EXPECT_EQ(pool.HasText(pool.Intersect(long_text, pairs), kBudget), true);
  const Expr huge = pool.Repeat(pool.AnyCodePoint(), 3000000, 3000002);
  EXPECT_EQ(pool.HasText(pool.Intersect(huge, pool.Repeat(pool.Literal("abc"), 0, kUnbounded)), kBudget), true);
  // Too short for the pattern: known at once.
  EXPECT_EQ(pool.Intersect(pool.Repeat(pool.AnyCodePoint(), 0, 2), foo), kNothing);
  const Expr odd = pool.Concat(pool.Bytes(SetOf("a")), pairs);
  EXPECT_EQ(pool.HasText(pool.Intersect(pool.Intersect(odd, pairs), any), kBudget), false);
  EXPECT_EQ(pool.undecided(), 0u);
}

TEST(ExprPoolTest, DeadBeginningsDie) {
  ExprPool pool;
  const Expr any = pool.AnyText();
  const Expr no_foo = pool.Complement(pool.Concat(any, pool.Concat(pool.Literal("foo"), any)));
  const Expr e = pool.Intersect(pool.Concat(any, pool.Literal("o")), pool.Intersect(any, no_foo));
  EXPECT_NE(pool.Next(e, "xfo"), kNothing);
  EXPECT_EQ(pool.Next(e, "xfoo"), kNothing);
  // Four characters at most, of which "ab?" must be the last.
  const Expr short_text = pool.Repeat(pool.AnyCodePoint(), 0, 4);
  const Expr ends = pool.Intersect(pool.Concat(any, pool.Literal("abc")), short_text);
  EXPECT_NE(pool.Next(ends, "x"), kNothing);
  EXPECT_EQ(pool.Next(ends, "xx"), kNothing);
}

// ---- Any text ----

TEST(ExprPoolTest, FreeLengthCountsCharacters) {
  ExprPool pool;
  const Expr any = pool.AnyText(), one = pool.AnyCodePoint();
  EXPECT_TRUE(pool.AdmitsAnyText(any, kBudget));
  const Expr search = pool.Concat(any, pool.Concat(pool.Literal("foo"), any));
  EXPECT_TRUE(pool.AdmitsAnyText(search, kBudget));
  EXPECT_FALSE(pool.AdmitsAnyText(pool.Repeat(one, 2, 10), kBudget));
  EXPECT_EQ(pool.FreeLength(pool.Repeat(one, 2, 10), 1000, kBudget), 10u);
  EXPECT_EQ(pool.FreeLength(pool.Intersect(search, pool.Repeat(one, 2, 10)), 1000, kBudget), 7u);
  EXPECT_EQ(pool.FreeLength(pool.Repeat(Range(pool, 'a', 'z'), 2, 10), 1000, kBudget), 0u);
  EXPECT_EQ(pool.FreeLength(pool.Intersect(search, pool.Repeat(one, 2, 20000)), 50, kBudget), 50u);
  EXPECT_EQ(pool.FreeLength(pool.Intersect(search, pool.Repeat(one, 30, 100)), 200, kBudget), 97u);
  EXPECT_EQ(pool.FreeLength(pool.Intersect(search, pool.Repeat(one, 30, kUnbounded)), 200, kBudget), kUnbounded);
  EXPECT_EQ(pool.FreeLength(pool.Next(any, "\xC3"), 50, kBudget), 0u);
}

// ---- Fingerprints ----

TEST(ExprPoolTest, FewBytesBeginFewTexts) {
  ExprPool pool;
  const auto first = [&pool](Expr e) {
    std::string bytes;
    const ByteSet set = pool.FirstBytes(e);
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (set.Has(static_cast<std::uint8_t>(byte))) bytes += static_cast<char>(byte);
    }
    return bytes;
  };
  EXPECT_EQ(first(kNothing), "");
  EXPECT_EQ(first(kEmptyText), "");
  EXPECT_EQ(first(pool.Literal("xyz")), "x");
  EXPECT_EQ(first(pool.Literals({"", "ab", "ac", "b", "\xc3\xa9"})), "ab\xc3");
  EXPECT_EQ(first(pool.Next(pool.Literals({"ab", "ac", "b"}), 'a')), "bc");
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(first(pool.Literals(many)), "0123456789");
  const Expr digits = pool.Repeat(Range(pool, U'0', U'3'), 0, 4);
  EXPECT_EQ(first(pool.Concat(digits, pool.Literal("-"))), "-0123");
  EXPECT_EQ(first(pool.Intersect(digits, pool.Concat(pool.Literal("2"), pool.AnyText()))), "2");
  EXPECT_EQ(pool.FirstBytes(pool.Complement(digits)).Count(), 256u);
}

TEST(ExprPoolTest, FingerprintsCutCounters) {
  ExprPool pool;
  const Expr one = pool.AnyCodePoint(), any = pool.AnyText();
  const auto repeat = [&](std::uint64_t least, std::uint64_t most) { return pool.Repeat(one, least, most); };
  EXPECT_EQ(pool.ContentWithin(repeat(0, 100), 10), pool.ContentWithin(repeat(0, 20000), 10));
  EXPECT_EQ(pool.ContentWithin(repeat(11, 100), 10), pool.ContentWithin(repeat(500, kUnbounded), 10));
  EXPECT_NE(pool.ContentWithin(repeat(0, 100), 10), pool.ContentWithin(repeat(0, 10), 10));
  EXPECT_NE(pool.ContentWithin(repeat(9, 100), 10), pool.ContentWithin(repeat(10, 100), 10));
  // A search that can be met at any time, within bounds.
  const Expr search = pool.Concat(any, pool.Concat(pool.Literal("foo"), any));
  const auto both = [&](std::uint64_t least, std::uint64_t most) {
    return pool.Intersect(search, repeat(least, most));
  };
  EXPECT_EQ(pool.ContentWithin(both(0, 100), 10), pool.ContentWithin(both(0, 90), 10));
  EXPECT_EQ(pool.ContentWithin(both(50, 100), 10), pool.ContentWithin(both(60, 90), 10));
  EXPECT_NE(pool.ContentWithin(both(0, 8), 10), pool.ContentWithin(both(0, 90), 10));
  EXPECT_EQ(pool.ContentWithin(pool.Next(both(50, 100), "xyz"), 10), pool.ContentWithin(both(60, 90), 10));
}

}  // namespace
}  // namespace decant::grammar
