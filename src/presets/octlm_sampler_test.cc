// The preset behind the Sampler interface: draws, stream, records and refusals.
#include "presets/octlm_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/math.h"
#include "presets/torch_generator.h"

namespace decant::presets {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr float kBanned = -std::numeric_limits<float>::infinity();
const std::vector<float> kEight = {0.5F, 3.5F, 2.75F, 2.5F, 1.0F, 0.0F, -0.5F, -1.5F};

StageSpec Temperature(double value) { return {StageId::kTemperature, TemperatureParams{value}}; }
StageSpec TopK(std::int64_t k) { return {StageId::kTopK, TopKParams{k}}; }
StageSpec TopP(double p) { return {StageId::kTopP, TopPParams{p}}; }

std::shared_ptr<const Sampler> Make(Chain chain, std::size_t vocabulary = 8) {
  auto sampler = MakeOctlmSampler(std::move(chain), vocabulary);
  EXPECT_TRUE(sampler.has_value()) << sampler.error().message;
  return sampler.value_or(nullptr);
}

std::vector<TokenId> Draws(const Sampler& sampler, const std::vector<float>& logits, std::uint64_t seed, int count) {
  SamplerState state({.seed = seed});
  std::vector<TokenId> tokens;
  for (int i = 0; i < count; ++i) {
    const auto choice = sampler.Sample(RowView::F32(logits), state, nullptr);
    EXPECT_TRUE(choice.has_value());
    state.CommitDraw();
    tokens.push_back(choice->token);
  }
  return tokens;
}

TEST(OctlmSamplerTest, AtTemperatureZeroEveryDrawIsTheTopToken) {
  EXPECT_THAT(Draws(*Make({Temperature(0), TopK(3)}), kEight, 1, 200), ::testing::Each(1u));
}

TEST(OctlmSamplerTest, DrawCountsFollowTheProbabilities) {
  const auto sampler = Make({Temperature(1), TopK(3)});
  SamplerState state({.seed = 1});
  StepRecord record;
  ASSERT_TRUE(sampler->Sample(RowView::F32(kEight), state, &record).has_value());
  ASSERT_THAT(record.support, ElementsAre(1, 2, 3));
  constexpr int kDraws = 20'000;
  const std::vector<TokenId> tokens = Draws(*sampler, kEight, 5, kDraws);
  double chi_square = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double expected = record.probabilities[i] * kDraws;
    const auto drawn = static_cast<double>(std::ranges::count(tokens, record.support[i]));
    chi_square += (drawn - expected) * (drawn - expected) / expected;
  }
  EXPECT_LT(chi_square, 23.03) << "2 degrees of freedom, p = " << core::Exp(-chi_square / 2);  // 1e-5
}

// The race in f64, with the standard's twister: every token takes two words, removed ones too.
TEST(OctlmSamplerTest, AgreesWithAPlainRace) {
  const std::vector<float> logits = {0, 1, kBanned, 2, 0.5F};
  const auto sampler = Make({Temperature(1.5), TopK(3)}, logits.size());
  SamplerState state({.seed = 77});
  std::mt19937 words(77);  // numerics: fully specified by the C++ standard
  for (int draw = 0; draw < 500; ++draw) {
    StepRecord record;
    const auto choice = sampler->Sample(RowView::F32(logits), state, &record);
    ASSERT_TRUE(choice.has_value());
    state.CommitDraw();
    double best = -1, second = -1;
    std::size_t winner = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const std::uint64_t high = words();
      const std::uint64_t bits = (high << 32 | words()) & 0x1fffffffffffffu;
      const bool in_race = i == 1 || i == 3 || i == 4;
      const double weight = in_race ? core::Exp(static_cast<double>(logits[i]) / 1.5) : 0;
      const double score = weight / -core::Log(1 - static_cast<double>(bits) * 0x1p-53);
      if (score > best) winner = i;
      second = std::max(second, std::min(score, best));
      best = std::max(best, score);
    }
    ASSERT_EQ(choice->token, winner) << draw;
    EXPECT_EQ(record.draw.kind, DrawKind::kRace);
    EXPECT_NEAR(record.draw.runner_up / record.draw.score, second / best, 1e-5);
  }
}

TEST(OctlmSamplerTest, TheOrderOfTheChainDoesNotMatter) {
  const Chain stages = {Temperature(0.5), TopK(6), TopP(0.9)};
  const std::vector<TokenId> expected = Draws(*Make(stages), kEight, 3, 50);
  EXPECT_EQ(Draws(*Make({stages[2], stages[1], stages[0]}), kEight, 3, 50), expected);
  EXPECT_EQ(Draws(*Make({stages[1], stages[2], stages[0], {StageId::kCategorical, {}}}), kEight, 3, 50), expected);
}

TEST(OctlmSamplerTest, RecordsTheStepsInTheOrderInWhichTheyRun) {
  SamplerState state({.seed = 1});
  StepRecord record;
  const auto choice = Make({TopP(0.6), Temperature(2), TopK(3)})->Sample(RowView::F32(kEight), state, &record);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(record.choice, *choice);
  EXPECT_EQ(record.temperature, 2);
  ASSERT_THAT(record.stages, SizeIs(3));
  EXPECT_EQ(record.stages[0].id, StageId::kTopK);
  EXPECT_EQ(record.stages[0].kept, 3u);
  EXPECT_EQ(record.stages[0].removed, 5u);
  EXPECT_NEAR(record.stages[0].removed_mass, 0.092298, 1e-6);
  EXPECT_EQ(record.stages[1].id, StageId::kTemperature);
  EXPECT_EQ(record.stages[1].removed, 0u);
  EXPECT_GT(record.stages[1].entropy_bits, record.stages[0].entropy_bits);
  EXPECT_EQ(record.stages[2].id, StageId::kTopP);
  EXPECT_EQ(record.stages[2].kept, 2u);
  EXPECT_NEAR(record.stages[2].removed_mass, 0.264419, 1e-6);
  EXPECT_THAT(record.kept, ElementsAre(1, 2));
  EXPECT_THAT(record.support, ElementsAre(1, 2));
  EXPECT_NEAR(record.probabilities[0] + record.probabilities[1], 1, 1e-6);
  EXPECT_THAT(record.weights, IsEmpty());
  EXPECT_GE(record.draw.score, record.draw.runner_up);
  EXPECT_GT(record.draw.runner_up, 0);
  EXPECT_NEAR(choice->log_probability, core::Log(choice->probability), 1e-15);
}

TEST(OctlmSamplerTest, StagesAtTheirOffValuesAreNotRecorded) {
  SamplerState state({.seed = 1});
  StepRecord record;
  ASSERT_TRUE(Make({TopK(0), TopP(1)})->Sample(RowView::F32(kEight), state, &record).has_value());
  EXPECT_THAT(record.stages, IsEmpty());
  EXPECT_THAT(record.kept, SizeIs(8));
}

TEST(OctlmSamplerTest, GreedyTakesTheFirstOfTheLargestAndDrawsNothing) {
  const std::vector<float> logits = {0, 2, 2, kBanned};
  for (const Chain& chain : {Chain{Temperature(0), TopK(1), TopP(0.5)}, Chain{TopK(1), {StageId::kGreedy, {}}}}) {
    SamplerState state({.seed = 4});
    StepRecord record;
    const auto choice = Make(chain, 4)->Sample(RowView::F32(logits), state, &record);
    ASSERT_TRUE(choice.has_value());
    EXPECT_EQ(*choice, (Choice{.token = 1, .rank = 1, .probability = 1, .drawn_by = DrawKind::kGreedy}));
    EXPECT_EQ(record.draw, DrawRecord{});
    EXPECT_THAT(record.kept, ElementsAre(0, 1, 2));
    EXPECT_THAT(record.support, ElementsAre(1));
    EXPECT_TRUE(record.stages[0].skipped);
    state.Accept(1);
    EXPECT_EQ(state.stream().words, nullptr);
  }
}

TEST(OctlmSamplerTest, TheStreamMovesWhenADrawIsCommitted) {
  const auto sampler = Make({});
  SamplerState state({.seed = 6});
  const TokenId first = sampler->Sample(RowView::F32(kEight), state, nullptr)->token;
  EXPECT_EQ(state.stream().words, nullptr);
  EXPECT_EQ(sampler->Sample(RowView::F32(kEight), state, nullptr)->token, first);  // not committed: the same again
  state.Accept(first);
  TorchGenerator after(std::uint64_t{6});
  for (int i = 0; i < 8; ++i) after.SkipExponential();
  EXPECT_EQ(*state.stream().words, *after.ToStream().words);
}

TEST(OctlmSamplerTest, ForksAndRolledBackStatesDrawTheSameAgain) {
  const auto sampler = Make({});
  SamplerState state({.seed = 8});
  const auto step = [&](SamplerState& of) {
    const TokenId token = sampler->Sample(RowView::F32(kEight), of, nullptr)->token;
    of.Accept(token);
    return token;
  };
  std::vector<TokenId> tokens;
  for (int i = 0; i < 30; ++i) tokens.push_back(step(state));
  state.RollBack(20);
  SamplerState fork = state;
  for (std::size_t i = 10; i < 30; ++i) {
    EXPECT_EQ(step(state), tokens[i]);
    EXPECT_EQ(step(fork), tokens[i]);
  }
  state.RollBack(30);
  EXPECT_EQ(state.stream().words, nullptr);
  EXPECT_EQ(step(state), tokens[0]);
}

TEST(OctlmSamplerTest, RemovedTokensTakeTheirWordsToo) {
  // After one draw from 8 tokens the next one is the same whatever the filters removed.
  const std::vector<float> flat(8, 0.0F);
  const auto second_draw = [&](Chain first) {
    SamplerState state({.seed = 12});
    EXPECT_TRUE(Make(std::move(first))->Sample(RowView::F32(kEight), state, nullptr).has_value());
    state.CommitDraw();
    return Make({})->Sample(RowView::F32(flat), state, nullptr)->token;
  };
  EXPECT_EQ(second_draw({}), second_draw({TopK(1)}));
  EXPECT_EQ(second_draw({}), second_draw({TopP(0.1)}));
}

struct ChainRefusal {
  Chain chain;
  ErrorCode code;
  const char* text;
};

TEST(OctlmSamplerTest, RefusesChainsItCannotRun) {
  const ChainRefusal kRefusals[] = {
      {{{StageId::kMinP, MinPParams{0.1}}},
       ErrorCode::kUnsupportedStage,
       "min_p is not in preset octlm; expected temperature, top_k, top_p, greedy or categorical"},
      {{{StageId::kLogitBias, LogitBiasParams{}}}, ErrorCode::kUnsupportedStage, "logit_bias is not in preset octlm"},
      {{Temperature(-0.5)}, ErrorCode::kInvalidTemperature, "temperature is -0.5"},
      {{TopK(-1)}, ErrorCode::kInvalidTopK, "top_k is -1"},
      {{TopP(0)}, ErrorCode::kOutOfRange, "top_p is 0"},
      {{TopK(2), TopK(3)}, ErrorCode::kConflict, "stage top_k stands twice"},
      {{{StageId::kGreedy, {}}, TopK(2)}, ErrorCode::kConflict, "greedy"},
      {{{StageId::kTopK, MinPParams{}}}, ErrorCode::kWrongType, "top_k"},
  };
  for (const ChainRefusal& refusal : kRefusals) {
    const auto sampler = MakeOctlmSampler(refusal.chain, 8);
    ASSERT_FALSE(sampler.has_value()) << refusal.text;
    EXPECT_EQ(sampler.error().code, refusal.code) << sampler.error().message;
    EXPECT_THAT(sampler.error().message, HasSubstr(refusal.text));
  }
  EXPECT_EQ(MakeOctlmSampler({}, 0).error().code, ErrorCode::kEmptyLogits);
  EXPECT_EQ(MakeOctlmSampler({}, (std::size_t{1} << 24) + 1).error().code, ErrorCode::kVocabularyTooLarge);
}

TEST(OctlmSamplerTest, AFailedCallMovesNothing) {
  const float kNan[] = {0, std::numeric_limits<float>::quiet_NaN(), 1};
  const float kInfinite[] = {0, 1, std::numeric_limits<float>::infinity()};
  const float kEmpty[] = {kBanned, kBanned, kBanned};
  const float kGood[] = {0, 1, 2};
  const double kWide[] = {0, 1, 2};
  const std::uint32_t mask[] = {7};
  RowView masked = RowView::F32(kGood);
  masked.mask = mask;
  const struct {
    RowView row;
    ErrorCode code;
  } kRows[] = {{RowView::F32(kNan), ErrorCode::kNonFiniteLogit},
               {RowView::F32(kInfinite), ErrorCode::kNonFiniteLogit},
               {RowView::F32(kEmpty), ErrorCode::kEmptySupport},
               {RowView::F64(kWide), ErrorCode::kWrongType},
               {RowView::F32(std::span<const float>(kGood).first(2)), ErrorCode::kLogitCountMismatch},
               {masked, ErrorCode::kUnsupportedStage}};
  for (const double temperature : {0.0, 1.0}) {
    for (const auto& [row, code] : kRows) {
      SamplerState state({.seed = 36});
      StepRecord record;
      const auto choice = Make({Temperature(temperature)}, 3)->Sample(row, state, &record);
      ASSERT_FALSE(choice.has_value());
      EXPECT_EQ(choice.error().code, code) << choice.error().message;
      EXPECT_EQ(record, StepRecord{});
      state.CommitDraw();
      EXPECT_EQ(state.stream().words, nullptr);
    }
  }
}

}  // namespace
}  // namespace decant::presets
