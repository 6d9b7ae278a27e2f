// Minus infinity has three spellings besides its own; seeds past 2^53 travel as text.
#include "json/spelling.h"

#include <limits>
#include <string>

namespace decant::json {

std::optional<double> ReadScore(const Value& value) {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  if (value.is_null()) return kMinusInfinity;
  if (const std::string* const text = value.if_string(); text != nullptr) {
    return *text == "-inf" || *text == "-Infinity" ? std::optional(kMinusInfinity) : std::nullopt;
  }
  return value.AsDouble();
}

void WriteSeed(std::uint64_t seed, Writer& writer) {
  if (seed <= std::uint64_t{1} << 53) {
    writer.Uint(seed);
  } else {
    writer.String(std::to_string(seed));
  }
}

}  // namespace decant::json
