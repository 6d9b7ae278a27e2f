// Addressed randomness: Philox4x32-10 (Salmon et al. 2011). A pure function of its address, so that no draw depends on
// another and any one can be recomputed alone (docs/determinism.md, "Randomness").
#ifndef DECANT_CORE_PHILOX_H_
#define DECANT_CORE_PHILOX_H_

#include <array>
#include <cstdint>

namespace decant::core {

std::array<std::uint32_t, 4> Philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// What a random number is for: part of its address.
enum class Purpose : std::uint32_t { kDraw = 0, kXtcCoin = 1, kNoise = 2, kAcceptance = 3, kResidual = 4, kBeams = 5 };

struct RandomAddress {
  std::uint64_t seed = 0;
  std::uint64_t position = 0;  // tokens already in the sequence, modulo 2^32
  std::uint32_t sequence = 0;
  Purpose purpose = Purpose::kDraw;
  std::uint32_t block = 0;
};
// The four words at an address.
std::array<std::uint32_t, 4> RandomWords(const RandomAddress& address);
// 53 bits of them: (word1 * 2^32 + word0) >> 11.
std::uint64_t RandomBits53(const RandomAddress& address);

}  // namespace decant::core

#endif  // DECANT_CORE_PHILOX_H_
