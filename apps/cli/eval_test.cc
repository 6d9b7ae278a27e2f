// What counts as a text.
#include "eval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace decant::cli {
namespace {

using ::testing::HasSubstr;

TEST(ParseTextsTest, PlainTextIsOneText) {
  const auto texts = ParseTexts("a\n\xFF", "story.txt", TextForm::kPlain);
  ASSERT_TRUE(texts.has_value());
  ASSERT_EQ(texts->size(), 1);
  EXPECT_EQ(texts->front().text, "a\n\xFF");
  EXPECT_EQ(ParseTexts("", "empty", TextForm::kPlain)->size(), 1);
}

TEST(ParseTextsTest, LinesHaveALabelAndASet) {
  const auto texts =
      ParseTexts("{\"text\":\"a b\",\"setting\":\"greedy\"}\r\n \n{\"text\":\"c\"}", "s.jsonl", TextForm::kJsonLines);
  ASSERT_TRUE(texts.has_value()) << texts.error().message;
  ASSERT_EQ(texts->size(), 2);
  EXPECT_EQ((*texts)[0].label, "s.jsonl:1");
  EXPECT_EQ((*texts)[0].set, "greedy");
  EXPECT_EQ((*texts)[1].label, "s.jsonl:3");
  EXPECT_EQ((*texts)[1].set, "");
}

TEST(ParseTextsTest, FaultsNameTheLine) {
  for (const auto& [bytes, says] : {std::pair("{\"text\":\"a\"}\n[1]", "s.jsonl:2: expected an object"),
                                    std::pair("{\"text\":1}", "s.jsonl:1: expected an object"),
                                    std::pair("{\"text\":\"a\",\"setting\":5}", "s.jsonl:1: setting is a number"),
                                    std::pair("{\"text\":", "s.jsonl:1: "), std::pair("\n", "s.jsonl has no lines")}) {
    const auto texts = ParseTexts(bytes, "s.jsonl", TextForm::kJsonLines);
    ASSERT_FALSE(texts.has_value()) << bytes;
    EXPECT_EQ(texts.error().code, ErrorCode::kInvalidJson);
    EXPECT_THAT(texts.error().message, HasSubstr(says));
  }
}

}  // namespace
}  // namespace decant::cli
