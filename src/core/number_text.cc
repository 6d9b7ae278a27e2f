// Number text over std::to_chars and std::from_chars, and the edit distance behind "did you mean".
#include "core/number_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <vector>

#include "core/check.h"

namespace decant::core {
namespace {

// from_chars says "out of range" for both ends. Which end it is follows from the decimal exponent of the leading
// digit: the ends are 300 powers of ten away from 1 on either side.
double OutOfRangeValue(std::string_view text) {
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::size_t mark = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t leading = digits.find_first_not_of("0.");
  const auto position = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(leading);
  bool grows = position > 0;
  if (mark != std::string_view::npos) {
    std::string_view power = text.substr(mark + 1);
    if (power.front() == '+') power.remove_prefix(1);
    std::int64_t value = 0;
    const auto parsed = std::from_chars(power.data(), power.data() + power.size(), value);
    if (parsed.ec == std::errc::result_out_of_range) {
      grows = power.front() != '-';
    } else {
      grows = value > -position;
    }
  }
  const double magnitude = grows ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -magnitude : magnitude;
}

template <class Integer>
std::optional<Integer> ParseInteger(std::string_view text) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::string ShortestText(double value) {
  DECANT_DCHECK(std::isfinite(value));
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return ShortestText(value);
}

std::string FixedText(double value, int decimals) {
  DECANT_DCHECK(decimals >= 0);
  std::string text(static_cast<std::size_t>(decimals) + 320, '\0');  // the largest double has 309 digits
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
  text.resize(static_cast<std::size_t>(result.ptr - text.data()));
  return text;
}

std::string HexText(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  std::uint64_t fraction = bits & 0xfffffffffffffu;
  std::string text = (bits >> 63) != 0 ? "-" : "";
  if (exponent == 0x7ff) return fraction != 0 ? "nan" : text + "inf";
  text += exponent == 0 ? "0x0" : "0x1";
  if (fraction != 0) text += '.';
  for (; fraction != 0; fraction = (fraction << 4) & 0xfffffffffffffu) text += "0123456789abcdef"[fraction >> 48];
  const int power = exponent != 0 ? exponent - 1023 : (bits << 1) == 0 ? 0 : -1022;
  text += power < 0 ? "p" : "p+";
  return text + std::to_string(power);
}

std::optional<double> ParseDouble(std::string_view text) {
  if (text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;  // inf, nan
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value, std::chars_format::general);
  if (stop != end || code == std::errc::invalid_argument) return std::nullopt;
  if (code == std::errc::result_out_of_range) return OutOfRangeValue(text);
  return value;
}

std::optional<std::int64_t> ParseInt64(std::string_view text) { return ParseInteger<std::int64_t>(text); }
std::optional<std::uint64_t> ParseUint64(std::string_view text) { return ParseInteger<std::uint64_t>(text); }

// Insertions, deletions, replacements, and swaps of neighbours (optimal string alignment): "tmep" is 1 from "temp".
std::size_t EditDistance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> before(width);
  std::vector<std::size_t> above(width);
  std::vector<std::size_t> row(width);
  for (std::size_t j = 0; j < width; ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace decant::core
