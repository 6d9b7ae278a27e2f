// Made rows have the distribution they claim, and stay what they are whatever stands beside them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/float16.h"
#include "decant/bench.h"

namespace decant {
namespace {

TEST(RowsTest, ARowDependsOnSeedAndNumberAlone) {
  const auto few = LogitRows::Make({.rows = 2, .vocabulary = 1000, .seed = 5});
  const auto many = LogitRows::Make({.rows = 7, .vocabulary = 1000, .seed = 5});
  const auto other = LogitRows::Make({.rows = 2, .vocabulary = 1000, .seed = 6});
  ASSERT_TRUE(few.has_value() && many.has_value() && other.has_value());
  EXPECT_EQ(few->values(1), many->values(1));
  EXPECT_NE(few->values(1), few->values(0));
  EXPECT_NE(few->values(1), other->values(1));
}

TEST(RowsTest, ModelLikeRowsHaveABulkAndAHeavyHead) {
  const auto rows = LogitRows::Make({.rows = 1, .vocabulary = 100'000});
  ASSERT_TRUE(rows.has_value());
  std::vector<float> values = rows->values(0);
  double sum = 0, squares = 0;
  for (const float value : values) {
    sum += value;
    squares += double{value} * value;
  }
  // 200 of 100,000 have a Gamma of mean 6 and mean square 54 more: 0.012 in the mean, 0.108 in the variance.
  EXPECT_NEAR(sum / 1e5, 0.012, 0.04);
  EXPECT_NEAR(squares / 1e5, 2.2 * 2.2 + 0.108, 0.15);
  std::ranges::sort(values, std::greater());
  EXPECT_GT(values[0], 12) << "a normal row would end near 10";
  EXPECT_GT(values[40], 8);
}

TEST(RowsTest, FlatRowsFillTheirRange) {
  const auto rows = LogitRows::Make({.kind = RowKind::kFlat, .rows = 1, .vocabulary = 50'000});
  ASSERT_TRUE(rows.has_value());
  std::vector<std::size_t> counts(10);
  for (const float value : rows->values(0)) {
    ASSERT_GE(value, 0);
    ASSERT_LE(value, 5);
    ++counts[std::min<std::size_t>(9, static_cast<std::size_t>(value * 2))];
  }
  for (const std::size_t count : counts) EXPECT_NEAR(static_cast<double>(count), 5000, 350);
}

TEST(RowsTest, HalvesAreTheRowRoundedToEven) {
  const auto exact = LogitRows::Make({.rows = 1, .vocabulary = 3000});
  for (const ElementType type : {ElementType::kF16, ElementType::kBF16}) {
    const auto rows = LogitRows::Make({.rows = 1, .vocabulary = 3000, .type = type});
    ASSERT_TRUE(exact.has_value() && rows.has_value());
    const std::vector<float> values = exact->values(0), halves = rows->values(0);
    const float step = type == ElementType::kF16 ? 0x1p-11f : 0x1p-8f;
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_LE(std::fabs(values[i] - halves[i]), step * std::fabs(values[i]) + 0x1p-25f) << i;
    }
  }
  const FloatTable ties{.rows = 1, .columns = 2, .values = {1 + 0x1p-8f, 1 + 0x3p-8f}};
  const auto even = LogitRows::Repeat(ties, 1, ElementType::kBF16);
  ASSERT_TRUE(even.has_value());
  EXPECT_EQ(even->values(0), (std::vector<float>{1, 1 + 0x1p-6f}));
}

TEST(RowsTest, GivenRowsComeAgain) {
  const FloatTable table{.rows = 2, .columns = 3, .values = {0, 1, 2, 3, 4, 5}};
  const auto rows = LogitRows::Repeat(table, 5, ElementType::kF32);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->kind(), RowKind::kRecorded);
  EXPECT_EQ(rows->values(4), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(rows->values(3), (std::vector<float>{3, 4, 5}));
}

TEST(RowsTest, BoundsAreNamed) {
  EXPECT_EQ(LogitRows::Make({.rows = 0}).error().code, ErrorCode::kOutOfRange);
  EXPECT_EQ(LogitRows::Make({.vocabulary = 600'000}).error().message,
            "vocabulary is 600000; expected an integer in 1..524288");
  EXPECT_EQ(LogitRows::Make({.type = ElementType::kF64}).error().subject, "type");
}

TEST(RowsTest, APoolIsWholeBatchesAndLeavesTheCaches) {
  EXPECT_EQ(RowsFor(256, 1 << 20, 64 << 20), 256u);
  EXPECT_EQ(RowsFor(1, 1 << 20, 64 << 20), 64u);
  EXPECT_EQ(RowsFor(32, 3 << 20, 64 << 20), 32u);
  EXPECT_EQ(RowsFor(10, 4, 41), 20u);
  EXPECT_EQ(RowsFor(3, 4, 64 << 20), 4098u) << "short rows are not held by the million";
}

}  // namespace
}  // namespace decant
