// Properties by name, one by one; that the tables equal the standard's files is tools/make_unicode_tables.py --check.
#include "text/unicode_properties.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "text/unicode_tables.h"

namespace decant::text {
namespace {

bool Has(PropertyKind kind, std::string_view name, char32_t c) {
  const auto ranges = CodePointsOf(kind, name);
  EXPECT_TRUE(ranges.has_value()) << name;
  return std::ranges::any_of(ranges.value_or(std::vector<UnicodeRange>{}),
                             [c](const UnicodeRange& range) { return range.first <= c && c <= range.last; });
}

TEST(UnicodePropertiesTest, KnowsValuesByLongAndShortNamesAndAliases) {
  for (const std::string_view name : {"Nd", "nd", "Decimal_Number", "decimal number", "digit"}) {
    EXPECT_TRUE(Has(PropertyKind::kGeneralCategory, name, 0x0663)) << name;
    EXPECT_FALSE(Has(PropertyKind::kGeneralCategory, name, 'x')) << name;
  }
  for (const std::string_view name : {"Grek", "Greek"}) EXPECT_TRUE(Has(PropertyKind::kScript, name, 0x03B1)) << name;
  EXPECT_TRUE(Has(PropertyKind::kScript, "Qaac", 0x2C80));  // Coptic
  EXPECT_TRUE(Has(PropertyKind::kBinary, "Alpha", 'x'));
  EXPECT_TRUE(Has(PropertyKind::kBinary, "White_Space", 0x3000));
  EXPECT_TRUE(Has(PropertyKind::kBinary, "Emoji_Presentation", 0x1F600));
  EXPECT_FALSE(CodePointsOf(PropertyKind::kScript, "Nd").has_value());
  EXPECT_FALSE(CodePointsOf(PropertyKind::kBinary, "").has_value());
  EXPECT_FALSE(CodePointsOf(PropertyKind::kBinary, "Alphabetical").has_value());
}

TEST(UnicodePropertiesTest, UnitesTheParts) {
  EXPECT_TRUE(Has(PropertyKind::kGeneralCategory, "LC", 0x01C5));
  EXPECT_FALSE(Has(PropertyKind::kGeneralCategory, "LC", 0x4E2D));
  EXPECT_TRUE(Has(PropertyKind::kGeneralCategory, "L", 0x4E2D));
  EXPECT_TRUE(Has(PropertyKind::kGeneralCategory, "Cn", 0x0378));
  EXPECT_FALSE(Has(PropertyKind::kBinary, "Assigned", 0x0378));
  EXPECT_EQ(CodePointsOf(PropertyKind::kBinary, "Any"), (std::vector<UnicodeRange>{{0, 0x10FFFF}}));
  EXPECT_EQ(CodePointsOf(PropertyKind::kBinary, "ASCII"), (std::vector<UnicodeRange>{{0, 0x7F}}));
}

TEST(UnicodePropertiesTest, TellsAScriptFromItsExtensions) {
  EXPECT_FALSE(Has(PropertyKind::kScript, "Hira", 0x30FC));  // the prolonged sound mark is Common
  EXPECT_TRUE(Has(PropertyKind::kScriptExtensions, "Hira", 0x30FC));
  EXPECT_TRUE(Has(PropertyKind::kScriptExtensions, "Hira", 0x3042));
  EXPECT_TRUE(Has(PropertyKind::kScript, "Zyyy", 0x30FC));
  EXPECT_FALSE(Has(PropertyKind::kScriptExtensions, "Zyyy", 0x30FC));
  EXPECT_TRUE(Has(PropertyKind::kScript, "Zzzz", 0x0378));
}

TEST(UnicodePropertiesTest, AgreesWithTheClassesOfPretokenization) {
  std::vector<bool> is_letter(0x110000, false);
  const auto letters = CodePointsOf(PropertyKind::kGeneralCategory, "L").value();
  for (const UnicodeRange& range : letters) {
    for (char32_t c = range.first; c <= range.last; ++c) is_letter[c] = true;
  }
  for (char32_t c = 0; c < 0x110000; ++c) {
    ASSERT_EQ(ClassOf(c) == CodePointClass::kLetter, is_letter[c]) << "U+" << std::hex << std::uint32_t{c};
  }
}

TEST(UnicodePropertiesTest, GroupsLettersByCase) {
  std::vector<char32_t> seen;
  for (const CaseGroup& group : CaseGroups()) {
    for (const char32_t c : group) {
      if (c != 0) seen.push_back(c);
    }
    if (group[0] == 'K') {
      EXPECT_EQ(group, (CaseGroup{'K', 'k', 0x212A, 0}));
    }
    if (group[0] == 0xDF) {
      EXPECT_EQ(group, (CaseGroup{0xDF, 0x1E9E, 0, 0}));
    }
    EXPECT_NE(group[0], U'İ');  // folds to two code points or to itself
  }
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
  EXPECT_TRUE(std::ranges::binary_search(seen, U'Ω'));
}

}  // namespace
}  // namespace decant::text
