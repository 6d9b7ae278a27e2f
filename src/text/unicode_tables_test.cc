// The classes of code points, one by one and against the standard's own file where that is installed.
#include "text/unicode_tables.h"

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace decant::text {
namespace {

void ExpectClass(std::u32string_view code_points, CodePointClass expected) {
  for (const char32_t c : code_points) EXPECT_EQ(ClassOf(c), expected) << "U+" << std::hex << std::uint32_t{c};
}

TEST(UnicodeTablesTest, KnowsLettersNumbersAndSpaces) {
  ExpectClass(U"aZéßЖ中가ªʰᴬ𝔸𠀀", CodePointClass::kLetter);
  ExpectClass(U"09²½Ⅷ१〇①𝟘", CodePointClass::kNumber);
  ExpectClass(U"\t\n\v\f\r \u0085\u00A0\u1680\u2000\u200A\u2028\u2029\u202F\u205F\u3000", CodePointClass::kSpace);
  ExpectClass(U"!_\x01\x1C\x1F\x7F\u180E\u200B\u200D\u2060\uFEFF\u0301😀\uFFFD\U0010FFFF", CodePointClass::kOther);
  EXPECT_EQ(ClassOf(0x110000), CodePointClass::kOther);
  EXPECT_EQ(ClassOf(0xFFFFFFFF), CodePointClass::kOther);
}

TEST(UnicodeTablesTest, KnowsWhereLettersAndMarksStandInAWord) {
  const auto expect = [](std::u32string_view code_points, WordPart expected) {
    for (const char32_t c : code_points) EXPECT_EQ(WordPartOf(c), expected) << "U+" << std::hex << std::uint32_t{c};
  };
  expect(U"AÉЖ\u01C5", WordPart::kUpper);
  expect(U"aéжß", WordPart::kLower);
  expect(U"中ªʰ\u0301\u0903\u20DD", WordPart::kBoth);
  expect(U"1 !Ⅷ\U0010FFFF", WordPart::kNone);
  EXPECT_EQ(WordPartOf(0x110000), WordPart::kNone);
}

// Reads a hexadecimal number off the front of the text.
char32_t TakeHex(std::string_view& text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  EXPECT_EQ(error, std::errc{}) << text;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

TEST(UnicodeTablesTest, EqualsTheUnicodeCharacterDatabase) {
  const std::string folder = "/usr/share/unicode/";
  std::ifstream names(folder + "UnicodeData.txt"), properties(folder + "PropList.txt");
  std::string line;
  if (!names || !std::getline(properties, line) || !line.contains("-15.0.0.")) {
    GTEST_SKIP() << "needs " << folder << " of Unicode 15.0 (Debian's package unicode-data)";
  }
  std::vector<CodePointClass> expected(0x110000, CodePointClass::kOther);
  char32_t first = 0;
  for (bool in_range = false; std::getline(names, line);) {
    std::string_view rest = line;
    const char32_t last = TakeHex(rest);
    if (!in_range) first = last;
    in_range = rest.contains(", First>;");
    if (in_range) continue;
    const char category = rest[rest.find(';', 1) + 1];
    for (char32_t c = first; c <= last; ++c) {
      if (category == 'L') expected[c] = CodePointClass::kLetter;
      if (category == 'N') expected[c] = CodePointClass::kNumber;
      const bool is_word_part = category == 'L' || category == 'M';
      EXPECT_EQ(WordPartOf(c) != WordPart::kNone, is_word_part) << "U+" << std::hex << std::uint32_t{c};
    }
  }
  while (std::getline(properties, line)) {
    if (line.empty() || line[0] == '#' || !line.contains("; White_Space ")) continue;
    std::string_view rest = line;
    const char32_t start = TakeHex(rest);
    char32_t last = start;
    if (rest.starts_with("..")) {
      rest.remove_prefix(2);
      last = TakeHex(rest);
    }
    for (char32_t c = start; c <= last; ++c) expected[c] = CodePointClass::kSpace;
  }
  for (char32_t c = 0; c < 0x110000; ++c) ASSERT_EQ(ClassOf(c), expected[c]) << "U+" << std::hex << std::uint32_t{c};
}

}  // namespace
}  // namespace decant::text
