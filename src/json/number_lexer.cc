// One pass, no backtracking: each part of the grammar says what it expected where it ended.
#include "json/number_lexer.h"

namespace decant::json {
namespace {

std::size_t SkipDigits(std::string_view text, std::size_t i) {
  while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
  return i;
}

}  // namespace

LexedNumber LexNumber(std::string_view text) {
  std::size_t i = text.starts_with('-') ? 1 : 0;
  for (const std::string_view name : {"NaN", "Infinity", "Inf"}) {
    if (text.substr(i).starts_with(name)) return {i + name.size(), {}};
  }
  const std::size_t start = i;
  i = SkipDigits(text, i);
  if (i == start) return {i, start == 0 ? "a value" : "a digit after the minus"};
  if (text[start] == '0' && i > start + 1) return {start + 1, "no digit after a leading zero"};
  if (i < text.size() && text[i] == '.') {
    const std::size_t end = SkipDigits(text, i + 1);
    if (end == i + 1) return {end, "a digit after the decimal point"};
    i = end;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    const std::size_t end = SkipDigits(text, i);
    if (end == i) return {end, "a digit in the exponent"};
    i = end;
  }
  return {i, {}};
}

}  // namespace decant::json
