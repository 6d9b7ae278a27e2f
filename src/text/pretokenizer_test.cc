// Where pieces end: each alternative of the expression, and their order.
#include "text/pretokenizer.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace decant::text {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> PiecesOf(PreTokenizer pre, std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t length = FirstPiece(pre, text);
    pieces.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return pieces;
}
std::vector<std::string> Pieces(std::string_view text) { return PiecesOf(PreTokenizer::kSmollm, text); }
std::vector<std::string> Gpt2(std::string_view text) { return PiecesOf(PreTokenizer::kGpt2, text); }
std::vector<std::string> Llama3(std::string_view text) { return PiecesOf(PreTokenizer::kLlama3, text); }
std::vector<std::string> Qwen2(std::string_view text) { return PiecesOf(PreTokenizer::kQwen2, text); }
std::vector<std::string> Gpt4o(std::string_view text) { return PiecesOf(PreTokenizer::kGpt4o, text); }

TEST(PreTokenizerTest, IsFoundByItsNamesAndItsExpression) {
  EXPECT_EQ(FindPreTokenizer("llama-bpe"), PreTokenizer::kLlama3);
  EXPECT_EQ(FindPreTokenizer("gpt-2"), PreTokenizer::kGpt2);
  EXPECT_EQ(FindPreTokenizer("default"), std::nullopt);
  EXPECT_EQ(FindPreTokenizer(""), std::nullopt);
  EXPECT_EQ(
      FindPreTokenizerByExpression(R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"),
      PreTokenizer::kGpt2);
  EXPECT_EQ(FindPreTokenizerByExpression(""), std::nullopt);
  EXPECT_EQ(PreTokenizerNames(), "gpt2, gpt-2, smollm, llama3, llama-bpe, llama-v3, qwen2, gpt4o, gpt-4o");
  for (const PreTokenizer pre : {PreTokenizer::kGpt2, PreTokenizer::kSmollm, PreTokenizer::kLlama3,
                                 PreTokenizer::kQwen2, PreTokenizer::kGpt4o}) {
    EXPECT_EQ(FindPreTokenizer(NameOf(pre)), pre);
  }
}

TEST(Gpt2PiecesTest, KeepsNumbersTogetherAndTheirSpaceWithThem) {
  EXPECT_THAT(Gpt2("a 12 3"), ElementsAre("a", " 12", " 3"));
  EXPECT_THAT(Gpt2("a   12b"), ElementsAre("a", "  ", " 12", "b"));
  EXPECT_THAT(Gpt2("1\t2"), ElementsAre("1", "\t", "2"));
  EXPECT_THAT(Gpt2("it's 'S  "), ElementsAre("it", "'s", " '", "S", "  "));
}

TEST(Llama3PiecesTest, LetsOneCharacterOfAnyKindLeadAWord) {
  EXPECT_THAT(Llama3("a b\tc\u00A0d"), ElementsAre("a", " b", "\tc", "\u00A0d"));
  EXPECT_THAT(Llama3("(word) -word"), ElementsAre("(word", ")", " -", "word"));
  EXPECT_THAT(Llama3("\nword"), ElementsAre("\n", "word"));
  EXPECT_THAT(Llama3("!!word"), ElementsAre("!!", "word"));
  EXPECT_THAT(Llama3("e\u0301a"), ElementsAre("e", "\u0301a"));
  EXPECT_THAT(Llama3("\xFFword"), ElementsAre("\xFFword"));
}

TEST(Llama3PiecesTest, CutsContractionsInAnyCase) {
  EXPECT_THAT(Llama3("IT'S we'RE I'lL"), ElementsAre("IT", "'S", " we", "'RE", " I", "'lL"));
  EXPECT_THAT(Llama3("it'\u017F"), ElementsAre("it", "'\u017F"));
  EXPECT_THAT(Llama3("'sad 'lx 'r"), ElementsAre("'s", "ad", " '", "lx", " '", "r"));
  EXPECT_THAT(Llama3("'lx"), ElementsAre("'lx"));
  EXPECT_THAT(Llama3("'"), ElementsAre("'"));
}

TEST(Llama3PiecesTest, CutsNumbersByThree) {
  EXPECT_THAT(Llama3("1234567"), ElementsAre("123", "456", "7"));
  EXPECT_THAT(Llama3(" 12 a1"), ElementsAre(" ", "12", " a", "1"));
  EXPECT_THAT(Llama3("½Ⅷ१9"), ElementsAre("½Ⅷ१", "9"));
}

TEST(Llama3PiecesTest, LeavesLineBreaksWithTheSymbolsBeforeThem) {
  EXPECT_THAT(Llama3("a;\n\nb"), ElementsAre("a", ";\n\n", "b"));
  EXPECT_THAT(Llama3(" };\r\n\tx"), ElementsAre(" };\r\n", "\tx"));
}

TEST(Llama3PiecesTest, EndsWhiteSpaceAtItsLastLineBreak) {
  EXPECT_THAT(Llama3("a \n \n  b"), ElementsAre("a", " \n \n", " ", " b"));
  EXPECT_THAT(Llama3("a  \n  "), ElementsAre("a", "  \n", "  "));
  EXPECT_THAT(Llama3("a\u2028 b"), ElementsAre("a", "\u2028", " b"));
  EXPECT_THAT(Llama3("   1"), ElementsAre("  ", " ", "1"));
}

TEST(Qwen2PiecesTest, IsLlama3WithSingleDigits) {
  EXPECT_THAT(Qwen2("a 123;\n\n x"), ElementsAre("a", " ", "1", "2", "3", ";\n\n", " x"));
}

TEST(Gpt4oPiecesTest, CutsWordsWhereLowerCaseTurnsToUpper) {
  EXPECT_THAT(Gpt4o("camelCaseXMLHttp"), ElementsAre("camel", "Case", "XMLHttp"));
  EXPECT_THAT(Gpt4o(" ABC (ABC"), ElementsAre(" ABC", " (", "ABC"));
  EXPECT_THAT(Gpt4o("\u01C5ungla"), ElementsAre("\u01C5ungla"));
}

TEST(Gpt4oPiecesTest, GivesBackUpperCaseAfterTheLastCaselessLetter) {
  EXPECT_THAT(Gpt4o("\u4E2DAB"), ElementsAre("\u4E2D", "AB"));
  EXPECT_THAT(Gpt4o("A\u4E2DB\u4E2DAB "), ElementsAre("A\u4E2DB\u4E2D", "AB", " "));
  EXPECT_THAT(Gpt4o("\u4E2DABc"), ElementsAre("\u4E2DABc"));
}

TEST(Gpt4oPiecesTest, TakesMarksIntoWords) {
  EXPECT_THAT(Gpt4o("e\u0301a"), ElementsAre("e\u0301a"));
  EXPECT_THAT(Gpt4o("\u0301AB"), ElementsAre("\u0301", "AB"));
  EXPECT_THAT(Gpt4o("!\u0301b"), ElementsAre("!\u0301b"));
  EXPECT_THAT(Gpt4o("\u0301"), ElementsAre("\u0301"));
}

TEST(Gpt4oPiecesTest, LeavesContractionsWithTheirWord) {
  EXPECT_THAT(Gpt4o("it's IT'S I'LLx"), ElementsAre("it's", " IT'S", " I'LL", "x"));
  EXPECT_THAT(Gpt4o("1's '"), ElementsAre("1", "'s", " '"));
}

TEST(Gpt4oPiecesTest, LeavesLineBreaksAndSlashesWithSymbols) {
  EXPECT_THAT(Gpt4o("//\n//\n/x"), ElementsAre("//\n//\n/", "x"));
  EXPECT_THAT(Gpt4o(" .\n b"), ElementsAre(" .\n", " b"));
  EXPECT_THAT(Gpt4o("1234  \n  x"), ElementsAre("123", "4", "  \n", " ", " x"));
}

TEST(SmollmPiecesTest, KeepsOneSpaceWithTheWordThatFollows) {
  EXPECT_THAT(Pieces("two words"), ElementsAre("two", " words"));
  EXPECT_THAT(Pieces("a   b"), ElementsAre("a", "  ", " b"));
  EXPECT_THAT(Pieces("a -- b"), ElementsAre("a", " --", " b"));
}

TEST(SmollmPiecesTest, KeepsOtherWhiteSpaceApartFromTheWord) {
  EXPECT_THAT(Pieces("a\tb"), ElementsAre("a", "\t", "b"));
  EXPECT_THAT(Pieces("a\t\tb"), ElementsAre("a", "\t", "\t", "b"));
  EXPECT_THAT(Pieces("a\n b"), ElementsAre("a", "\n", " b"));
  EXPECT_THAT(Pieces("a \nb"), ElementsAre("a", " ", "\n", "b"));
  EXPECT_THAT(Pieces("a\u00A0\u3000b"), ElementsAre("a", "\u00A0", "\u3000", "b"));
}

TEST(SmollmPiecesTest, TakesTrailingWhiteSpaceWhole) {
  EXPECT_THAT(Pieces("a  \n"), ElementsAre("a", "  \n"));
  EXPECT_THAT(Pieces(" "), ElementsAre(" "));
}

TEST(SmollmPiecesTest, LetsEveryNumberStandAlone) {
  EXPECT_THAT(Pieces("a1b23"), ElementsAre("a", "1", "b", "2", "3"));
  EXPECT_THAT(Pieces("½Ⅷ१"), ElementsAre("½", "Ⅷ", "१"));
}

TEST(SmollmPiecesTest, EndsWhiteSpaceAtANumberAsAtTheEnd) {
  EXPECT_THAT(Pieces(" 1"), ElementsAre(" ", "1"));
  EXPECT_THAT(Pieces("a   1"), ElementsAre("a", "   ", "1"));
}

TEST(SmollmPiecesTest, CutsContractionsOnlyAtAnApostropheThatStartsAPiece) {
  EXPECT_THAT(Pieces("it's we're I'll I'd"), ElementsAre("it", "'s", " we", "'re", " I", "'ll", " I", "'d"));
  EXPECT_THAT(Pieces("'sad"), ElementsAre("'s", "ad"));
  EXPECT_THAT(Pieces(" 's"), ElementsAre(" '", "s"));
  EXPECT_THAT(Pieces("!'s"), ElementsAre("!'", "s"));
  EXPECT_THAT(Pieces("IT'S"), ElementsAre("IT", "'", "S"));
  EXPECT_THAT(Pieces("'l 'r"), ElementsAre("'", "l", " '", "r"));
  EXPECT_THAT(Pieces("'"), ElementsAre("'"));
}

TEST(SmollmPiecesTest, TakesMarksAndJoinersForSymbols) {
  EXPECT_THAT(Pieces("e\u0301a"), ElementsAre("e", "\u0301", "a"));
  EXPECT_THAT(Pieces("👩\u200D🚀!"), ElementsAre("👩\u200D🚀!"));
}

TEST(SmollmPiecesTest, TakesInvalidBytesForSymbols) {
  EXPECT_THAT(Pieces("a\xFF\xFE!b"), ElementsAre("a", "\xFF\xFE!", "b"));
  EXPECT_THAT(Pieces(" \xE4\xB8"), ElementsAre(" \xE4\xB8"));
  EXPECT_THAT(Pieces("\xE4\xB8z"), ElementsAre("\xE4\xB8", "z"));
}

}  // namespace
}  // namespace decant::text
