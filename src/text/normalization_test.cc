// Normalization Form C: order, composition, what blocks it, Hangul, and bytes that are no text. All of
// NormalizationTest.txt is run by tests/peers/nfc_test.py.
#include "text/normalization.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace decant::text {
namespace {

std::string Nfc(std::string_view text) {
  std::string storage = "left from before";
  return std::string(ToNfc(text, storage));
}

TEST(NormalizationTest, ComposesLettersWithTheirMarks) {
  EXPECT_EQ(Nfc("cafe\u0301"), "caf\u00E9");
  EXPECT_EQ(Nfc("e\u0301\u0301"), "\u00E9\u0301");
  EXPECT_EQ(Nfc("\u00E9\u0323"), "\u1EB9\u0301");  // the mark below comes first and takes the letter
  EXPECT_EQ(Nfc("\u03B1\u0313\u0300\u0345"), "\u1F82");
  EXPECT_EQ(Nfc(">\u0338"), "\u226F");
}

TEST(NormalizationTest, OrdersMarksByClassAndKeepsEqualOnes) {
  EXPECT_EQ(Nfc("q\u0307\u0323"), "q\u0323\u0307");
  EXPECT_EQ(Nfc("q\u0307\u0300"), "q\u0307\u0300");
  EXPECT_EQ(Nfc("\u0307\u0323"), "\u0323\u0307");
}

TEST(NormalizationTest, DoesNotComposeAcrossABlockingMark) {
  EXPECT_EQ(Nfc("a\u0305\u0301"), "a\u0305\u0301");  // both of class 230
  EXPECT_EQ(Nfc("a\u0327\u0301"), "\u00E1\u0327");   // class 202 lets 230 pass
  EXPECT_EQ(Nfc("a\u200D\u0301"), "a\u200D\u0301");
  EXPECT_EQ(Nfc("a \u0301"), "a \u0301");
}

TEST(NormalizationTest, ReplacesSingletonsAndKeepsExclusionsApart) {
  EXPECT_EQ(Nfc("\u212B\u2126"), "\u00C5\u03A9");
  EXPECT_EQ(Nfc("\uF900"), "\u8C48");
  EXPECT_EQ(Nfc("\u0958"), "\u0915\u093C");
  EXPECT_EQ(Nfc("\u0344"), "\u0308\u0301");
}

TEST(NormalizationTest, ComposesHangul) {
  EXPECT_EQ(Nfc("\u1100\u1161"), "\uAC00");
  EXPECT_EQ(Nfc("\u1100\u1161\u11A8"), "\uAC01");
  EXPECT_EQ(Nfc("\uAC00\u11A8"), "\uAC01");
  EXPECT_EQ(Nfc("\uAC01\u11A8"), "\uAC01\u11A8");
  EXPECT_EQ(Nfc("\uAC00\u11A7"), "\uAC00\u11A7");  // no trailing consonant
  EXPECT_EQ(Nfc("\u1161\u1100"), "\u1161\u1100");
}

TEST(NormalizationTest, LooksNeitherAtNorAcrossInvalidBytes) {
  EXPECT_EQ(Nfc("e\xFF\u0301"), "e\xFF\u0301");
  EXPECT_EQ(Nfc("e\u0301\xCC"), "\u00E9\xCC");
  EXPECT_EQ(Nfc("\xC3\u0301"), "\xC3\u0301");
  EXPECT_EQ(Nfc("e\u0301\xF0\x9F"), "\u00E9\xF0\x9F");
}

TEST(NormalizationTest, GivesBackTheArgumentWhenNothingMayChange) {
  std::string storage;
  for (const std::string_view text :
       {"", "plain", "caf\u00E9", "\u4E2D\u6587 \u0439", "\xFF\xCC", "\u00E9\u00E9\x80"}) {
    EXPECT_EQ(ToNfc(text, storage).data(), text.data()) << text;
  }
  EXPECT_EQ(storage, "");
}

TEST(NormalizationTest, IsDoneAfterOnceAndMayBeDoneInPartsThatStartersBegin) {
  std::mt19937 random(5);
  const std::vector<std::string> parts{"e",      "\u0301", "\u0323", "\u00E9", "\u4E2D", "\u1100",
                                       "\u1161", "\u11A8", "\uAC00", "\u0345", "\u03B1", "\xCC",
                                       "\xE4",   "\u212B", " ",      "\u0305", "\u09C7", "\u09BE"};
  for (int i = 0; i < 5000; ++i) {
    std::string head, tail;
    for (auto n = random() % 6; n > 0; --n) head += parts[random() % parts.size()];
    for (auto n = random() % 6; n > 0; --n) tail += parts[random() % parts.size()];
    EXPECT_EQ(Nfc(Nfc(head)), Nfc(head));
    EXPECT_EQ(Nfc(head + "a" + tail), Nfc(head) + Nfc("a" + tail)) << head << " " << tail;
  }
}

TEST(NormalizationTest, IsNotQuadraticInTheMarksOfOneLetter) {
  std::string text = "a";
  for (int i = 0; i < 200000; ++i) text += i % 2 == 0 ? "\u0305" : "\u0323";
  const std::string normalized = Nfc(text);
  EXPECT_TRUE(normalized.starts_with("\u1EA1\u0323\u0323"));
  EXPECT_TRUE(normalized.ends_with("\u0305"));
}

}  // namespace
}  // namespace decant::text
