// The grammar of JSON numbers, one character at a time.
#include "grammar/number_prefix.h"

#include <algorithm>

#include "core/check.h"

namespace decant::grammar {

void NumberPrefix::Append(char c) {
  if (size_ < short_.size()) {
    short_[size_] = c;
  } else {
    if (size_ == short_.size()) long_.assign(short_.data(), short_.size());
    long_.push_back(c);
  }
  ++size_;
}

void NumberPrefix::AddDigit(std::uint8_t digit) {
  if (digits_ == 0 && digit == 0) return;
  ++digits_;
  trailing_zeros_ = digit == 0 ? trailing_zeros_ + 1 : 0;
  if (digits_ > kNumberDigits) return;
  number_ = number_ * 10 + digit;
  if (digit != 0) stripped_number_ = number_;
}

bool NumberPrefix::Step(std::uint8_t byte) {
  const bool is_digit = byte >= '0' && byte <= '9';
  const std::uint8_t digit = static_cast<std::uint8_t>(byte - '0');
  switch (phase_) {
    case Phase::kStart:
    case Phase::kMinus:
      if (is_digit) {
        phase_ = digit == 0 ? Phase::kZero : Phase::kInteger;
        AddDigit(digit);
      } else if (byte == '-' && phase_ == Phase::kStart) {
        phase_ = Phase::kMinus;
        negative_ = true;
      } else {
        return false;
      }
      break;
    case Phase::kZero:
    case Phase::kInteger:
    case Phase::kFraction:
      if (is_digit && phase_ != Phase::kZero) {
        AddDigit(digit);
        if (phase_ == Phase::kFraction) ++fraction_digits_;
      } else if (byte == 'e' || byte == 'E') {
        phase_ = Phase::kE;
      } else if (byte == '.' && phase_ != Phase::kFraction) {
        phase_ = Phase::kPoint;
      } else {
        return false;
      }
      break;
    case Phase::kPoint:
      if (!is_digit) return false;
      phase_ = Phase::kFraction;
      AddDigit(digit);
      ++fraction_digits_;
      break;
    case Phase::kE:
    case Phase::kExponentSign:
    case Phase::kExponent:
      if (is_digit) {
        phase_ = Phase::kExponent;
        exponent_ = std::min(exponent_ * 10 + digit, kMaxExponent + 1);
      } else if ((byte == '+' || byte == '-') && phase_ == Phase::kE) {
        phase_ = Phase::kExponentSign;
        exponent_negative_ = byte == '-';
      } else {
        return false;
      }
      break;
  }
  Append(static_cast<char>(byte));
  return true;
}

bool NumberPrefix::IsComplete() const {
  return phase_ == Phase::kZero || phase_ == Phase::kInteger || phase_ == Phase::kFraction ||
         phase_ == Phase::kExponent;
}

std::optional<Decimal> NumberPrefix::Value() const {
  if (!IsComplete()) return std::nullopt;
  if (digits_ == 0) return Decimal();
  if (exponent_ > kMaxExponent) return std::nullopt;
  const std::int64_t exponent = exponent_negative_ ? -exponent_ : exponent_;
  const Decimal size = Decimal::Of(Digits(), exponent - static_cast<std::int64_t>(fraction_digits_));
  return negative_ ? size.Negated() : size;
}

std::string NumberPrefix::Digits() const {
  std::string digits;
  digits.reserve(digits_);
  for (const char c : text()) {
    if (c == 'e' || c == 'E') break;
    if (c >= '0' && c <= '9' && !(digits.empty() && c == '0')) digits.push_back(c);
  }
  return digits;
}

bool NumberPrefix::MayHaveExponent(std::int64_t low, std::int64_t high) const {
  DECANT_DCHECK(has_exponent());
  low = std::max(low, -kMaxExponent);
  high = std::min(high, kMaxExponent);
  if (low > high) return false;
  if (phase_ == Phase::kE) return true;
  if (exponent_negative_) {
    const std::int64_t least = low;
    low = -high;
    high = -least;
  }
  if (high < 0) return false;
  if (exponent_ == 0) return true;  // zeros in front of an exponent may be followed by any
  // Followed by j more digits it is one of the 10^j numbers from exponent_ * 10^j.
  for (std::int64_t first = exponent_, count = 1; first <= high; first *= 10, count *= 10) {
    if (low < first + count) return true;
  }
  return false;
}

}  // namespace decant::grammar
