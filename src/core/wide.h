// 128-bit products and exact ratios of integers: what integer probabilities need.
#ifndef DECANT_CORE_WIDE_H_
#define DECANT_CORE_WIDE_H_

#include <cstdint>

namespace decant::core {

__extension__ using Uint128 = unsigned __int128;

constexpr Uint128 Multiply(std::uint64_t a, std::uint64_t b) { return static_cast<Uint128>(a) * b; }

// a / b rounded once, to nearest even. REQUIRES: b > 0, a <= b (a probability).
double Ratio(std::uint64_t a, std::uint64_t b);

}  // namespace decant::core

#endif  // DECANT_CORE_WIDE_H_
