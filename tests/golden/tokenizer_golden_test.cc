// Small tokenizer.json files of every pre-tokenizer against stored answers of Hugging Face's `tokenizers`
// (tests/golden/make_tokenizer_files.py).
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "json/value.h"
#include "text/tokenizer_json.h"

namespace decant::text {
namespace {

class TokenizerGoldenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(TokenizerGoldenTest, GivesTheStoredTokens) {
  const std::string stem = std::string(DECANT_SOURCE_DIR) + "/tests/golden/tokenizers/" + GetParam();
  const auto tokenizer = LoadTokenizerJson(stem + ".json", {.eos = "<|im_end|>"});
  ASSERT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
  EXPECT_EQ((*tokenizer)->name(), "bpe/" + GetParam());
  EXPECT_EQ((*tokenizer)->add_bos(), GetParam() == "llama3");
  std::ifstream file(stem + ".jsonl");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const json::Value entry = json::Read(line, {}).value();
    std::vector<TokenId> expected;
    for (const json::Value& id : *entry.Find("ids")->if_array()) {
      expected.push_back(static_cast<TokenId>(*id.AsUint64()));
    }
    const auto special = *entry.Find("special")->if_string() == "parse" ? SpecialText::kParse : SpecialText::kAsText;
    EXPECT_EQ((*tokenizer)->Encode(*entry.Find("text")->if_string(), special), expected) << line;
  }
  EXPECT_GE(lines, 60);
}

INSTANTIATE_TEST_SUITE_P(PreTokenizers, TokenizerGoldenTest,
                         ::testing::Values("gpt2", "smollm", "llama3", "qwen2", "gpt4o"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace decant::text
