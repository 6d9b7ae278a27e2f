// The preset behind the Sampler interface.
#include "presets/reference_sampler.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/number_text.h"
#include "decant/reference.h"

namespace decant::presets {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kLogits[] = {0, 1, 1, 2};

StageSpec Temperature(double value) { return {StageId::kTemperature, TemperatureParams{value}}; }
StageSpec TopK(std::int64_t k) { return {StageId::kTopK, TopKParams{k}}; }
constexpr StageId kGreedy = StageId::kGreedy;

std::shared_ptr<const Sampler> Make(Chain chain, std::size_t vocabulary = 4) {
  auto sampler = MakeReferenceSampler(std::move(chain), vocabulary);
  EXPECT_TRUE(sampler.has_value()) << sampler.error().message;
  return sampler.value_or(nullptr);
}

TEST(ReferenceSamplerTest, DrawsTheChaptersSequence) {
  const auto sampler = Make({Temperature(1), TopK(3)});
  SamplerState state({.seed = 36});
  std::vector<TokenId> tokens;
  for (int i = 0; i < 8; ++i) {
    const auto choice = sampler->Sample(RowView::F64(kLogits), state, nullptr);
    ASSERT_TRUE(choice.has_value());
    tokens.push_back(choice->token);
    state.Accept(choice->token);
  }
  EXPECT_THAT(tokens, ElementsAre(3, 2, 2, 2, 3, 3, 3, 3));
}

TEST(ReferenceSamplerTest, AgreesWithSampleNextDrawByDraw) {
  const auto sampler = Make({Temperature(0.7), TopK(3)});
  SamplerState state({.seed = 5});
  reference::SplitMix64 rng(5);
  for (int i = 0; i < 200; ++i) {
    StepRecord record;
    ASSERT_TRUE(sampler->Sample(RowView::F64(kLogits), state, &record).has_value());
    state.CommitDraw();
    const auto expected = reference::SampleNext(kLogits, reference::TemperatureTopK{0.7, 3}, rng);
    EXPECT_EQ(record.choice.token, expected->token);
    EXPECT_EQ(record.draw.u, expected->draw);
    EXPECT_EQ(record.draw.interval[0], expected->interval_start);
    EXPECT_EQ(record.draw.interval[1], expected->interval_end);
    EXPECT_EQ(state.stream().word, rng.state());
  }
}

TEST(ReferenceSamplerTest, RecordsWhatEachStageDid) {
  const auto sampler = Make({Temperature(1), TopK(3)});
  SamplerState state({.seed = 36});
  StepRecord record;
  const auto choice = sampler->Sample(RowView::F64(kLogits), state, &record);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(record.choice, *choice);
  EXPECT_EQ(choice->token, 3u);
  EXPECT_EQ(choice->rank, 1u);
  EXPECT_EQ(core::FixedText(choice->probability, 12), "0.576116884766");
  EXPECT_NEAR(choice->log_probability, -0.551444713932051, 1e-14);
  EXPECT_EQ(choice->drawn_by, DrawKind::kInverseCdf);
  EXPECT_EQ(record.temperature, 1.0);
  ASSERT_THAT(record.stages, SizeIs(2));
  EXPECT_EQ(record.stages[0], (StageRecord{.id = StageId::kTemperature, .kept = 4}));
  EXPECT_EQ(record.stages[1].id, StageId::kTopK);
  EXPECT_EQ(record.stages[1].kept, 3u);
  EXPECT_EQ(record.stages[1].removed, 1u);
  EXPECT_EQ(core::FixedText(record.stages[1].removed_mass, 12), "0.072329488129");
  EXPECT_THAT(record.kept, ElementsAre(3, 1, 2));
  EXPECT_THAT(record.support, ElementsAre(1, 2, 3));
  ASSERT_THAT(record.probabilities, SizeIs(3));
  EXPECT_EQ(core::FixedText(record.probabilities[0], 12), "0.211941557617");
  EXPECT_THAT(record.weights, IsEmpty());
  EXPECT_EQ(record.draw.r, 8222572166571159u);
  EXPECT_EQ(core::FixedText(record.draw.u, 12), "0.912888894097");
  EXPECT_EQ(core::FixedText(record.draw.interval[0], 12), "0.423883115234");
}

TEST(ReferenceSamplerTest, MeasuresRemovedMassAtTheTemperatureOfThatPoint) {
  SamplerState state({.seed = 36});
  StepRecord before, after;
  ASSERT_TRUE(Make({TopK(3), Temperature(2)})->Sample(RowView::F64(kLogits), state, &before).has_value());
  ASSERT_TRUE(Make({Temperature(2), TopK(3)})->Sample(RowView::F64(kLogits), state, &after).has_value());
  EXPECT_EQ(core::FixedText(before.stages[0].removed_mass, 12), "0.072329488129");
  EXPECT_EQ(core::FixedText(after.stages[1].removed_mass, 12), "0.142536956597");
  EXPECT_EQ(before.probabilities, after.probabilities);
}

TEST(ReferenceSamplerTest, AnEmptyChainDrawsFromTheSoftmax) {
  SamplerState state({.seed = 36});
  StepRecord record;
  ASSERT_TRUE(Make({})->Sample(RowView::F64(kLogits), state, &record).has_value());
  EXPECT_THAT(record.kept, ElementsAre(3, 1, 2, 0));
  EXPECT_THAT(record.stages, IsEmpty());
  EXPECT_EQ(core::FixedText(record.probabilities[3], 12), "0.534446645389");
}

TEST(ReferenceSamplerTest, SupportIsNarrowerThanKeptUnderUnderflow) {
  constexpr double kRow[] = {2, 2, 1};
  SamplerState state({.seed = 36});
  StepRecord record;
  ASSERT_TRUE(Make({Temperature(std::numeric_limits<double>::min()), TopK(3)}, 3)
                  ->Sample(RowView::F64(kRow), state, &record)
                  .has_value());
  EXPECT_THAT(record.kept, ElementsAre(0, 1, 2));
  EXPECT_THAT(record.support, ElementsAre(0, 1));
  EXPECT_THAT(record.probabilities, ElementsAre(0.5, 0.5));
}

TEST(ReferenceSamplerTest, GreedyDrawsNothing) {
  SamplerState state({.seed = 36});
  StepRecord record;
  const auto choice = Make({{kGreedy, {}}})->Sample(RowView::F64(kLogits), state, &record);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(*choice, (Choice{.token = 3, .rank = 1, .probability = 1, .drawn_by = DrawKind::kGreedy}));
  EXPECT_THAT(record.kept, ElementsAre(3));
  EXPECT_THAT(record.support, ElementsAre(3));
  EXPECT_THAT(record.probabilities, ElementsAre(1.0));
  EXPECT_EQ(record.draw, DrawRecord{});
  state.Accept(3);
  EXPECT_EQ(state.stream().word, 36u);
}

TEST(ReferenceSamplerTest, TopOneDrawsOnce) {
  SamplerState state({.seed = 36});
  reference::SplitMix64 rng(36);
  rng.Next();
  EXPECT_EQ(Make({TopK(1)})->Sample(RowView::F64(kLogits), state, nullptr)->token, 3u);
  EXPECT_EQ(state.stream().word, 36u);  // not yet committed
  state.Accept(3);
  EXPECT_EQ(state.stream().word, rng.state());
}

TEST(ReferenceSamplerTest, F32RowsAreConvertedExactly) {
  const float narrow[] = {0.1F, 0.2F, -3.5F};
  const double wide[] = {narrow[0], narrow[1], narrow[2]};
  SamplerState state({.seed = 1});
  StepRecord a, b;
  ASSERT_TRUE(Make({}, 3)->Sample(RowView::F32(narrow), state, &a).has_value());
  ASSERT_TRUE(Make({}, 3)->Sample(RowView::F64(wide), state, &b).has_value());
  EXPECT_EQ(a, b);
}

struct ChainRefusal {
  Chain chain;
  ErrorCode code;
  const char* text;
};

TEST(ReferenceSamplerTest, RefusesChainsItCannotRun) {
  const ChainRefusal kRefusals[] = {
      {{{StageId::kTopP, TopPParams{0.9}}}, ErrorCode::kUnsupportedStage, "top_p is not in preset reference"},
      {{{StageId::kMinP, MinPParams{0.1}}}, ErrorCode::kUnsupportedStage, "min_p is not in preset reference"},
      {{{StageId::kLogitBias, LogitBiasParams{}}},
       ErrorCode::kUnsupportedStage,
       "logit_bias is not in preset reference"},
      {{Temperature(0)}, ErrorCode::kInvalidTemperature, "temperature is 0; expected a finite number above 0"},
      {{Temperature(1e-200), Temperature(1e-200)}, ErrorCode::kInvalidTemperature, "temperature is 0"},
      {{TopK(9)}, ErrorCode::kInvalidTopK, "top_k is 9; expected 1..4"},
      {{TopK(0)}, ErrorCode::kInvalidTopK, "top_k is 0; expected 1..4"},
      {{TopK(-1)}, ErrorCode::kInvalidTopK, "top_k is -1; expected 1..4"},
      {{{kGreedy, {}}, TopK(2)}, ErrorCode::kConflict, "greedy"},
      {{{StageId::kTopK, MinPParams{}}}, ErrorCode::kWrongType, "top_k"},
  };
  for (const ChainRefusal& refusal : kRefusals) {
    const auto sampler = MakeReferenceSampler(refusal.chain, 4);
    ASSERT_FALSE(sampler.has_value()) << refusal.text;
    EXPECT_EQ(sampler.error().code, refusal.code) << sampler.error().message;
    EXPECT_THAT(sampler.error().message, HasSubstr(refusal.text));
  }
  EXPECT_THAT(MakeReferenceSampler({{StageId::kTopP, TopPParams{0.9}}}, 4).error().hint, HasSubstr("native"));
  EXPECT_EQ(MakeReferenceSampler({}, 0).error().code, ErrorCode::kEmptyLogits);
  EXPECT_EQ(MakeReferenceSampler({}, std::size_t{1} << 33).error().code, ErrorCode::kVocabularyTooLarge);
}

TEST(ReferenceSamplerTest, AFailedCallMovesNothing) {
  constexpr double kBanned[] = {0, 1, -std::numeric_limits<double>::infinity(), 2};
  const std::uint32_t mask[] = {15};
  RowView masked = RowView::F64(kLogits);
  masked.mask = mask;
  const auto sampler = Make({Temperature(1), TopK(3)});
  const struct {
    RowView row;
    ErrorCode code;
  } kRows[] = {{RowView::F64(kBanned), ErrorCode::kNonFiniteLogit},
               {RowView::F64({}), ErrorCode::kEmptyLogits},
               {RowView::F64(std::span<const double>(kLogits).first(3)), ErrorCode::kLogitCountMismatch},
               {masked, ErrorCode::kUnsupportedStage}};
  for (const auto& [row, code] : kRows) {
    SamplerState state({.seed = 36});
    StepRecord record;
    const auto choice = sampler->Sample(row, state, &record);
    ASSERT_FALSE(choice.has_value());
    EXPECT_EQ(choice.error().code, code) << choice.error().message;
    EXPECT_EQ(record, StepRecord{});
    state.CommitDraw();
    EXPECT_EQ(state.stream().word, 36u);
  }
}

TEST(ReferenceSamplerTest, RefusesHalves) {
  const auto sampler = MakeReferenceSampler({}, 2);
  ASSERT_TRUE(sampler.has_value());
  const std::uint16_t halves[] = {0x3c00, 0};
  SamplerState state({});
  const auto choice = (*sampler)->Sample(RowView::F16(halves), state, nullptr);
  ASSERT_FALSE(choice.has_value());
  EXPECT_EQ(choice.error().code, ErrorCode::kWrongType);
  EXPECT_EQ(choice.error().message, "preset reference takes f64 and f32 logits; the row is f16");
}

}  // namespace
}  // namespace decant::presets
