// The characters of a JSON number up to somewhere, and what they fix of its value. Small, and copied without allocation
// while the text is short: a walk over a vocabulary's tree keeps one at each node.
#ifndef DECANT_GRAMMAR_NUMBER_PREFIX_H_
#define DECANT_GRAMMAR_NUMBER_PREFIX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "grammar/decimal.h"

namespace decant::grammar {

// What the tokens of a vocabulary may add to a number under way.
struct NumberHorizon {
  std::size_t digits = 65535;  // the most at a token's start, marks and signs aside
  bool has_exponents = true;   // such characters may hold an exponent's mark and digits after it
};

// The characters of a JSON number (RFC 8259, section 6) up to somewhere.
class NumberPrefix {
 public:
  enum class Phase : std::uint8_t { kStart, kMinus, kZero, kInteger, kPoint, kFraction, kE, kExponentSign, kExponent };

  // Takes a character; false, and nothing moved, when no JSON number goes on with it.
  bool Step(std::uint8_t byte);
  // Whether the characters are a number as they stand.
  bool IsComplete() const;
  // Its value; nothing when it is not complete or its exponent is past +-10^9 (a number no set with bounds takes).
  std::optional<Decimal> Value() const;
  std::string_view text() const { return size_ <= short_.size() ? std::string_view(short_.data(), size_) : long_; }

  Phase phase() const { return phase_; }
  bool is_negative() const { return negative_; }
  bool is_plain() const { return phase_ <= Phase::kInteger; }  // neither point nor exponent so far
  bool has_exponent() const { return phase_ >= Phase::kE; }
  // The digits before an exponent, without the point and the zeros in front of the first other digit: 1205 for
  // 0.01205e7.
  std::string Digits() const;
  std::uint64_t digit_count() const { return digits_; }
  // Digits() as a number, and that without its zeros at the end. REQUIRES: digit_count() <= kNumberDigits.
  std::uint64_t number() const { return number_; }
  std::uint64_t stripped_number() const { return stripped_number_; }
  static constexpr std::uint64_t kNumberDigits = 18;
  std::uint64_t trailing_zeros() const { return trailing_zeros_; }  // of Digits()
  std::uint64_t fraction_digits() const { return fraction_digits_; }
  // What is written of the exponent, kMaxExponent + 1 when it is larger.
  std::int64_t exponent() const { return exponent_; }
  bool is_exponent_negative() const { return exponent_negative_; }
  // Whether the exponent may still become one in [low, high] and in +-10^9. REQUIRES: has_exponent().
  bool MayHaveExponent(std::int64_t low, std::int64_t high) const;

 private:
  void Append(char c);
  void AddDigit(std::uint8_t digit);

  Phase phase_ = Phase::kStart;
  bool negative_ = false;
  bool exponent_negative_ = false;
  std::array<char, 29> short_ = {};
  std::uint64_t size_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t stripped_number_ = 0;
  std::uint64_t digits_ = 0;
  std::uint64_t trailing_zeros_ = 0;
  std::uint64_t fraction_digits_ = 0;
  std::int64_t exponent_ = 0;
  std::string long_;  // the text, once it is too long for short_
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_NUMBER_PREFIX_H_
