// Rows and instruction sets for tests of kernels over rows.
#ifndef DECANT_SIMD_ROWS_FOR_TEST_H_
#define DECANT_SIMD_ROWS_FOR_TEST_H_

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "simd/targets.h"

namespace decant::simd {

inline constexpr float kBanned = -std::numeric_limits<float>::infinity();
inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr std::size_t kSizes[] = {1,   2,   15,  16,  17,  31,  33,   63,   64,  65,
                                         127, 129, 500, 511, 512, 513, 1000, 1024, 1537};

inline void OnEveryLevel(const std::function<void(std::string_view)>& body) {
  for (const std::string_view level : SupportedLevels()) {
    const LevelForTest use(level);
    body(level);
  }
}

inline std::vector<float> RandomRow(std::size_t n, unsigned seed, float from = -20, float to = 5) {
  std::mt19937 random(seed);
  std::vector<float> row(n);
  for (float& x : row) {
    x = std::uniform_real_distribution<float>(from, to)(random);
    if (random() % 9 == 0) x = kBanned;
    if (random() % 9 == 0) x = std::floor(x);  // ties
  }
  return row;
}

}  // namespace decant::simd

#endif  // DECANT_SIMD_ROWS_FOR_TEST_H_
