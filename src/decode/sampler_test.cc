// The native sampler by hand-made rows; its agreement with the twin is in tests/agreement.
#include "decant/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace decant {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::shared_ptr<const Sampler> Make(Chain chain, std::size_t vocabulary) {
  auto sampler = MakeSampler(std::move(chain), vocabulary, {});
  EXPECT_TRUE(sampler.has_value()) << sampler.error().message;
  return *sampler;
}

Error ErrorOf(const std::vector<float>& logits) {
  SamplerState state({});
  return Make({}, logits.size())->Sample(RowView::F32(logits), state, nullptr).error();
}

TEST(SamplerTest, TemperatureZeroTakesTheFirstOfTheOrderAndNoRandomness) {
  const std::vector<float> logits = {0, 2, 2, 1};
  const auto sampler = Make({{StageId::kTemperature, TemperatureParams{0}}, {StageId::kTopP, TopPParams{0.5}}}, 4);
  SamplerState state({.seed = 9});
  StepRecord record;
  const Choice choice = sampler->Sample(RowView::F32(logits), state, &record).value();
  EXPECT_EQ(choice.token, 1u);
  EXPECT_EQ(choice.probability, 1.0);
  EXPECT_EQ(choice.rank, 1u);
  EXPECT_EQ(record.draw.kind, DrawKind::kGreedy);
  EXPECT_TRUE(record.stages[1].skipped);
  EXPECT_EQ(record.kept.size(), 4u);
}

TEST(SamplerTest, TheGreedyDrawerTakesTheFirstOfWhatTheFiltersLeft) {
  const std::vector<float> logits = {0, 2, 2, 1};
  SamplerState state({});
  const Choice choice = Make({{StageId::kTopK, TopKParams{3}}, {StageId::kGreedy, {}}}, 4)
                            ->Sample(RowView::F32(logits), state, nullptr)
                            .value();
  EXPECT_EQ(choice.token, 1u);
  EXPECT_LT(choice.probability, 0.5);
  EXPECT_NEAR(choice.log_probability, std::log(choice.probability), 1e-12);  // numerics: test only
}

TEST(SamplerTest, DrawsByTheAddressOfThePosition) {
  const std::vector<float> logits = {1, 1, 1, 1};
  SamplerState state({.seed = 7, .position = 5});
  StepRecord record;
  ASSERT_TRUE(Make({}, 4)->Sample(RowView::F32(logits), state, &record).has_value());
  EXPECT_EQ(record.draw.r, 3028575622714858u);
  EXPECT_EQ(record.draw.u, 0.33623943881565066);
  EXPECT_EQ(record.choice.token, 1u);  // .336 of four equal quarters
  EXPECT_EQ(record.draw.interval[0], 0.25);
  EXPECT_EQ(record.draw.interval[1], 0.5);
}

TEST(SamplerTest, BadRowsAreNamedAndMoveNothing) {
  EXPECT_EQ(ErrorOf({1, NAN}).code, ErrorCode::kNonFiniteLogit);
  EXPECT_EQ(ErrorOf({1, NAN}).message, "logit of token 1 is NaN; expected a finite number or -Infinity (a ban)");
  EXPECT_EQ(ErrorOf({kInf, 1}).code, ErrorCode::kNonFiniteLogit);
  EXPECT_EQ(ErrorOf({-kInf, -kInf}).code, ErrorCode::kEmptySupport);
  EXPECT_EQ(MakeSampler({}, 0, {}).error().code, ErrorCode::kEmptyLogits);
  EXPECT_EQ(MakeSampler({}, (1u << 19) + 1, {}).error().code, ErrorCode::kVocabularyTooLarge);
}

TEST(SamplerTest, ABadRowOfABatchFailsAlone) {
  const std::vector<float> good = {1, 2}, bad = {NAN, 2};
  const auto sampler = Make({}, 2);
  SamplerState a({.seed = 1}), b({.seed = 2}), c({.seed = 3});
  const RowView rows[] = {RowView::F32(good), RowView::F32(bad), RowView::F32(good)};
  SamplerState* const states[] = {&a, &b, &c};
  std::vector<Result<Choice>> out(3);
  sampler->SampleBatch(rows, states, out);
  EXPECT_TRUE(out[0].has_value());
  EXPECT_FALSE(out[1].has_value());
  EXPECT_EQ(*out[2], sampler->Sample(RowView::F32(good), c, nullptr).value());
}

TEST(SamplerTest, AMaskBansAndFullyMaskedIsEmptySupport) {
  const std::vector<float> logits = {5, 1, 4};
  RowView row = RowView::F32(logits);
  std::uint32_t mask = 0b110;
  row.mask = &mask;
  SamplerState state({});
  const auto greedy = Make({{StageId::kTemperature, TemperatureParams{0}}}, 3);
  EXPECT_EQ(greedy->Sample(row, state, nullptr)->token, 2u);
  mask = 0xfffffff8;
  EXPECT_EQ(greedy->Sample(row, state, nullptr).error().code, ErrorCode::kEmptySupport);
}

TEST(SamplerTest, RefusesADrawerThatIsNotLastAndForeignParameters) {
  EXPECT_EQ(MakeSampler({{StageId::kGreedy, {}}, {StageId::kTopK, TopKParams{1}}}, 4, {}).error().code,
            ErrorCode::kConflict);
  EXPECT_EQ(MakeSampler({{StageId::kTopK, TopPParams{1}}}, 4, {}).error().code, ErrorCode::kWrongType);
}

TEST(SamplerTest, OffStagesAreNotInThePlan) {
  const std::vector<float> logits = {1, 2};
  SamplerState state({});
  StepRecord record;
  const auto sampler = Make({{StageId::kTemperature, TemperatureParams{1}},
                             {StageId::kTopK, TopKParams{0}},
                             {StageId::kTopP, TopPParams{1}},
                             {StageId::kMinP, MinPParams{0}}},
                            2);
  ASSERT_TRUE(sampler->Sample(RowView::F32(logits), state, &record).has_value());
  EXPECT_TRUE(record.stages.empty());
}

TEST(SamplerTest, RolledBackStatesDrawTheSameAgain) {
  SamplerState state({.seed = 4, .position = 10});
  state.Accept(1);
  state.Accept(2);
  EXPECT_EQ(state.position(), 12u);
  state.RollBack(2);
  EXPECT_EQ(state.position(), 10u);
  EXPECT_EQ(state.stream().word, 4u);
}

// Chi-square of 20,000 draws against the exact probabilities: 7 degrees of freedom, 1e-5 quantile 36.3.
TEST(SamplerTest, DrawsFollowTheDistribution) {
  const std::vector<float> logits = {0, 0.5f, 1, 1.5f, 2, 2.5f, 3, 3.5f};
  const auto sampler = Make({}, logits.size());
  StepRecord record;
  constexpr std::uint32_t kDraws = 20'000;
  std::vector<double> counts(logits.size());
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    SamplerState state({.seed = 36, .sequence = i});
    ++counts[sampler->Sample(RowView::F32(logits), state, i == 0 ? &record : nullptr)->token];
  }
  double chi_square = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = record.probabilities[i] * kDraws;
    chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  EXPECT_LT(chi_square, 36.3);
}

TEST(RawDistributionTest, GivesTheModelsOwnProbabilities) {
  const std::vector<float> logits = {0, 0, -kInf};
  const RawDistribution raw = RawDistributionOf(logits).value();
  EXPECT_EQ(raw.weights[2], 0u);
  EXPECT_EQ(raw.weights[0] * 2, raw.total);
  EXPECT_EQ(raw.entropy_bits, 1.0);
  EXPECT_NEAR(RawLogProbability(raw, 0), -0.6931471805599453, 1e-15);
}

}  // namespace
}  // namespace decant
