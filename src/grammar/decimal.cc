// Exact decimals: reading, ordering, dividing and writing.
#include "grammar/decimal.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "grammar/natural.h"

namespace decant::grammar {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The digits at the front of the text, taken off it.
std::string_view TakeDigits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsDigit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

bool TakeOne(std::string_view& text, std::string_view choices) {
  if (text.empty() || choices.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// The value of the digits, or kMaxExponent + 1 when it is larger.
std::int64_t BoundedValue(std::string_view digits) {
  std::int64_t value = 0;
  for (const char digit : digits) value = std::min(value * 10 + (digit - '0'), kMaxExponent + 1);
  return value;
}

// digits * 10^exponent without an exponent.
std::string Plain(std::string digits, std::int64_t exponent) {
  if (exponent >= 0) return digits.append(static_cast<std::size_t>(exponent), '0');
  const std::size_t fraction = static_cast<std::size_t>(-exponent);
  if (digits.size() <= fraction) digits.insert(0, fraction + 1 - digits.size(), '0');
  return digits.insert(digits.size() - fraction, ".");
}

// m = 2^twos * 5^fives * rest, the rest an integer without either.
struct Factors {
  std::int64_t twos = 0, fives = 0;
  Natural rest;
};

Factors FactorsOf(const Decimal& m) {
  Factors factors{.twos = m.exponent(), .fives = m.exponent(), .rest = Natural::FromDigits(m.digits())};
  factors.twos += TakeFactors(factors.rest, 2);
  factors.fives += TakeFactors(factors.rest, 5);
  return factors;
}

}  // namespace

std::optional<Decimal> Decimal::Parse(std::string_view text) {
  const bool negative = TakeOne(text, "-");
  const std::string_view whole = TakeDigits(text);
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return std::nullopt;
  std::string_view fraction;
  if (TakeOne(text, ".")) {
    fraction = TakeDigits(text);
    if (fraction.empty()) return std::nullopt;
  }
  std::int64_t exponent = 0;
  if (TakeOne(text, "eE")) {
    const bool down = text.starts_with('-');
    TakeOne(text, "+-");
    const std::string_view digits = TakeDigits(text);
    if (digits.empty()) return std::nullopt;
    exponent = down ? -BoundedValue(digits) : BoundedValue(digits);
  }
  if (!text.empty()) return std::nullopt;
  Decimal value = Of(std::string(whole).append(fraction), exponent - static_cast<std::int64_t>(fraction.size()));
  if (value.is_zero()) return value;
  if (exponent > kMaxExponent || exponent < -kMaxExponent) return std::nullopt;
  value.negative_ = negative;
  return value;
}

Decimal Decimal::Of(std::string_view digits, std::int64_t exponent) {
  Decimal value;
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string_view::npos) return value;
  const std::size_t last = digits.find_last_not_of('0');
  value.digits_ = digits.substr(first, last + 1 - first);
  value.exponent_ = exponent + static_cast<std::int64_t>(digits.size() - 1 - last);
  return value;
}

Decimal Decimal::Negated() const {
  Decimal value = *this;
  value.negative_ = !negative_ && !is_zero();
  return value;
}

bool Decimal::IsMultipleOf(const Decimal& m) const {
  DECANT_DCHECK(!m.is_zero());
  if (is_zero()) return true;
  if (exponent_ < m.exponent_) return false;  // neither's digits end in 0, so this has one where no multiple has any
  const std::optional<std::int64_t> shift = Modulus(m.digits_).LeastShift(digits_);
  return shift && *shift <= exponent_ - m.exponent_;
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  if (negative_ != other.negative_) return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  if (is_zero() || other.is_zero()) return other.is_zero() <=> is_zero();  // neither is negative
  const auto larger = magnitude() != other.magnitude() ? magnitude() <=> other.magnitude() : digits_ <=> other.digits_;
  return negative_ ? 0 <=> larger : larger;
}

std::string Decimal::ToText() const {
  if (is_zero()) return "0";
  const std::string sign = negative_ ? "-" : "";
  // Only multiples of what Parse() takes lie past the exponents that may be written, and by a few digits.
  const std::int64_t written = std::clamp(exponent_, -kMaxExponent, kMaxExponent);
  const std::string power = "e" + std::to_string(written);
  if (written != exponent_) return sign + Plain(digits_, exponent_ - written) + power;
  const std::int64_t size = static_cast<std::int64_t>(digits_.size());
  const std::int64_t plain = exponent_ >= 0 ? size + exponent_ : std::max(size, 1 - exponent_) + 1;
  if (plain > size + static_cast<std::int64_t>(power.size())) return sign + digits_ + power;
  return sign + Plain(digits_, exponent_);
}

Decimal LeastCommonMultiple(const Decimal& a, const Decimal& b) {
  const Factors left = FactorsOf(a);
  const Factors right = FactorsOf(b);
  const std::int64_t twos = std::max(left.twos, right.twos);
  const std::int64_t fives = std::max(left.fives, right.fives);
  const std::int64_t exponent = std::min(twos, fives);
  Natural number = left.rest.DividedBy(GreatestCommonDivisor(left.rest, right.rest)).quotient * right.rest;
  number = Scaled(Scaled(std::move(number), 2, twos - exponent), 5, fives - exponent);
  return Decimal::Of(number.ToDigits(), exponent);
}

}  // namespace decant::grammar
