// Number text: round trips, correct rounding to the ends of the range, what is refused, and did-you-mean.
#include "core/number_text.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace decant::core {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double RandomFinite(std::mt19937_64& random) {
  for (;;) {
    const double value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    if (std::isfinite(value)) return value;
  }
}

// RFC 8259: [-] (0 | [1-9][0-9]*) [. [0-9]+] [(e|E) [+-] [0-9]+]
bool IsJsonNumber(std::string_view text) {
  std::size_t i = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - start;
  };
  const std::size_t first = i;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

TEST(ShortestTextTest, IsShortAndReadsBack) {
  EXPECT_EQ(ShortestText(0.1), "0.1");
  EXPECT_EQ(ShortestText(1e-7), "1e-07");
  EXPECT_EQ(ShortestText(5e-324), "5e-324");
  EXPECT_EQ(ShortestText(-0.0), "-0");
  EXPECT_EQ(ShortestText(3), "3");
  EXPECT_EQ(ShortestText(1e22), "1e+22");
  EXPECT_EQ(ShortestText(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(ShortestText(-2.2250738585072014e-308), "-2.2250738585072014e-308");
}

TEST(ShortestTextTest, IsAJsonNumberThatParsesToTheSameBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const double value = i % 2 == 0 ? RandomFinite(random) : static_cast<double>(random() % 100000) / 1000;
    const std::string text = ShortestText(value);
    ASSERT_TRUE(IsJsonNumber(text)) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(ParseDouble(text).value()), std::bit_cast<std::uint64_t>(value)) << text;
  }
}

TEST(FixedTextTest, RoundsByTheExactValue) {
  EXPECT_EQ(FixedText(0.576116884766, 12), "0.576116884766");
  EXPECT_EQ(FixedText(0.5, 0), "0");
  EXPECT_EQ(FixedText(1.5, 0), "2");
  EXPECT_EQ(FixedText(2.675, 2), "2.67");  // the double is below the half
  EXPECT_EQ(FixedText(1.0, 3), "1.000");
  EXPECT_EQ(FixedText(-1e-9, 3), "-0.000");
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    const double value = RandomFinite(random);
    char expected[400];
    std::snprintf(expected, sizeof expected, "%.12f", value);
    ASSERT_EQ(FixedText(value, 12), expected);
  }
  EXPECT_EQ(FixedText(std::numeric_limits<double>::max(), 0).size(), 309u);
}

TEST(HexTextTest, IsTheHexadecimalFormOfC) {
  EXPECT_EQ(HexText(0x1.5af7243113d9ap-2), "0x1.5af7243113d9ap-2");
  EXPECT_EQ(HexText(0), "0x0p+0");
  EXPECT_EQ(HexText(-0.0), "-0x0p+0");
  EXPECT_EQ(HexText(1), "0x1p+0");
  EXPECT_EQ(HexText(-1.5), "-0x1.8p+0");
  EXPECT_EQ(HexText(5e-324), "0x0.0000000000001p-1022");
  EXPECT_EQ(HexText(-kInfinity), "-inf");
  EXPECT_EQ(HexText(std::nan("")), "nan");
  std::mt19937_64 random(3);
  for (int i = 0; i < 50000; ++i) {
    const double value = RandomFinite(random);
    ASSERT_EQ(std::strtod(HexText(value).c_str(), nullptr), value);
  }
}

TEST(ParseDoubleTest, TakesWholeNumbersOnly) {
  EXPECT_EQ(ParseDouble("0.7"), 0.7);
  EXPECT_EQ(ParseDouble("-3"), -3.0);
  EXPECT_EQ(ParseDouble("1E3"), 1000.0);
  EXPECT_EQ(ParseDouble(".5"), 0.5);
  for (const char* text : {"", " 1", "1 ", "1x", "0x10", "inf", "-inf", "nan", "NaN", "Infinity", "1e", "e5", "-", ".",
                           "1.2.3", "--1", "+1", "1,5"}) {
    EXPECT_FALSE(ParseDouble(text).has_value()) << "'" << text << "'";
  }
}

TEST(ParseDoubleTest, RoundsCorrectlyAtTheEndsOfTheRange) {
  EXPECT_EQ(ParseDouble("1e400"), kInfinity);
  EXPECT_EQ(ParseDouble("-1e400"), -kInfinity);
  EXPECT_EQ(ParseDouble("1.7976931348623158e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(ParseDouble("1.7976931348623159e308"), kInfinity);
  EXPECT_EQ(ParseDouble("2.4703282292062327e-324"), 0.0);
  EXPECT_EQ(ParseDouble("2.4703282292062328e-324"), 5e-324);
  EXPECT_EQ(ParseDouble("5e-324"), 5e-324);
  EXPECT_EQ(ParseDouble("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(ParseDouble("-1e-400").value()));
  EXPECT_EQ(ParseDouble("1e99999999999999999999"), kInfinity);
  EXPECT_EQ(ParseDouble("-1e-99999999999999999999"), 0.0);
  EXPECT_EQ(ParseDouble("0e99999999999999999999"), 0.0);
  EXPECT_EQ(ParseDouble(std::string("0.") + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(ParseDouble(std::string("1") + std::string(400, '0')), kInfinity);
  EXPECT_EQ(ParseDouble(std::string("0.") + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(ParseDouble(std::string("1") + std::string(400, '0') + "e-400"), 1.0);
  EXPECT_EQ(ParseDouble("000123e400"), kInfinity);
  EXPECT_EQ(ParseDouble("0.000e-400"), 0.0);
}

TEST(ParseDoubleTest, AgreesWithTheCLibrary) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200000; ++i) {
    std::string text = random() % 2 != 0 ? "-" : "";
    text += std::to_string(random() >> (random() % 60));
    if (random() % 2 != 0) text.append(".").append(std::to_string(random() >> (random() % 60)));
    text.append("e").append(std::to_string(static_cast<int>(random() % 700) - 350));
    const double expected = std::strtod(text.c_str(), nullptr);
    const std::optional<double> value = ParseDouble(text);
    ASSERT_TRUE(value.has_value()) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*value), std::bit_cast<std::uint64_t>(expected)) << text;
  }
}

TEST(ParseIntegerTest, TakesTheWholeRangeAndNoMore) {
  EXPECT_EQ(ParseInt64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(ParseInt64("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(ParseInt64("9223372036854775808").has_value());
  EXPECT_EQ(ParseUint64("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(ParseUint64("18446744073709551616").has_value());
  for (const char* text : {"", "-", "1.0", "1e3", " 1", "1 ", "+1", "0x1", "one"}) {
    EXPECT_FALSE(ParseInt64(text).has_value()) << text;
    EXPECT_FALSE(ParseUint64(text).has_value()) << text;
  }
  EXPECT_FALSE(ParseUint64("-1").has_value());
}

TEST(EditDistanceTest, CountsSingleChanges) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("top_p", "top_k"), 1u);
  EXPECT_EQ(EditDistance("tmep", "temp"), 1u);
  EXPECT_EQ(EditDistance("temprature", "temperature"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("flaw", "lawn"), 2u);
}

TEST(ClosestTest, SuggestsWithinAThirdOfTheLength) {
  const std::vector<std::string> names = {"temperature", "top_k", "top_p", "min_p"};
  EXPECT_EQ(Closest("temprature", names), "temperature");
  EXPECT_EQ(Closest("topp", names), "top_p");
  EXPECT_EQ(Closest("top-k", names), "top_k");
  EXPECT_FALSE(Closest("seed", names).has_value());
  EXPECT_FALSE(Closest("", names).has_value());
  EXPECT_EQ(Closest("p", std::vector<std::string_view>{"n", "q"}), "n");  // the first of equals
}

}  // namespace
}  // namespace decant::core
