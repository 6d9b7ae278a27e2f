// Two words of the system's randomness make one seed.
#include "draw_seed.h"

#include <random>

namespace decant::cli {

std::uint64_t DrawSeed() {
  std::random_device device;
  return ((std::uint64_t{device()} << 32) | device()) >> 11;
}

}  // namespace decant::cli
