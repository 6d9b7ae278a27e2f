// Names are found, and a wrong one is answered with the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "decant/sampler.h"

namespace decant {
namespace {

TEST(PresetNamesTest, EveryPresetIsFoundByItsName) {
  std::set<std::string_view> names;
  for (const Preset preset : Presets()) {
    const auto found = FindPreset(NameOf(preset));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(*found, preset);
    EXPECT_FALSE(GeneratorOf(preset).empty());
    EXPECT_TRUE(names.insert(NameOf(preset)).second) << NameOf(preset);
  }
  EXPECT_EQ(names.size(), Presets().size());
}

TEST(PresetNamesTest, AnUnknownPresetIsAnsweredWithTheList) {
  const auto found = FindPreset("octml");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, ErrorCode::kUnknownPreset);
  for (const Preset preset : Presets()) {
    EXPECT_THAT(found.error().message, ::testing::HasSubstr(std::string(NameOf(preset))));
    EXPECT_THAT(found.error().allowed, ::testing::HasSubstr(std::string(NameOf(preset))));
  }
  EXPECT_THAT(found.error().message, ::testing::ContainsRegex("preset is \"octml\"; expected native, .* or "));
  EXPECT_EQ(found.error().hint, "did you mean \"octlm\"?");
}

TEST(DrawKindTest, EveryKindHasItsName) {
  EXPECT_EQ(NameOf(DrawKind::kGreedy), "greedy");
  EXPECT_EQ(NameOf(DrawKind::kInverseCdf), "inverse_cdf");
  EXPECT_EQ(NameOf(DrawKind::kRace), "race");
}

}  // namespace
}  // namespace decant
