// Nothing here looks at how long anything took: what is measured, and that what is wrong is found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decant/bench.h"

namespace decant {
namespace {

using ::testing::HasSubstr;

TimingOptions Quick() { return {.batch = 4, .pairs = 2, .block_ms = 0.01, .checked_rows = 8}; }

TEST(TimeSamplerTest, ReportsWhatItMeasured) {
  const auto rows = LogitRows::Make({.rows = 8, .vocabulary = 500});
  ASSERT_TRUE(rows.has_value());
  for (const std::string_view name : ChainNames()) {
    const auto chain = FindNamedChain(name, 500);
    std::size_t seen = 0;
    TimingOptions options = Quick();
    options.on_pair = [&seen](std::size_t done, std::size_t pairs) {
      EXPECT_EQ(done, seen++);
      EXPECT_EQ(pairs, 2u);
    };
    const auto timing = TimeSampler(*chain, *rows, options);
    ASSERT_TRUE(timing.has_value()) << timing.error().message;
    EXPECT_EQ(timing->name, name);
    EXPECT_EQ(timing->batch, 4u);
    EXPECT_EQ(timing->vocabulary, 500u);
    EXPECT_EQ(timing->rows_held, 8u);
    EXPECT_EQ(timing->rows_checked, 8u);
    EXPECT_GT(timing->us_per_row, 0);
    EXPECT_GT(timing->ratio_to_read, 0);
    EXPECT_LE(timing->ratio_low, timing->ratio_to_read);
    EXPECT_GE(timing->ratio_high, timing->ratio_to_read);
    EXPECT_FALSE(timing->gain.has_value());
    EXPECT_EQ(seen, 2u);
  }
}

TEST(TimeSamplerTest, TwoThreadsAreComparedWithOne) {
  const auto rows = LogitRows::Make({.rows = 8, .vocabulary = 500});
  const auto chain = FindNamedChain("min_p:0.05+temperature", 500);
  for (const std::size_t batch : {1u, 8u}) {
    TimingOptions options = Quick();
    options.batch = batch;
    options.runtime = Runtime::Make({.threads = 2}).value();
    const auto timing = TimeSampler(*chain, *rows, options);
    ASSERT_TRUE(timing.has_value()) << timing.error().message;
    EXPECT_EQ(timing->threads, 2);
    EXPECT_GT(timing->gain.value_or(0), 0);
    EXPECT_GT(timing->read_gain.value_or(0), 0);
  }
}

TEST(TimeSamplerTest, AWrongTokenStopsIt) {
  const auto rows = LogitRows::Make({.rows = 4, .vocabulary = 500});
  const auto chain = FindNamedChain("greedy", 500);
  TimingOptions options = Quick();
  options.right = [](const Chain&, const RowView&, const SamplerState&) -> Result<TokenId> { return 500; };
  const auto timing = TimeSampler(*chain, *rows, options);
  ASSERT_FALSE(timing.has_value());
  EXPECT_EQ(timing.error().code, ErrorCode::kInternal);
  EXPECT_THAT(timing.error().message, HasSubstr("500 by the other way"));
}

TEST(TimeSamplerTest, ABadRowIsNamed) {
  const FloatTable table{.rows = 2, .columns = 2, .values = {0, 1, 2, std::numeric_limits<float>::infinity()}};
  const auto rows = LogitRows::Repeat(table, 4, ElementType::kF32);
  const auto timing = TimeSampler(*FindNamedChain("greedy", 2), *rows, Quick());
  ASSERT_FALSE(timing.has_value());
  EXPECT_EQ(timing.error().code, ErrorCode::kNonFiniteLogit);
  EXPECT_THAT(timing.error().message, HasSubstr("row 1: "));
}

TEST(TimeSamplerTest, BoundsAreNamed) {
  const auto rows = LogitRows::Make({.rows = 6, .vocabulary = 10});
  const auto chain = FindNamedChain("greedy", 10);
  EXPECT_THAT(TimeSampler(*chain, *rows, Quick()).error().message, HasSubstr("6 rows are no whole number of batches"));
  EXPECT_THAT(TimeSampler(*chain, *rows, {.batch = 3, .pairs = 0}).error().message, HasSubstr("pairs is 0"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(TimeSampler(*chain, *rows, {.batch = 3, .cancel = stop.get_token()}).error().code, ErrorCode::kCancelled);
}

TEST(TimeSamplerTest, TheMachineIsNamed) { EXPECT_THAT(MachineText(), HasSubstr(" core")); }

}  // namespace
}  // namespace decant
