// Which instruction set the kernels run on. The public face is decant::SimdLevel() in decant/runtime.h.
//
// Levels are named "avx512", "avx2", "sse4", "neon" and "scalar". The choice holds for the whole process and is made
// before the first kernel runs.
#ifndef DECANT_SIMD_TARGETS_H_
#define DECANT_SIMD_TARGETS_H_

#include <string_view>
#include <vector>

#include "decant/error.h"

namespace decant::simd {

// What this machine and this build have, best first. Never empty.
std::vector<std::string_view> SupportedLevels();

// Makes kernels run on a level; "" is the best one. kUnsupportedMachine names what there is. Not while kernels run.
Result<std::string_view> SelectLevel(std::string_view level);

// Runs a scope on a level, then goes back to the process's own. Tests only. REQUIRES: a supported level.
class LevelForTest {
 public:
  explicit LevelForTest(std::string_view level);
  ~LevelForTest();
  LevelForTest(const LevelForTest&) = delete;
  LevelForTest& operator=(const LevelForTest&) = delete;
};

}  // namespace decant::simd

#endif  // DECANT_SIMD_TARGETS_H_
