// Exact decimals, as JSON writes numbers: no binary floating point anywhere.
#ifndef DECANT_GRAMMAR_DECIMAL_H_
#define DECANT_GRAMMAR_DECIMAL_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace decant::grammar {

// No number whose written exponent is past +-this is taken.
inline constexpr std::int64_t kMaxExponent = 1'000'000'000;

// (-1)^negative * digits * 10^exponent; digits without leading or trailing zeros, "" for zero (which is not negative).
class Decimal {
 public:
  Decimal() = default;  // zero
  // A JSON number; nothing for other text, and for exponents past +-10^9 (of a number that is not zero).
  static std::optional<Decimal> Parse(std::string_view text);
  // digits * 10^exponent, with any zeros on either side. REQUIRES: decimal digits alone; none is zero.
  static Decimal Of(std::string_view digits, std::int64_t exponent);

  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return negative_; }
  std::string_view digits() const { return digits_; }
  std::int64_t exponent() const { return exponent_; }
  // The power of ten of the first digit: 2 for 345.6. REQUIRES: not zero.
  std::int64_t magnitude() const { return exponent_ + static_cast<std::int64_t>(digits_.size()) - 1; }
  bool IsInteger() const { return exponent_ >= 0 || is_zero(); }
  // Whether this is an integer multiple of m. Exact, by big integers. REQUIRES: m is not zero.
  bool IsMultipleOf(const Decimal& m) const;
  Decimal Negated() const;

  std::strong_ordering operator<=>(const Decimal& other) const;  // by value
  bool operator==(const Decimal& other) const = default;         // equal values have equal parts
  std::string ToText() const;                                    // the shortest JSON number

 private:
  bool negative_ = false;
  std::string digits_;
  std::int64_t exponent_ = 0;
};

// The least number > 0 that is a multiple of both. Its digits are of the order of theirs together, however far apart
// the exponents are. REQUIRES: a > 0, b > 0.
Decimal LeastCommonMultiple(const Decimal& a, const Decimal& b);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_DECIMAL_H_
