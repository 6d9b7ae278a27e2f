// Temperatures multiply along the chain, and the product must stay in the range of one.
#include "process/temperature.h"

#include <string>

#include "core/number_text.h"

namespace decant::process {
namespace {

constexpr const char* kAllowed = "0 (greedy) or a number in [2.2250738585072014e-308, 1e6]";

bool InRange(double temperature) {
  return temperature == 0 || (temperature >= kMinTemperature && temperature <= kMaxTemperature);
}

}  // namespace

Result<void> ValidateTemperature(double temperature) {
  if (InRange(temperature)) return {};
  return Fail(ErrorCode::kInvalidTemperature,
              "temperature is " + core::NumberText(temperature) + "; expected " + kAllowed,
              {.subject = "temperature", .allowed = kAllowed});
}

Result<double> MultiplyTemperature(double so_far, double temperature) {
  DECANT_CHECKED(ValidateTemperature(temperature));
  const double product = so_far * temperature;
  if (so_far != 0 && temperature != 0 && !InRange(product == 0 ? -1 : product)) {
    return Fail(ErrorCode::kInvalidTemperature,
                "the temperatures of the chain multiply to " + core::NumberText(product) + "; expected " + kAllowed,
                {.subject = "temperature", .allowed = kAllowed});
  }
  return product;
}

}  // namespace decant::process
