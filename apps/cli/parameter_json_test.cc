// What a JSON parameter may look like, and what it is refused for.
#include "parameter_json.h"

#include <gtest/gtest.h>

#include <limits>

namespace decant::cli {
namespace {

Result<ParameterValue> Read(std::string_view name, std::string_view text) {
  const auto value = json::Read(text, {});
  EXPECT_TRUE(value.has_value()) << text;
  return ParameterFromJson(**FindParameter(name), *value);
}

ErrorCode CodeOf(std::string_view name, std::string_view text) {
  const auto value = Read(name, text);
  EXPECT_FALSE(value.has_value()) << name << " " << text;
  return value.has_value() ? ErrorCode::kInternal : value.error().code;
}

TEST(ParameterFromJsonTest, TakesWholeNumbersInAnyForm) {
  for (const char* text : {"3", "3.0", "3e0", "30e-1"}) {
    EXPECT_EQ(*Read("top_k", text), ParameterValue(std::int64_t{3})) << text;
  }
  EXPECT_EQ(*Read("top_k", "1e30"), ParameterValue(std::numeric_limits<std::int64_t>::max())) << "all tokens";
}

TEST(ParameterFromJsonTest, RefusesWhatIsNoWholeNumber) {
  EXPECT_EQ(CodeOf("top_k", "3.5"), ErrorCode::kWrongType);
  EXPECT_EQ(CodeOf("top_k", "NaN"), ErrorCode::kWrongType);
  EXPECT_EQ(CodeOf("top_k", "\"3\""), ErrorCode::kWrongType);
  EXPECT_EQ(CodeOf("top_k", "null"), ErrorCode::kWrongType);
}

TEST(ParameterFromJsonTest, TakesSeedsAsNumbersAndStrings) {
  EXPECT_EQ(*Read("seed", "18446744073709551615"), ParameterValue(std::uint64_t{UINT64_MAX}));
  EXPECT_EQ(*Read("seed", "\"18446744073709551615\""), ParameterValue(std::uint64_t{UINT64_MAX}));
  EXPECT_EQ(*Read("seed", "-2"), ParameterValue(std::uint64_t{UINT64_MAX - 1}));
  EXPECT_EQ(CodeOf("seed", "-1"), ErrorCode::kOutOfRange);
  EXPECT_EQ(CodeOf("seed", "1.5"), ErrorCode::kWrongType);
  EXPECT_EQ(CodeOf("seed", "\"x\""), ErrorCode::kWrongType);
  EXPECT_EQ(CodeOf("seed", "true"), ErrorCode::kWrongType);
}

TEST(ParameterFromJsonTest, TakesBansInEverySpelling) {
  const auto value = Read("logit_bias", R"({"2":1.5,"5":null,"6":"-inf","7":-Infinity,"8":"-Infinity"})");
  ASSERT_TRUE(value.has_value());
  constexpr double kBan = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(std::get<std::vector<TokenBias>>(*value),
            (std::vector<TokenBias>{{2, 1.5}, {5, kBan}, {6, kBan}, {7, kBan}, {8, kBan}}));
  EXPECT_EQ(CodeOf("logit_bias", R"({"99999999999999999999":1})"), ErrorCode::kTokenOutOfRange);
  EXPECT_EQ(CodeOf("logit_bias", R"({"x":1})"), ErrorCode::kWrongType);
  EXPECT_EQ(CodeOf("logit_bias", R"({"1":"much"})"), ErrorCode::kWrongType);
}

TEST(ParameterTextTest, ShowsAWholeDoubleWithItsPoint) {
  EXPECT_EQ(ParameterText(1.0), "1.0");
  EXPECT_EQ(ParameterText(0.8), "0.8");
  EXPECT_EQ(ParameterText(std::int64_t{40}), "40");
}

}  // namespace
}  // namespace decant::cli
