// The real tokenizer against stored answers of Hugging Face's (tests/golden/make_tokenizer_golden.py).
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "json/value.h"
#include "tests/model/model_for_test.h"

namespace decant {
namespace {

TEST(RealTokenizerTest, GivesTheStoredTokens) {
  DECANT_NEEDS_MODEL();
  const auto model = LoadModelForTest(1);
  std::ifstream file(std::string(DECANT_SOURCE_DIR) + "/tests/golden/tokenizer.jsonl");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const json::Value entry = json::Read(line, {}).value();
    const std::string& text = *entry.Find("text")->if_string();
    std::vector<TokenId> expected;
    for (const json::Value& id : *entry.Find("ids")->if_array()) {
      expected.push_back(static_cast<TokenId>(*id.AsUint64()));
    }
    const auto special = *entry.Find("special")->if_string() == "parse" ? SpecialText::kParse : SpecialText::kAsText;
    const std::vector<TokenId> tokens = model->tokenizer()->Encode(text, special);
    EXPECT_EQ(tokens, expected) << line;
  }
  EXPECT_GE(lines, 30);
}

}  // namespace
}  // namespace decant
