// What is read from tokenizer.json, and every refusal by its field. Whole files of each kind are compared with Hugging
// Face's answers by tests/golden/tokenizer_golden_test.cc.
#include "text/tokenizer_json.h"

#include <fstream>
#include <string>

#include "core/scratch_folder_for_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "text/byte_level.h"

namespace decant::text {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The parts of a small file: ids 0 to 255 are the bytes, 256 "he", 257 "hel", 258 "llo" (which no merge makes),
// 259 "<s>", 260 "</s>" and 261 "==>".
struct File {
  std::string model_head = R"("type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":"",
      "end_of_word_suffix":null,"fuse_unk":false,"byte_fallback":false,"ignore_merges":false)";
  std::string more_vocab = R"("he":256,"hel":257,"llo":258)";
  std::string merges = R"(["h e",["he","l"]])";
  std::string pre = R"({"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true})";
  std::string normalizer = "null";
  std::string post = "null";
  std::string decoder = R"({"type":"ByteLevel"})";
  std::string added = R"([{"id":259,"content":"<s>","special":true,"normalized":false},
      {"id":260,"content":"</s>","special":true,"normalized":false,"lstrip":false},
      {"id":261,"content":"==>","special":false}])";
  std::string head = R"("version":"1.0","truncation":{"max_length":512},"padding":null)";

  std::string Text() const {
    std::string vocab;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      if (c == '"' || c == '\\') {
        vocab.append("\"\\").append(1, c);
      } else {
        vocab.append("\"").append(BytesToLetters(std::string_view(&c, 1)));
      }
      vocab.append("\":").append(std::to_string(byte)).append(",");
    }
    return "{" + head + R"(,"added_tokens":)" + added + R"(,"normalizer":)" + normalizer + R"(,"pre_tokenizer":)" +
           pre + R"(,"post_processor":)" + post + R"(,"decoder":)" + decoder + R"(,"model":{)" + model_head +
           R"(,"vocab":{)" + vocab + more_vocab + R"(},"merges":)" + merges + "}}";
  }
};

std::shared_ptr<const Tokenizer> Parse(const File& file, const TokenizerJsonOptions& options = {}) {
  auto made = ParseTokenizerJson(file.Text(), options);
  EXPECT_TRUE(made.has_value()) << made.error().message;
  return made ? *made : nullptr;
}

void ExpectError(const File& file, ErrorCode code, std::string_view subject, std::string_view message,
                 const TokenizerJsonOptions& options = {}) {
  const auto made = ParseTokenizerJson(file.Text(), options);
  ASSERT_FALSE(made.has_value()) << "expected: " << message;
  EXPECT_EQ(made.error().code, code) << made.error().message;
  EXPECT_EQ(made.error().subject, subject);
  EXPECT_THAT(made.error().message, HasSubstr(std::string(message)));
}
constexpr ErrorCode kCorrupt = ErrorCode::kCorruptFile, kUnsupported = ErrorCode::kUnsupportedTokenizer;

TEST(TokenizerJsonTest, ReadsTokensMergesAndAddedTokens) {
  const auto tokenizer = Parse({});
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->name(), "bpe/gpt2");
  EXPECT_EQ(tokenizer->vocabulary_size(), 262u);
  EXPECT_THAT(tokenizer->Encode("hello<s>==>", SpecialText::kParse), ElementsAre(257, 'l', 'o', 259, 261));
  EXPECT_EQ(tokenizer->Encode("<s>", SpecialText::kAsText).size(), 3u);
  EXPECT_EQ(tokenizer->kind(260), TokenKind::kControl);
  EXPECT_EQ(tokenizer->kind(261), TokenKind::kUserDefined);
  EXPECT_EQ(tokenizer->kind(257), TokenKind::kNormal);
  EXPECT_EQ(tokenizer->bos(), std::nullopt);
  EXPECT_EQ(tokenizer->eos(), std::nullopt);
  EXPECT_FALSE(tokenizer->add_bos());
}

TEST(TokenizerJsonTest, TakesEndsFromTextsBeforeIds) {
  const auto tokenizer = Parse({}, {.bos = "<s>", .bos_id = 3, .eos_id = 260});
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->bos(), TokenId{259});
  EXPECT_EQ(tokenizer->eos(), TokenId{260});
  EXPECT_FALSE(tokenizer->add_bos());
  ExpectError({}, kCorrupt, "eos", "eos is \"<end>\", which is not a token", {.eos = "<end>"});
  ExpectError({}, kCorrupt, "bos", "bos is 262; the vocabulary has 262 tokens", {.bos_id = 262});
}

TEST(TokenizerJsonTest, LeavesIdsThatNoTokenHasUnused) {
  File file;
  file.added = R"([{"id":300,"content":"<s>","special":true,"normalized":false}])";
  const auto tokenizer = Parse(file);
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->vocabulary_size(), 301u);
  EXPECT_EQ(tokenizer->kind(280), TokenKind::kUnused);
  EXPECT_EQ(tokenizer->Bytes(280), "");
  EXPECT_EQ(tokenizer->Decode(std::vector<TokenId>{'a', 280, 300}).value(), "a<s>");
}

TEST(TokenizerJsonTest, UsesWholePiecesWhenMergesAreIgnored) {
  File file;
  EXPECT_THAT(Parse(file)->Encode("llo", SpecialText::kParse), ElementsAre('l', 'l', 'o'));
  file.model_head = R"("ignore_merges":true)";
  EXPECT_THAT(Parse(file)->Encode("llo", SpecialText::kParse), ElementsAre(258));
}

TEST(TokenizerJsonTest, LooksForNormalizedTokensInNormalizedText) {
  File file;
  file.normalizer = R"({"type":"Sequence","normalizers":[{"type":"NFC"}]})";
  file.added =
      "[{\"id\":259,\"content\":\"\u00E9!\",\"normalized\":true},{\"id\":260,\"content\":\"e\u0301?\",\"normalized\":"
      "false}]";
  const auto tokenizer = Parse(file);
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_THAT(tokenizer->Encode("e\u0301!e\u0301?\u00E9!", SpecialText::kParse), ElementsAre(259, 260, 259));
  EXPECT_THAT(tokenizer->Encode("\u00E9?", SpecialText::kParse), ElementsAre(0xC3, 0xA9, '?'));
}

constexpr std::string_view kTemplate = R"({"type":"TemplateProcessing",
    "single":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],"pair":[],
    "special_tokens":{"<s>":{"id":"<s>","ids":[259],"tokens":["<s>"]}}})";

TEST(TokenizerJsonTest, StartsTextsWithTheTokenOfTheTemplate) {
  File file;
  file.post = kTemplate;
  EXPECT_EQ(Parse(file)->bos(), TokenId{259});
  EXPECT_TRUE(Parse(file)->add_bos());
  file.post = R"({"type":"Sequence","processors":[{"type":"ByteLevel"},)" + std::string(kTemplate) + "]}";
  EXPECT_TRUE(Parse(file, {.bos = "<s>"})->add_bos());
  EXPECT_EQ(Parse(file, {.bos_id = 5})->bos(), TokenId{259});
  ExpectError(file, kUnsupported, "post_processor", "starts a text with token 259, but bos is token 260",
              {.bos = "</s>"});
  file.post = R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}}]})";
  EXPECT_FALSE(Parse(file, {.bos = "<s>"})->add_bos());
}

TEST(TokenizerJsonTest, RefusesOtherTemplates) {
  File file;
  file.post = R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}},{"SpecialToken":{"id":"</s>"}}]})";
  ExpectError(file, kUnsupported, "post_processor.single", "another template");
  file.post = R"({"type":"TemplateProcessing","single":[1,2,3]})";
  ExpectError(file, kUnsupported, "post_processor.single", "another template");
  file.post = R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>"}},{"Sequence":{"id":"A"}}]})";
  ExpectError(file, kCorrupt, "post_processor.special_tokens.<s>.ids", "is not there; expected an array");
  file.post = R"({"type":"RobertaProcessing"})";
  ExpectError(file, kUnsupported, "post_processor.type", "is \"RobertaProcessing\"; decant has ByteLevel");
}

TEST(TokenizerJsonTest, KnowsPreTokenizersByTheirExactForm) {
  const std::string bytes = R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})";
  const std::string cuts = R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":true})";
  const auto sequence = [](const std::string& first, const std::string& second) {
    return R"({"type":"Sequence","pretokenizers":[)" + first + "," + second + "]}";
  };
  const auto split = [](const std::string& expression, const std::string& rest) {
    return R"({"type":"Split","pattern":{"Regex":")" + expression + R"("},)" + rest + "}";
  };
  const std::string gpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+)";
  const std::string isolated = R"("behavior":"Isolated","invert":false)";
  File file;
  file.pre = sequence(R"({"type":"Digits","individual_digits":true})", cuts);
  EXPECT_EQ(Parse(file)->name(), "bpe/smollm");
  file.pre = sequence(split(gpt2, isolated), bytes);
  EXPECT_EQ(Parse(file)->name(), "bpe/gpt2");
  file.pre = sequence(split(gpt2, R"("behavior":"Removed","invert":true)"), bytes);
  EXPECT_EQ(Parse(file)->name(), "bpe/gpt2");

  file.pre = sequence(split(gpt2, R"("behavior":"Removed","invert":false)"), bytes);
  ExpectError(file, kUnsupported, "pre_tokenizer.pretokenizers[0].behavior", "is \"Removed\"");
  file.pre = sequence(split(gpt2 + "|x", isolated), bytes);
  ExpectError(file, kUnsupported, "pre_tokenizer.pretokenizers[0].pattern.Regex", "decant has the expressions of");
  file.pre = sequence(R"({"type":"Split","pattern":{"String":" "}})", bytes);
  ExpectError(file, kUnsupported, "pre_tokenizer.pretokenizers[0].pattern.Regex", "is not there");
  file.pre = sequence(split(gpt2, isolated), cuts);
  ExpectError(file, kUnsupported, "pre_tokenizer.pretokenizers[1].use_regex", "is true; decant has false");
  file.pre = sequence(R"({"type":"Digits","individual_digits":false})", cuts);
  ExpectError(file, kUnsupported, "pre_tokenizer.pretokenizers[0].individual_digits", "is false; decant has true");
  file.pre = sequence(cuts, cuts);
  ExpectError(file, kUnsupported, "pre_tokenizer.pretokenizers[0].type", "\"ByteLevel\"");
  file.pre = sequence(cuts, cuts + "," + cuts);
  ExpectError(file, kUnsupported, "pre_tokenizer.pretokenizers", "has 3 steps");
  file.pre = R"({"type":"ByteLevel","add_prefix_space":true})";
  ExpectError(file, kUnsupported, "pre_tokenizer.add_prefix_space", "is true; decant has false");
  file.pre = bytes;
  ExpectError(file, kUnsupported, "pre_tokenizer.use_regex", "is false; decant has true");
  file.pre = R"({"type":"Metaspace"})";
  ExpectError(file, kUnsupported, "pre_tokenizer.type", "is \"Metaspace\"");
  file.pre = "null";
  ExpectError(file, kUnsupported, "pre_tokenizer", "is null");
}

TEST(TokenizerJsonTest, RefusesModelsItDoesNotHave) {
  File file;
  file.model_head = R"("type":"Unigram")";
  ExpectError(file, kUnsupported, "model.type", "is \"Unigram\"; decant has \"BPE\"");
  file.model_head = R"("byte_fallback":true)";
  ExpectError(file, kUnsupported, "model.byte_fallback", "is true");
  file.model_head = R"("dropout":0.1)";
  ExpectError(file, kUnsupported, "model.dropout", "is 0.1");
  file.model_head = R"("end_of_word_suffix":"</w>")";
  ExpectError(file, kUnsupported, "model.end_of_word_suffix", "is \"</w>\"");
  file.model_head = R"("ignore_merges":1)";
  ExpectError(file, kCorrupt, "model.ignore_merges", "expected a boolean");
  file = {};
  file.normalizer = R"({"type":"Lowercase"})";
  ExpectError(file, kUnsupported, "normalizer.type", "is \"Lowercase\"; decant has \"NFC\"");
  file.normalizer = R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Strip"}]})";
  ExpectError(file, kUnsupported, "normalizer.normalizers[1].type", "is \"Strip\"");
  file = {};
  file.decoder = R"({"type":"WordPiece"})";
  ExpectError(file, kUnsupported, "decoder.type", "is \"WordPiece\"");
  file = {};
  file.head = R"("version":"2.0")";
  ExpectError(file, kUnsupported, "version", "is \"2.0\"");
}

TEST(TokenizerJsonTest, AllowsAnUnknownTokenThatIsNeverNeeded) {
  File file;
  file.model_head = R"("unk_token":"<s>")";
  EXPECT_NE(Parse(file), nullptr);
  std::string text = file.Text();
  text.replace(text.find("\"a\":97,"), 7, "");
  const auto made = ParseTokenizerJson(text, {});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, kUnsupported);
  EXPECT_THAT(made.error().message, HasSubstr("model.unk_token is \"<s>\" and byte 97 has no token"));
}

TEST(TokenizerJsonTest, RefusesVocabulariesThatContradictThemselves) {
  File file;
  file.more_vocab = R"("he":1,"hel":257)";
  ExpectError(file, kCorrupt, "model.vocab", "gives id 1 to \"he\" and to");
  file.more_vocab = R"("he":256,"hel":257,"he":258)";
  ExpectError(file, kCorrupt, "model.vocab", "tokens 256 and 258 are both \"he\"");
  for (const char* const id : {"-1", "1.5", "1048576", "\"7\"", "99999999999999999999", "null"}) {
    file.more_vocab = R"("he":)" + std::string(id);
    ExpectError(file, kCorrupt, "model.vocab[\"he\"]", "expected a token id from 0 to 1048575");
  }
  file.more_vocab = R"("":256)";
  ExpectError(file, kCorrupt, "model.vocab", "gives id 256 to \"\"; expected a text");
  file = {};
  file.merges = R"(["h e","h x"])";
  ExpectError(file, kCorrupt, "model.merges", "merge 1 (\"h x\") names \"hx\", which is not a token");
  file.merges = R"([["h","e","l"]])";
  ExpectError(file, kCorrupt, "model.merges[0]", "expected \"left right\"");
  file.merges = R"({"h e":1})";
  ExpectError(file, kCorrupt, "model.merges", "is an object; expected an array");
}

TEST(TokenizerJsonTest, RefusesAddedTokensThatContradictTheVocabulary) {
  File file;
  file.added = R"([{"id":300,"content":"hel"}])";
  ExpectError(file, kCorrupt, "added_tokens[0]", "gives id 300 to \"hel\", which has id 257");
  file.added = R"([{"id":257,"content":"<s>"}])";
  ExpectError(file, kCorrupt, "added_tokens[0]", "gives id 257 to \"<s>\"; it is the id of \"hel\"");
  file.added = R"([{"id":300,"content":"<s>"},{"id":300,"content":"<s>"}])";
  ExpectError(file, kCorrupt, "added_tokens[1]", "lists \"<s>\" a second time");
  file.added = R"([{"id":300,"content":""}])";
  ExpectError(file, kCorrupt, "added_tokens[0].content", "expected a text");
  for (const std::string key : {"single_word", "lstrip", "rstrip"}) {
    file.added = R"([{"id":300,"content":"<s>",")" + key + R"(":true}])";
    ExpectError(file, kUnsupported, "added_tokens[0]." + key, "is true; decant has false");
  }
  file.added = R"([{"id":256,"content":"he","special":true}])";
  ExpectError(file, kUnsupported, "model.merges", "involves control token 256");
}

TEST(TokenizerJsonTest, RefusesWhatIsNoTokenizerAtAll) {
  for (const char* const text : {"[]", "1", "null"}) {
    const auto made = ParseTokenizerJson(text, {});
    ASSERT_FALSE(made.has_value()) << text;
    EXPECT_EQ(made.error().code, kCorrupt);
  }
  EXPECT_EQ(ParseTokenizerJson("{}", {}).error().subject, "model");
  EXPECT_EQ(ParseTokenizerJson("", {}).error().code, ErrorCode::kCorruptFile);
  const Error broken = ParseTokenizerJson("{\n\"model\":", {}).error();
  EXPECT_EQ(broken.code, ErrorCode::kCorruptFile);
  ASSERT_TRUE(broken.at.has_value());
  EXPECT_EQ(broken.at->line, 2u);
}

TEST(TokenizerJsonTest, RefusesKeysItDoesNotKnowAndSpellsNumbersWithoutQuotes) {
  File file;
  file.head = R"("version":"1.0","truncation":null,"padding":{"direction":"Right"})";
  EXPECT_TRUE(ParseTokenizerJson(file.Text(), {}).has_value());
  file.head = R"("version":"1.0","dialect":null)";
  ExpectError(file, kUnsupported, "dialect", "has the key \"dialect\"");
  file.head = R"("truncation":7)";
  ExpectError(file, kCorrupt, "truncation", "truncation is 7; expected null or an object");
  file = File();
  file.added = "1";
  ExpectError(file, kCorrupt, "added_tokens", "added_tokens is 1; expected an array");
}

TEST(TokenizerJsonTest, NamesTheFileInErrors) {
  const auto missing = LoadTokenizerJson("/no/such/tokenizer.json", {});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::kCannotRead);
  const core::ScratchFolder folder;
  const std::string path = folder / "tokenizer.json";
  std::ofstream(path) << "{}";
  const auto empty = LoadTokenizerJson(path, {});
  ASSERT_FALSE(empty.has_value());
  EXPECT_THAT(empty.error().message, HasSubstr(path + ": model is not there; expected an object"));
  std::ofstream(path) << File().Text();
  EXPECT_TRUE(LoadTokenizerJson(path, {}).has_value());
}

}  // namespace
}  // namespace decant::text
