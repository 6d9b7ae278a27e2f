// Natural numbers of any size, limb by limb.
#include "grammar/natural.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/wide.h"

namespace decant::grammar {
namespace {

constexpr std::uint32_t kBase = 1'000'000'000;
constexpr std::size_t kLimbDigits = 9;
constexpr std::size_t kSmallDigits = 18;  // 10^18 and ten times that fit 64 bits

std::uint64_t Chunk(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char digit : digits) value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  return value;
}

std::uint64_t PowerOfTen(std::size_t exponent) {
  std::uint64_t power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

}  // namespace

Natural::Natural(std::uint64_t value) {
  for (; value > 0; value /= kBase) limbs_.push_back(static_cast<std::uint32_t>(value % kBase));
}

Natural Natural::FromDigits(std::string_view digits) {
  Natural number;
  number.limbs_.reserve(digits.size() / kLimbDigits + 1);
  while (!digits.empty()) {
    const std::size_t size = std::min(kLimbDigits, digits.size());
    number.limbs_.push_back(static_cast<std::uint32_t>(Chunk(digits.substr(digits.size() - size))));
    digits.remove_suffix(size);
  }
  number.Trim();
  return number;
}

std::string Natural::ToDigits() const {
  if (is_zero()) return "0";
  std::string text = std::to_string(limbs_.back());
  for (std::size_t i = limbs_.size() - 1; i-- > 0;) {
    const std::string limb = std::to_string(limbs_[i]);
    text.append(kLimbDigits - limb.size(), '0').append(limb);
  }
  return text;
}

std::uint64_t Natural::Saturated() const {
  core::Uint128 value = 0;
  if (limbs_.size() > 3) return ~std::uint64_t{0};
  for (std::size_t i = limbs_.size(); i-- > 0;) value = value * kBase + limbs_[i];
  return value > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(value);
}

std::strong_ordering Natural::operator<=>(const Natural& other) const {
  if (limbs_.size() != other.limbs_.size()) return limbs_.size() <=> other.limbs_.size();
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    if (limbs_[i] != other.limbs_[i]) return limbs_[i] <=> other.limbs_[i];
  }
  return std::strong_ordering::equal;
}

Natural Natural::operator+(const Natural& other) const {
  const std::vector<std::uint32_t>& shorter = limbs_.size() < other.limbs_.size() ? limbs_ : other.limbs_;
  Natural sum = limbs_.size() < other.limbs_.size() ? other : *this;
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < sum.limbs_.size() && (carry > 0 || i < shorter.size()); ++i) {
    const std::uint32_t limb = sum.limbs_[i] + (i < shorter.size() ? shorter[i] : 0) + carry;
    carry = limb >= kBase ? 1 : 0;
    sum.limbs_[i] = limb - carry * kBase;
  }
  if (carry > 0) sum.limbs_.push_back(carry);
  return sum;
}

Natural Natural::operator-(const Natural& other) const {
  DECANT_DCHECK(other <= *this);
  Natural difference = *this;
  std::uint32_t borrow = 0;
  for (std::size_t i = 0; i < difference.limbs_.size(); ++i) {
    const std::uint32_t subtrahend = (i < other.limbs_.size() ? other.limbs_[i] : 0) + borrow;
    borrow = difference.limbs_[i] < subtrahend ? 1 : 0;
    difference.limbs_[i] = difference.limbs_[i] + borrow * kBase - subtrahend;
  }
  difference.Trim();
  return difference;
}

Natural Natural::operator*(const Natural& other) const {
  Natural product;
  product.limbs_.assign(limbs_.size() + other.limbs_.size(), 0);
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < other.limbs_.size() || carry > 0; ++j) {
      carry += product.limbs_[i + j];
      if (j < other.limbs_.size()) carry += std::uint64_t{limbs_[i]} * other.limbs_[j];
      product.limbs_[i + j] = static_cast<std::uint32_t>(carry % kBase);
      carry /= kBase;
    }
  }
  product.Trim();
  return product;
}

std::uint32_t Natural::DivideBy(std::uint32_t divisor) {
  std::uint64_t remainder = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    remainder = remainder * kBase + limbs_[i];
    limbs_[i] = static_cast<std::uint32_t>(remainder / divisor);
    remainder %= divisor;
  }
  Trim();
  return static_cast<std::uint32_t>(remainder);
}

Natural::Division Natural::DividedBy(const Natural& divisor) const {
  DECANT_DCHECK(!divisor.is_zero());
  if (*this < divisor) return {.quotient = {}, .remainder = *this};
  if (divisor.limbs_.size() == 1) {
    Natural quotient = *this;
    const std::uint32_t remainder = quotient.DivideBy(divisor.limbs_[0]);
    return {.quotient = std::move(quotient), .remainder = Natural(remainder)};
  }
  // Scaled so that the divisor's first limb is at least half the base: a guess from two limbs is then at most 2 too
  // large.
  const std::uint32_t scale = kBase / (divisor.limbs_.back() + 1);
  Natural rest = *this * Natural(scale);
  const std::vector<std::uint32_t> by = (divisor * Natural(scale)).limbs_;
  rest.limbs_.resize(limbs_.size() + 1, 0);
  const std::size_t n = by.size();
  Natural quotient;
  quotient.limbs_.assign(rest.limbs_.size() - n, 0);
  for (std::size_t i = quotient.limbs_.size(); i-- > 0;) {
    const std::uint64_t head = std::uint64_t{rest.limbs_[i + n]} * kBase + rest.limbs_[i + n - 1];
    std::uint64_t guess = head / by[n - 1];
    std::uint64_t left = head % by[n - 1];
    while (guess >= kBase || guess * by[n - 2] > left * kBase + rest.limbs_[i + n - 2]) {
      --guess;
      left += by[n - 1];
      if (left >= kBase) break;
    }
    std::uint64_t carry = 0;
    std::uint32_t borrow = 0;
    for (std::size_t j = 0; j <= n; ++j) {
      carry += j < n ? guess * by[j] : 0;
      const std::uint32_t subtrahend = static_cast<std::uint32_t>(carry % kBase) + borrow;
      carry /= kBase;
      borrow = rest.limbs_[i + j] < subtrahend ? 1 : 0;
      rest.limbs_[i + j] = rest.limbs_[i + j] + borrow * kBase - subtrahend;
    }
    if (borrow > 0) {  // one too large after all: the divisor is added back
      --guess;
      std::uint32_t over = 0;
      for (std::size_t j = 0; j <= n; ++j) {
        const std::uint32_t limb = rest.limbs_[i + j] + (j < n ? by[j] : 0) + over;
        over = limb >= kBase ? 1 : 0;
        rest.limbs_[i + j] = limb - over * kBase;
      }
    }
    quotient.limbs_[i] = static_cast<std::uint32_t>(guess);
  }
  quotient.Trim();
  rest.Trim();
  rest.DivideBy(scale);
  return {.quotient = std::move(quotient), .remainder = std::move(rest)};
}

void Natural::Trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

Natural GreatestCommonDivisor(Natural a, Natural b) {
  while (!b.is_zero()) {
    Natural remainder = a.DividedBy(b).remainder;
    a = std::move(b);
    b = std::move(remainder);
  }
  return a;
}

std::int64_t TakeFactors(Natural& number, std::uint32_t factor) {
  DECANT_DCHECK(!number.is_zero());
  // As large a power of the factor as one limb takes, then the factor alone.
  std::uint32_t large = factor;
  std::int64_t large_power = 1;
  for (; std::uint64_t{large} * factor < kBase; large *= factor) ++large_power;
  std::int64_t power = 0;
  for (Natural next = number; next.DivideBy(large) == 0; number = next) power += large_power;
  for (Natural next = number; next.DivideBy(factor) == 0; number = next) ++power;
  return power;
}

Natural Scaled(Natural number, std::uint32_t factor, std::int64_t power) {
  while (power > 0) {
    std::uint64_t step = 1;
    for (; power > 0 && step * factor < kBase; --power) step *= factor;
    number = number * Natural(step);
  }
  return number;
}

Modulus::Modulus(std::string_view digits) : rest_(Natural::FromDigits(digits)) {
  DECANT_DCHECK(!rest_.is_zero());
  if (digits.size() <= kSmallDigits) small_ = Chunk(digits);
  twos_ = TakeFactors(rest_, 2);
  fives_ = TakeFactors(rest_, 5);
}

std::optional<std::int64_t> Modulus::ShiftOfRemainder(std::uint64_t remainder) const {
  const std::int64_t last = std::max(twos_, fives_);
  for (std::int64_t shift = 0;; ++shift) {
    if (remainder == 0) return shift;
    if (shift == last) return std::nullopt;
    remainder = remainder * 10 % small_;
  }
}

std::optional<std::int64_t> Modulus::LeastShift(std::uint64_t number) const {
  if (small_ == 1) return 0;
  if (small_ != 0) return ShiftOfRemainder(number % small_);
  return LeastShift(std::to_string(number));
}

std::optional<std::int64_t> Modulus::LeastShift(std::string_view digits) const {
  if (small_ == 1) return 0;
  if (small_ != 0) {
    std::uint64_t remainder = 0;
    while (!digits.empty()) {
      const std::size_t size = std::min(kSmallDigits, digits.size());
      const core::Uint128 next = core::Multiply(remainder, PowerOfTen(size)) + Chunk(digits.substr(0, size));
      remainder = static_cast<std::uint64_t>(next % small_);
      digits.remove_prefix(size);
    }
    return ShiftOfRemainder(remainder);
  }
  Natural number = Natural::FromDigits(digits);
  if (!number.DividedBy(rest_).remainder.is_zero()) return std::nullopt;
  const std::int64_t twos = twos_ > 0 ? TakeFactors(number, 2) : 0;
  const std::int64_t fives = fives_ > 0 ? TakeFactors(number, 5) : 0;
  return std::max({std::int64_t{0}, twos_ - twos, fives_ - fives});
}

}  // namespace decant::grammar
