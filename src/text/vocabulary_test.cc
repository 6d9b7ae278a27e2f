// Every fault of a vocabulary, by name.
#include "text/vocabulary.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "text/small_vocabulary.h"

namespace decant::text {
namespace {

using ::testing::HasSubstr;

void ExpectError(VocabularySource source, ErrorCode code, std::string_view subject, std::string_view message) {
  const auto made = MakeBpeTokenizer(std::move(source));
  ASSERT_FALSE(made.has_value()) << "expected: " << message;
  EXPECT_EQ(made.error().code, code);
  EXPECT_EQ(made.error().subject, subject);
  EXPECT_THAT(made.error().message, HasSubstr(std::string(message)));
}

TEST(VocabularyTest, MakesATokenizerThatKnowsItsSource) {
  const auto made = MakeBpeTokenizer(SmallVocabulary());
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const Tokenizer& tokenizer = **made;
  EXPECT_EQ(tokenizer.vocabulary_size(), SmallVocabulary().tokens.size());
  EXPECT_EQ(tokenizer.name(), "bpe/smollm");
  EXPECT_EQ(tokenizer.bos(), TokenId{1});
  EXPECT_EQ(tokenizer.eos(), TokenId{2});
  EXPECT_FALSE(tokenizer.add_bos());
  EXPECT_EQ(tokenizer.kind(0), TokenKind::kControl);
  EXPECT_EQ(tokenizer.kind(4), TokenKind::kUserDefined);
  EXPECT_EQ(tokenizer.Bytes(kSmallFirstByte + 255), "\xFF");
}

TEST(VocabularyTest, NamesAnUnsupportedModel) {
  VocabularySource source = SmallVocabulary();
  source.model = "llama";
  ExpectError(source, ErrorCode::kUnsupportedTokenizer, "tokenizer.ggml.model", "is \"llama\"; decant reads \"gpt2\"");
}

TEST(VocabularyTest, NamesAnUnsupportedPretokenizer) {
  VocabularySource source = SmallVocabulary();
  source.pre = "default\xFF";
  ExpectError(source, ErrorCode::kUnsupportedTokenizer, "tokenizer.ggml.pre",
              "is \"default\uFFFD\"; decant has the pre-tokenizers gpt2, gpt-2, smollm, ");
}

TEST(VocabularyTest, RefusesSizesThatDiffer) {
  VocabularySource source = SmallVocabulary();
  source.kinds.pop_back();
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.token_type", "284 tokens but 283 token kinds");
  ExpectError({.model = "gpt2", .pre = "smollm"}, ErrorCode::kCorruptFile, "tokenizer.ggml.tokens", "has 0 tokens");
}

TEST(VocabularyTest, RefusesDuplicateAndEmptyTokens) {
  VocabularySource source = SmallVocabulary();
  source.tokens[20] = "<|im_end|>";
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.tokens", "tokens 2 and 20 are both \"<|im_end|>\"");
  source = SmallVocabulary();
  source.tokens[20] = "";
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.tokens", "token 20 is empty");
}

TEST(VocabularyTest, RefusesMergesOfUnknownPieces) {
  VocabularySource source = SmallVocabulary();
  source.merges.push_back("zz q");
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.merges", "merge 22 (\"zz q\") names \"zz\"");
  source.merges.back() = "q zz";
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.merges", "names \"zz\"");
  source.merges.back() = "q z";
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.merges", "names \"qz\"");
}

TEST(VocabularyTest, RefusesMergesThatAreNotPairs) {
  for (const char* merge : {"", "ab", " ab", "ab ", "a b c", "a  b"}) {
    VocabularySource source = SmallVocabulary();
    source.merges.push_back(merge);
    ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.merges", "expected two tokens and one space");
  }
}

TEST(VocabularyTest, RefusesAMergeListedTwice) {
  VocabularySource source = SmallVocabulary();
  source.merges.push_back("l o");
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.merges", "merge 22 (\"l o\") is listed twice");
}

TEST(VocabularyTest, RefusesEndsOutOfRange) {
  VocabularySource source = SmallVocabulary();
  source.bos = static_cast<TokenId>(source.tokens.size());
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.bos_token_id", "is 284; the vocabulary has 284 tokens");
  source = SmallVocabulary();
  source.eos = 0xFFFFFFFF;
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.eos_token_id", "is 4294967295");
  source = SmallVocabulary();
  source.bos.reset();
  source.add_bos = true;
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.bos_token_id", "names no bos token");
}

TEST(VocabularyTest, RefusesToLetTextBecomeAControlToken) {
  VocabularySource source = SmallVocabulary();
  source.kinds[kSmallFirstByte + 'a'] = TokenKind::kControl;
  ExpectError(source, ErrorCode::kUnsupportedTokenizer, "tokenizer.ggml.token_type", "is the letter of byte 97");
  source = SmallVocabulary();
  source.kinds[kSmallFirstMerge + 3] = TokenKind::kControl;
  ExpectError(source, ErrorCode::kUnsupportedTokenizer, "tokenizer.ggml.merges",
              "merge 3 (\"lo w\") involves control token 264");
}

TEST(VocabularyTest, AllowsIdsThatNoTokenHas) {
  VocabularySource source = SmallVocabulary();
  for (int i = 0; i < 2; ++i) {
    source.tokens.emplace_back();
    source.kinds.push_back(TokenKind::kUnused);
  }
  source.tokens.emplace_back("last");
  source.kinds.push_back(TokenKind::kControl);
  const auto made = MakeBpeTokenizer(source);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_EQ((*made)->Bytes(285), "");
  EXPECT_EQ((*made)->Find(""), std::nullopt);
  EXPECT_EQ((*made)->Find("last"), TokenId{286});
}

TEST(VocabularyTest, RefusesNormalizedSpecialsThatAreNoneOrAlike) {
  VocabularySource source = SmallVocabulary();
  source.normalized_specials = {kSmallFirstByte};
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.token_type", "token 5 is listed as special but is not");
  source.normalized_specials = {1000};
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.token_type", "token 1000 is listed");
  source = SmallVocabulary();
  source.normalization = Normalization::kNfc;
  source.tokens.insert(source.tokens.end(), {"e\u0301!", "\u00E9!"});
  source.kinds.insert(source.kinds.end(), 2, TokenKind::kUserDefined);
  source.normalized_specials = {284, 285};
  ExpectError(source, ErrorCode::kCorruptFile, "tokenizer.ggml.token_type", "tokens 284 and 285 are both");
}

TEST(VocabularyTest, KeepsQuotedTextShort) {
  VocabularySource source = SmallVocabulary();
  source.model = std::string(100000, 'm');
  const auto made = MakeBpeTokenizer(source);
  ASSERT_FALSE(made.has_value());
  EXPECT_LT(made.error().message.size(), 200u);
}

}  // namespace
}  // namespace decant::text
