// Statistics against published tables and counts made by hand.
#include "statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace decant::cli {
namespace {

TEST(LogGammaTest, AgreesWithTheCLibrary) {
  for (const double x : {0.5, 1.0, 1.5, 2.0, 7.25, 11.999, 12.0, 100.0, 1e6}) {
    EXPECT_NEAR(LogGamma(x), std::lgamma(x), 1e-11 * (1 + std::abs(std::lgamma(x)))) << x;
  }
}

TEST(UpperGammaTest, KnowsTheTablesOfChiSquare) {
  // The 5 % points of chi-square with 1, 2 and 10 degrees of freedom.
  EXPECT_NEAR(UpperGamma(0.5, 3.841458820694124 / 2), 0.05, 1e-9);
  EXPECT_NEAR(UpperGamma(1, 5.991464547107979 / 2), 0.05, 1e-9);
  EXPECT_NEAR(UpperGamma(5, 18.307038053275146 / 2), 0.05, 1e-9);
  EXPECT_EQ(UpperGamma(1, 0), 1);
}

TEST(CentralRangeTest, HoldsTheMiddleOfAFairCoin) {
  // 10 throws: P(0..1) = 0.0107, P(0..2) = 0.0547, P(0..8) = 0.9893.
  const CountRange range = CentralRange(10, 0.5);
  EXPECT_EQ(range.low, 2u);
  EXPECT_EQ(range.high, 8u);
}

TEST(CentralRangeTest, IsOnePointForCertainty) {
  EXPECT_EQ(CentralRange(7, 1).low, 7u);
  EXPECT_EQ(CentralRange(7, 0).high, 0u);
}

TEST(ChiSquareTest, SumsSquaredDifferencesOverTheExpected) {
  const std::vector<std::uint64_t> counts = {60, 40};
  const std::vector<double> probabilities = {0.5, 0.5};
  const auto test = ChiSquareOf(counts, probabilities);
  ASSERT_TRUE(test.has_value());
  EXPECT_DOUBLE_EQ(test->statistic, 4);
  EXPECT_EQ(test->degrees_of_freedom, 1u);
  EXPECT_NEAR(test->p_value, 0.0455, 1e-4);
}

TEST(ChiSquareTest, PoolsRareTokens) {
  const std::vector<std::uint64_t> counts = {90, 4, 3, 3};
  const std::vector<double> probabilities = {0.9, 0.04, 0.03, 0.03};
  const auto test = ChiSquareOf(counts, probabilities);
  ASSERT_TRUE(test.has_value());
  EXPECT_EQ(test->buckets, 2u);
  EXPECT_NEAR(test->statistic, 0, 1e-12);
}

TEST(ChiSquareTest, HasNothingToSayAboutOneBucket) {
  const std::vector<std::uint64_t> counts = {5};
  const std::vector<double> probabilities = {1.0};
  EXPECT_FALSE(ChiSquareOf(counts, probabilities).has_value());
}

}  // namespace
}  // namespace decant::cli
