// The spellings of a list of ids.
#include "detokenize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace decant::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ReadIdListTest, ReadsSpacesCommasLinesAndJson) {
  EXPECT_THAT(ReadIdList("1 2,3\n4, 5\r\n").value(), ElementsAre(1u, 2u, 3u, 4u, 5u));
  EXPECT_THAT(ReadIdList(" [1, 2,\n3]\n").value(), ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(ReadIdList("").value(), ElementsAre());
  EXPECT_THAT(ReadIdList(" \n").value(), ElementsAre());
  EXPECT_THAT(ReadIdList("[]").value(), ElementsAre());
}

TEST(ReadIdListTest, NamesWhatIsNoId) {
  EXPECT_THAT(ReadIdList("1 x 3").error().message, HasSubstr("item 2 of the ids is \"x\""));
  EXPECT_THAT(ReadIdList("-1").error().message, HasSubstr("item 1"));
  EXPECT_THAT(ReadIdList("4294967296").error().message, HasSubstr("4294967296"));
  EXPECT_THAT(ReadIdList("[1,2.5]").error().message, HasSubstr("item 2 of the ids is 2.5"));
  EXPECT_THAT(ReadIdList("[\"1\"]").error().message, HasSubstr("item 1 of the ids is a string"));
  EXPECT_EQ(ReadIdList("[1,2").error().code, ErrorCode::kInvalidJson);
}

}  // namespace
}  // namespace decant::cli
