// A vocabulary's classes of tokens against their definitions, on small hand-made vocabularies.
#include "grammar/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/constraint.h"
#include "decant/error.h"
#include "decant/token.h"
#include "decant/tokenizer.h"
#include "grammar/mask_words.h"
#include "text/small_vocabulary.h"
#include "text/vocabulary.h"

namespace decant::grammar {
namespace {

using std::string_view_literals::operator""sv;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<const Vocabulary> Make(const ConstraintVocabulary::Tokens& tokens) {
  auto vocabulary = Vocabulary::Make(tokens);
  EXPECT_TRUE(vocabulary.has_value()) << vocabulary.error().message;
  return *vocabulary;
}

std::vector<TokenId> TokensIn(std::span<const std::uint32_t> row) {
  std::vector<TokenId> tokens;
  for (TokenId token = 0; token < 32 * row.size(); ++token) {
    if (HasToken(row, token)) tokens.push_back(token);
  }
  return tokens;
}

TEST(VocabularyTest, SpecialEndAndEmptyTokensAreNoText) {
  const std::vector<std::string_view> bytes = {"a", "<s>", "</s>", "", "b", "<eot>"};
  const auto vocabulary =
      Make({.bytes = bytes, .special = std::vector<TokenId>{1, 2}, .end = std::vector<TokenId>{5, 2, 5}});
  EXPECT_THAT(vocabulary->trie().tokens(), ElementsAre(0, 4));
  EXPECT_THAT(vocabulary->end_tokens(), ElementsAre(2, 5));
  for (TokenId token = 0; token < 40; ++token) {
    EXPECT_EQ(vocabulary->IsText(token), token == 0 || token == 4) << token;
    EXPECT_EQ(vocabulary->IsEnd(token), token == 2 || token == 5) << token;
  }
}

TEST(VocabularyTest, KeepsItsOwnCopyOfTheBytes) {
  std::shared_ptr<const Vocabulary> vocabulary;
  {
    const std::string text(100, 'x');
    vocabulary = Make({.bytes = std::vector<std::string_view>{text, "y"}});
  }
  EXPECT_EQ(vocabulary->bytes(0), std::string(100, 'x'));
  EXPECT_EQ(vocabulary->longest_token(), 100u);
}

TEST(VocabularyTest, RowsMayBeLongerThanTheVocabulary) {
  const std::vector<std::string_view> bytes = {"a", "b"};
  EXPECT_EQ(Make({.bytes = bytes})->words(), 1u);
  const auto padded = Make({.bytes = bytes, .row_length = 100});
  EXPECT_EQ(padded->row_length(), 100u);
  EXPECT_EQ(padded->words(), 4u);
  EXPECT_THAT(TokensIn(padded->string_plain().UpTo(5)), ElementsAre(0, 1));
}

TEST(VocabularyTest, PlainStringTokensAreWholeCharactersOfNoSpecialMeaning) {
  const std::vector<std::string_view> bytes = {
      "a",
      "ab",
      "\xc3\xa9",
      "\xc3",
      "\xa9",
      "a\"",
      "\\",
      "\n",
      "\x7f",
      "\xed\xa0\x80",
      " ",
      "\xf0\x9f\x98\x80x",
      "\0"sv,
      "\"",
      "\xf0\x9f\x98\x80",
      "\xc0\xaf",
  };
  const auto vocabulary = Make({.bytes = bytes});
  const PlainTokens& strings = vocabulary->string_plain();
  EXPECT_THAT(strings.UpTo(0), IsEmpty());
  EXPECT_THAT(TokensIn(strings.UpTo(1)), ElementsAre(0, 2, 8, 10, 14));
  EXPECT_THAT(TokensIn(strings.UpTo(2)), ElementsAre(0, 1, 2, 8, 10, 11, 14));
  EXPECT_THAT(TokensIn(strings.UpTo(~std::uint64_t{0})), ElementsAre(0, 1, 2, 8, 10, 11, 14));
  EXPECT_THAT(strings.rest().tokens(), ::testing::UnorderedElementsAre(3, 6));  // the others close it or never fit
  const PlainTokens& texts = vocabulary->text_plain();
  EXPECT_THAT(TokensIn(texts.UpTo(1)), ElementsAre(0, 2, 6, 7, 8, 10, 12, 13, 14));
  EXPECT_THAT(texts.rest().tokens(), ElementsAre(3));
}

TEST(VocabularyTest, FindsTokensByTheirCharacters) {
  const std::vector<std::string_view> bytes = {"ab", "b", "\xc3\xa9", "a\xc3", "a\xe2\x82\xac", "c"};
  const auto vocabulary = Make({.bytes = bytes});
  CharacterSet a, past_ascii;
  a.AddFirst('a');
  past_ascii.AddFirst(0xC3);
  past_ascii.AddFirst(0xE2);
  std::vector<std::uint32_t> row(vocabulary->words());
  vocabulary->AddTokensWith(a, PlaceInToken::kAnywhere, row);
  EXPECT_THAT(TokensIn(row), ElementsAre(0, 4));  // token 3 is not whole characters
  vocabulary->AddTokensWith(past_ascii, PlaceInToken::kAnywhere, row);
  EXPECT_THAT(TokensIn(row), ElementsAre(0, 2, 4));
  vocabulary->RemoveTokensWith(past_ascii, PlaceInToken::kAfterFirst, row);
  EXPECT_THAT(TokensIn(row), ElementsAre(0, 2));
  vocabulary->RemoveTokensWith(past_ascii, PlaceInToken::kAnywhere, row);
  EXPECT_THAT(TokensIn(row), ElementsAre(0));
  CharacterSet b;
  b.AddFirst('b');
  std::vector<std::uint32_t> first(vocabulary->words()), after(vocabulary->words());
  vocabulary->AddTokensWith(b, PlaceInToken::kFirst, first);
  vocabulary->AddTokensWith(b, PlaceInToken::kAfterFirst, after);
  EXPECT_THAT(TokensIn(first), ElementsAre(1));
  EXPECT_THAT(TokensIn(after), ElementsAre(0));
  EXPECT_EQ(vocabulary->text_plain().characters().Less(past_ascii).Less(a).words[0], 0u);
}

TEST(VocabularyTest, FindsTokensByManyCharacters) {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 128; ++byte) texts.emplace_back(1, static_cast<char>(byte));
  for (int byte = 0; byte < 127; ++byte)
    texts.push_back(texts[static_cast<std::size_t>(byte)] + static_cast<char>(byte + 1));
  texts.emplace_back("\xc3\xa9");
  const std::vector<std::string_view> bytes(texts.begin(), texts.end());
  const auto vocabulary = Make({.bytes = bytes});
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    CharacterSet wanted;
    for (std::uint8_t byte = 0; byte < 128; ++byte) {
      if (random() % 40 != 0) wanted.AddFirst(byte);
    }
    if (round % 2 == 0) wanted.AddFirst(0xC3);
    const auto has = [&wanted](char c) {
      CharacterSet one;
      one.AddFirst(static_cast<std::uint8_t>(c));
      return one.IsWithin(wanted);
    };
    std::vector<std::uint32_t> with(vocabulary->words()), without(vocabulary->words(), ~0U);
    vocabulary->AddTokensWith(wanted, PlaceInToken::kAfterFirst, with);
    vocabulary->RemoveTokensWith(wanted, PlaceInToken::kAfterFirst, without);
    for (TokenId token = 0; token < bytes.size(); ++token) {
      const bool expected = bytes[token].size() > 1 && token != 255 && has(bytes[token][1]);
      ASSERT_EQ(HasToken(with, token), expected) << token;
      ASSERT_EQ(HasToken(without, token), !expected) << token;
    }
  }
}

TEST(VocabularyTest, TokensThatNeverFitAString) {
  const std::vector<std::string_view> bytes = {"a\"\n",  "a\n\"", "\\n",     "\\x",      "\\u00", "\\u0\"",
                                               "\xc3\"", "\\\"",  "\xc3\\n", "\\\"\xc3", "\"\xff"};
  const auto vocabulary = Make({.bytes = bytes});
  EXPECT_THAT(vocabulary->string_plain().rest().tokens(), ::testing::UnorderedElementsAre(2, 4, 7, 9));
  EXPECT_THAT(vocabulary->tails(), ElementsAre("", "\n", "\xc3", "\xff"));
  EXPECT_THAT(vocabulary->closing_tokens().contents(), ElementsAre("", "a"));
}

TEST(VocabularyTest, CountsTheCharactersOfTokensThatAreNotPlain) {
  const std::vector<std::string_view> bytes = {"\\n",         "a\\u00e9\\", "\\ud83d\\ude00", "\\ud83d\\u",
                                               "\\ud83d\\u0", "bcd\xc3",    "\\u00",          "a"};
  const auto vocabulary = Make({.bytes = bytes});
  const auto up_to = [&vocabulary](std::uint64_t characters) {
    std::vector<std::uint32_t> row(vocabulary->words());
    vocabulary->string_plain().AddRestUpTo(characters, row);
    return TokensIn(row);
  };
  EXPECT_THAT(up_to(0), IsEmpty());
  EXPECT_THAT(up_to(1), ElementsAre(0, 2, 3, 6));  // token 4 begins no pair
  EXPECT_THAT(up_to(3), ElementsAre(0, 1, 2, 3, 6));
  EXPECT_THAT(up_to(~std::uint64_t{0}), ElementsAre(0, 1, 2, 3, 5, 6));
}

TEST(VocabularyTest, TokensThatCloseAStringByWhatTheyAddToIt) {
  const std::vector<std::string_view> bytes = {"b\"",  "\":", "a\",",   "\\u0062\":", "\"",
                                               "\\\"", "a",   "\xc3\"", "a\\\"\":"};
  const auto vocabulary = Make({.bytes = bytes});
  const ClosingTokens& closing = vocabulary->closing_tokens();
  EXPECT_THAT(closing.contents(), ElementsAre("", "a", "a\"", "b"));
  std::vector<std::string> found;
  for (const ClosingTokens::Closing& token : closing.by_content()) {
    found.push_back(closing.contents()[token.content] + "|" + std::string(vocabulary->tails()[token.tail]) + "|" +
                    std::to_string(token.token));
  }
  EXPECT_THAT(found, ElementsAre("||4", "|:|1", "a|,|2", "a\"|:|8", "b||0", "b|:|3"));
  std::vector<TokenId> by_tail;
  for (const ClosingTokens::Closing& token : closing.by_tail()) by_tail.push_back(token.token);
  EXPECT_THAT(by_tail, ElementsAre(0, 4, 2, 1, 3, 8));
  EXPECT_TRUE(closing.has_empty());
  EXPECT_THAT(closing.tree().tokens(), ElementsAre(1, 2, 3));
}

TEST(VocabularyTest, LongPlainTokensHaveATreeOfTheirOwn) {
  const std::string x32(32, 'x'), x33(33, 'x'), x40(40, 'x');
  const std::vector<std::string_view> bytes = {x33, "x", x32, x40};
  const auto vocabulary = Make({.bytes = bytes});
  const PlainTokens& plain = vocabulary->string_plain();
  EXPECT_THAT(TokensIn(plain.UpTo(31)), ElementsAre(1));
  EXPECT_THAT(TokensIn(plain.UpTo(32)), ElementsAre(1, 2));
  EXPECT_THAT(TokensIn(plain.UpTo(39)), ElementsAre(1, 2));
  EXPECT_THAT(TokensIn(plain.UpTo(40)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(plain.beyond().tokens(), ElementsAre(0, 3));
  for (std::uint64_t characters = 0; characters < 45; ++characters) {
    std::vector<std::uint32_t> row(vocabulary->words());
    plain.AddUpTo(characters, row);
    std::vector<TokenId> expected;
    for (TokenId token = 0; token < bytes.size(); ++token) {
      if (bytes[token].size() <= characters) expected.push_back(token);
    }
    EXPECT_EQ(TokensIn(row), expected) << characters;
  }
  EXPECT_FALSE(plain.Covers(31));
  EXPECT_TRUE(plain.Covers(32));
  EXPECT_TRUE(plain.NeedsBeyond(33));
  EXPECT_FALSE(plain.NeedsBeyond(40));
}

TEST(VocabularyTest, TailsAreWhatFollowsAQuote) {
  const std::vector<std::string_view> bytes = {"a\"", "\":", "\\\",\"b", "x", "\\\\\",", "\\\""};
  const auto vocabulary = Make({.bytes = bytes});
  EXPECT_THAT(vocabulary->tails(), ElementsAre("", ",", ",\"b", ":", "b"));
  EXPECT_THAT(vocabulary->tail_trie().tokens(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(vocabulary->FindTail(":"), 3u);
  EXPECT_EQ(vocabulary->FindTail("x"), std::nullopt);
  ASSERT_TRUE(vocabulary->quoted_tail(0).has_value());
  EXPECT_EQ(vocabulary->quoted_tail(0)->start, 2u);
  EXPECT_EQ(vocabulary->quoted_tail(0)->tail, 0u);
  EXPECT_EQ(vocabulary->quoted_tail(2)->tail, 4u);  // the escaped quote does not close
  EXPECT_EQ(vocabulary->quoted_tail(3), std::nullopt);
  EXPECT_EQ(vocabulary->quoted_tail(4)->tail, 1u);
  EXPECT_EQ(vocabulary->quoted_tail(5), std::nullopt);
}

TEST(VocabularyTest, RefusesWhatContradictsItself) {
  const std::vector<std::string_view> bytes = {"a", "b"};
  const auto expect = [](const ConstraintVocabulary::Tokens& tokens, ErrorCode code, std::string_view text) {
    const auto made = ConstraintVocabulary::Of(tokens);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, code);
    EXPECT_THAT(made.error().message, HasSubstr(text));
  };
  expect({}, ErrorCode::kOutOfRange, "0 tokens");
  expect({.bytes = bytes, .row_length = 1}, ErrorCode::kOutOfRange, "row_length is 1");
  expect({.bytes = bytes, .special = std::vector<TokenId>{2}}, ErrorCode::kTokenOutOfRange, "special token 2");
  expect({.bytes = bytes, .end = std::vector<TokenId>{9}}, ErrorCode::kTokenOutOfRange, "end token 9");
  const std::string huge(70000, 'x');
  expect({.bytes = std::vector<std::string_view>{"a", huge}}, ErrorCode::kOutOfRange, "token 1 has 70000 bytes");
}

TEST(VocabularyTest, TakesATokenizersKindsAndEnd) {
  const auto tokenizer = text::MakeBpeTokenizer(text::SmallVocabulary());
  ASSERT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
  const auto made = ConstraintVocabulary::Of(**tokenizer, std::vector<TokenId>{0}, 320);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const auto vocabulary = VocabularyOf(*made);
  EXPECT_THAT(vocabulary->end_tokens(), ElementsAre(0, 2));
  EXPECT_FALSE(vocabulary->IsText(1));
  EXPECT_FALSE(vocabulary->IsText(3));
  EXPECT_TRUE(vocabulary->IsText(4));  // user-defined
  EXPECT_TRUE(vocabulary->IsText(text::kSmallFirstByte));
  EXPECT_EQ(vocabulary->bytes(text::kSmallFirstByte + 'q'), "q");
  EXPECT_EQ((*made)->row_length(), 320u);
  EXPECT_GT((*made)->memory_bytes(), 1000u);
  EXPECT_LT((*made)->cache_bytes(), 10000u);  // what stands between strings
}

}  // namespace
}  // namespace decant::grammar
