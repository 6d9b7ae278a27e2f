// SplitMix64 (Steele et al. 2014), for rows, histories and masks that measurements are made on.
#ifndef DECANT_TIMING_SPLIT_MIX_H_
#define DECANT_TIMING_SPLIT_MIX_H_

#include <cstdint>

namespace decant::timing {

class SplitMix {
 public:
  explicit SplitMix(std::uint64_t state) : state_(state) {}
  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In (0, 1): never an end.
  double Unit() { return (static_cast<double>(Next() >> 12) + 0.5) * 0x1p-52; }

 private:
  std::uint64_t state_;
};

// The first number from a state: a mix of its bits.
inline std::uint64_t Mix(std::uint64_t state) { return SplitMix(state).Next(); }

}  // namespace decant::timing

#endif  // DECANT_TIMING_SPLIT_MIX_H_
