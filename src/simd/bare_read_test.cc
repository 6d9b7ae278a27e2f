// Every loop gives the largest value, on every instruction set of this machine and for every length around its turns.
#include "simd/bare_read.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "simd/targets.h"

namespace decant::simd {
namespace {

TEST(BareReadTest, FindsTheMaximumWhereverItIs) {
  for (const std::string_view level : SupportedLevels()) {
    const LevelForTest on(level);
    for (const std::size_t n : {1u, 2u, 15u, 16u, 63u, 64u, 65u, 128u, 255u, 256u, 300u, 1031u}) {
      for (const ReadLoop loop : kReadLoops) {
        for (std::size_t at = 0; at < n; at += n < 300 ? 1 : 7) {
          std::vector<float> row(n, -7.5f);
          std::vector<std::int16_t> words(n, -30000);
          row[at] = -0.25f;
          words[at] = -3;
          ASSERT_EQ(BareMax(loop, row.data(), n), -0.25f) << level << " n " << n << " at " << at;
          ASSERT_EQ(BareMax(loop, words.data(), n), -3) << level << " n " << n << " at " << at;
        }
      }
    }
  }
}

}  // namespace
}  // namespace decant::simd
