// The summary of probabilities, on series that can be summed by hand.
#include <gtest/gtest.h>

#include <limits>

#include "core/math.h"
#include "decant/measure.h"

namespace decant {
namespace {

TEST(SurpriseSummaryTest, OfHalvesAndAnEighth) {
  const double half = -core::kLn2;
  const std::vector<double> log_probabilities = {half, half, half, 4 * half};  // 1/2, 1/2, 1/2, 1/16
  const SurpriseSummary summary = SummarizeSurprise(log_probabilities);
  EXPECT_EQ(summary.tokens, 4);
  EXPECT_NEAR(summary.mean_probability, 0.390625, 1e-15);
  EXPECT_NEAR(summary.mean_surprise_bits, 1.75, 1e-15);
  EXPECT_NEAR(summary.probability_variance, 3.0 / 16 * 0.4375 * 0.4375, 1e-15);
  EXPECT_EQ(summary.unlikely_share, 0.25);
}

TEST(SurpriseSummaryTest, OfNothingIsZero) {
  const SurpriseSummary summary = SummarizeSurprise({});
  EXPECT_EQ(summary.tokens, 0);
  EXPECT_EQ(summary.mean_surprise_bits, 0);
}

TEST(SurpriseSummaryTest, AnImpossibleTokenIsInfinitelySurprising) {
  const std::vector<double> log_probabilities = {-std::numeric_limits<double>::infinity(), 0};
  const SurpriseSummary summary = SummarizeSurprise(log_probabilities);
  EXPECT_EQ(summary.mean_surprise_bits, std::numeric_limits<double>::infinity());
  EXPECT_EQ(summary.mean_probability, 0.5);
}

}  // namespace
}  // namespace decant
