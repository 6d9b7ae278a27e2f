// Ratio against MPFR's correctly rounded division.
#define MPFR_USE_INTMAX_T 1
#include "core/wide.h"

#include <mpfr.h>

#include <bit>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace decant::core {
namespace {

class RatioTest : public testing::Test {
 protected:
  RatioTest() {
    mpfr_inits2(64, a_, b_, static_cast<mpfr_ptr>(nullptr));
    mpfr_init2(quotient_, 53);
  }
  ~RatioTest() override { mpfr_clears(a_, b_, quotient_, static_cast<mpfr_ptr>(nullptr)); }

  void ExpectCorrect(std::uint64_t a, std::uint64_t b) {
    mpfr_set_uj(a_, a, MPFR_RNDN);
    mpfr_set_uj(b_, b, MPFR_RNDN);
    mpfr_div(quotient_, a_, b_, MPFR_RNDN);
    ASSERT_EQ(Ratio(a, b), mpfr_get_d(quotient_, MPFR_RNDN)) << a << " / " << b;
  }

 private:
  mpfr_t a_, b_, quotient_;
};

TEST(MultiplyTest, KeepsAll128Bits) {
  const Uint128 product = Multiply(~std::uint64_t{0}, ~std::uint64_t{0});
  EXPECT_EQ(static_cast<std::uint64_t>(product >> 64), ~std::uint64_t{0} - 1);
  EXPECT_EQ(static_cast<std::uint64_t>(product), 1u);
}

TEST_F(RatioTest, IsExactAtTheEnds) {
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(Ratio(0, std::uint64_t{1} << i), 0.0);
    EXPECT_EQ(Ratio(std::uint64_t{1} << i, std::uint64_t{1} << i), 1.0);
  }
  EXPECT_EQ(Ratio(~std::uint64_t{0}, ~std::uint64_t{0}), 1.0);
  EXPECT_EQ(Ratio(1, std::uint64_t{1} << 63), 0x1p-63);
}

TEST_F(RatioTest, RoundsOnceAroundPowersOfTwo) {
  std::vector<std::uint64_t> points;
  for (int i = 0; i < 64; ++i) {
    for (std::uint64_t d = 0; d < 4; ++d) {
      points.push_back((std::uint64_t{1} << i) + d);
      points.push_back((std::uint64_t{1} << i) - d);
    }
  }
  for (const std::uint64_t a : points) {
    for (const std::uint64_t b : points) {
      if (b > 0 && a <= b) ExpectCorrect(a, b);
    }
  }
}

TEST_F(RatioTest, BreaksTiesToEvenBeyond53Bits) {
  // (2^53 + 1) / 2^54 lies halfway between two doubles; one more or less in a wider ratio decides.
  EXPECT_EQ(Ratio((std::uint64_t{1} << 53) + 1, std::uint64_t{1} << 54), 0.5);
  EXPECT_EQ(Ratio((std::uint64_t{1} << 53) + 3, std::uint64_t{1} << 54), 0.5 + 0x1p-52);
  EXPECT_EQ(Ratio((std::uint64_t{1} << 62) + (std::uint64_t{1} << 9) + 1, std::uint64_t{1} << 63), 0.5 + 0x1p-53);
  EXPECT_EQ(Ratio((std::uint64_t{1} << 62) + (std::uint64_t{1} << 9), std::uint64_t{1} << 63), 0.5);
}

TEST_F(RatioTest, IsCorrectlyRoundedForRandomPairs) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 1000000; ++i) {
    const std::uint64_t a = random() >> (random() % 64);
    const std::uint64_t b = random() >> (random() % 64);
    if (a <= b && b > 0) ExpectCorrect(a, b);
    if (b <= a && a > 0) ExpectCorrect(b, a);
  }
}

}  // namespace
}  // namespace decant::core
