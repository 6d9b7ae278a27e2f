// The tokenizer as a whole, over a small vocabulary: text to tokens and back, special tokens, what cannot be decoded.
#include "decant/tokenizer.h"

#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "text/small_vocabulary.h"

namespace decant::text {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TokenizerTest : public ::testing::Test {
 protected:
  // The tokens' bytes, which read better than ids.
  std::vector<std::string> Split(std::string_view text, SpecialText special = SpecialText::kParse) const {
    std::vector<std::string> pieces;
    for (const TokenId id : tokenizer_->Encode(text, special)) pieces.emplace_back(tokenizer_->Bytes(id));
    return pieces;
  }
  std::shared_ptr<const Tokenizer> tokenizer_ = MakeBpeTokenizer(SmallVocabulary()).value();
};

TEST_F(TokenizerTest, CutsIntoPiecesThenMerges) {
  EXPECT_THAT(Split("hello low lower"), ElementsAre("hello", " low", " low", "er"));
  EXPECT_THAT(Split("a's   low"), ElementsAre("a", "'s", "  ", " low"));
  EXPECT_THAT(Split(""), IsEmpty());
}

TEST_F(TokenizerTest, DoesNotUseATokenThatNoMergeMakes) { EXPECT_THAT(Split("wol"), ElementsAre("w", "o", "l")); }

TEST_F(TokenizerTest, UsesAnyOrdinaryTokenThatIsAPieceWhenTheVocabularySaysSo) {
  VocabularySource source = SmallVocabulary();
  source.whole_pieces = WholePieces::kAnyToken;
  source.kinds[source.tokens.size() - 2] = TokenKind::kUnused;
  const auto tokenizer = MakeBpeTokenizer(source).value();
  const std::vector<TokenId> whole = tokenizer->Encode("wol", SpecialText::kParse);
  EXPECT_THAT(whole, ElementsAre(tokenizer->Find("wol").value()));
  EXPECT_EQ(tokenizer->Encode("wolx", SpecialText::kParse).size(), 4u);
}

TEST_F(TokenizerTest, NormalizesBetweenSpecialTokensAndFindsNormalizedOnesThere) {
  VocabularySource source = SmallVocabulary();
  source.normalization = Normalization::kNfc;
  source.tokens.insert(source.tokens.end(), {"caf\u00E9!", "==>\u0301"});
  source.kinds.insert(source.kinds.end(), 2, TokenKind::kUserDefined);
  const TokenId cafe = static_cast<TokenId>(source.tokens.size() - 2), arrow = cafe + 1;
  source.normalized_specials = {cafe};
  const auto tokenizer = MakeBpeTokenizer(source).value();
  const auto encode = [&tokenizer](std::string_view text, SpecialText special = SpecialText::kParse) {
    return tokenizer->Encode(text, special);
  };
  EXPECT_THAT(encode("cafe\u0301!"), ElementsAre(cafe));
  EXPECT_THAT(encode("caf\u00E9!"), ElementsAre(cafe));
  EXPECT_THAT(encode("==>\u0301"), ElementsAre(arrow));  // looked for before normalization
  EXPECT_EQ(encode("cafe\u0301!", SpecialText::kAsText), encode("caf\u00E9!", SpecialText::kAsText));
  // What follows a special token does not compose with its last letter.
  EXPECT_EQ(tokenizer->Decode(encode("<|im_end|>\u0338")).value(), "<|im_end|>\u0338");
  EXPECT_EQ(tokenizer->Decode(encode("e\u0301 >\u0338")).value(), "\u00E9 \u226F");
}

TEST_F(TokenizerTest, ParsesSpecialTextsLongestFirst) {
  EXPECT_THAT(tokenizer_->Encode("<|im_start|>", SpecialText::kParse), ElementsAre(1));
  EXPECT_THAT(tokenizer_->Encode("<|im_start|>>", SpecialText::kParse), ElementsAre(3));
  EXPECT_THAT(Split("a==>b===>"), ElementsAre("a", "==>", "b", "=", "==>"));
}

TEST_F(TokenizerTest, CutsTextAtSpecialTokens) {
  // White space before a special token is at the end of its part, so it stays whole.
  EXPECT_THAT(Split("a  <|im_end|>low"), ElementsAre("a", "  ", "<|im_end|>", "low"));
}

TEST_F(TokenizerTest, KeepsSpecialTextsAsTextWhenAsked) {
  EXPECT_THAT(Split("<|im_end|>", SpecialText::kAsText), ElementsAre("<", "|", "i", "m", "_", "e", "n", "d", "|>"));
  EXPECT_THAT(Split("==>", SpecialText::kAsText), ElementsAre("==", ">"));
  for (const TokenId id : tokenizer_->Encode("<|im_start|>>a<|endoftext|>", SpecialText::kAsText)) {
    EXPECT_EQ(tokenizer_->kind(id), TokenKind::kNormal);
  }
}

TEST_F(TokenizerTest, EncodesInvalidUtf8ByteByByte) {
  EXPECT_THAT(Split("\xFF\xC3\xA9"), ElementsAre("\xFF", "\xC3\xA9"));
  EXPECT_THAT(Split("\xF0\x9F\x98"), ElementsAre("\xF0\x9F\x98"));
}

TEST_F(TokenizerTest, DecodesWhatItEncodedForAnyBytes) {
  std::mt19937 random(7);
  const std::vector<std::string> parts{"hello", " ",     "low",   "\xC3", "\xA9", "\xF0\x9F",
                                       "\x98",  "<|im_", "end|>", "1",    "aaaa", "\n\n"};
  for (int i = 0; i < 3000; ++i) {
    std::string bytes;
    for (auto n = random() % 20; n > 0; --n) {
      if (random() % 3 == 0) {
        bytes.push_back(static_cast<char>(random() % 256));
      } else {
        bytes += parts[random() % parts.size()];
      }
    }
    for (const SpecialText special : {SpecialText::kParse, SpecialText::kAsText}) {
      EXPECT_EQ(tokenizer_->Decode(tokenizer_->Encode(bytes, special)), bytes);
    }
  }
}

TEST_F(TokenizerTest, GivesEqualTokensForAWordAloneOrLookedUpWhole) {
  // Encode looks pieces up whole before it merges; merging alone must give the same, for every token.
  for (TokenId id = 0; id < tokenizer_->vocabulary_size(); ++id) {
    if (tokenizer_->kind(id) != TokenKind::kNormal) continue;
    const std::string bytes(tokenizer_->Bytes(id));
    if (bytes == "wol") continue;
    EXPECT_THAT(Split(bytes, SpecialText::kAsText), ElementsAre(bytes)) << id;
  }
}

TEST_F(TokenizerTest, LeavesOutBytesThatHaveNoToken) {
  VocabularySource source = SmallVocabulary();
  source.tokens[kSmallFirstByte + 4] = "unrelated";
  const auto tokenizer = MakeBpeTokenizer(source).value();
  EXPECT_EQ(tokenizer->Decode(tokenizer->Encode("he\x04llo\x04", SpecialText::kParse)), "hello");
}

TEST_F(TokenizerTest, FindsTokensByTheirBytes) {
  EXPECT_EQ(tokenizer_->Find("<|im_start|>"), TokenId{1});
  EXPECT_EQ(tokenizer_->Find(" low"), TokenId{kSmallFirstMerge + 4});
  EXPECT_EQ(tokenizer_->Find("Ġlow"), std::nullopt);
  EXPECT_EQ(tokenizer_->Find(""), std::nullopt);
}

TEST_F(TokenizerTest, DecodesControlTokensToTheirText) {
  EXPECT_EQ(tokenizer_->Decode(std::vector<TokenId>{1, kSmallFirstByte + 'a', 2}), "<|im_start|>a<|im_end|>");
}

TEST_F(TokenizerTest, NamesAnIdPastTheVocabulary) {
  const auto decoded = tokenizer_->Decode(std::vector<TokenId>{1, 9999});
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().code, ErrorCode::kTokenOutOfRange);
  EXPECT_THAT(decoded.error().message, HasSubstr("token id 9999 at index 1 is past the vocabulary of 284 tokens"));
}

}  // namespace
}  // namespace decant::text
