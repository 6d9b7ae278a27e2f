// Which tokens are likely enough, at the bound and in ties.
#include "filter/min_p.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace decant::filter {
namespace {

std::vector<TokenId> After(std::vector<float> scores, double p, double temperature = 1.0) {
  Candidates candidates(scores, temperature);
  ApplyMinP({p}, candidates);
  return {candidates.ids().begin(), candidates.ids().end()};
}

TEST(MinPTest, KeepsWhatIsAtLeastPTimesTheBest) {
  EXPECT_EQ(After({2, 1, 0}, 0.3), (std::vector<TokenId>{0, 1}));  // 1, .368, .135
}

TEST(MinPTest, EqualToTheBoundStaysAndTiesStayTogether) {
  EXPECT_EQ(After({5, 5, 0}, 1.0), (std::vector<TokenId>{0, 1}));
}

TEST(MinPTest, SeesTheTemperature) {
  EXPECT_EQ(After({2, 1, 0}, 0.3, 10.0).size(), 3u);
  EXPECT_EQ(After({2, 1, 0}, 0.3, 0.1).size(), 1u);
}

TEST(MinPTest, RangeIsZeroToOne) {
  EXPECT_TRUE(IsOff(MinPParams{0}));
  for (const double p : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(ValidateMinP({p}).error().code, ErrorCode::kOutOfRange) << p;
  }
}

}  // namespace
}  // namespace decant::filter
