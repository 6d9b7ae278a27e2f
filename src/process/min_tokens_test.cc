// The count at which end tokens come free.
#include "process/min_tokens.h"

#include <gtest/gtest.h>

#include "process/row_for_test.h"

namespace decant::process {
namespace {

// Whether the end tokens 2 and 7 may come after so many generated tokens.
bool MayEnd(const std::vector<TokenId>& output) {
  RowForTest test(std::vector<float>(8), {1, 1, 1}, output);
  Row row = test.row();
  ApplyMinTokens({.count = 2, .tokens = {2, 7}}, row);
  EXPECT_EQ(test.scores[2], test.scores[7]);
  return test.scores[2] != kBanned;
}

TEST(MinTokensTest, EndTokensAreBannedForTheFirstTokens) {
  EXPECT_FALSE(MayEnd({}));
  EXPECT_FALSE(MayEnd({0}));
  EXPECT_TRUE(MayEnd({0, 0}));
}

TEST(MinTokensTest, NamesValuesOutOfRange) {
  EXPECT_EQ(ValidateMinTokens({.count = -1, .tokens = {}}, 8).error().message,
            "min_tokens is -1; expected 0 (off) or a number of tokens");
  EXPECT_EQ(ValidateMinTokens({.count = 1, .tokens = {8}}, 8).error().code, ErrorCode::kTokenOutOfRange);
}

}  // namespace
}  // namespace decant::process
