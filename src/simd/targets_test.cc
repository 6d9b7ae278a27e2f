// The choice of an instruction set: by name, in any order, refused by name.
#include "simd/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decant/runtime.h"

namespace decant::simd {
namespace {

using ::testing::HasSubstr;

TEST(TargetsTest, EveryMachineHasAScalarLevel) {
  EXPECT_EQ(SupportedLevels().back() == "scalar" || SupportedLevels().back() == "neon", true);
}

TEST(TargetsTest, NamesWhatTheMachineHas) {
  const LevelForTest restore(SupportedLevels().front());
  const Result<std::string_view> level = SelectLevel("sse9");
  ASSERT_FALSE(level.has_value());
  EXPECT_EQ(level.error().code, ErrorCode::kUnsupportedMachine);
  EXPECT_THAT(level.error().message, HasSubstr("DECANT_SIMD is \"sse9\"; this machine has "));
  EXPECT_THAT(level.error().message, HasSubstr(std::string(SupportedLevels().front())));
}

TEST(TargetsTest, EmptyMeansTheBest) {
  const LevelForTest restore(SupportedLevels().front());
  EXPECT_EQ(SelectLevel(""), SupportedLevels().front());
}

TEST(TargetsTest, EverySupportedLevelCanBeSelectedInAnyOrder) {
  for (const std::string_view first : SupportedLevels()) {
    for (const std::string_view second : SupportedLevels()) {
      const LevelForTest restore(first);
      EXPECT_EQ(SelectLevel(second), second);
    }
  }
}

}  // namespace
}  // namespace decant::simd
