// What the name of a pre-tokenizer implies that a GGUF file does not say.
#include "decode/gguf_vocabulary.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "weights/gguf_writer_for_test.h"

namespace decant::decode {
namespace {

weights::GgufWriter SmallFile(std::string_view pre) {
  weights::GgufWriter writer;
  writer.AddString("tokenizer.ggml.model", "gpt2");
  if (!pre.empty()) writer.AddString("tokenizer.ggml.pre", pre);
  writer.AddStrings("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b", "<s>"});
  writer.AddU32("tokenizer.ggml.bos_token_id", 2);
  return writer;
}

text::VocabularySource Read(const weights::GgufWriter& writer) {
  const std::vector<std::byte> bytes = writer.Finish();
  auto file = weights::GgufFile::Parse(bytes);
  EXPECT_TRUE(file.has_value());
  auto source = ReadVocabulary(*file);
  EXPECT_TRUE(source.has_value());
  return *source;
}

TEST(GgufVocabularyTest, LooksWholePiecesUpAndStartsWithBosForLlama3) {
  const text::VocabularySource source = Read(SmallFile("llama-bpe"));
  EXPECT_EQ(source.whole_pieces, text::WholePieces::kAnyToken);
  EXPECT_EQ(source.normalization, text::Normalization::kNone);
  EXPECT_TRUE(source.add_bos);
}

TEST(GgufVocabularyTest, BelievesTheFileOnBos) {
  weights::GgufWriter writer = SmallFile("llama-bpe");
  writer.Add("tokenizer.ggml.add_bos_token", weights::GgufType::kBool, std::uint8_t{0});
  EXPECT_FALSE(Read(writer).add_bos);
}

TEST(GgufVocabularyTest, NormalizesForQwen2) {
  const text::VocabularySource source = Read(SmallFile("qwen2"));
  EXPECT_EQ(source.whole_pieces, text::WholePieces::kIfMerged);
  EXPECT_EQ(source.normalization, text::Normalization::kNfc);
  EXPECT_FALSE(source.add_bos);
}

TEST(GgufVocabularyTest, RefusesAFileThatDoesNotNameItsPretokenizer) {
  const auto made = text::MakeBpeTokenizer(Read(SmallFile("")));
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, ErrorCode::kUnsupportedTokenizer);
  EXPECT_EQ(made.error().subject, "tokenizer.ggml.pre");
}

}  // namespace
}  // namespace decant::decode
