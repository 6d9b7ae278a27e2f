// Where pieces end: each alternative of the expression, and their order.
#include "text/pretokenizer.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace decant::text {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Pieces(std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t length = FirstPiece(text);
    pieces.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return pieces;
}

TEST(PretokenizerTest, KeepsOneSpaceWithTheWordThatFollows) {
  EXPECT_THAT(Pieces("two words"), ElementsAre("two", " words"));
  EXPECT_THAT(Pieces("a   b"), ElementsAre("a", "  ", " b"));
  EXPECT_THAT(Pieces("a -- b"), ElementsAre("a", " --", " b"));
}

TEST(PretokenizerTest, KeepsOtherWhiteSpaceApartFromTheWord) {
  EXPECT_THAT(Pieces("a\tb"), ElementsAre("a", "\t", "b"));
  EXPECT_THAT(Pieces("a\t\tb"), ElementsAre("a", "\t", "\t", "b"));
  EXPECT_THAT(Pieces("a\n b"), ElementsAre("a", "\n", " b"));
  EXPECT_THAT(Pieces("a \nb"), ElementsAre("a", " ", "\n", "b"));
  EXPECT_THAT(Pieces("a\u00A0\u3000b"), ElementsAre("a", "\u00A0", "\u3000", "b"));
}

TEST(PretokenizerTest, TakesTrailingWhiteSpaceWhole) {
  EXPECT_THAT(Pieces("a  \n"), ElementsAre("a", "  \n"));
  EXPECT_THAT(Pieces(" "), ElementsAre(" "));
}

TEST(PretokenizerTest, LetsEveryNumberStandAlone) {
  EXPECT_THAT(Pieces("a1b23"), ElementsAre("a", "1", "b", "2", "3"));
  EXPECT_THAT(Pieces("½Ⅷ१"), ElementsAre("½", "Ⅷ", "१"));
}

TEST(PretokenizerTest, EndsWhiteSpaceAtANumberAsAtTheEnd) {
  EXPECT_THAT(Pieces(" 1"), ElementsAre(" ", "1"));
  EXPECT_THAT(Pieces("a   1"), ElementsAre("a", "   ", "1"));
}

TEST(PretokenizerTest, CutsContractionsOnlyAtAnApostropheThatStartsAPiece) {
  EXPECT_THAT(Pieces("it's we're I'll I'd"), ElementsAre("it", "'s", " we", "'re", " I", "'ll", " I", "'d"));
  EXPECT_THAT(Pieces("'sad"), ElementsAre("'s", "ad"));
  EXPECT_THAT(Pieces(" 's"), ElementsAre(" '", "s"));
  EXPECT_THAT(Pieces("!'s"), ElementsAre("!'", "s"));
  EXPECT_THAT(Pieces("IT'S"), ElementsAre("IT", "'", "S"));
  EXPECT_THAT(Pieces("'l 'r"), ElementsAre("'", "l", " '", "r"));
  EXPECT_THAT(Pieces("'"), ElementsAre("'"));
}

TEST(PretokenizerTest, TakesMarksAndJoinersForSymbols) {
  EXPECT_THAT(Pieces("e\u0301a"), ElementsAre("e", "\u0301", "a"));
  EXPECT_THAT(Pieces("👩\u200D🚀!"), ElementsAre("👩\u200D🚀!"));
}

TEST(PretokenizerTest, TakesInvalidBytesForSymbols) {
  EXPECT_THAT(Pieces("a\xFF\xFE!b"), ElementsAre("a", "\xFF\xFE!", "b"));
  EXPECT_THAT(Pieces(" \xE4\xB8"), ElementsAre(" \xE4\xB8"));
  EXPECT_THAT(Pieces("\xE4\xB8z"), ElementsAre("\xE4\xB8", "z"));
}

}  // namespace
}  // namespace decant::text
