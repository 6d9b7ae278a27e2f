// Every figure of the chapter that preset `reference` reproduces, to the twelve decimals that it prints.
#include "presets/reference.h"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/number_text.h"

namespace decant::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kLogits[] = {0, 1, 1, 2};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> Probabilities(const Distribution& distribution) {
  std::vector<std::string> texts;
  for (const Candidate& candidate : distribution.candidates)
    texts.push_back(core::FixedText(candidate.probability, 12));
  return texts;
}

Distribution Get(std::span<const double> logits, const Mode& mode) {
  auto distribution = DistributionOf(logits, mode);
  EXPECT_TRUE(distribution.has_value()) << distribution.error().message;
  return distribution.value_or(Distribution{});
}

TEST(SplitMix64Test, GivesThePublishedSequence) {
  // The generator of Steele, Lea and Flood (2014), state 1234567: the values of the public-domain C version.
  SplitMix64 rng(1234567);
  EXPECT_EQ(rng.Next(), 6457827717110365317u);
  EXPECT_EQ(rng.Next(), 3203168211198807973u);
  EXPECT_EQ(rng.Next(), 9817491932198370423u);
}

TEST(SplitMix64Test, ContinuesFromASavedState) {
  SplitMix64 rng(36);
  rng.Next();
  SplitMix64 restored(rng.state());
  EXPECT_EQ(rng.Next(), restored.Next());
  EXPECT_EQ(rng.state(), restored.state());
}

TEST(ReferenceTest, LowTemperatureConcentrates) {
  EXPECT_THAT(Probabilities(Get(kLogits, TemperatureTopK{.temperature = 0.5, .top_k = 4})),
              ElementsAre("0.014209336619", "0.104993585404", "0.104993585404", "0.775803492574"));
}

TEST(ReferenceTest, TemperatureOneIsTheSoftmax) {
  EXPECT_THAT(Probabilities(Get(kLogits, TemperatureTopK{.temperature = 1, .top_k = 4})),
              ElementsAre("0.072329488129", "0.196611933241", "0.196611933241", "0.534446645389"));
}

TEST(ReferenceTest, HighTemperatureFlattens) {
  EXPECT_THAT(Probabilities(Get(kLogits, TemperatureTopK{.temperature = 2, .top_k = 4})),
              ElementsAre("0.142536956597", "0.235003712202", "0.235003712202", "0.387455619000"));
}

TEST(ReferenceTest, TemperatureLeavesTheStableRankAlone) {
  for (const double temperature : {0.5, 1.0, 2.0}) {
    const Distribution distribution = Get(kLogits, TemperatureTopK{.temperature = temperature, .top_k = 4});
    EXPECT_THAT(distribution.retained, ElementsAre(3, 1, 2, 0)) << temperature;
    EXPECT_NEAR(distribution.ProbabilitySum(), 1.0, 1e-15) << temperature;
  }
}

TEST(ReferenceTest, ATieAtTheBoundaryKeepsTheSmallerId) {
  const Distribution distribution = Get(kLogits, TemperatureTopK{.temperature = 1, .top_k = 2});
  EXPECT_THAT(distribution.retained, ElementsAre(3, 1));
  EXPECT_THAT(Probabilities(distribution),
              ElementsAre("0.000000000000", "0.268941421370", "0.000000000000", "0.731058578630"));
  EXPECT_EQ(distribution.candidates[0].probability, 0.0);
  EXPECT_EQ(distribution.candidates[2].probability, 0.0);
  EXPECT_EQ(core::FixedText(distribution.ProbabilitySum(), 12), "1.000000000000");
  std::vector<std::size_t> ranks;
  std::vector<bool> retained;
  for (const Candidate& candidate : distribution.candidates) {
    ranks.push_back(candidate.rank);
    retained.push_back(candidate.retained);
    EXPECT_EQ(candidate.logit, kLogits[candidate.token]);
  }
  EXPECT_THAT(ranks, ElementsAre(4, 2, 3, 1));
  EXPECT_THAT(retained, ElementsAre(false, true, false, true));
}

TEST(ReferenceTest, ARetainedTokenMayLoseItsSupportToUnderflow) {
  constexpr double kRow[] = {2, 2, 1};
  const Distribution distribution =
      Get(kRow, TemperatureTopK{.temperature = std::numeric_limits<double>::min(), .top_k = 3});
  EXPECT_THAT(distribution.retained, ElementsAre(0, 1, 2));
  EXPECT_THAT(distribution.PositiveSupport(), ElementsAre(0, 1));
  EXPECT_EQ(distribution.candidates[0].probability, 0.5);
  EXPECT_EQ(distribution.candidates[1].probability, 0.5);
  EXPECT_EQ(distribution.candidates[2].probability, 0.0);
  EXPECT_FALSE(std::signbit(distribution.candidates[2].probability));
  EXPECT_TRUE(distribution.candidates[2].retained);
}

TEST(ReferenceTest, EightDrawsOfSeed36) {
  struct Drawn {
    const char* u;
    TokenId token;
  };
  constexpr Drawn kDraws[] = {{"0.912888894097", 3}, {"0.338833394523", 2}, {"0.295371378932", 2},
                              {"0.350092047261", 2}, {"0.578054529784", 3}, {"0.660097051275", 3},
                              {"0.836130632904", 3}, {"0.657589579642", 3}};
  SplitMix64 rng(36);
  for (const Drawn& expected : kDraws) {
    const auto decision = SampleNextWithTrace(kLogits, TemperatureTopK{.temperature = 1, .top_k = 3}, rng);
    ASSERT_TRUE(decision.has_value());
    const SampledToken& sampled = decision->sampled;
    ASSERT_TRUE(sampled.draw.has_value());
    EXPECT_EQ(core::FixedText(*sampled.draw, 12), expected.u);
    EXPECT_EQ(sampled.token, expected.token) << expected.u;
    EXPECT_EQ(core::FixedText(sampled.interval_start, 12), expected.token == 2 ? "0.211941557617" : "0.423883115234");
    EXPECT_EQ(core::FixedText(sampled.interval_end, 12), expected.token == 2 ? "0.423883115234" : "1.000000000000");
    EXPECT_THAT(decision->distribution.retained, ElementsAre(3, 1, 2));
    EXPECT_EQ(core::FixedText(decision->distribution.ProbabilitySum(), 12), "1.000000000000");
  }
}

TEST(ReferenceTest, FixedTopKRemovesTheTailOfTheFullSoftmax) {
  const Distribution full = Get(kLogits, TemperatureTopK{.temperature = 1, .top_k = 4});
  const Distribution truncated = Get(kLogits, TemperatureTopK{.temperature = 1, .top_k = 3});
  double retained = 0, removed = 0;
  for (const Candidate& candidate : full.candidates) {
    (truncated.candidates[candidate.token].retained ? retained : removed) += candidate.probability;
  }
  EXPECT_EQ(core::FixedText(retained, 12), "0.927670511871");
  EXPECT_EQ(core::FixedText(removed, 12), "0.072329488129");
}

TEST(ReferenceTest, GreedyTakesTheFirstRankAndDrawsNothing) {
  SplitMix64 rng(36);
  const auto decision = SampleNextWithTrace(kLogits, Greedy{}, rng);
  ASSERT_TRUE(decision.has_value());
  EXPECT_EQ(decision->sampled, (SampledToken{.token = 3, .draw = {}, .interval_start = 0, .interval_end = 1}));
  EXPECT_THAT(decision->distribution.retained, ElementsAre(3));
  EXPECT_EQ(decision->distribution.candidates[3].probability, 1.0);
  EXPECT_EQ(rng.state(), 36u);
  constexpr double kTied[] = {1, 5, 5};
  EXPECT_EQ(SampleNext(kTied, Greedy{}, rng)->token, 1u);
}

TEST(ReferenceTest, TopOneChoosesAsGreedyButDrawsOnce) {
  SplitMix64 rng(36), twin(36);
  const auto sampled = SampleNext(kLogits, TemperatureTopK{.temperature = 1, .top_k = 1}, rng);
  ASSERT_TRUE(sampled.has_value());
  EXPECT_EQ(sampled->token, 3u);
  EXPECT_EQ(sampled->draw, twin.NextUnit());
  EXPECT_EQ(sampled->interval_start, 0.0);
  EXPECT_EQ(sampled->interval_end, 1.0);
  EXPECT_EQ(rng.state(), twin.state());
}

TEST(ReferenceTest, TheCallWithATraceDrawsTheSame) {
  SplitMix64 plain(7), traced(7);
  const TemperatureTopK mode{.temperature = 0.7, .top_k = 3};
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(*SampleNext(kLogits, mode, plain), SampleNextWithTrace(kLogits, mode, traced)->sampled);
  }
  EXPECT_EQ(plain.state(), traced.state());
}

TEST(ReferenceTest, LargeLogitsAndAnyTemperatureStayNormal) {
  constexpr double kRow[] = {1.7e308, -1.7e308, 1.7e308};
  for (const double temperature : {1e-300, 0.5, 1.0, 1.7e308}) {
    const Distribution distribution = Get(kRow, TemperatureTopK{.temperature = temperature, .top_k = 3});
    EXPECT_NEAR(distribution.ProbabilitySum(), 1.0, 1e-15) << temperature;
    EXPECT_EQ(distribution.candidates[0].probability, distribution.candidates[2].probability) << temperature;
  }
}

TEST(ReferenceTest, ZerosOfEitherSignAreTied) {
  constexpr double kRow[] = {-0.0, 0.0};
  EXPECT_THAT(Get(kRow, TemperatureTopK{.temperature = 1, .top_k = 2}).retained, ElementsAre(0, 1));
}

TEST(ReferenceTest, DrawsSkipZerosAndTheLastPositiveOwnsTheRest) {
  constexpr double kProbabilities[] = {0, 0.25, 0, 0.5, 0};  // sums short of 1
  EXPECT_EQ(presets::SelectByInterval(kProbabilities, 0.0).token, 1u);
  EXPECT_EQ(presets::SelectByInterval(kProbabilities, 0.25).token, 3u);
  const SampledToken last = presets::SelectByInterval(kProbabilities, 0.99);
  EXPECT_EQ(last.token, 3u);
  EXPECT_EQ(last.interval_start, 0.25);
  EXPECT_EQ(last.interval_end, 1.0);
}

// A request that must fail, and what it must say.
struct Refusal {
  std::vector<double> logits;
  Mode mode;
  ErrorCode code;
  const char* text;
};

TEST(ReferenceTest, RefusesWithoutMovingTheGenerator) {
  const std::vector<double> row(std::begin(kLogits), std::end(kLogits));
  const TemperatureTopK sound{.temperature = 1, .top_k = 2};
  const Refusal kRefusals[] = {
      {{}, sound, ErrorCode::kEmptyLogits, "the row has 0 logits"},
      {{}, Greedy{}, ErrorCode::kEmptyLogits, "the row has 0 logits"},
      {{0, kNaN}, sound, ErrorCode::kNonFiniteLogit, "logit of token 1 is NaN"},
      {{kInfinity, 1}, sound, ErrorCode::kNonFiniteLogit, "logit of token 0 is Infinity"},
      {{0, 1, -kInfinity},
       sound,
       ErrorCode::kNonFiniteLogit,
       "logit of token 2 is -Infinity; expected a finite number"},
      {{0, -kInfinity}, Greedy{}, ErrorCode::kNonFiniteLogit, "logit of token 1 is -Infinity"},
      {row, TemperatureTopK{0, 2}, ErrorCode::kInvalidTemperature,
       "temperature is 0; expected a finite number above 0"},
      {row, TemperatureTopK{-0.0, 2}, ErrorCode::kInvalidTemperature, "temperature is"},
      {row, TemperatureTopK{-1.5, 2}, ErrorCode::kInvalidTemperature, "temperature is -1.5"},
      {row, TemperatureTopK{kNaN, 2}, ErrorCode::kInvalidTemperature, "temperature is NaN"},
      {row, TemperatureTopK{kInfinity, 2}, ErrorCode::kInvalidTemperature, "temperature is Infinity"},
      {row, TemperatureTopK{1, 0}, ErrorCode::kInvalidTopK, "top_k is 0; expected 1..4"},
      {row, TemperatureTopK{1, 9}, ErrorCode::kInvalidTopK, "top_k is 9; expected 1..4"},
      {{kNaN}, TemperatureTopK{0, 0}, ErrorCode::kNonFiniteLogit, "logit of token 0"},  // logits come first
      {row, TemperatureTopK{0, 0}, ErrorCode::kInvalidTemperature, "temperature is 0"},
  };
  for (const Refusal& refusal : kRefusals) {
    SplitMix64 rng(36);
    const auto sampled = SampleNext(refusal.logits, refusal.mode, rng);
    ASSERT_FALSE(sampled.has_value()) << refusal.text;
    EXPECT_EQ(sampled.error().code, refusal.code) << refusal.text;
    EXPECT_THAT(sampled.error().message, HasSubstr(refusal.text));
    const auto traced = SampleNextWithTrace(refusal.logits, refusal.mode, rng);
    ASSERT_FALSE(traced.has_value());
    EXPECT_EQ(traced.error(), sampled.error());
    EXPECT_EQ(DistributionOf(refusal.logits, refusal.mode).error(), sampled.error());
    EXPECT_EQ(rng.state(), 36u) << refusal.text;
  }
}

TEST(ReferenceTest, RefusesAVocabularyPastTheTokenIds) {
  EXPECT_TRUE(presets::CheckVocabulary(std::size_t{1} << 32).has_value());
  const auto result = presets::CheckVocabulary((std::size_t{1} << 32) + 1);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kVocabularyTooLarge);
  EXPECT_THAT(result.error().message, HasSubstr("4294967297"));
}

TEST(ReferenceTest, RefusesProbabilitiesThatDoNotSumToOne) {
  EXPECT_TRUE(presets::CheckProbabilitySum(1 + 1e-13).has_value());
  for (const double sum : {1 + 2e-12, 1 - 2e-12, kNaN, kInfinity}) {
    const auto result = presets::CheckProbabilitySum(sum);
    ASSERT_FALSE(result.has_value()) << sum;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidProbabilitySum);
  }
}

// The chapter's nine predictions; those about generation are in reference_generation_test.cc.
TEST(ReferenceTest, AnswersThePredictions) {
  SplitMix64 rng(36);
  EXPECT_EQ(SampleNext(kLogits, Greedy{}, rng)->token, 3u);
  EXPECT_EQ(Get(kLogits, TemperatureTopK{1, 2}).retained.back(), 1u);
  EXPECT_EQ(Get(kLogits, TemperatureTopK{1, 4}).retained, Get(kLogits, TemperatureTopK{50, 4}).retained);
  EXPECT_FALSE(SampleNext(kLogits, TemperatureTopK{0, 4}, rng).has_value());
  EXPECT_EQ(rng.state(), 36u);
  EXPECT_TRUE(SampleNext(kLogits, TemperatureTopK{1, 1}, rng)->draw.has_value());
  EXPECT_NE(rng.state(), 36u);
  EXPECT_EQ(SampleNext(kLogits, TemperatureTopK{1, 3}, rng)->token, 2u);  // the second draw, 0.338833394523
}

}  // namespace
}  // namespace decant::reference
