// Entries of string states against a step-by-step reading of every token.
#include "grammar/terminal_entry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "decant/token.h"
#include "grammar/expr_pool.h"
#include "grammar/string_terminal.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {
namespace {

using std::string_view_literals::operator""sv;
using ExitMap = std::map<std::pair<std::string, std::string>, std::vector<TokenId>>;  // by content, tail

// Every byte, split characters, escapes and pieces of them, quotes with tails, duplicates, long runs.
std::vector<std::string> Texts() {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  for (const std::string_view text :
       {"a",       "ab",          "abc",       "ba",          "bb",        "aaaaa",
        "a\"",     "ab\":",       "\":",       "\" :",        "\",",       "\",\"",
        "\",\"a",  "a\",\"b\"",   "\\\"",      "\\\",\"a\":", "\\n",       "\\u",
        "\\u00",   "\\u0061",     "\\u0061\"", "0061\":",     "61",        "\\ud83d",
        "\\uDE00", "d83d\\",      "\xc3\xa9",  "\xf0\x9f",    "\x98\x80",  "\xf0\x9f\x98\x80",
        "\xa9\"",  "\xc3\xa9\":", "\"\n",      "\\\\\"",      "\\\\\\\"b", "\"\"\"",
        "a\\",     "\"]}",        "\" \t",     "a\n"}) {
    texts.emplace_back(text);
  }
  texts.emplace_back(40, 'a');
  texts.emplace_back(33, 'b');
  texts.emplace_back(std::string(36, 'a') + "\"}");
  texts.emplace_back("aaa bb aaa bb aaa bb aaa bb");
  texts.emplace_back("aaa bb aaa bb aaa bb a bb\", \"");
  texts.emplace_back(30, ' ');
  texts.emplace_back(29, '-');
  texts.emplace_back(
      "\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\xc3\xa9\xc3");
  texts.emplace_back("a\\u0061a\\u0061a\\u0061a\\n a\\ud83d");
  return texts;
}

std::shared_ptr<const Vocabulary> MakeVocabulary(const std::vector<std::string>& texts) {
  const std::vector<std::string_view> bytes(texts.begin(), texts.end());
  auto made = Vocabulary::Make({.bytes = bytes, .row_length = texts.size() + 50});
  EXPECT_TRUE(made.has_value());
  return *made;
}

bool IsKeyTail(std::string_view tail) { return tail.empty() || ": \t\n\r"sv.find(tail[0]) != std::string_view::npos; }

struct Expected {
  std::vector<TokenId> inner;
  ExitMap exits;
};
Expected ReadEachToken(const Vocabulary& vocabulary, ExprPool& pool, StringState start, ExitDetail detail,
                       ExitTails tails) {
  Expected expected;
  for (TokenId token = 0; token < vocabulary.size(); ++token) {
    const std::string_view bytes = vocabulary.bytes(token);
    StringState state = start;
    std::size_t at = 0;
    bool closed = false;
    for (; at < bytes.size() && !closed && !IsDead(state); ++at) {
      closed = bytes[at] == '"' && CanClose(pool, state);
      if (!closed) state = Step(pool, state, static_cast<std::uint8_t>(bytes[at]));
    }
    if (closed) {
      const std::string tail(bytes.substr(at));
      if (tails == ExitTails::kKey && !IsKeyTail(tail)) continue;
      const std::string content =
          detail == ExitDetail::kContent ? DecodeAll(start.escape, bytes.substr(0, at - 1)) : "";
      expected.exits[{content, tail}].push_back(token);
    } else if (!IsDead(state)) {
      expected.inner.push_back(token);
    }
  }
  return expected;
}

void ExpectEntry(const Vocabulary& vocabulary, ExprPool& pool, TerminalEntries& entries, StringState state) {
  for (const ExitDetail detail : {ExitDetail::kTail, ExitDetail::kContent}) {
    for (const ExitTails tails : {ExitTails::kAny, ExitTails::kKey}) {
      const Expected expected = ReadEachToken(vocabulary, pool, state, detail, tails);
      const auto entry = entries.Of(state, detail, tails);
      std::vector<TokenId> inner;
      for (TokenId token = 0; token < vocabulary.row_length(); ++token) {
        if (entry->inner().Has(token)) inner.push_back(token);
      }
      ASSERT_EQ(inner, expected.inner) << pool.ToText(state.content) << " escape " << state.escape;
      ExitMap exits;
      for (const TerminalEntry::Exit& exit : entry->exits()) {
        std::vector<TokenId>& tokens =
            exits[{entry->contents()[exit.content], std::string(vocabulary.tails()[exit.tail])}];
        EXPECT_TRUE(tokens.empty()) << "a group is met twice";
        tokens.assign(entry->TokensOf(exit).begin(), entry->TokensOf(exit).end());
        std::sort(tokens.begin(), tokens.end());
      }
      ASSERT_EQ(exits, expected.exits) << pool.ToText(state.content) << " escape " << state.escape;
    }
  }
}

Expr Letters(ExprPool& pool, std::uint64_t least, std::uint64_t most) {
  const CodePointRange range{'a', 'z'};
  return pool.Repeat(pool.CodePoints({&range, 1}), least, most);
}

constexpr CodePointRange kNotSpace[] = {{0x21, 0x9F}, {0xA1, 0xD7FF}, {0xE000, 0x10FFFF}};

// At most so many words, between which stand spaces.
Expr Words(ExprPool& pool, std::uint64_t most) {
  constexpr CodePointRange kSpace[] = {{0x20, 0x20}, {0xA0, 0xA0}};
  const Expr word = pool.Repeat(pool.CodePoints(kNotSpace), 1, kUnbounded);
  const Expr space = pool.Repeat(pool.CodePoints(kSpace), 1, kUnbounded);
  return pool.Concat(pool.Repeat(pool.Concat(word, space), 0, most - 1), word);
}

std::vector<Expr> Contents(ExprPool& pool) {
  const Expr any = pool.AnyCodePoint();
  return {
      pool.AnyText(),
      pool.Repeat(any, 0, 2),
      pool.Repeat(any, 3, 35),
      pool.Repeat(any, 0, 500),
      pool.Repeat(any, 5, kUnbounded),
      Letters(pool, 1, 20),
      Letters(pool, 0, kUnbounded),
      pool.Repeat(pool.CodePoints(kNotSpace), 1, kUnbounded),
      Words(pool, 9),
      pool.Intersect(Words(pool, 9), pool.Repeat(any, 0, 60)),
      pool.Intersect(Words(pool, 4), pool.Repeat(any, 12, 31)),
      pool.Intersect(Words(pool, 9), pool.Repeat(any, 27, 28)),
      pool.Intersect(pool.Repeat(pool.Literal("aaa bb "), 0, 9), pool.Repeat(any, 0, 35)),
      pool.Repeat(pool.Union(pool.Repeat(any, 3, 3), pool.Repeat(any, 7, 7)), 0, kUnbounded),
      pool.Literals({"a", "ab\xc3\xa9", "abc\"", "b\\", "\n", "\xf0\x9f\x98\x80", "aaaaab", ""}),
      pool.Intersect(pool.AnyText(), pool.Complement(pool.Literals({"a", "abc", "b"}))),
      kEmptyText,
      pool.Concat(pool.AnyText(), pool.Literal("ab")),
  };
}

TEST(TerminalEntryTest, EachTokenDoesWhatItsBytesDo) {
  const std::vector<std::string> texts = Texts();
  const auto vocabulary = MakeVocabulary(texts);
  ExprPool pool;
  TerminalEntries entries(*vocabulary, pool);
  for (const Expr content : Contents(pool)) {
    for (const std::string_view prefix : {""sv, "a"sv, "aa"sv, "\\"sv, "\\u"sv, "\\u00"sv, "\\u006"sv, "\\ud83d"sv,
                                          "\\ud83d\\"sv, "\\uD83D\\ude"sv, "\xc3"sv, "\xf0\x9f"sv}) {
      const StringState state = Step(pool, {.content = content}, prefix);
      if (!IsDead(state)) ExpectEntry(*vocabulary, pool, entries, state);
    }
  }
}

TEST(TerminalEntryTest, AgreesOnRandomVocabulariesAndChoices) {
  std::mt19937 random(5);
  const auto text = [&random](std::size_t most) {
    constexpr std::string_view kPieces[] = {"a",        "b",    "ab",   "\"", "\\", "\\\"", "\\u0061",
                                            "\xc3\xa9", "\xc3", "\xa9", ":",  " ",  "u00",  "61"};
    std::string made;
    for (std::size_t left = 1 + random() % most; left > 0; --left) made += kPieces[random() % std::size(kPieces)];
    return made;
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> texts(40);
    std::generate(texts.begin(), texts.end(), [&] { return text(5); });
    const auto vocabulary = MakeVocabulary(texts);
    ExprPool pool;
    TerminalEntries entries(*vocabulary, pool);
    std::vector<std::string> choices;
    for (int i = 0; i < 12; ++i) {
      std::string choice = text(4);
      if (core::IsValidUtf8(choice)) choices.push_back(choice);
    }
    StringState state{.content = pool.Union(pool.Literals(choices), Letters(pool, 0, 1 + random() % 6))};
    for (int step = 0; step < 6 && !IsDead(state); ++step) {
      ExpectEntry(*vocabulary, pool, entries, state);
      state = Step(pool, state, texts[random() % texts.size()]);
    }
  }
}

// So many tokens have a space that they are taken by where their first characters lead.
TEST(TerminalEntryTest, WordsOverAVocabularyOfManyWords) {
  std::vector<std::string> texts = Texts();
  std::mt19937 random(6);
  for (int i = 0; i < 6000; ++i) {
    constexpr std::string_view kLetters[] = {"a", "b",        "c",        "Z",        "0",
                                             "-", "\xc3\xa9", "\xc2\xa0", "\xc2\xa1", "\xe2\x82\xac"};
    std::string text = random() % 4 == 0 ? "" : " ";
    for (std::size_t left = 1 + random() % 12; left > 0; --left) {
      text += random() % 20 == 0 ? " " : kLetters[random() % std::size(kLetters)];
    }
    texts.push_back(std::move(text));
  }
  const auto vocabulary = MakeVocabulary(texts);
  ExprPool pool;
  TerminalEntries entries(*vocabulary, pool);
  for (const Expr content :
       {Words(pool, 3), Words(pool, 60), pool.Intersect(Words(pool, 8), pool.Repeat(pool.AnyCodePoint(), 3, 70)),
        pool.Concat(Letters(pool, 1, 1), Words(pool, kUnbounded))}) {
    for (const std::string_view prefix : {""sv, "a"sv, "a "sv, "ab c"sv, "\\"sv, "\xc2"sv}) {
      const StringState state = Step(pool, {.content = content}, prefix);
      if (!IsDead(state)) ExpectEntry(*vocabulary, pool, entries, state);
    }
  }
}

TEST(TerminalEntryTest, EqualStatesOfDifferentPoolsShareAnEntry) {
  const std::vector<std::string> texts = Texts();
  const auto vocabulary = MakeVocabulary(texts);
  ExprPool one, other;
  TerminalEntries in_one(*vocabulary, one), in_other(*vocabulary, other);
  other.Literal("something else first");
  const auto entry = in_one.Of({.content = Letters(one, 0, 9)}, ExitDetail::kTail, ExitTails::kAny);
  EXPECT_EQ(in_other.Of({.content = Letters(other, 0, 9)}, ExitDetail::kTail, ExitTails::kAny), entry);
  EXPECT_NE(in_other.Of({.content = Letters(other, 0, 8)}, ExitDetail::kTail, ExitTails::kAny), entry);
  EXPECT_NE(in_other.Of({.content = Letters(other, 0, 9)}, ExitDetail::kContent, ExitTails::kAny), entry);
  EXPECT_GT(vocabulary->cache_bytes(), entry->memory_bytes());
}

}  // namespace
}  // namespace decant::grammar
