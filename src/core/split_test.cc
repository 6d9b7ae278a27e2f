// Empty parts count; an empty text has none.
#include "core/split.h"

#include <gtest/gtest.h>

namespace decant::core {
namespace {

using Parts = std::vector<std::string_view>;

TEST(SplitTest, KeepsEmptyParts) {
  EXPECT_EQ(Split("", ','), Parts{});
  EXPECT_EQ(Split("1", ','), Parts{"1"});
  EXPECT_EQ(Split("1,,2,", ','), (Parts{"1", "", "2", ""}));
  EXPECT_EQ(Split(";", ';'), (Parts{"", ""}));
}

}  // namespace
}  // namespace decant::core
