// The ratio of two 64-bit integers, rounded once.
//
// Up to 2^53 both are doubles and the division itself is the one rounding. Beyond, long division gives at least
// 63 bits of the quotient, and a sticky bit says whether anything is left.
#include "core/wide.h"

#include <bit>

#include "core/check.h"
#include "core/math.h"

namespace decant::core {

double Ratio(std::uint64_t a, std::uint64_t b) {
  DECANT_DCHECK(b > 0 && a <= b);
  if (b <= std::uint64_t{1} << 53) return static_cast<double>(a) / static_cast<double>(b);
  if (a == 0) return 0.0;
  const int shift_a = std::countl_zero(a);
  const int shift_b = std::countl_zero(b);
  const Uint128 numerator = static_cast<Uint128>(a << shift_a) << 63;
  const std::uint64_t denominator = b << shift_b;
  // Both are in [2^63, 2^64), so the quotient is in (2^62, 2^64).
  auto quotient = static_cast<std::uint64_t>(numerator / denominator);
  if (numerator % denominator != 0) quotient |= 1;
  return static_cast<double>(quotient) * PowerOfTwo(shift_b - shift_a - 63);
}

}  // namespace decant::core
