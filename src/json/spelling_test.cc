// The spellings of minus infinity and of large seeds.
#include "json/spelling.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

namespace decant::json {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

std::optional<double> Score(std::string_view text) { return ReadScore(Read(text, {}).value()); }

TEST(ReadScoreTest, TakesNumbersAndEverySpellingOfMinusInfinity) {
  EXPECT_EQ(Score("1.5"), 1.5);
  for (const char* const text : {"null", "\"-inf\"", "\"-Infinity\"", "-Infinity"}) {
    EXPECT_EQ(Score(text), kMinusInfinity) << text;
  }
}

TEST(ReadScoreTest, TakesNothingElse) {
  for (const char* const text : {"\"1.5\"", "\"inf\"", "true", "[]", "{}"})
    EXPECT_EQ(Score(text), std::nullopt) << text;
}

TEST(WriteSeedTest, IsTextPastTheLastExactDouble) {
  Writer exact, text;
  WriteSeed(std::uint64_t{1} << 53, exact);
  WriteSeed((std::uint64_t{1} << 53) + 1, text);
  EXPECT_EQ(exact.text(), "9007199254740992");
  EXPECT_EQ(text.text(), "\"9007199254740993\"");
}

}  // namespace
}  // namespace decant::json
