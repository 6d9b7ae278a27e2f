// Text is shown in whole code points, wherever the bytes are cut.
#include <string>
#include <string_view>

#include "core/utf8.h"
#include "decant/tokenizer.h"
#include "gtest/gtest.h"

namespace decant {
namespace {

TEST(StreamingDetokenizerTest, HoldsTheHeadOfACodePointUntilItsTail) {
  StreamingDetokenizer stream;
  EXPECT_EQ(stream.Push("a\xF0\x9F"), "a");
  EXPECT_EQ(stream.held(), "\xF0\x9F");
  EXPECT_EQ(stream.Push("\x98"), "");
  EXPECT_EQ(stream.Push("\x80!"), "😀!");
  EXPECT_EQ(stream.held(), "");
  EXPECT_EQ(stream.Flush(), "");
}

TEST(StreamingDetokenizerTest, ShowsOneReplacementForEachMaximalInvalidPart) {
  StreamingDetokenizer stream;
  EXPECT_EQ(stream.Push("\xE2\x82"), "");
  EXPECT_EQ(stream.Push("\x41"),
            "\uFFFD"
            "A");
  EXPECT_EQ(stream.Push("\xFF\xC0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(stream.Push("\xF0\x90"), "");
  EXPECT_EQ(stream.Flush(), "\uFFFD");
  EXPECT_EQ(stream.held(), "");
  EXPECT_EQ(stream.bytes(), "\xE2\x82\x41\xFF\xC0\x80\xF0\x90");
}

// Every string of up to five bytes over an alphabet in which every kind of head, tail and limit of UTF-8 occurs, cut in
// every way.
TEST(StreamingDetokenizerTest, ShowsTheSameTextForEverySplit) {
  constexpr std::string_view kAlphabet = "a\x80\x9F\xA0\xBF\xC2\xE0\xED\xF0\xF4\xFF";
  constexpr std::size_t kLongest = 5;
  for (std::size_t length = 0; length <= kLongest; ++length) {
    std::size_t strings = 1;
    for (std::size_t i = 0; i < length; ++i) strings *= kAlphabet.size();
    for (std::size_t number = 0; number < strings; ++number) {
      std::string bytes;
      for (std::size_t i = 0, rest = number; i < length; ++i, rest /= kAlphabet.size()) {
        bytes.push_back(kAlphabet[rest % kAlphabet.size()]);
      }
      const std::string whole = core::ToValidUtf8(bytes);
      for (unsigned cuts = 0; cuts < (1u << (length == 0 ? 0 : length - 1)); ++cuts) {
        StreamingDetokenizer stream;
        std::string shown;
        std::size_t start = 0;
        for (std::size_t i = 1; i <= length; ++i) {
          if (i < length && (cuts >> (i - 1) & 1u) == 0) continue;
          shown += stream.Push(std::string_view(bytes).substr(start, i - start));
          start = i;
          ASSERT_LE(stream.held().size(), 3u);
          ASSERT_TRUE(core::IsValidUtf8(shown));
        }
        shown += stream.Flush();
        ASSERT_EQ(shown, whole) << "string " << number << " of length " << length << ", cuts " << cuts;
        ASSERT_EQ(stream.bytes(), bytes);
      }
    }
  }
}

}  // namespace
}  // namespace decant
