// Tables over bytes.
#include "grammar/json/literals.h"

namespace decant::grammar {

std::optional<FreeNumber> NextOf(FreeNumber number, std::uint8_t byte) {
  const bool digit = byte >= '0' && byte <= '9';
  const bool e = byte == 'e' || byte == 'E';
  switch (number) {
    case FreeNumber::kNone:
      if (byte == '-') return FreeNumber::kMinus;
      [[fallthrough]];
    case FreeNumber::kMinus:
      if (byte == '0') return FreeNumber::kZero;
      if (digit) return FreeNumber::kInteger;
      return std::nullopt;
    case FreeNumber::kInteger:
      if (digit) return FreeNumber::kInteger;
      [[fallthrough]];
    case FreeNumber::kZero:
      if (byte == '.') return FreeNumber::kPoint;
      if (e) return FreeNumber::kE;
      return std::nullopt;
    case FreeNumber::kFraction:
      if (e) return FreeNumber::kE;
      [[fallthrough]];
    case FreeNumber::kPoint:
      if (digit) return FreeNumber::kFraction;
      return std::nullopt;
    case FreeNumber::kE:
      if (byte == '+' || byte == '-') return FreeNumber::kSign;
      [[fallthrough]];
    case FreeNumber::kSign:
    case FreeNumber::kExponent:
      if (digit) return FreeNumber::kExponent;
      return std::nullopt;
  }
  return std::nullopt;
}

bool IsComplete(FreeNumber number) {
  return number == FreeNumber::kZero || number == FreeNumber::kInteger || number == FreeNumber::kFraction ||
         number == FreeNumber::kExponent;
}

}  // namespace decant::grammar
