// Exact decimals, as JSON writes numbers: no binary floating point anywhere.
#ifndef DECANT_GRAMMAR_DECIMAL_H_
#define DECANT_GRAMMAR_DECIMAL_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace decant::grammar {

// (-1)^negative * digits * 10^exponent; digits without leading or trailing zeros, "" for zero (which is not negative).
class Decimal {
 public:
  Decimal() = default;  // zero
  // A JSON number; nothing for other text, and for exponents past +-10^9 (of a number that is not zero).
  static std::optional<Decimal> Parse(std::string_view text);

  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return negative_; }
  std::string_view digits() const { return digits_; }
  std::int64_t exponent() const { return exponent_; }
  bool IsInteger() const { return exponent_ >= 0 || is_zero(); }
  // Whether this is an integer multiple of m. Exact, by big integers. REQUIRES: m is not zero.
  bool IsMultipleOf(const Decimal& m) const;

  std::strong_ordering operator<=>(const Decimal& other) const;  // by value
  bool operator==(const Decimal& other) const = default;         // equal values have equal parts
  std::string ToText() const;                                    // the shortest JSON number

 private:
  bool negative_ = false;
  std::string digits_;
  std::int64_t exponent_ = 0;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_DECIMAL_H_
