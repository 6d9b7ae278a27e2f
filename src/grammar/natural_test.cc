// Natural numbers of any size: the digits they are made of, and division where a guess of a limb is too large.
#include "grammar/natural.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace decant::grammar {
namespace {

Natural N(std::string_view digits) { return Natural::FromDigits(digits); }

// Limbs at the borders of their base make the guesses of long division go wrong.
Natural RandomNatural(std::mt19937_64& random) {
  std::string digits;
  for (std::uint64_t limbs = random() % 6; limbs > 0; --limbs) {
    switch (random() % 5) {
      case 0:
        digits += "000000000";
        break;
      case 1:
        digits += "999999999";
        break;
      case 2:
        digits += "500000000";
        break;
      case 3:
        digits += "000000001";
        break;
      default:
        digits += std::to_string(1'000'000'000 + random() % 1'000'000'000).substr(1);
    }
  }
  return N(digits);
}

TEST(NaturalTest, KeepsDigits) {
  for (const std::string_view digits : {"0", "7", "1000000000", "999999999", "1000000000000000000",
                                        "123456789012345678901234567890", "100000000000000000000000000001"}) {
    EXPECT_EQ(N(digits).ToDigits(), digits);
    EXPECT_EQ(N(std::string(20, '0').append(digits)), N(digits));
  }
  EXPECT_EQ(N("").ToDigits(), "0");
  EXPECT_EQ(Natural(18446744073709551615u), N("18446744073709551615"));
  EXPECT_EQ(N("18446744073709551614").Saturated(), 18446744073709551614u);
  EXPECT_EQ(N("18446744073709551616").Saturated(), 18446744073709551615u);
  EXPECT_EQ(N("1000000000000000000000000000000000000").Saturated(), 18446744073709551615u);
}

TEST(NaturalTest, MultipliesAndAdds) {
  EXPECT_EQ(N("999999999999999999") * N("999999999999999999"), N("999999999999999998000000000000000001"));
  EXPECT_EQ(N("999999999999999999") + N("1"), N("1000000000000000000"));
  EXPECT_EQ(N("1000000000000000000") - N("1"), N("999999999999999999"));
  EXPECT_EQ(N("123456789") * Natural(), Natural());
  EXPECT_LT(N("999999999"), N("1000000000"));
}

TEST(NaturalTest, DivisionUndoesMultiplication) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Natural a = RandomNatural(random);
    const Natural b = RandomNatural(random);
    if (b.is_zero()) continue;
    const Natural::Division division = a.DividedBy(b);
    EXPECT_LT(division.remainder, b);
    EXPECT_EQ(division.quotient * b + division.remainder, a) << a.ToDigits() << " by " << b.ToDigits();
    EXPECT_EQ((a * b).DividedBy(b).quotient, a) << a.ToDigits() << " by " << b.ToDigits();
  }
}

TEST(NaturalTest, FindsCommonDivisors) {
  EXPECT_EQ(GreatestCommonDivisor(N("123456789012345678901234567890"), N("987654321098765432109876543210")),
            N("9000000000900000000090"));
  EXPECT_EQ(GreatestCommonDivisor(N("17"), Natural()), N("17"));
}

TEST(NaturalTest, ShiftsByPowersOfTen) {
  EXPECT_EQ(Modulus("8").LeastShift(std::uint64_t{1}), 3);
  EXPECT_EQ(Modulus("8").LeastShift(std::uint64_t{3}), 3);
  EXPECT_EQ(Modulus("8").LeastShift(std::uint64_t{4}), 1);
  EXPECT_EQ(Modulus("24").LeastShift(std::uint64_t{4}), std::nullopt);
  EXPECT_EQ(Modulus("24").LeastShift(std::uint64_t{3}), 3);
  EXPECT_EQ(Modulus("1").LeastShift(std::uint64_t{7}), 0);
  EXPECT_EQ(Modulus("1267650600228229401496703205376").LeastShift(std::uint64_t{1}), 100);  // 2^100
  EXPECT_EQ(Modulus("1267650600228229401496703205376").LeastShift("1267650600228229401496703205376"), 0);
  EXPECT_EQ(Modulus("7").LeastShift("777777777777777777777777777777777777777777"), 0);
  EXPECT_EQ(Modulus("7").LeastShift("777777777777777777777777777777777777777778"), std::nullopt);
}

}  // namespace
}  // namespace decant::grammar
