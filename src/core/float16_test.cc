// Half precision against its definition: a half is sign * fraction * 2^exponent, and rounding picks the nearest.
#include "core/float16.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace decant::core {
namespace {

// The value of the half with these bits, 2^16 for the first that is not finite. REQUIRES: bits <= 0x7c00.
double DefinedValue(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10);
  const int fraction = static_cast<int>(bits & 0x3ff);
  if (exponent == 0) return std::ldexp(fraction, -24);
  return std::ldexp(1024 + fraction, exponent - 25);
}

// The half nearest to a magnitude, found by bisection over all halves; 0x7c00 stands for 2^16 and what is beyond.
unsigned NearestHalf(double magnitude) {
  unsigned low = 0;
  unsigned high = 0x7c00;
  if (magnitude >= DefinedValue(high)) return high;
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (DefinedValue(middle) <= magnitude ? low : high) = middle;
  }
  const double below = magnitude - DefinedValue(low);
  const double above = DefinedValue(high) - magnitude;
  if (below != above) return below < above ? low : high;
  return low % 2 == 0 ? low : high;
}

void ExpectNearest(float value) {
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const unsigned expected = sign | NearestHalf(std::fabs(static_cast<double>(value)));
  ASSERT_EQ(FloatToHalf(value), expected) << std::hexfloat << value;
}

TEST(HalfToFloatTest, IsExactForEveryHalf) {
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    const auto value = static_cast<float>(DefinedValue(bits));
    ASSERT_EQ(std::bit_cast<unsigned>(HalfToFloat(static_cast<std::uint16_t>(bits))), std::bit_cast<unsigned>(value));
    ASSERT_EQ(std::bit_cast<unsigned>(HalfToFloat(static_cast<std::uint16_t>(bits | 0x8000u))),
              std::bit_cast<unsigned>(-value));
  }
}

TEST(HalfToFloatTest, KeepsInfinitiesAndNan) {
  EXPECT_EQ(HalfToFloat(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_EQ(HalfToFloat(0xfc00), -std::numeric_limits<float>::infinity());
  for (unsigned bits = 0x7c01; bits < 0x8000; ++bits) {
    ASSERT_TRUE(std::isnan(HalfToFloat(static_cast<std::uint16_t>(bits))));
    ASSERT_TRUE(std::isnan(HalfToFloat(static_cast<std::uint16_t>(bits | 0x8000u))));
  }
}

TEST(Bfloat16ToFloatTest, IsTheUpperHalfOfTheFloat) {
  EXPECT_EQ(Bfloat16ToFloat(0x3f80), 1.0F);
  EXPECT_EQ(Bfloat16ToFloat(0xc049), -3.140625F);
  EXPECT_EQ(Bfloat16ToFloat(0x0001), 0x1p-133F);
  EXPECT_TRUE(std::isnan(Bfloat16ToFloat(0x7fc0)));
}

TEST(FloatToHalfTest, ReturnsEveryHalfUnchanged) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const std::uint16_t back = FloatToHalf(HalfToFloat(half));
    const bool is_nan = (half & 0x7fffu) > 0x7c00u;
    ASSERT_EQ(back, is_nan ? half | 0x200u : half);
  }
}

TEST(FloatToHalfTest, RoundsHalfToEvenBesideEveryHalfAndMidpoint) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    const auto value = static_cast<float>(DefinedValue(bits));
    const auto middle = static_cast<float>((DefinedValue(bits) + DefinedValue(bits + 1)) / 2);
    for (const float point : {value, middle}) {
      for (const float x : {std::nextafter(point, -kInfinity), point, std::nextafter(point, kInfinity)}) {
        ExpectNearest(x);
        ExpectNearest(-x);
      }
    }
  }
}

TEST(FloatToHalfTest, OverflowsFrom65520ToInfinity) {
  EXPECT_EQ(FloatToHalf(65504.0F), 0x7bff);
  EXPECT_EQ(FloatToHalf(std::nextafter(65520.0F, 0.0F)), 0x7bff);
  EXPECT_EQ(FloatToHalf(65520.0F), 0x7c00);
  EXPECT_EQ(FloatToHalf(-65520.0F), 0xfc00);
  EXPECT_EQ(FloatToHalf(std::numeric_limits<float>::max()), 0x7c00);
  EXPECT_TRUE(IsFiniteHalf(0x7bff));
  EXPECT_FALSE(IsFiniteHalf(0x7c00));
}

TEST(FloatToHalfTest, GivesAQuietNan) {
  for (const unsigned bits : {0x7f800001u, 0xff800001u, 0x7fc00000u, 0x7fffffffu}) {
    const std::uint16_t half = FloatToHalf(std::bit_cast<float>(bits));
    EXPECT_EQ(half & 0x7e00, 0x7e00) << std::hex << bits;
    EXPECT_EQ(half >> 15, bits >> 31);
  }
}

TEST(FloatToHalfTest, IsTheNearestForRandomFloats) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000000; ++i) {
    const float any = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(any)) ExpectNearest(any);
    ExpectNearest(
        std::ldexp(1.0F + static_cast<float>(random() >> 9) * 0x1p-23F, static_cast<int>(random() % 44) - 27));
  }
}

// Walks the positive floats in ascending order: the half may only step, and only at a midpoint. All 2^31 with
// DECANT_EXHAUSTIVE=1, else every 61st.
TEST(FloatToHalfTest, StepsAtMidpointsExhaustive) {
  const bool all = std::getenv("DECANT_EXHAUSTIVE") != nullptr;
  const std::uint32_t stride = all ? 1 : 61;
  unsigned half = 0;
  double next_middle = 0x1p-25;
  for (std::uint32_t bits = 0; bits < 0x7f800000u; bits += stride) {
    const float value = std::bit_cast<float>(bits);
    const auto wide = static_cast<double>(value);
    while (half < 0x7c00 && (wide > next_middle || (wide == next_middle && half % 2 == 1))) {
      ++half;
      if (half < 0x7c00) next_middle = (DefinedValue(half) + DefinedValue(half + 1)) / 2;
    }
    if (FloatToHalf(value) != half || FloatToHalf(-value) != (half | 0x8000u)) {
      FAIL() << std::hexfloat << value << " gives " << FloatToHalf(value) << ", expected " << half;
    }
  }
}

}  // namespace
}  // namespace decant::core
