// Where a JSON number ends: RFC 8259's grammar, and the names NaN, Inf and Infinity with an optional minus.
#ifndef DECANT_JSON_NUMBER_LEXER_H_
#define DECANT_JSON_NUMBER_LEXER_H_

#include <cstddef>
#include <string_view>

namespace decant::json {

struct LexedNumber {
  std::size_t length;         // of the number, or of what could be read of it
  std::string_view expected;  // empty = a number; else what was expected after that length
};

// The number at the start of the text.
LexedNumber LexNumber(std::string_view text);

constexpr bool StartsNumber(char c) { return (c >= '0' && c <= '9') || c == '-' || c == 'N' || c == 'I'; }

}  // namespace decant::json

#endif  // DECANT_JSON_NUMBER_LEXER_H_
