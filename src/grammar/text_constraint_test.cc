// Constraints of regular languages: every bit of every mask against a search of the language, on small vocabularies.
#include "grammar/text_constraint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/utf8.h"
#include "decant/constraint.h"
#include "decant/error.h"
#include "decant/token.h"
#include "grammar/expr_pool.h"
#include "grammar/mask_words.h"
#include "grammar/vocabulary.h"
#include "text/small_vocabulary.h"
#include "text/vocabulary.h"

namespace decant::grammar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr TokenId kEnd = 0, kOtherEnd = 1, kSpecial = 2, kFirstText = 4;

// Two end tokens, a special one, one of no bytes, then the texts; the row is padded.
std::shared_ptr<const ConstraintVocabulary> MakeVocabulary(const std::vector<std::string>& texts,
                                                           std::size_t cache_bytes = std::size_t{1} << 20) {
  std::vector<std::string_view> bytes = {"</s>", "<eot>", "a", ""};
  bytes.insert(bytes.end(), texts.begin(), texts.end());
  auto made = ConstraintVocabulary::Of({.bytes = bytes,
                                        .special = std::vector<TokenId>{kSpecial},
                                        .end = std::vector<TokenId>{kEnd, kOtherEnd},
                                        .row_length = bytes.size() + 40,
                                        .cache_bytes = cache_bytes});
  EXPECT_TRUE(made.has_value());
  return *made;
}

std::vector<TokenId> MaskOf(const Constraint& constraint, const ConstraintVocabulary& vocabulary) {
  std::vector<std::uint32_t> row(WordsFor(vocabulary.row_length()) + 1, 0xFFFFFFFF);
  constraint.FillMask(row);
  std::vector<TokenId> tokens;
  for (TokenId token = 0; token < 32 * row.size(); ++token) {
    if (HasToken(row, token)) tokens.push_back(token);
  }
  return tokens;
}

// What the mask must be after `text`, of a language given as the list of its texts.
std::vector<TokenId> ExpectedMask(const std::vector<std::string>& members, const std::vector<std::string>& tokens,
                                  std::string_view text) {
  const auto begins = [&members](const std::string& start) {
    return std::any_of(members.begin(), members.end(), [&start](const std::string& m) { return m.starts_with(start); });
  };
  std::vector<TokenId> expected;
  if (std::find(members.begin(), members.end(), text) != members.end()) expected = {kEnd, kOtherEnd};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (begins(std::string(text) + tokens[i])) expected.push_back(kFirstText + static_cast<TokenId>(i));
  }
  return expected;
}

// Walks at random through the constraint, and compares each mask on the way.
void WalkAtRandom(const Grammar& grammar, const ConstraintVocabulary& vocabulary,
                  const std::vector<std::string>& tokens, const std::vector<std::string>& members,
                  std::mt19937& random) {
  const auto constraint = grammar.Start();
  std::string text;
  for (int step = 0; step < 8; ++step) {
    const std::vector<TokenId> mask = MaskOf(*constraint, vocabulary);
    ASSERT_EQ(mask, ExpectedMask(members, tokens, text)) << core::Quoted(text);
    for (TokenId token = 0; token < vocabulary.row_length() + 3; ++token) {
      const bool is_allowed = std::find(mask.begin(), mask.end(), token) != mask.end();
      ASSERT_EQ(constraint->Validate(std::array{token}), is_allowed ? 1u : 0u)
          << token << " after " << core::Quoted(text);
      if (is_allowed) continue;
      const Result<void> refused = constraint->Accept(token);
      ASSERT_FALSE(refused.has_value()) << token;
      ASSERT_EQ(refused.error().code, ErrorCode::kConstraintViolated);
    }
    ASSERT_EQ(MaskOf(*constraint, vocabulary), mask) << "refusals moved something";
    const bool may_end = !mask.empty() && mask[0] == kEnd;
    if (may_end) {
      EXPECT_EQ(constraint->ShortestEnd(), "");
    }
    std::vector<TokenId> next(mask.begin() + (may_end ? 2 : 0), mask.end());
    if (next.empty()) return;
    const TokenId token = next[random() % next.size()];
    ASSERT_TRUE(constraint->Accept(token).has_value());
    text += tokens[token - kFirstText];
  }
}

TEST(TextConstraintTest, MasksOfRandomChoicesAreExact) {
  std::mt19937 random(2);
  constexpr std::string_view kPieces[] = {"a", "b", "ab", "ba", "\xc3\xa9", "\xf0\x9f\x98\x80", " "};
  for (int round = 0; round < 40; ++round) {
    const auto text = [&random, &kPieces](std::size_t most) {
      std::string made;
      for (std::size_t left = random() % (most + 1); left > 0; --left) made += kPieces[random() % std::size(kPieces)];
      return made;
    };
    std::vector<std::string> members(1 + random() % 8);
    std::generate(members.begin(), members.end(), [&text] { return text(6); });
    // Tokens: each byte by itself, as byte fallback has it, pieces that split characters, and some twice.
    std::vector<std::string> tokens = {"a",
                                       "b",
                                       " ",
                                       "\xc3",
                                       "\xa9",
                                       "\xf0",
                                       "\x9f",
                                       "\x98",
                                       "\x80",
                                       "\xf0\x9f",
                                       "a\xc3",
                                       "\xa9"
                                       "b"};
    for (int i = 0; i < 20; ++i) {
      std::string token = text(4);
      if (!token.empty()) tokens.push_back(token.substr(random() % token.size()));
    }
    const auto vocabulary = MakeVocabulary(tokens);
    const auto grammar = CompileChoice(vocabulary, members);
    ASSERT_TRUE(grammar.has_value()) << grammar.error().message;
    for (int walk = 0; walk < 5; ++walk) WalkAtRandom(**grammar, *vocabulary, tokens, members, random);
  }
}

// All texts of up to `length` characters of a, b, c that the pattern matches.
std::vector<std::string> Matches(const std::string& pattern, std::size_t length) {
  const std::regex regex(pattern);
  std::vector<std::string> members, texts = {""};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (std::regex_match(texts[i], regex)) members.push_back(texts[i]);
    if (texts[i].size() == length) continue;
    for (const char c : {'a', 'b', 'c'}) texts.push_back(texts[i] + c);
  }
  return members;
}

struct Pattern {
  std::string text;
  std::size_t longest = 0;  // characters that it matches
};
Pattern RandomPattern(std::mt19937& random, int depth) {
  if (depth == 0) return {.text = random() % 4 == 0 ? "[abc]" : std::string(1, "abc"[random() % 3]), .longest = 1};
  const Pattern one = RandomPattern(random, depth - 1), other = RandomPattern(random, depth - 1);
  switch (random() % 5) {
    case 0:
      return {.text = one.text + other.text, .longest = one.longest + other.longest};
    case 1:
      return {.text = "(" + one.text + "|" + other.text + ")", .longest = std::max(one.longest, other.longest)};
    case 2:
      return {.text = "(" + one.text + "){0,2}", .longest = 2 * one.longest};
    case 3:
      return {.text = "(" + one.text + ")?" + other.text, .longest = one.longest + other.longest};
    default:
      return {.text = "[ab]" + one.text, .longest = 1 + one.longest};
  }
}

TEST(TextConstraintTest, MasksOfRandomPatternsAreExact) {
  std::mt19937 random(4);
  const std::vector<std::string> tokens = {"a", "b", "c", "ab", "bc", "ca", "abc", "aaa", "cb", "bb", "aa", "d"};
  const auto vocabulary = MakeVocabulary(tokens);
  for (int round = 0; round < 100; ++round) {
    const Pattern pattern = RandomPattern(random, 3);
    if (pattern.longest > 6) continue;
    const auto grammar = CompileRegex(vocabulary, pattern.text, RegexSyntax::kEcma);
    ASSERT_TRUE(grammar.has_value()) << pattern.text << ": " << grammar.error().message;
    WalkAtRandom(**grammar, *vocabulary, tokens, Matches(pattern.text, pattern.longest), random);
  }
}

class SmallTextTest : public ::testing::Test {
 protected:
  static constexpr TokenId kA = kFirstText, kB = kFirstText + 1, kAb = kFirstText + 2, kX = kFirstText + 3;
  std::unique_ptr<Constraint> StartRegex(std::string_view regex) {
    auto grammar = CompileRegex(vocabulary_, regex, RegexSyntax::kPython);
    EXPECT_TRUE(grammar.has_value()) << grammar.error().message;
    return (*grammar)->Start();
  }
  std::unique_ptr<Constraint> StartChoice(const std::vector<std::string>& choices) {
    auto grammar = CompileChoice(vocabulary_, choices);
    EXPECT_TRUE(grammar.has_value()) << grammar.error().message;
    return (*grammar)->Start();
  }
  std::vector<TokenId> Mask(const Constraint& constraint) { return MaskOf(constraint, *vocabulary_); }
  const std::shared_ptr<const ConstraintVocabulary> vocabulary_ = MakeVocabulary({"a", "b", "ab", "x"});
};

TEST_F(SmallTextTest, TellsWhereItStands) {
  const auto constraint = StartRegex("ab?");
  EXPECT_EQ(constraint->state(), ConstraintState::kOpen);
  ASSERT_TRUE(constraint->Accept(kA).has_value());
  EXPECT_EQ(constraint->state(), ConstraintState::kMayEnd);
  EXPECT_THAT(Mask(*constraint), ElementsAre(kEnd, kOtherEnd, kB));
  ASSERT_TRUE(constraint->Accept(kB).has_value());
  EXPECT_EQ(constraint->state(), ConstraintState::kMustEnd);
  EXPECT_THAT(Mask(*constraint), ElementsAre(kEnd, kOtherEnd));
  EXPECT_TRUE(constraint->IsProven());
}

TEST_F(SmallTextTest, NothingFollowsAnEndToken) {
  const auto constraint = StartRegex("a*");
  ASSERT_TRUE(constraint->Accept(kA).has_value());
  ASSERT_TRUE(constraint->Accept(kOtherEnd).has_value());
  EXPECT_EQ(constraint->state(), ConstraintState::kMustEnd);
  EXPECT_THAT(Mask(*constraint), IsEmpty());
  EXPECT_FALSE(constraint->Accept(kEnd).has_value());
  EXPECT_EQ(constraint->Validate(std::array{kA}), 0u);
  EXPECT_THAT(constraint->ForcedTokens(), IsEmpty());
  constraint->RollBack(1);
  EXPECT_THAT(Mask(*constraint), ElementsAre(kEnd, kOtherEnd, kA));
  constraint->RollBack(1);
  EXPECT_THAT(Mask(*constraint), ElementsAre(kEnd, kOtherEnd, kA));
}

TEST_F(SmallTextTest, ForksGoTheirOwnWay) {
  const auto constraint = StartChoice({"aab", "abx"});
  ASSERT_TRUE(constraint->Accept(kA).has_value());
  const auto fork = constraint->Fork();
  ASSERT_TRUE(fork->Accept(kAb).has_value());
  EXPECT_EQ(fork->state(), ConstraintState::kMustEnd);
  EXPECT_THAT(Mask(*constraint), ElementsAre(kA, kB, kAb));
  fork->RollBack(2);
  EXPECT_THAT(Mask(*fork), ElementsAre(kA, kAb));
  ASSERT_TRUE(constraint->Accept(kB).has_value());
  EXPECT_THAT(Mask(*constraint), ElementsAre(kX));
}

TEST_F(SmallTextTest, ValidatesWithoutMoving) {
  const auto constraint = StartChoice({"aabx"});
  EXPECT_EQ(constraint->Validate(std::array{kA, kAb, kX, kEnd}), 4u);
  EXPECT_EQ(constraint->Validate(std::array{kA, kAb, kX, kEnd, kEnd}), 4u);
  EXPECT_EQ(constraint->Validate(std::array{kA, kX, kA}), 1u);
  EXPECT_EQ(constraint->Validate({}), 0u);
  EXPECT_THAT(Mask(*constraint), ElementsAre(kA));
}

TEST_F(SmallTextTest, GivesWhatIsForced) {
  const auto constraint = StartChoice({"xxab", "xxa\xe5\xa8\x83", "xxa\xe5\xa8\x9c"});
  EXPECT_EQ(constraint->ForcedBytes(), "xxa");
  EXPECT_THAT(constraint->ForcedTokens(), ElementsAre(kX, kX));  // "a" could become "ab"
  EXPECT_EQ(constraint->ShortestEnd(), "xxab");
  const auto characters = StartChoice({"\xe5\xa8\x83", "\xe5\xa8\x9c"});
  EXPECT_EQ(characters->ForcedBytes(), "");
}

TEST_F(SmallTextTest, RefusalsNameTheTokenAndWhatIsExpected) {
  const auto constraint = StartChoice({"ab"});
  const Result<void> refused = constraint->Accept(kX);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kConstraintViolated);
  EXPECT_EQ(refused.error().message, "token 7 (\"x\") is not allowed here; expected \"ab\"");
  ASSERT_TRUE(constraint->Accept(kAb).has_value());
  EXPECT_EQ(constraint->Expected(), "the end of the text");
  EXPECT_THAT(StartRegex("[ab]+")->Expected(), HasSubstr("regular expression \"[ab]+\""));
}

TEST_F(SmallTextTest, HasNoStructuralTokens) {
  const auto constraint = StartChoice({"ab"});
  std::vector<std::uint32_t> row(4, 0xFFFFFFFF);
  constraint->FillStructural(row);
  EXPECT_EQ(CountTokens(row), 0u);
}

TEST_F(SmallTextTest, CompileErrorsSayWhy) {
  const auto code = [](const auto& result) { return result.has_value() ? ErrorCode::kInternal : result.error().code; };
  EXPECT_EQ(code(CompileChoice(vocabulary_, {})), ErrorCode::kOutOfRange);
  EXPECT_EQ(code(CompileChoice(vocabulary_, std::vector<std::string>{"a", "\xff"})), ErrorCode::kInvalidUtf8);
  EXPECT_EQ(code(CompileRegex(vocabulary_, "a(", RegexSyntax::kEcma)), ErrorCode::kInvalidRegex);
  EXPECT_EQ(code(CompileRegex(vocabulary_, "(?!a)a", RegexSyntax::kEcma)), ErrorCode::kUnsatisfiable);
}

TEST_F(SmallTextTest, FillsMasksOfManySequences) {
  const auto one = StartChoice({"ab"}), other = StartRegex("x+");
  ASSERT_TRUE(other->Accept(kX).has_value());
  const std::size_t stride = WordsFor(vocabulary_->row_length()) + 1;
  std::vector<std::uint32_t> masks(2 * stride, 0xFFFFFFFF), expected(2 * stride);
  FillMasks(std::array<const Constraint*, 2>{one.get(), other.get()}, masks, stride);
  for (const TokenId token : {kA, kAb}) AddToken(expected, token);
  for (const TokenId token : {kEnd, kOtherEnd, kX}) AddToken(std::span(expected).subspan(stride), token);
  EXPECT_EQ(masks, expected);
}

TEST_F(SmallTextTest, ThreadsShareAGrammar) {
  const auto grammar = CompileRegex(vocabulary_, "(a|b){1,500}x", RegexSyntax::kEcma);
  ASSERT_TRUE(grammar.has_value());
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&grammar, this, t] {
      std::mt19937 random(t);
      const auto constraint = (*grammar)->Start();
      for (int i = 0; i < 300; ++i) {
        const std::vector<TokenId> mask = Mask(*constraint);
        ASSERT_EQ(mask.size(), i == 0 ? 3u : 4u);
        ASSERT_TRUE(constraint->Accept(mask[random() % 2]).has_value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(TextGrammarTest, APoolThatGrewTooLargeIsReplaced) {
  const std::vector<std::string> tokens = {"a", "b"};
  const auto vocabulary = MakeVocabulary(tokens, 1 << 16);
  const auto build = [](ExprPool& pool) -> Result<Expr> {
    const CodePointRange letters{'a', 'b'};
    return pool.Repeat(pool.CodePoints({&letters, 1}), 0, 3000);
  };
  const auto grammar =
      MakeTextGrammar(VocabularyOf(vocabulary), {.build = build, .description = "x", .pool_bytes = 1 << 20});
  ASSERT_TRUE(grammar.has_value()) << grammar.error().message;
  const auto first = (*grammar)->Start();
  const auto second = (*grammar)->Start();
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(first->Accept(kFirstText).has_value()) << i;
    if (i % 3 == 0) {
      ASSERT_TRUE(second->Accept(kFirstText + 1).has_value()) << i;
    }
  }
  EXPECT_EQ(first->state(), ConstraintState::kMustEnd);
  EXPECT_EQ(second->state(), ConstraintState::kMayEnd);
  first->RollBack(2999);
  EXPECT_EQ(MaskOf(*first, *vocabulary).size(), 4u);
  const auto small =
      MakeTextGrammar(VocabularyOf(vocabulary), {.build = build, .description = "x", .pool_bytes = 2000});
  ASSERT_TRUE(small.has_value());
  const auto text = (*small)->Start();
  Result<void> accepted;
  std::size_t taken = 0;
  while (taken < 3000 && (accepted = text->Accept(kFirstText)).has_value()) ++taken;
  ASSERT_FALSE(accepted.has_value());
  EXPECT_EQ(accepted.error().code, ErrorCode::kTooComplex);
  EXPECT_EQ(text->Validate(std::array{kFirstText}), 1u) << "nothing moved, nothing broke";
}

TEST(TextGrammarTest, WorksOverATokenizer) {
  const auto tokenizer = text::MakeBpeTokenizer(text::SmallVocabulary());
  ASSERT_TRUE(tokenizer.has_value());
  const auto vocabulary = ConstraintVocabulary::Of(**tokenizer, {}, 0);
  ASSERT_TRUE(vocabulary.has_value());
  const auto grammar = CompileRegex(*vocabulary, "hello[😀-🙏]+", RegexSyntax::kPython);
  ASSERT_TRUE(grammar.has_value()) << grammar.error().message;
  const auto constraint = (*grammar)->Start();
  for (const char byte : std::string_view("hello\xf0\x9f\x98\x80")) {
    const TokenId token = text::kSmallFirstByte + static_cast<unsigned char>(byte);
    EXPECT_EQ(constraint->state(), ConstraintState::kOpen) << "no end inside a character";
    ASSERT_TRUE(constraint->Accept(token).has_value());
  }
  EXPECT_EQ(constraint->state(), ConstraintState::kMayEnd);
  EXPECT_FALSE(constraint->Accept(text::kSmallFirstByte + 0xC3).has_value());
}

}  // namespace
}  // namespace decant::grammar
