// Prompt files of both kinds, and the openings that are printed, committed and used.
#include "prompt_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/scratch_folder_for_test.h"

namespace decant::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What ReadPrompts makes of a file with this name and this text.
Result<std::vector<std::string>> ReadPromptsOf(const std::string& name, std::string_view text) {
  const core::ScratchFolder folder;
  std::ofstream(folder / name, std::ios::binary) << text;
  return ReadPrompts(folder / name);
}

TEST(PromptListTest, LinesArePrompts) {
  const auto prompts = ReadPromptsOf("prompts.txt", "Once upon\r\n\n  a \\n time\nno newline");
  ASSERT_TRUE(prompts.has_value()) << prompts.error().message;
  EXPECT_THAT(*prompts, ElementsAre("Once upon", "  a \\n time", "no newline"));
}

TEST(PromptListTest, JsonLinesMayHoldLineBreaks) {
  const auto prompts = ReadPromptsOf("prompts.jsonl", "{\"prompt\":\"a\\nb\"}\n\n{\"prompt\":\"\",\"id\":2}\n");
  ASSERT_TRUE(prompts.has_value()) << prompts.error().message;
  EXPECT_THAT(*prompts, ElementsAre("a\nb", ""));
}

TEST(PromptListTest, FaultsNameTheLine) {
  const auto broken = ReadPromptsOf("broken.jsonl", "{\"prompt\":\"a\"}\n{\"prompt\":\n");
  ASSERT_FALSE(broken.has_value());
  EXPECT_THAT(broken.error().message, HasSubstr("broken.jsonl:2: JSON, column "));
  const auto other = ReadPromptsOf("other.jsonl", "{\"prompt\":3}\n");
  ASSERT_FALSE(other.has_value());
  EXPECT_THAT(other.error().message, HasSubstr("other.jsonl:1: expected an object with a string \"prompt\""));
  const auto empty = ReadPromptsOf("empty.txt", "\n\n");
  ASSERT_FALSE(empty.has_value());
  EXPECT_EQ(empty.error().code, ErrorCode::kEmptyPrompt);
}

TEST(PromptListTest, TheExampleFileHoldsTheOpenings) {
  const auto prompts = ReadPrompts(std::string(DECANT_SOURCE_DIR) + "/examples/prompts/stories.txt");
  ASSERT_TRUE(prompts.has_value()) << prompts.error().message;
  EXPECT_THAT(*prompts, ::testing::ElementsAreArray(StoryOpenings().begin(), StoryOpenings().end()));
}

}  // namespace
}  // namespace decant::cli
