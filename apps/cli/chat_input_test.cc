// Lines, commands, completion, and what /set makes of a set of parameters.
#include "chat_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace decant::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

ParameterSet With(std::string_view name, std::string_view value) {
  ParameterSet set;
  const ParameterSpec* const spec = FindParameter(name).value();
  EXPECT_TRUE(set.Set(*spec, ParseParameter(*spec, value).value(), ParameterSource::kFlag).has_value());
  return set;
}

TEST(MessageLinesTest, ALineIsAMessage) {
  MessageLines lines;
  EXPECT_EQ(lines.Add("hello"), "hello");
  EXPECT_FALSE(lines.IsOpen());
  EXPECT_EQ(lines.Add(""), "");
}

TEST(MessageLinesTest, ABackslashGoesOn) {
  MessageLines lines;
  EXPECT_EQ(lines.Add("one\\"), std::nullopt);
  EXPECT_TRUE(lines.IsOpen());
  EXPECT_EQ(lines.Add("two\\"), std::nullopt);
  EXPECT_EQ(lines.Add("three"), "one\ntwo\nthree");
  EXPECT_EQ(lines.Add("alone"), "alone");
}

TEST(MessageLinesTest, QuotesHoldSeveralLines) {
  MessageLines lines;
  EXPECT_EQ(lines.Add("\"\"\""), std::nullopt);
  EXPECT_EQ(lines.Add("one\\"), std::nullopt);
  EXPECT_EQ(lines.Add(""), std::nullopt);
  EXPECT_EQ(lines.Add("\"\"\""), "one\\\n");
  EXPECT_EQ(lines.Add("\"\"\"in one line\"\"\""), "in one line");
  EXPECT_EQ(lines.Add("\"\"\"from"), std::nullopt);
  EXPECT_EQ(lines.Add("to\"\"\""), "from\nto");
}

TEST(MessageLinesTest, ClearForgetsWhatWasBegun) {
  MessageLines lines;
  EXPECT_EQ(lines.Add("one\\"), std::nullopt);
  lines.Clear();
  EXPECT_EQ(lines.Add("two"), "two");
}

TEST(ChatCommandTest, ReadsNamesAliasesAndWhatFollows) {
  EXPECT_EQ(ParseChatCommand("/clear")->id, ChatCommandId::kReset);
  EXPECT_EQ(ParseChatCommand("/exit ")->id, ChatCommandId::kQuit);
  const auto set = ParseChatCommand("/set  top_k 3 ");
  ASSERT_TRUE(set.has_value());
  EXPECT_EQ(set->rest, "top_k 3");
  EXPECT_EQ(ParseChatCommand("/system")->rest, "");
}

TEST(ChatCommandTest, AsksForWhatIsMissingAndRefusesWhatIsTooMuch) {
  EXPECT_THAT(ParseChatCommand("/save").error().message, HasSubstr("/save needs FILE"));
  EXPECT_THAT(ParseChatCommand("/undo 2").error().message, HasSubstr("/undo takes nothing"));
}

TEST(ChatCommandTest, ProposesTheNearestName) {
  const auto unknown = ParseChatCommand("/rset");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().hint, HasSubstr("did you mean /reset?"));
  EXPECT_THAT(ParseChatCommand("/xyzzyxyzzy").error().hint, HasSubstr("/help"));
}

TEST(CompleteChatLineTest, CompletesCommandsParametersAndChoices) {
  EXPECT_THAT(CompleteChatLine("/pa"), ElementsAre("/params"));
  EXPECT_THAT(CompleteChatLine("/se"), ElementsAre("/set ", "/seed "));
  EXPECT_THAT(CompleteChatLine("/set top_"), Contains("/set top_k "));
  EXPECT_THAT(CompleteChatLine("/set ignore_eos t"), ElementsAre("/set ignore_eos true"));
  EXPECT_THAT(CompleteChatLine("/set ctx_overflow truncate_l"), ElementsAre("/set ctx_overflow truncate_left"));
  EXPECT_TRUE(CompleteChatLine("hello").empty());
  EXPECT_TRUE(CompleteChatLine("/save x").empty());
}

TEST(ChangedTest, ReplacesAValueAndPutsItBack) {
  const ParameterSet start = With("top_k", "40");
  const auto once = Changed(start, start, "top-k", "3", Preset::kNative);
  ASSERT_TRUE(once.has_value()) << once.error().message;
  EXPECT_EQ(once->Get<std::int64_t>("top_k"), 3);
  const auto twice = Changed(*once, start, "top_k", "5", Preset::kNative);
  ASSERT_TRUE(twice.has_value());
  EXPECT_EQ(twice->Get<std::int64_t>("top_k"), 5);
  EXPECT_EQ(Changed(*twice, start, "top_k", "default", Preset::kNative)->Get<std::int64_t>("top_k"), 40);
  EXPECT_EQ(Changed(*twice, {}, "top_k", "default", Preset::kNative)->Find("top_k"), nullptr);
}

TEST(ChangedTest, RefusesWhatIsUnknownOrOutOfRange) {
  EXPECT_EQ(Changed({}, {}, "top_q", "1", Preset::kNative).error().code, ErrorCode::kUnknownParameter);
  EXPECT_FALSE(Changed({}, {}, "top_p", "1.3", Preset::kNative).has_value());
  EXPECT_FALSE(Changed({}, {}, "top_k", "many", Preset::kNative).has_value());
}

}  // namespace
}  // namespace decant::cli
