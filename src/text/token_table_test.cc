// Lookups by bytes of any length; the first of equal texts wins.
#include "text/token_table.h"

#include <string>

#include "gtest/gtest.h"

namespace decant::text {
namespace {

TEST(TokenTableTest, FindsEveryTextOfAnyLength) {
  TokenTable table(200, 0);
  std::string text;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(table.Add(text), std::nullopt);
    text.push_back(static_cast<char>(i % 7));
  }
  text.clear();
  for (TokenId id = 0; id < 200; ++id) {
    EXPECT_EQ(table.Find(text), id);
    EXPECT_EQ(table.text(id), text);
    text.push_back(static_cast<char>(id % 7));
  }
  EXPECT_EQ(table.Find("other"), std::nullopt);
}

TEST(TokenTableTest, KeepsTheFirstOfEqualTexts) {
  TokenTable table(3, 8);
  EXPECT_EQ(table.Add("a"), std::nullopt);
  EXPECT_EQ(table.Add("b"), std::nullopt);
  EXPECT_EQ(table.Add("a"), TokenId{0});
  EXPECT_EQ(table.Find("a"), TokenId{0});
  EXPECT_EQ(table.text(2), "a");
  EXPECT_EQ(table.size(), 3u);
}

TEST(TokenTableTest, TellsZeroBytesApart) {
  TokenTable table(3, 8);
  for (const std::string& text : {std::string(1, '\0'), std::string(2, '\0'), std::string(9, '\0')}) table.Add(text);
  EXPECT_EQ(table.Find(std::string(2, '\0')), TokenId{1});
  EXPECT_EQ(table.Find(std::string(8, '\0')), std::nullopt);
}

}  // namespace
}  // namespace decant::text
