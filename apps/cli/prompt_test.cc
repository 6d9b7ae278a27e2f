// Which sources of a prompt are refused together, and what is said about them.
#include "prompt.h"

#include <gtest/gtest.h>

namespace decant::cli {
namespace {

constexpr CommandText kText = {.name = "try", .summary = "", .usage = "", .details = "", .example = ""};

struct Fixture {
  CommandLine line{kText};
  PromptFlags prompt{line, ChatFlags::kWith};
};

TEST(PromptFlagsTest, NameWhatWasGiven) {
  Fixture all;
  const std::vector<std::string> arguments = {"-p", "x", "--prompt-ids=1", "--chat", "--system", "y", "word"};
  ASSERT_TRUE(all.line.Parse(arguments).has_value());
  EXPECT_EQ(all.prompt.Given(),
            (std::vector<std::string>{"-p", "--prompt-ids", "--system", "--chat", "the prompt \"word\""}));
  Fixture none;
  const std::vector<std::string> off = {"--chat=false"};
  ASSERT_TRUE(none.line.Parse(off).has_value());
  EXPECT_TRUE(none.prompt.Given().empty());
}

TEST(PromptFlagsTest, SayWhichFlagSwallowedAnOption) {
  Fixture fixture;
  const std::vector<std::string> arguments = {"-p", "--seed", "7"};
  ASSERT_TRUE(fixture.line.Parse(arguments).has_value());
  const auto read = fixture.prompt.Read();
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().hint, "-p took \"--seed\" as its own; put what belongs to -p right after it");
}

}  // namespace
}  // namespace decant::cli
