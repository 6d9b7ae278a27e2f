// Explanations of rows small enough to check by hand.
#include "explain.h"

#include <gtest/gtest.h>

#include <vector>

namespace decant::cli {
namespace {

struct Explained {
  Explanation explanation;
  StepRecord record;
};

Result<Explained> ExplainRow(const std::vector<double>& logits, Chain chain, Preset preset) {
  DECANT_TRY(const auto sampler, MakeSampler(std::move(chain), logits.size(), {.preset = preset}));
  SamplerState state({.seed = 36});
  Explained out;
  const std::vector<float> row(logits.begin(), logits.end());
  const RowView view = preset == Preset::kReference ? RowView::F64(logits) : RowView::F32(row);
  DECANT_TRY([[maybe_unused]] const Choice choice, sampler->Sample(view, state, &out.record));
  DECANT_TRY(out.explanation, Explain(logits, *sampler, out.record));
  return out;
}

TEST(ExplainTest, ShowsTheChapterExampleOfPresetReference) {
  const auto shown = ExplainRow({0, 1, 1, 2}, {{StageId::kTopK, TopKParams{.k = 3}}}, Preset::kReference);
  ASSERT_TRUE(shown.has_value()) << shown.error().message;
  const Explanation& e = shown->explanation;
  EXPECT_EQ(e.candidates, 4u);
  EXPECT_NEAR(e.entropy_bits, 1.680, 5e-4);
  ASSERT_EQ(e.stages.size(), 2u);
  EXPECT_EQ(e.stages[0].record.id, StageId::kTemperature) << "shown even where it changes nothing";
  EXPECT_EQ(e.stages[0].parameters, "tau 1.0");
  EXPECT_EQ(e.stages[1].record.id, StageId::kTopK);
  EXPECT_NEAR(e.stages[1].record.removed_mass, 0.072329488129, 1e-12);
  EXPECT_NEAR(e.stages[1].record.entropy_bits, 1.407, 5e-4);
  ASSERT_EQ(e.cuts.size(), 1u);
  EXPECT_EQ(e.cuts[0].token, 0u);
  EXPECT_EQ(e.cuts[0].rule, "rank 4 > k 3");
  ASSERT_EQ(e.kept.size(), 3u);
  EXPECT_EQ(e.kept[0].token, 3u);
  EXPECT_NEAR(e.kept[0].model_probability, 0.534446645389, 1e-12);
  EXPECT_NEAR(e.kept[1].interval[1], 0.211941557617, 1e-12);
  EXPECT_EQ(e.kept[0].interval[1], 1);
  EXPECT_EQ(e.ties, (std::vector<std::pair<TokenId, TokenId>>{{1, 2}}));
  EXPECT_EQ(e.chosen.token, shown->record.choice.token);
}

// It runs top_k before the temperature and leaves the survivors by id.
TEST(ExplainTest, ShowsPresetOctlmInItsOwnOrderAndTheRowsByRank) {
  const auto shown =
      ExplainRow({0, 1, 1, 2},
                 {{StageId::kTemperature, TemperatureParams{.temperature = 2}}, {StageId::kTopK, TopKParams{.k = 2}}},
                 Preset::kOctlm);
  ASSERT_TRUE(shown.has_value()) << shown.error().message;
  const Explanation& e = shown->explanation;
  ASSERT_EQ(e.stages.size(), 2u);
  EXPECT_EQ(e.stages[0].record.id, StageId::kTopK);
  EXPECT_EQ(e.stages[0].parameters, "k 2");
  EXPECT_EQ(e.stages[0].record.kept, 3u) << "ties stay";
  EXPECT_EQ(e.stages[1].record.id, StageId::kTemperature);
  EXPECT_EQ(e.stages[1].parameters, "tau 2.0");
  ASSERT_EQ(e.kept.size(), 3u);
  EXPECT_EQ(e.kept[0].token, 3u);
  EXPECT_EQ(e.kept[1].token, 1u);
  EXPECT_EQ(e.kept[2].token, 2u);
  ASSERT_EQ(e.cuts.size(), 1u);
  EXPECT_EQ(e.cuts[0].token, 0u);
  EXPECT_EQ(e.chosen.token, shown->record.choice.token);
}

TEST(ExplainTest, NamesTheRuleOfEachNativeFilter) {
  const auto shown = ExplainRow({3, 2, 1, 0},
                                {{StageId::kTopK, TopKParams{.k = 3}},
                                 {StageId::kTopP, TopPParams{.p = 0.7}},
                                 {StageId::kMinP, MinPParams{.p = 0.9}}},
                                Preset::kNative);
  ASSERT_TRUE(shown.has_value()) << shown.error().message;
  const Explanation& e = shown->explanation;
  ASSERT_EQ(e.cuts.size(), 3u);
  EXPECT_EQ(e.cuts[0].rule, "rank 4 > k 3");
  EXPECT_EQ(e.cuts[1].rule, "the 2 before it hold 0.909969 >= p 0.7");
  EXPECT_EQ(e.cuts[2].rule, "0.367879 of the best < p 0.9");
  EXPECT_EQ(e.chosen.token, 0u);
}

TEST(ExplainTest, LeavesFiltersOutAtTemperatureZero) {
  const auto shown = ExplainRow(
      {1, 2}, {{StageId::kTemperature, TemperatureParams{.temperature = 0}}, {StageId::kTopK, TopKParams{.k = 1}}},
      Preset::kNative);
  ASSERT_TRUE(shown.has_value()) << shown.error().message;
  EXPECT_TRUE(shown->explanation.stages.back().record.skipped);
  EXPECT_TRUE(shown->explanation.cuts.empty());
  EXPECT_EQ(shown->explanation.chosen.token, 1u);
}

TEST(ShownTokenTest, IsANumberWithoutATokenizer) { EXPECT_EQ(ShownToken(nullptr, 12), "#12"); }

}  // namespace
}  // namespace decant::cli
