// Integer weights at the ends of their range, where rounding shows.
#include "simd/weigh.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <limits>
#include <vector>

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

TEST(WeighTest, SumsOnlyTheCandidates) {
  const std::vector<float> scores = {3.0f, 1.0f, 3.0f, 2.0f};
  const Candidates candidates(scores, {1, 3}, CandidateOrder::kIdAscending, 1.0);
  const Weights weights = Weigh(candidates);
  EXPECT_EQ(weights.max, 2.0f);
  EXPECT_EQ(weights.values[1], kOne);
  EXPECT_EQ(weights.total, weights.values[0] + weights.values[1]);
  EXPECT_EQ(TotalWeight(candidates, weights.max), weights.total);
}

TEST(WeighTest, EntropyOfEqualWeightsIsTheLogarithmOfTheirNumber) {
  const std::vector<std::uint64_t> weights = {7, 7, 0, 7, 7};
  EXPECT_EQ(EntropyBits(weights, 28), 2.0);
  const std::vector<std::uint64_t> one = {0, kOne};
  EXPECT_EQ(EntropyBits(one, kOne), 0.0);
}

}  // namespace
}  // namespace decant::simd
