// Texts that grow from shared beginnings.
#include "grammar/json/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace decant::grammar {
namespace {

TEST(TextTest, BeginningsStayWhatTheyWere) {
  Arena arena;
  const std::string all = "the quick brown fox jumps over the lazy dog";
  std::vector<const Text*> texts = {nullptr};
  for (const char c : all) texts.push_back(Append(texts.back(), {&c, 1}, arena));
  for (std::size_t size = 0; size <= all.size(); ++size) EXPECT_EQ(ToString(texts[size]), all.substr(0, size));
}

TEST(TextTest, ContentDoesNotDependOnTheSteps) {
  Arena arena;
  const Text* at_once = Append(nullptr, "abcdefghijklmnop", arena);
  const Text* in_steps = Append(Append(nullptr, "abcde", arena), "fghijklmnop", arena);
  EXPECT_EQ(ContentOf(at_once), ContentOf(in_steps));
  EXPECT_EQ(SizeOf(in_steps), 16U);
  EXPECT_NE(ContentOf(at_once), ContentOf(Append(nullptr, "abcdefghijklmnoq", arena)));
}

}  // namespace
}  // namespace decant::grammar
