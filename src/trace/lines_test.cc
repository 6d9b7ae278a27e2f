// The chain of a trace: what was written reads back, and no change goes unseen.
#include "trace/lines.h"

#include <gtest/gtest.h>

#include <string>

namespace decant::trace {
namespace {

std::string SmallTrace() {
  LineChain chain;
  std::string text = chain.Seal(R"({"type":"header","schema":"decant.trace/1","prompt_ids":[1,2]})", "{}");
  text += chain.Seal(R"({"type":"step","i":1,"chosen":{"id":7}})", R"({"step":1.25})");
  text += chain.Seal(R"({"type":"step","i":2,"chosen":{"id":8}})", R"({"step":0.5})");
  return text + chain.Seal(R"({"type":"end","stop":"eos"})", R"({"total":2})");
}

TEST(TraceLinesTest, ReadsWhatItSealed) {
  const auto lines = ReadLines(SmallTrace());
  ASSERT_TRUE(lines.has_value()) << lines.error().message;
  ASSERT_EQ(lines->size(), 4u);
  EXPECT_EQ((*lines)[1].payload, R"({"type":"step","i":1,"chosen":{"id":7})");
}

TEST(TraceLinesTest, TheFirstHashFollowsSixteenZeros) {
  LineChain chain;
  // printf '0000000000000000{"a":1' | sha256sum
  EXPECT_EQ(chain.Seal(R"({"a":1})", "{}").substr(0, 23),
            R"({"a":1,"sha":")" + LineChain().Next(R"({"a":1)").substr(0, 9));
}

// Where the bytes of the ms objects are, braces excluded.
bool InsideTimes(const std::string& text, std::size_t at) {
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const std::size_t begin = text.find("\"ms\":{", line) + 6;
  const std::size_t end = text.find('\n', line) - 2;
  return at >= begin && at < end;
}

TEST(TraceLinesTest, EveryFlippedBitOutsideTimesIsFound) {
  const std::string good = SmallTrace();
  for (std::size_t at = 0; at < good.size(); ++at) {
    if (InsideTimes(good, at)) continue;
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      EXPECT_FALSE(ReadLines(bad).has_value()) << "byte " << at << " bit " << bit;
    }
  }
}

TEST(TraceLinesTest, EveryTruncationIsFound) {
  const std::string good = SmallTrace();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(ReadLines(std::string_view(good).substr(0, size)).has_value()) << size;
  }
}

TEST(TraceLinesTest, RemovedRepeatedAndAddedLinesAreFound) {
  const std::string good = SmallTrace();
  const std::size_t first = good.find('\n') + 1;
  const std::size_t second = good.find('\n', first) + 1;
  EXPECT_FALSE(ReadLines(good.substr(0, first) + good.substr(second)).has_value());
  EXPECT_FALSE(ReadLines(good.substr(0, second) + good.substr(first)).has_value());
  EXPECT_FALSE(ReadLines(good + good).has_value());
  EXPECT_FALSE(ReadLines("").has_value());
}

TEST(TraceLinesTest, NamesTheLine) {
  std::string bad = SmallTrace();
  bad.replace(bad.find("\"id\":8"), 6, "\"id\":9");
  EXPECT_EQ(ReadLines(bad).error().message,
            "line 3 of the trace does not have the hash it says: it, or a line before it, was changed");
}

TEST(TraceLinesTest, NamesTheFirstDifferenceByPath) {
  const auto value = [](std::string_view text) { return json::Read(text, {}).value(); };
  const auto found = FirstDifference(value(R"({"a":1,"b":[1,{"c":2}]})"), value(R"({"a":1,"b":[1,{"c":3}]})"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->path, "b[1].c");
  EXPECT_EQ(found->left, "2");
  EXPECT_EQ(found->right, "3");
  EXPECT_EQ(FirstDifference(value(R"({"a":1})"), value(R"({"a":1,"b":null})"))->right, "null");
  EXPECT_FALSE(FirstDifference(value(R"({"a":[1]})"), value(R"({"a":[1]})")).has_value());
}

TEST(TraceLinesTest, Base64OfTheRfc) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foo"), "Zm9v");
  EXPECT_EQ(Base64("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace decant::trace
