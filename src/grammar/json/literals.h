// What a byte begins in JSON, and which ones numbers have.
#ifndef DECANT_GRAMMAR_JSON_LITERALS_H_
#define DECANT_GRAMMAR_JSON_LITERALS_H_

#include <cstdint>
#include <optional>

#include "grammar/json/rules.h"

namespace decant::grammar {

inline bool IsNumberByte(std::uint8_t byte) {
  return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.' || byte == 'e' || byte == 'E';
}

inline std::optional<ValueKind> KindBegunBy(std::uint8_t byte) {
  switch (byte) {
    case '"':
      return ValueKind::kString;
    case '{':
      return ValueKind::kObject;
    case '[':
      return ValueKind::kArray;
    case 'n':
      return ValueKind::kNull;
    case 't':
      return ValueKind::kTrue;
    case 'f':
      return ValueKind::kFalse;
    default:
      if (byte == '-' || (byte >= '0' && byte <= '9')) return ValueKind::kNumber;
      return std::nullopt;
  }
}

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_LITERALS_H_
