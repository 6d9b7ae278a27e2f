// Errors as a person reads them: harmless for a terminal, and with one position.
#include "session.h"

#include <gtest/gtest.h>

namespace decant::cli {
namespace {

TEST(MessageTextTest, EscapesTextThatAFileSupplied) {
  EXPECT_EQ(MessageText({.message = "tensor \"\x1b]0;owned\x07\" is odd"}), "tensor \"\\u{1b}]0;owned\\u{7}\" is odd");
}

TEST(MessageTextTest, SaysThePositionOnce) {
  const Position at{.offset = 0, .line = 1, .column = 15};
  EXPECT_EQ(MessageText({.message = "a name is missing", .at = at}), "a name is missing (line 1, column 15)");
  EXPECT_EQ(MessageText({.message = "line 1, column 15: a name is missing", .at = at}),
            "line 1, column 15: a name is missing");
  EXPECT_EQ(MessageText({.message = "line 12 is missing", .at = at}), "line 12 is missing (line 1, column 15)");
  EXPECT_EQ(MessageText({.message = "a tensor is missing", .at = Position{.offset = 64}}), "a tensor is missing");
}

}  // namespace
}  // namespace decant::cli
