// Settings in one argument, sides, distances, and totals; the runs themselves are compared in tests/e2e.
#include "compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace decant::cli {
namespace {

using ::testing::HasSubstr;

Result<Side> SideOf(std::string_view text, std::optional<Preset> preset = {}) {
  DECANT_TRY(const SideSettings settings, ParseSettings(text));
  return MakeSide({}, preset, settings);
}

TEST(ParseSettingsTest, ReadsAnyParameter) {
  const auto side = SideOf("top-k=5, temperature=0.5,seed=7");
  ASSERT_TRUE(side.has_value()) << side.error().message;
  EXPECT_EQ(side->parameters.Get<std::int64_t>("top_k"), 5);
  EXPECT_EQ(side->parameters.Get<double>("temperature"), 0.5);
  EXPECT_EQ(side->parameters.Get<std::uint64_t>("seed"), 7);
}

TEST(ParseSettingsTest, ListsGoOnPastCommas) {
  const auto side = SideOf("samplers=logit_bias,temperature,temperature=0.5,logit_bias=5=1,7=-2");
  ASSERT_TRUE(side.has_value()) << side.error().message;
  EXPECT_EQ(side->parameters.Get<std::vector<StageId>>("samplers")->size(), 2);
  EXPECT_EQ(side->parameters.Get<std::vector<TokenBias>>("logit_bias")->size(), 2);
}

TEST(ParseSettingsTest, RefusesWhatItDoesNotKnow) {
  for (const auto& [text, says] :
       {std::pair("top_q=1", "top_q"), std::pair("40", "expected NAME=VALUE"), std::pair("top_k=x", "top_k"),
        std::pair("preset=nobody", "nobody"), std::pair("top_k=1,top-k=2", "top_k is given twice")}) {
    const auto settings = ParseSettings(text);
    ASSERT_FALSE(settings.has_value()) << text;
    EXPECT_THAT(settings.error().message, HasSubstr(says));
  }
}

TEST(MakeSideTest, FillsInWhatRunWould) {
  const auto plain = SideOf("");
  EXPECT_EQ(plain->parameters.Get<double>("temperature"), 0.8);
  EXPECT_EQ(plain->parameters.Get<std::int64_t>("top_k"), 40);
  EXPECT_EQ(plain->parameters.Get<std::uint64_t>("seed"), 0);
  EXPECT_EQ(plain->parameters.Get<std::int64_t>("max_tokens"), 200);
  const auto preset = SideOf("preset=reference");
  EXPECT_EQ(preset->preset, Preset::kReference);
  EXPECT_FALSE(preset->parameters.Get<double>("temperature").has_value());
  EXPECT_EQ(SideOf("preset=native", Preset::kReference)->preset, Preset::kNative);
}

TEST(MakeSideTest, OwnSettingsWinOverCommonOnes) {
  ParameterSet common;
  const ParameterSpec* const top_k = *FindParameter("top_k");
  const ParameterSpec* const limit = *FindParameter("max_tokens");
  ASSERT_TRUE(common.Set(*top_k, std::int64_t{3}, ParameterSource::kFlag).has_value());
  ASSERT_TRUE(common.Set(*limit, std::int64_t{9}, ParameterSource::kFlag).has_value());
  SideSettings file{.values = {{top_k, std::int64_t{4}}, {limit, std::nullopt}}, .preset = Preset::kReference};
  EXPECT_EQ(MakeSide(common, {}, {})->parameters.Get<std::int64_t>("top_k"), 3);
  EXPECT_EQ(MakeSide(common, {}, file)->parameters.Get<std::int64_t>("top_k"), 4);
  EXPECT_FALSE(MakeSide(common, {}, file)->parameters.Find("max_tokens"));
  const SideSettings both = Overlay(file, *ParseSettings("top_k=5,preset=native"));
  EXPECT_EQ(MakeSide(common, {}, both)->parameters.Get<std::int64_t>("top_k"), 5);
  EXPECT_EQ(MakeSide(common, {}, both)->preset, Preset::kNative);
}

TEST(TotalVariationTest, IsHalfTheAbsoluteDifference) {
  StepRecord p, q;
  p.support = {1, 2, 5};
  p.probabilities = {0.5, 0.25, 0.25};
  q.support = {2, 3};
  q.probabilities = {0.5, 0.5};
  EXPECT_EQ(TotalVariation(p, q), 0.75);
  EXPECT_EQ(TotalVariation(q, p), 0.75);
  EXPECT_EQ(TotalVariation(p, p), 0);
  EXPECT_EQ(TotalVariation(p, {}), 0.5);
}

TEST(TotalsTest, QuartersAreAtBothEnds) {
  SideRun run;
  for (const double entropy : {4.0, 2.0, 9.0, 9.0, 9.0, 9.0, 1.0, 0.0}) {
    run.steps.push_back({.token = 0, .draw = {}, .entropy_bits = entropy, .surprise_bits = 2});
  }
  run.generation.text = "a b c d a b c d";  // "a" is an article
  const SideRun* const pointer = &run;
  const SideTotals totals = TotalsOf({&pointer, 1});
  EXPECT_EQ(totals.tokens, 8);
  EXPECT_EQ(totals.first_entropy, 3);
  EXPECT_EQ(totals.last_entropy, 0.5);
  EXPECT_EQ(totals.surprise_bits, 2);
  EXPECT_EQ(totals.four_word_runs, (RepeatCounts{.runs = 5, .repeats = 1}));
  EXPECT_EQ(totals.ArticleShare(), 0.25);
  EXPECT_EQ(TotalsOf({}).tokens, 0);
}

}  // namespace
}  // namespace decant::cli
