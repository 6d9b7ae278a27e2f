// Draws at the borders of the cumulative weights.
#include "draw/categorical.h"

#include <gtest/gtest.h>

#include <vector>

namespace decant::draw {
namespace {

constexpr std::uint64_t kTop = std::uint64_t{1} << 53;

TEST(CategoricalTest, OwnsHalfOpenIntervals) {
  const std::vector<std::uint64_t> weights = {1, 2, 1};
  EXPECT_EQ(DrawCategorical(weights, 4, 0).index, 0u);
  EXPECT_EQ(DrawCategorical(weights, 4, kTop / 4 - 1).index, 0u);
  EXPECT_EQ(DrawCategorical(weights, 4, kTop / 4).index, 1u);
  EXPECT_EQ(DrawCategorical(weights, 4, kTop / 4 * 3 - 1).index, 1u);
  EXPECT_EQ(DrawCategorical(weights, 4, kTop / 4 * 3).index, 2u);
  EXPECT_EQ(DrawCategorical(weights, 4, kTop - 1).index, 2u);
}

TEST(CategoricalTest, NeverDrawsAZeroWeight) {
  const std::vector<std::uint64_t> weights = {0, 5, 0};
  EXPECT_EQ(DrawCategorical(weights, 5, 0).index, 1u);
  EXPECT_EQ(DrawCategorical(weights, 5, kTop - 1).index, 1u);
}

TEST(CategoricalTest, RecordsTheIntegersAndTheInterval) {
  const std::vector<std::uint64_t> weights = {1, 2, 1};
  const DrawRecord record = DrawCategorical(weights, 4, kTop / 2).record;
  EXPECT_EQ(record.t, 2u);
  EXPECT_EQ(record.lo, 1u);
  EXPECT_EQ(record.hi, 3u);
  EXPECT_EQ(record.u, 0.5);
  EXPECT_EQ(record.interval[0], 0.25);
  EXPECT_EQ(record.interval[1], 0.75);
}

}  // namespace
}  // namespace decant::draw
