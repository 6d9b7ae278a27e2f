// Natural numbers of any size, kept in base 10^9: what exact decimals are divided with. Numbers of schemas are short,
// so the schoolbook methods do (division: Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D).
#ifndef DECANT_GRAMMAR_NATURAL_H_
#define DECANT_GRAMMAR_NATURAL_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decant::grammar {

class Natural {
 public:
  Natural() = default;  // zero
  explicit Natural(std::uint64_t value);
  // REQUIRES: decimal digits alone. None is zero; zeros in front count for nothing.
  static Natural FromDigits(std::string_view digits);
  std::string ToDigits() const;  // "0" for zero

  bool is_zero() const { return limbs_.empty(); }
  // The value, or 2^64 - 1 when it is larger.
  std::uint64_t Saturated() const;
  std::strong_ordering operator<=>(const Natural& other) const;
  bool operator==(const Natural&) const = default;

  Natural operator+(const Natural& other) const;
  Natural operator-(const Natural& other) const;  // REQUIRES: other <= *this
  Natural operator*(const Natural& other) const;
  struct Division;
  Division DividedBy(const Natural& divisor) const;  // REQUIRES: divisor is not zero
  // Divides this by the divisor and returns the remainder. REQUIRES: 0 < divisor <= 10^9.
  std::uint32_t DivideBy(std::uint32_t divisor);

 private:
  void Trim();
  std::vector<std::uint32_t> limbs_;  // the least significant first; the last one is not 0
};

struct Natural::Division {
  Natural quotient, remainder;
};

Natural GreatestCommonDivisor(Natural a, Natural b);
// Divides the number by the factor as often as it goes, and returns how often. REQUIRES: the number is not zero, and
// 1 < factor < 10^9.
std::int64_t TakeFactors(Natural& number, std::uint32_t factor);
// number * factor^power.
Natural Scaled(Natural number, std::uint32_t factor, std::int64_t power);

// A divisor M > 0 to which numbers d * 10^t are put.
class Modulus {
 public:
  explicit Modulus(std::string_view digits);
  // The least t >= 0 with M | digits * 10^t; nothing when there is none. The digits are a number that is not zero.
  std::optional<std::int64_t> LeastShift(std::string_view digits) const;
  std::optional<std::int64_t> LeastShift(std::uint64_t number) const;
  bool is_small() const { return small_ != 0; }
  std::uint64_t small() const { return small_; }

 private:
  std::optional<std::int64_t> ShiftOfRemainder(std::uint64_t remainder) const;
  std::uint64_t small_ = 0;            // M when it is below 10^18, else 0
  Natural rest_;                       // M = 2^twos * 5^fives * rest
  std::int64_t twos_ = 0, fives_ = 0;  // no t past the larger one makes a difference
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_NATURAL_H_
