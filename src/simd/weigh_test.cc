// Integer weights at the ends of their range, where rounding shows.
#include "simd/weigh.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "simd/targets.h"

namespace decant::simd {
namespace {

constexpr std::uint64_t kOne = std::uint64_t{1} << kWeightBits;

TEST(WeighTest, TheMaximumWeighsExactlyTwoToTheFortyFour) { EXPECT_EQ(Weight(0), kOne); }

TEST(WeighTest, AGapOfOneHalves) {
  EXPECT_EQ(Weight(-1), kOne / 2);
  EXPECT_EQ(Weight(-44), 1u);
}

TEST(WeighTest, HalvesRoundToEven) {
  EXPECT_EQ(Weight(-45), 0u);  // 0.5
  EXPECT_EQ(Weight(-46), 0u);
  EXPECT_EQ(Weight(-std::numeric_limits<double>::infinity()), 0u);
}

TEST(WeighTest, GapScaleStaysFinite) {
  EXPECT_LT(GapScale(DBL_MIN), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Gap(1.0f, 1.0f, GapScale(DBL_MIN)), 0.0);
  EXPECT_EQ(Weight(Gap(1.0f, 2.0f, GapScale(DBL_MIN))), 0u);
}

TEST(WeighTest, ThresholdIsTheNearestMultipleOfTwoToTheMinusFiftyThree) {
  EXPECT_EQ(Threshold(1.0), std::uint64_t{1} << 53);
  EXPECT_EQ(Threshold(0.5), std::uint64_t{1} << 52);
  EXPECT_EQ(Threshold(0x1p-53), 1u);
  EXPECT_EQ(Threshold(0x1p-54), 0u);  // half to even
  EXPECT_EQ(Threshold(0x1.8p-53), 2u);
  EXPECT_EQ(Threshold(0.9), 8106479329266893u);
}

TEST(WeighTest, ThresholdRoundsUpToAPowerOfTwo) {
  EXPECT_EQ(Threshold(0x1.fffffffffffffp-2), std::uint64_t{1} << 52);  // 2^52 - 1/2, half to even
  EXPECT_EQ(Threshold(0x1.ffffffffffffep-2), (std::uint64_t{1} << 52) - 1);
  EXPECT_EQ(Threshold(0x1.fffffffffffffp-3), std::uint64_t{1} << 51);
  EXPECT_EQ(Threshold(0x1.fffffffffffffp-1), (std::uint64_t{1} << 53) - 1);
}

TEST(WeighTest, WeighsOverTheCandidatesThereAre) {
  Candidates candidates(std::vector<float>{3.0f, 1.0f, 3.0f, 2.0f}, 1.0);
  candidates.KeepIf([](TokenId id, float) { return id % 2 == 1; });
  Weights weights;
  Weigh(candidates, weights);
  EXPECT_EQ(weights.max, 2.0f);
  EXPECT_EQ(weights.values[1], kOne);
  EXPECT_EQ(weights.total, weights.values[0] + weights.values[1]);
  EXPECT_EQ(TotalWeight(candidates, weights.max), weights.total);
}

TEST(WeighTest, ManyScoresWeighAsEachAloneOnEveryLevel) {
  std::mt19937 random(5);
  std::vector<float> scores(1003);
  for (float& score : scores) {
    score = std::uniform_real_distribution<float>(-40, 0)(random);
    if (random() % 50 == 0) score = -std::numeric_limits<float>::infinity();
  }
  scores[17] = 0.0f;
  for (const double temperature : {1.0, 0.3, 1e-300, 1e6, DBL_MIN}) {
    const double scale = GapScale(temperature);
    for (const std::string_view level : SupportedLevels()) {
      const LevelForTest use(level);
      for (const std::size_t n : {std::size_t{18}, std::size_t{31}, scores.size()}) {
        std::vector<std::uint64_t> weights(n);
        const std::uint64_t total = WeighScores(std::span(scores).first(n), 0.0f, scale, weights.data());
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const std::uint64_t alone = Weight(Gap(scores[i], 0.0f, scale));
          ASSERT_EQ(weights[i], alone) << level << " " << scores[i];
          sum += alone;
        }
        EXPECT_EQ(total, sum) << level;
        EXPECT_EQ(MaxScore(std::span(scores).first(n)), 0.0f);
      }
    }
  }
}

TEST(WeighTest, TheMaximumOfBansIsABanOnEveryLevel) {
  const std::vector<float> bans(100, -std::numeric_limits<float>::infinity());
  for (const std::string_view level : SupportedLevels()) {
    const LevelForTest use(level);
    EXPECT_EQ(MaxScore(bans), bans[0]) << level;
  }
}

TEST(WeighTest, EntropyOfEqualWeightsIsTheLogarithmOfTheirNumber) {
  const std::vector<std::uint64_t> weights = {7, 7, 0, 7, 7};
  EXPECT_EQ(EntropyBits(weights, 28), 2.0);
  const std::vector<std::uint64_t> one = {0, kOne};
  EXPECT_EQ(EntropyBits(one, kOne), 0.0);
}

}  // namespace
}  // namespace decant::simd
