// decant.toml: what its keys mean, and where a wrong one is said to stand.
#include "config.h"

#include <gtest/gtest.h>

#include <string>

namespace decant::cli {
namespace {

const ConfigParameter* Find(const ConfigSection& section, std::string_view name) {
  for (const ConfigParameter& parameter : section.parameters) {
    if (parameter.spec->name == name) return &parameter;
  }
  return nullptr;
}

Error ErrorOf(std::string_view text) {
  const auto file = ParseConfig(text, "decant.toml");
  EXPECT_FALSE(file.has_value()) << text;
  return file.has_value() ? Error{} : file.error();
}

TEST(ConfigTest, ReadsNamesAliasesAndSettings) {
  const auto file = ParseConfig(
      "temp = 0.7\ntop_k = 3\nstop = [\"a\", \"b\"]\npreset = \"reference\"\n"
      "model = \"smol\"\nthreads = 2\ncontext = 64\n",
      "decant.toml");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const ConfigSection section = file->For("run");
  EXPECT_EQ(Find(section, "temperature")->value, ParameterValue(0.7));
  EXPECT_EQ(Find(section, "top_k")->value, ParameterValue(std::int64_t{3}));
  EXPECT_EQ(Find(section, "stop")->value, ParameterValue(std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(section.preset->value, Preset::kReference);
  EXPECT_EQ(section.model->value, "smol");
  EXPECT_EQ(section.threads->value, 2u);
  EXPECT_EQ(section.context->value, 64u);
  EXPECT_EQ(file->PlaceOf(Find(section, "top_k")->at), "decant.toml:2:1");
}

TEST(ConfigTest, LaysACommandsTableOverTheTop) {
  const auto file = ParseConfig("top_k = 3\nmin_p = 0.1\n[step]\ntop_k = 5\n", "decant.toml");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(Find(file->For("step"), "top_k")->value, ParameterValue(std::int64_t{5}));
  EXPECT_EQ(Find(file->For("step"), "min_p")->value, ParameterValue(0.1));
  EXPECT_EQ(Find(file->For("run"), "top_k")->value, ParameterValue(std::int64_t{3}));
}

TEST(ConfigTest, ReadsBiasesAndInfinities) {
  const auto file = ParseConfig("[logit_bias]\n12 = -inf\n7 = 1\n", "decant.toml");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const auto set = file->Parameters("run", ParameterSource::kProjectFile);
  ASSERT_TRUE(set.has_value()) << set.error().message;
  EXPECT_EQ(set->Get<std::vector<TokenBias>>("logit_bias")->size(), 2u);
}

TEST(ConfigTest, TakesMaxAsNoLimit) {
  const auto file = ParseConfig("max_tokens = \"max\"\n", "decant.toml");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_FALSE(Find(file->For("run"), "max_tokens")->value.has_value());
  EXPECT_EQ(file->Parameters("run", ParameterSource::kProjectFile)->Find("max_tokens"), nullptr);
}

TEST(ConfigTest, PlacesAnUnknownKeyAndSuggestsTheNearest) {
  const Error error = ErrorOf("top_k = 1\n\n  tempratur = 1\n");
  EXPECT_EQ(error.code, ErrorCode::kUnknownParameter);
  EXPECT_EQ(error.message, "decant.toml:3:3: there is no parameter \"tempratur\"");
  EXPECT_EQ(error.hint, "did you mean temperature?");
  EXPECT_EQ(error.at, (Position{.offset = 13, .line = 3, .column = 3}));
}

TEST(ConfigTest, SuggestsACommandForATable) { EXPECT_EQ(ErrorOf("[setp]\ntop_k = 1\n").hint, "did you mean step?"); }

TEST(ConfigTest, PlacesWrongTypes) {
  EXPECT_TRUE(ErrorOf("top_k = \"3\"\n").message.starts_with("decant.toml:1:1: top_k is "));
  EXPECT_TRUE(ErrorOf("top_k = 2026-01-01\n").message.starts_with("decant.toml:1:1: top_k is a date or time"));
  EXPECT_EQ(ErrorOf("stop = [2026-01-01]\n").message,
            "decant.toml:1:1: stop is an array with a date or time; expected a list of texts");
  EXPECT_TRUE(ErrorOf("threads = 0\n").message.starts_with("decant.toml:1:1: threads is 0; "));
  EXPECT_TRUE(ErrorOf("run = 1\n").message.starts_with("decant.toml:1:1: run is a number; "));
  EXPECT_TRUE(ErrorOf("preset = \"nobody\"\n").message.starts_with("decant.toml:1:1: "));
  EXPECT_TRUE(ErrorOf("max_time = -1\n").message.starts_with("decant.toml:1:1: max_time is -1"));
  EXPECT_TRUE(ErrorOf("model = \"\"\n").message.starts_with("decant.toml:1:1: model is "));
}

TEST(ConfigTest, PlacesAValueOutOfItsRange) {
  const auto file = ParseConfig("temperature = 1\ntop_p = 1.5\n", "decant.toml");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const auto set = file->Parameters("run", ParameterSource::kProjectFile);
  ASSERT_FALSE(set.has_value());
  EXPECT_TRUE(set.error().message.starts_with("decant.toml:2:1: top_p is 1.5")) << set.error().message;
  EXPECT_EQ(set.error().at->line, 2u);
}

TEST(ConfigTest, RefusesAParameterUnderTwoNames) {
  const Error error = ErrorOf("temp = 1\ntemperature = 1\n");
  EXPECT_EQ(error.code, ErrorCode::kConflict);
}

TEST(ConfigTest, PlacesWhatIsNoToml) {
  const Error error = ErrorOf("top_k = 1\ntop_p = = 2\n");
  EXPECT_EQ(error.code, ErrorCode::kCorruptFile);
  EXPECT_TRUE(error.message.starts_with("decant.toml:2:")) << error.message;
  EXPECT_EQ(error.at->line, 2u);
  EXPECT_EQ(ErrorOf("top_k = 1\ntop_k = 2\n").at->line, 2u);
  EXPECT_EQ(ErrorOf(std::string(3000, '[')).code, ErrorCode::kCorruptFile);
  EXPECT_EQ(ErrorOf("stop = \"\xff\"\n").code, ErrorCode::kCorruptFile);
}

TEST(ConfigTest, AnEmptyFileSaysNothing) {
  const auto file = ParseConfig("# nothing\n", "decant.toml");
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(file->For("run").parameters.empty());
}

TEST(ConfigTest, CountsAModelsPathFromTheFilesFolder) {
  EXPECT_EQ(ParseConfig("model = \"./m/x.gguf\"", "../decant.toml")->For("run").model->value, "../m/x.gguf");
  EXPECT_EQ(ParseConfig("model = \"/m/x.gguf\"", "../decant.toml")->For("run").model->value, "/m/x.gguf");
  EXPECT_EQ(ParseConfig("model = \"x.gguf\"", "../decant.toml")->For("run").model->value, "x.gguf");
}

TEST(ConfigTest, AMissingFileCannotBeRead) {
  const auto file = ReadConfigFile("/nonexistent/decant.toml");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::kCannotRead);
}

}  // namespace
}  // namespace decant::cli
