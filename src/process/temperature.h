// temperature: divides the gaps between scores (Ackley, Hinton, Sejnowski 1985). Scores themselves are never divided:
// the row carries a temperature that stages multiply, so that the order of stages and rounding cannot mix.
#ifndef DECANT_PROCESS_TEMPERATURE_H_
#define DECANT_PROCESS_TEMPERATURE_H_

#include "decant/error.h"

namespace decant::process {

inline constexpr double kMinTemperature = 0x1p-1022;  // the smallest normal double, 2.2250738585072014e-308
inline constexpr double kMaxTemperature = 1e6;

// 0 (greedy) or in [kMinTemperature, kMaxTemperature], else kInvalidTemperature.
Result<void> ValidateTemperature(double temperature);
// The product of two temperatures of a chain; it has the same range.
Result<double> MultiplyTemperature(double so_far, double temperature);

}  // namespace decant::process

#endif  // DECANT_PROCESS_TEMPERATURE_H_
