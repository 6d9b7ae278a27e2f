// The inside of JSON strings, against every spelling of every text.
#include "grammar/string_terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "grammar/expr_pool.h"
#include "grammar/spelling_for_test.h"

namespace decant::grammar {
namespace {

using std::string_literals::operator""s;

StringState After(ExprPool& pool, Expr content, std::string_view raw) { return Step(pool, {.content = content}, raw); }
bool Lives(ExprPool& pool, Expr content, std::string_view raw) { return !IsDead(After(pool, content, raw)); }
bool Closes(ExprPool& pool, Expr content, std::string_view raw) {
  const StringState state = After(pool, content, raw);
  return !IsDead(state) && CanClose(pool, state);
}

TEST(StringTerminalTest, EverySpellingIsTheSameText) {
  ExprPool pool;
  const Expr a = pool.Literal("a/\"");
  EXPECT_TRUE(Closes(pool, a, "a/\\\""));
  EXPECT_TRUE(Closes(pool, a, "\\u0061\\/\\u0022"));
  EXPECT_TRUE(Closes(pool, a, "\\u0061\\u002F\\\""));
  EXPECT_FALSE(Lives(pool, a, "b"));
  EXPECT_FALSE(Lives(pool, a, "\\u0062"));
  EXPECT_FALSE(Closes(pool, a, "a/"));
  EXPECT_FALSE(Lives(pool, a, "a/\\\"\\"));
}

TEST(StringTerminalTest, RefusesWhatIsNoJson) {
  ExprPool pool;
  const Expr any = pool.AnyText();
  for (const std::string& raw :
       {"\n"s, "\0"s, "\x1f"s, "\\x"s, "\\\n"s, "\\U"s, "\\ug"s, "\\u00 "s, "\\uDC00"s, "\\uD800x"s, "\\uD800\\n"s,
        "\\uD800\\u0041"s, "\\uD800\\uD800"s, "\\ude"s, "\xff"s, "\xc0\xaf"s, "\xed\xa0\x80"s, "\xc3\\"s, "a\""s}) {
    EXPECT_FALSE(Lives(pool, any, raw)) << core::Quoted(raw);
  }
  for (const std::string& raw :
       {"\x7f"s, "\\ud"s, "\\uD8"s, "\\udbff\\uDFFF"s, "\xf0\x9f\x98\x80"s, "\\b\\f\\n\\r\\t"s}) {
    EXPECT_TRUE(Lives(pool, any, raw)) << core::Quoted(raw);
  }
}

TEST(StringTerminalTest, AnEscapeLivesOnlyWhereItCanEnd) {
  ExprPool pool;
  const Expr letter = pool.Literal("\xc4\x80");  // U+0100
  EXPECT_TRUE(Lives(pool, letter, "\\u01"));
  EXPECT_FALSE(Lives(pool, letter, "\\u02"));
  EXPECT_FALSE(Lives(pool, letter, "\\n"));
  EXPECT_FALSE(Lives(pool, kEmptyText, "\\"));
  const Expr face = pool.Literal("\xf0\x9f\x98\x80");  // U+1F600 = D83D DE00
  EXPECT_TRUE(Lives(pool, face, "\\ud83d\\ude"));
  EXPECT_FALSE(Lives(pool, face, "\\ud83c"));
  EXPECT_FALSE(Lives(pool, face, "\\ud83d\\udf"));
  EXPECT_FALSE(Lives(pool, face, "\\u1"));
  EXPECT_TRUE(Closes(pool, face, "\\uD83D\\uDE00"));
}

TEST(StringTerminalTest, FirstBytesLeaveOutNoneThatMayCome) {
  ExprPool pool;
  const std::vector<Expr> contents = {pool.AnyText(), kEmptyText, pool.Literal("a\"\n"),
                                      pool.Literals({"", "b", "\xf0\x9f\x98\x80"})};
  for (const Expr content : contents) {
    for (const std::string& begun :
         {""s, "a"s, "\\"s, "\\u"s, "\\u00"s, "\\ud83d"s, "\\ud83d\\"s, "\\ud83d\\u"s, "\xf0"s}) {
      const StringState state = After(pool, content, begun);
      if (IsDead(state)) continue;
      const ByteSet first = FirstBytes(pool, state);
      for (unsigned byte = 0; byte < 256; ++byte) {
        const auto next = static_cast<std::uint8_t>(byte);
        const bool closes = next == '"' && CanClose(pool, state);
        ASSERT_TRUE(first.Has(next) || (!closes && IsDead(Step(pool, state, next)))) << pool.ToText(content) << begun;
      }
      if (state.escape == kNoEscape) {
        EXPECT_EQ(first.Has('"'), CanClose(pool, state));
      }
    }
  }
  EXPECT_EQ(FirstBytes(pool, After(pool, pool.AnyText(), "\\ud83d")).Count(), 1u);
}

TEST(StringTerminalTest, DecodesWhatItReads) {
  EXPECT_EQ(DecodeAll(kNoEscape, "a\\n\\u00e9\\uD83d\\uDe00\\/"), "a\n\xc3\xa9\xf0\x9f\x98\x80/");
  const std::optional<DecodedByte> backslash = Decode(kNoEscape, '\\');
  ASSERT_TRUE(backslash.has_value());
  EXPECT_EQ(DecodeAll(backslash->escape, "tx\\"), "\tx");
  EXPECT_EQ(DecodeAll(kNoEscape, "\\u0000"), "\0"s);
}

TEST(StringTerminalTest, EveryCodePointIsReachedByItsEscapesAlone) {
  // A language of one character, and escapes cut at each length: alive exactly when they begin its spelling.
  for (const char32_t code_point : {0x0u, 0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xFFFu, 0x1000u, 0xD7FFu, 0xE000u, 0xFFFFu,
                                    0x10000u, 0x103FFu, 0x10400u, 0x10FFFFu}) {
    ExprPool pool;
    const CodePointRange range{code_point, code_point};
    const Expr content = pool.CodePoints({&range, 1});
    std::string text;
    core::AppendUtf8(code_point, text);
    const std::string escape = SpellingsOf(code_point).back();
    for (std::size_t cut = 1; cut <= escape.size(); ++cut) {
      for (const char digit : std::string_view("0123456789abcdefABCDEF\\u")) {
        const std::string raw = escape.substr(0, cut - 1) + digit;
        EXPECT_EQ(Lives(pool, content, raw), BeginsSpelling(raw, text)) << raw << " of " << escape;
      }
    }
  }
}

std::string RandomText(std::mt19937& random) {
  constexpr std::array<char32_t, 13> kCharacters = {'a',  'b',  '"',    '\\',   '/',     '\n',    0,
                                                    0x7F, 0xE9, 0xD7FF, 0xE000, 0x1F600, 0x10FFFF};
  std::string text;
  for (std::size_t left = random() % 4; left > 0; --left)
    core::AppendUtf8(kCharacters[random() % kCharacters.size()], text);
  return text;
}

std::string RandomSpelling(std::string_view text, std::mt19937& random) {
  std::string raw;
  while (!text.empty()) {
    const core::Utf8Part part = core::DecodeUtf8(text);
    const std::vector<std::string> spellings = SpellingsOf(part.code_point);
    raw += spellings[random() % spellings.size()];
    text.remove_prefix(part.length);
  }
  return raw;
}

TEST(StringTerminalTest, AgreesWithTheSpellingsOfRandomChoices) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    ExprPool pool;
    std::vector<std::string> texts(1 + random() % 4);
    std::generate(texts.begin(), texts.end(), [&random] { return RandomText(random); });
    const Expr content = pool.Literals(texts);
    for (int probe = 0; probe < 20; ++probe) {
      std::string raw = RandomSpelling(texts[random() % texts.size()], random);
      raw.resize(random() % (raw.size() + 1));
      if (random() % 2 == 0) raw += "ab\"\\/nu0189dDfF\n\xc3\xa9\xf0"[random() % 18];
      const bool expected = std::any_of(texts.begin(), texts.end(),
                                        [&raw](const std::string& text) { return BeginsSpelling(raw, text); });
      ASSERT_EQ(Lives(pool, content, raw), expected) << core::Quoted(raw) << " of " << core::Quoted(texts[0]);
      if (expected && Closes(pool, content, raw)) {
        EXPECT_NE(std::find(texts.begin(), texts.end(), DecodeAll(kNoEscape, raw)), texts.end());
      }
    }
    const std::string whole = RandomSpelling(texts[0], random);
    EXPECT_TRUE(Closes(pool, content, whole)) << core::Quoted(whole);
  }
}

TEST(StringTerminalTest, FingerprintsTellEscapesApart) {
  ExprPool pool;
  const StringState plain{.content = pool.AnyText()};
  const StringState escaped = Step(pool, plain, '\\');
  EXPECT_EQ(FingerprintOf(pool, plain, 8), FingerprintOf(pool, Step(pool, plain, "xy"), 8));
  EXPECT_NE(FingerprintOf(pool, plain, 8), FingerprintOf(pool, escaped, 8));
  EXPECT_NE(FingerprintOf(pool, Step(pool, escaped, 'u'), 8), FingerprintOf(pool, escaped, 8));
}

}  // namespace
}  // namespace decant::grammar
