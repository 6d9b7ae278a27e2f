// Words, their numbers, articles, and the measures of whole texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decant/measure.h"

namespace decant {
namespace {

using ::testing::ElementsAre;

TEST(WordsTest, AreWhatSpacesLeave) {
  EXPECT_THAT(WordsOf("  \"No,\"\tshe said\r\nand\vleft\f"), ElementsAre("\"No,\"", "she", "said", "and", "left"));
  EXPECT_TRUE(WordsOf("").empty());
  EXPECT_TRUE(WordsOf(" \n ").empty());
}

TEST(WordsTest, OtherUnicodeSpacesAndBrokenBytesDoNotSeparate) {
  EXPECT_THAT(WordsOf("a\xC2\xA0z \xFF\xFE b"), ElementsAre("a\xC2\xA0z", "\xFF\xFE", "b"));
}

TEST(WordsTest, GetNumbersInOrderOfAppearance) {
  WordNumbers numbers;
  EXPECT_THAT(numbers.OfText("the cat the dog"), ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(numbers.OfText("The dog"), ElementsAre(3, 2));
}

TEST(ArticlesTest, AreFoundInsidePunctuationAndInAnyCase) {
  const auto count = [](std::string_view text) { return CountArticles(WordsOf(text)); };
  EXPECT_EQ(count("A cat, an owl and the dog"), 3);
  EXPECT_EQ(count("\"The (an) \xE2\x80\x9CThe\xE2\x80\x9D THE\xE2\x80\x94"), 4);
  EXPECT_EQ(count("then that's aa \xC3\xA0 a1 -- ''"), 0);
}

TEST(MeasureTextTest, CountsTheRepeatedRunOfFourWords) {
  const TextMeasures m = MeasureText("the cat sat and the cat sat and purred");
  EXPECT_EQ(m.words, 9);
  EXPECT_EQ(m.articles, 2);
  EXPECT_EQ(m.four_word_runs, (RepeatCounts{.runs = 6, .repeats = 1}));
  EXPECT_EQ(m.unigrams, (RunCounts{.runs = 9, .distinct = 5}));
  EXPECT_EQ(m.bigrams, (RunCounts{.runs = 8, .distinct = 5}));
  EXPECT_EQ(m.longest_repeat, (Repeat{.length = 4, .first = 0, .again = 4}));
  EXPECT_FALSE(m.loop.has_value());
}

TEST(MeasureTextTest, NothingComesOfNothing) {
  const TextMeasures m = MeasureText(" ");
  EXPECT_EQ(m, TextMeasures{});
  EXPECT_FALSE(m.four_word_runs.Share().has_value());
  EXPECT_FALSE(m.unigrams.Share().has_value());
}

TEST(MeasureTextsTest, RepeatsStayInsideAStoryAndDistinctRunsDoNot) {
  const std::vector<std::string> texts = {"so he was very happy", "so he was very happy", "no no no no no no no no"};
  const CorpusMeasures corpus = MeasureTexts(texts);
  EXPECT_EQ(corpus.texts[1], MeasureText(texts[1]));
  EXPECT_EQ(corpus.all.words, 18);
  // Two runs a story, none of them an earlier one's; the five of the third repeat its first.
  EXPECT_EQ(corpus.all.four_word_runs, (RepeatCounts{.runs = 9, .repeats = 4}));
  EXPECT_EQ(corpus.all.unigrams, (RunCounts{.runs = 18, .distinct = 6}));
  EXPECT_EQ(corpus.all.bigrams, (RunCounts{.runs = 15, .distinct = 5}));
  EXPECT_EQ(corpus.all.longest_repeat, (Repeat{.length = 7, .first = 0, .again = 1}));
  EXPECT_EQ(corpus.loops, 1);
  EXPECT_TRUE(MeasureTexts({}).texts.empty());
}

}  // namespace
}  // namespace decant
