// IEEE half precision and bfloat16, by integer code that is the same on every target.
#ifndef DECANT_CORE_FLOAT16_H_
#define DECANT_CORE_FLOAT16_H_

#include <cstdint>

namespace decant::core {

float HalfToFloat(std::uint16_t half);          // exact; infinities and NaN kept
float Bfloat16ToFloat(std::uint16_t bfloat16);  // exact

// Half to even, subnormals kept. A finite value past the largest half gives infinity (as IEEE does): callers that
// must not overflow test the result with IsFiniteHalf. NaN gives a quiet NaN.
std::uint16_t FloatToHalf(float value);
constexpr bool IsFiniteHalf(std::uint16_t half) { return (half & 0x7c00u) != 0x7c00u; }

}  // namespace decant::core

#endif  // DECANT_CORE_FLOAT16_H_
