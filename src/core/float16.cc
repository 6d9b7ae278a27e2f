// Half precision by integers: sign, exponent and fraction are moved by hand, so no target's conversion
// instruction, rounding mode or flush-to-zero can change a bit.
#include "core/float16.h"

#include <bit>

namespace decant::core {

float HalfToFloat(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  const std::uint32_t fraction = half & 0x3ffu;
  std::uint32_t bits = 0;
  if (exponent == 0x1f) {
    bits = 0x7f800000u | (fraction << 13);
  } else if (exponent != 0) {
    bits = ((exponent + 127 - 15) << 23) | (fraction << 13);
  } else if (fraction != 0) {
    // fraction * 2^-24: the leading one moves to bit 10 and becomes implicit.
    const auto shift = static_cast<std::uint32_t>(std::countl_zero(fraction)) - 21;
    bits = ((127 - 14 - shift) << 23) | (((fraction << shift) & 0x3ffu) << 13);
  }
  return std::bit_cast<float>(sign | bits);
}

float Bfloat16ToFloat(std::uint16_t bfloat16) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat16) << 16);
}

std::uint16_t FloatToHalf(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {  // NaN: keep the top of the payload, make it quiet
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // >= 2^16
  // 2^-25 is halfway between 0 and the smallest half, and the tie goes to 0.
  if (magnitude <= 0x33000000u) return static_cast<std::uint16_t>(sign);
  std::uint32_t shift = 13;
  std::uint32_t significand = 0;
  if (magnitude >= 0x38800000u) {  // >= 2^-14: normal; a carry out of the fraction moves into the exponent
    significand = magnitude - ((127u - 15u) << 23);
  } else {
    shift = 126 - (magnitude >> 23);  // 14 to 24
    significand = (magnitude & 0x7fffffu) | 0x800000u;
  }
  const std::uint32_t rest = significand & ((1u << shift) - 1);
  const std::uint32_t middle = 1u << (shift - 1);
  std::uint32_t half = significand >> shift;
  if (rest > middle || (rest == middle && (half & 1u) != 0)) ++half;
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace decant::core
