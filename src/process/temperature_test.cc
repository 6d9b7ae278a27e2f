// The range of a temperature and of products of them.
#include "process/temperature.h"

#include <gtest/gtest.h>

#include <limits>

namespace decant::process {
namespace {

TEST(TemperatureTest, AcceptsZeroAndTheClosedRange) {
  for (const double t : {0.0, -0.0, kMinTemperature, 0.8, 1.0, kMaxTemperature}) {
    EXPECT_TRUE(ValidateTemperature(t).has_value()) << t;
  }
}

TEST(TemperatureTest, RefusesTheRestByName) {
  for (const double t : {-1.0, kMinTemperature / 2, 1e6 + 1, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    const auto result = ValidateTemperature(t);
    ASSERT_FALSE(result.has_value()) << t;
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidTemperature);
  }
  EXPECT_EQ(ValidateTemperature(-1).error().message,
            "temperature is -1; expected 0 (greedy) or a number in [2.2250738585072014e-308, 1e6]");
}

TEST(TemperatureTest, ProductsKeepTheRange) {
  EXPECT_EQ(MultiplyTemperature(0.5, 0.5).value(), 0.25);
  EXPECT_EQ(MultiplyTemperature(0.5, 0).value(), 0.0);
  EXPECT_FALSE(MultiplyTemperature(1e5, 100).has_value());
  EXPECT_FALSE(MultiplyTemperature(kMinTemperature, 0.5).has_value());
  EXPECT_FALSE(MultiplyTemperature(kMinTemperature, kMinTemperature).has_value());
}

}  // namespace
}  // namespace decant::process
