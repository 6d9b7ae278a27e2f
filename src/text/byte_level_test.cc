// The byte alphabet is a bijection, and undone exactly.
#include "text/byte_level.h"

#include <set>

#include "gtest/gtest.h"

namespace decant::text {
namespace {

TEST(ByteLevelTest, GivesEveryByteALetterOfItsOwn) {
  std::set<char32_t> letters;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char32_t letter = LetterOfByte(static_cast<std::uint8_t>(byte));
    letters.insert(letter);
    EXPECT_EQ(ByteOfLetter(letter), byte);
  }
  EXPECT_EQ(letters.size(), 256u);
  EXPECT_EQ(*letters.begin(), U'!');
  EXPECT_EQ(*letters.rbegin(), char32_t{0x143});
}

TEST(ByteLevelTest, WritesSpacesAndLineFeedsAsGpt2Does) {
  EXPECT_EQ(BytesToLetters(" a\n\xC3\xA9\xAD"), "ĠaĊÃ©Ń");
  EXPECT_EQ(LettersToBytes("ĠaĊÃ©Ń"), " a\n\xC3\xA9\xAD");
}

TEST(ByteLevelTest, RefusesWhatIsNotALetter) {
  EXPECT_EQ(LettersToBytes("a b"), std::nullopt);
  EXPECT_EQ(LettersToBytes("中"), std::nullopt);
  EXPECT_EQ(LettersToBytes("\xFF"), std::nullopt);
  EXPECT_EQ(ByteOfLetter(U'\u0144'), std::nullopt);
  EXPECT_EQ(ByteOfLetter(U'\u00AD'), std::nullopt);
}

}  // namespace
}  // namespace decant::text
