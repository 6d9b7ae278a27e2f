// PyTorch's CPU random numbers: a Mersenne Twister (Matsumoto and Nishimura 1998) and the exponential numbers that
// torch.multinomial draws from it.
//
// torch.Generator().manual_seed(s) starts the twister at s mod 2^32. torch.empty(n).exponential_() takes two words an
// element: 53 bits of them are u, the number is -log(1 - u) in f64, rounded to f32.
#ifndef DECANT_PRESETS_TORCH_GENERATOR_H_
#define DECANT_PRESETS_TORCH_GENERATOR_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "decant/sampler.h"

namespace decant::presets {

class TorchGenerator {
 public:
  explicit TorchGenerator(std::uint64_t seed);
  // Where the stream stands: a stream without words is fresh and has its seed in `word`. REQUIRES: else its words are
  // those of ToStream.
  explicit TorchGenerator(const RandomStream& stream);
  // The twister's words and, last, how many of them are used up.
  RandomStream ToStream() const;

  std::uint32_t Next();
  // The next f32 of exponential_(): +0 when all 53 bits are 0, else in [2^-53, 36.74].
  float NextExponential();
  void SkipExponential();

 private:
  static constexpr std::size_t kWords = 624;
  void Start(std::uint32_t seed);
  void Refill();

  std::uint64_t seed_ = 0;
  std::array<std::uint32_t, kWords> words_{};
  std::size_t used_ = 0;
};

}  // namespace decant::presets

#endif  // DECANT_PRESETS_TORCH_GENERATOR_H_
