// Decimals as JSON spells them: value, order, divisibility and the shortest spelling.
#include "grammar/decimal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace decant::grammar {
namespace {

Decimal D(std::string_view text) {
  const std::optional<Decimal> value = Decimal::Parse(text);
  EXPECT_TRUE(value) << text;
  return value.value_or(Decimal());
}

TEST(DecimalTest, SpellingsOfOneValueAreEqual) {
  for (const std::string_view text : {"150", "150.0", "1.50e2", "15E1", "15e+01", "1500e-1", "0.15e3", "150e-0"}) {
    EXPECT_EQ(D(text), D("150")) << text;
    EXPECT_EQ(D(text).digits(), "15") << text;
    EXPECT_EQ(D(text).exponent(), 1) << text;
  }
  for (const std::string_view text : {"0", "-0", "0.00", "-0e5", "0e-99999999999999999999", "0.0E+7"}) {
    EXPECT_EQ(D(text), Decimal()) << text;
    EXPECT_FALSE(D(text).is_negative()) << text;
  }
  EXPECT_NE(D("-150"), D("150"));
}

TEST(DecimalTest, TakesJsonNumbersAlone) {
  for (const std::string_view text : {"",   "-",  "+1",  "01",  "-01", "1.",  ".5",   "1e",    "1e+",  "1e1.5",
                                      "1 ", " 1", "0x1", "NaN", "1_0", "--1", "1.e5", "1e5e5", "1..2", "\xd9\xa1"}) {
    EXPECT_FALSE(Decimal::Parse(text)) << text;
  }
}

TEST(DecimalTest, ExponentsAreBounded) {
  EXPECT_TRUE(Decimal::Parse("1e1000000000"));
  EXPECT_TRUE(Decimal::Parse("1e-0001000000000"));
  EXPECT_FALSE(Decimal::Parse("1e1000000001"));
  EXPECT_FALSE(Decimal::Parse("1e-1000000001"));
  EXPECT_FALSE(Decimal::Parse("1e99999999999999999999999"));
}

TEST(DecimalTest, OrdersByValue) {
  const std::vector<std::string> ascending = {"-1e400",
                                              "-18446744073709551617",
                                              "-18446744073709551616",
                                              "-2",
                                              "-1.5",
                                              "-1",
                                              "-1e-400",
                                              "0",
                                              "1e-1000000000",
                                              "1e-400",
                                              "0.1",
                                              "0.11",
                                              "0.2",
                                              "1",
                                              "9.99",
                                              "10",
                                              "9007199254740992",
                                              "9007199254740993",
                                              "1e400",
                                              "1.0000000000000000000001e400",
                                              "1e1000000000"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(D(ascending[i]) <=> D(ascending[j]), i <=> j) << ascending[i] << " " << ascending[j];
    }
  }
}

TEST(DecimalTest, DividesExactly) {
  struct Case {
    std::string_view value, of;
    bool is_multiple;
  };
  for (const Case& c : std::vector<Case>{{"4.02", "0.01", true},
                                         {"4.021", "0.01", false},
                                         {"0.3", "0.1", true},
                                         {"1e308", "3", false},
                                         {"3e308", "3", true},
                                         {"1e300", "1e300", true},
                                         {"1e299", "1e300", false},
                                         {"10", "0.3", false},
                                         {"-9", "3", true},
                                         {"0", "1e300", true},
                                         {"9007199254740993", "9007199254740993", true},
                                         {"1e1000000000", "1024", true},
                                         {"1e1000000000", "1e-1000000000", true},
                                         {"5e-1", "0.25", true},
                                         {"1e2", "8", false},
                                         {"1e3", "8", true},
                                         {"121932631356500531347203169112635269", "123456789123456789", true},
                                         {"121932631356500531347203169112635268", "123456789123456789", false},
                                         {"121932631356500531347203169112635269", "987654321987654321", true},
                                         {"1e70", "1267650600228229401496703205376e-30", true},
                                         {"1e69", "1267650600228229401496703205376e-30", false}}) {
    EXPECT_EQ(D(c.value).IsMultipleOf(D(c.of)), c.is_multiple) << c.value << " of " << c.of;
  }
}

TEST(DecimalTest, WritesTheShortestNumber) {
  struct Case {
    std::string_view value, text;
  };
  for (const Case& c : std::vector<Case>{{"0.0", "0"},
                                         {"-0", "0"},
                                         {"100", "100"},
                                         {"1000", "1e3"},
                                         {"12000", "12e3"},
                                         {"1.5", "1.5"},
                                         {"0.05", "0.05"},
                                         {"0.005", "5e-3"},
                                         {"-0.25", "-0.25"},
                                         {"1.5e300", "15e299"},
                                         {"1e-400", "1e-400"},
                                         {"123.456", "123.456"},
                                         {"1e1000000000", "1e1000000000"}}) {
    EXPECT_EQ(D(c.value).ToText(), c.text);
    EXPECT_EQ(D(D(c.value).ToText()), D(c.value));
  }
  // Past the exponents that may be written, digits help.
  EXPECT_EQ(D(Decimal::Of("7", 1000000002).ToText()), Decimal::Of("7", 1000000002));
  EXPECT_EQ(D(Decimal::Of("71", -1000000003).ToText()), Decimal::Of("71", -1000000003));
}

TEST(DecimalTest, FindsTheLeastCommonMultiple) {
  EXPECT_EQ(LeastCommonMultiple(D("0.3"), D("0.5")), D("1.5"));
  EXPECT_EQ(LeastCommonMultiple(D("1"), D("0.01")), D("1"));
  EXPECT_EQ(LeastCommonMultiple(D("4"), D("6")), D("12"));
  EXPECT_EQ(LeastCommonMultiple(D("0.25"), D("0.3")), D("1.5"));
  EXPECT_EQ(LeastCommonMultiple(D("1e1000000000"), D("1e-1000000000")), D("1e1000000000"));
  EXPECT_EQ(LeastCommonMultiple(D("3e1000000000"), D("7e-1000000000")), D("21e1000000000"));
  EXPECT_EQ(LeastCommonMultiple(D("1024"), D("9765625")), D("1e10"));
  EXPECT_EQ(LeastCommonMultiple(D("123456789123456789123456789"), D("987654321987654321987654321")),
            D("13548070137174211137174211123626141"));
}

}  // namespace
}  // namespace decant::grammar
