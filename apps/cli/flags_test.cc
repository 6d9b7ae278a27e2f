// The registry as flags and variables: spellings, precedence, and who is named when a value is wrong.
#include "flags.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace decant::cli {
namespace {

using Variables = std::map<std::string, std::string>;

struct Parsed {
  Result<ParameterSet> parameters;
  Result<std::optional<Preset>> preset;
};

// The flags of `run`, parsed.
Result<Parsed> Parse(const std::vector<std::string>& arguments, const Variables& variables = {}) {
  CommandLine line({.name = "run", .summary = "", .usage = "", .details = "", .example = ""});
  const ParameterFlags flags(line, ParameterScope::kRun);
  DECANT_TRY([[maybe_unused]] const bool go, line.Parse(arguments));
  const auto environment = [&variables](const char* name) -> std::string {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
  return Parsed{flags.Collect(environment), flags.ReadPreset(environment)};
}

TEST(ParameterFlagsTest, KnowEveryParameterOfTheRegistry) {
  CommandLine line({.name = "run", .summary = "", .usage = "", .details = "", .example = ""});
  const ParameterFlags flags(line, ParameterScope::kRun);
  for (const ParameterSpec& spec : Parameters()) {
    EXPECT_NE(line.Help().find(FlagOf(spec)), std::string::npos) << spec.name;
  }
}

TEST(ParameterFlagsTest, TakeDashesUnderscoresAndAliases) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--top-k", "3"}, {"--top_k", "3"}, {"--top-k=3"}, {"--top_k=3"}}) {
    const auto parsed = Parse(arguments);
    ASSERT_TRUE(parsed.has_value() && parsed->parameters.has_value()) << arguments.front();
    EXPECT_EQ(parsed->parameters->Get<std::int64_t>("top_k"), 3) << arguments.front();
  }
  EXPECT_EQ(Parse({"--temp", "0.5"})->parameters->Get<double>("temperature"), 0.5);
}

TEST(ParameterFlagsTest, TakeNegativeNumbers) {
  EXPECT_EQ(Parse({"--top-k", "-1"})->parameters->Get<std::int64_t>("top_k"), -1);
}

TEST(ParameterFlagsTest, SaySomeoneWhoAsksForSeedMinusOneToLeaveItOut) {
  const auto parsed = Parse({"--seed", "-1"});
  ASSERT_TRUE(parsed.has_value());
  ASSERT_FALSE(parsed->parameters.has_value());
  EXPECT_NE(parsed->parameters.error().hint.find("leave the seed out"), std::string::npos);
}

TEST(ParameterFlagsTest, LetAFlagWinOverTheEnvironment) {
  const Variables variables = {{"DECANT_TOP_K", "5"}, {"DECANT_MIN_P", "0.1"}, {"DECANT_TOP_P", ""}};
  const auto parsed = Parse({"--top-k", "3"}, variables);
  ASSERT_TRUE(parsed.has_value() && parsed->parameters.has_value());
  EXPECT_EQ(parsed->parameters->Get<std::int64_t>("top_k"), 3);
  EXPECT_EQ(parsed->parameters->Get<double>("min_p"), 0.1);
  EXPECT_EQ(parsed->parameters->Find("min_p")->source, ParameterSource::kEnvironment);
  EXPECT_EQ(parsed->parameters->Find("top_p"), nullptr) << "an empty variable is absent";
}

TEST(ParameterFlagsTest, NameTheVariableThatIsWrong) {
  const auto parsed = Parse({}, {{"DECANT_TOP_P", "much"}});
  ASSERT_FALSE(parsed->parameters.has_value());
  EXPECT_TRUE(parsed->parameters.error().message.starts_with("DECANT_TOP_P: ")) << parsed->parameters.error().message;
}

TEST(ParameterFlagsTest, RefuseTwoValuesForOneParameter) {
  const auto parsed = Parse({"--temp", "1", "--temperature", "2"});
  ASSERT_FALSE(parsed->parameters.has_value());
  EXPECT_EQ(parsed->parameters.error().code, ErrorCode::kConflict);
}

TEST(ParameterFlagsTest, JoinRepeatedStops) {
  const auto parsed = Parse({"--stop", "{}", "--stop", "[a,b]"});
  ASSERT_TRUE(parsed->parameters.has_value());
  EXPECT_EQ(parsed->parameters->Get<std::vector<std::string>>("stop"), (std::vector<std::string>{"{}", "[a,b]"}));
}

TEST(ParameterFlagsTest, TakeMaxAsNoLimit) {
  EXPECT_EQ(Parse({"-n", "max"}, {{"DECANT_MAX_TOKENS", "7"}})->parameters->Find("max_tokens"), nullptr);
  EXPECT_EQ(Parse({}, {{"DECANT_MAX_TOKENS", "max"}})->parameters->Find("max_tokens"), nullptr);
  EXPECT_EQ(Parse({"-n", "5"}, {{"DECANT_MAX_TOKENS", "max"}})->parameters->Get<std::int64_t>("max_tokens"), 5);
  EXPECT_FALSE(Parse({"-n", "5", "-n", "max"})->parameters.has_value());
  EXPECT_EQ(Parse({"-n", "5"})->parameters->Get<std::int64_t>("max_tokens"), 5);
}

TEST(ParameterFlagsTest, SuggestTheNearestFlag) {
  const auto parsed = Parse({"--tempratur", "1"});
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, ErrorCode::kUnknownParameter);
  EXPECT_EQ(parsed.error().hint, "did you mean --temperature?");
}

TEST(ParameterFlagsTest, ReadThePresetFromFlagOrEnvironment) {
  EXPECT_EQ(*Parse({"--preset", "reference"})->preset, Preset::kReference);
  EXPECT_EQ(*Parse({}, {{"DECANT_PRESET", "reference"}})->preset, Preset::kReference);
  EXPECT_EQ(*Parse({})->preset, std::nullopt);
}

TEST(ParameterFlagsTest, SayWhereAWrongPresetComesFrom) {
  const auto flag = Parse({"--preset", "nobody"}, {{"DECANT_PRESET", "reference"}});
  ASSERT_FALSE(flag->preset.has_value());
  EXPECT_TRUE(flag->preset.error().message.starts_with("option --preset: ")) << flag->preset.error().message;
  const auto variable = Parse({}, {{"DECANT_PRESET", "nobody"}});
  ASSERT_FALSE(variable->preset.has_value());
  EXPECT_TRUE(variable->preset.error().message.starts_with("DECANT_PRESET: ")) << variable->preset.error().message;
}

TEST(ParameterFlagsTest, TakeASwitchWithItsValue) {
  EXPECT_EQ(Parse({"--ignore-eos"})->parameters->Get<bool>("ignore_eos"), true);
  EXPECT_EQ(Parse({"--ignore-eos=false"})->parameters->Get<bool>("ignore_eos"), false);
  EXPECT_FALSE(Parse({"--ignore-eos=no"})->parameters.has_value());
}

TEST(SetBuiltInTest, LeavesOutAStageThatSamplersLeavesOut) {
  const auto parsed = Parse({"--samplers", "temperature"});
  ASSERT_TRUE(parsed.has_value() && parsed->parameters.has_value());
  ParameterSet parameters = *parsed->parameters;
  SetBuiltIn(parameters, "temperature", 0.8);
  SetBuiltIn(parameters, "top_k", std::int64_t{40});
  EXPECT_EQ(parameters.Get<double>("temperature"), 0.8);
  EXPECT_EQ(parameters.Find("top_k"), nullptr);
}

}  // namespace
}  // namespace decant::cli
