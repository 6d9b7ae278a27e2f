// The sizes of the numbers of one sign of a piece, and which digits and exponents lead to one of them. Any digits, any
// exponents: NumberReach has a quicker way for short ones.
#ifndef DECANT_GRAMMAR_NUMBER_TRACK_H_
#define DECANT_GRAMMAR_NUMBER_TRACK_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "grammar/natural.h"
#include "grammar/number_piece.h"
#include "grammar/number_prefix.h"

namespace decant::grammar {

// Powers of ten, both ends included; none when low > high.
struct ShiftRange {
  std::int64_t low, high;
};
// Stands for no end of a ShiftRange; sums of a few of them do not overflow.
inline constexpr std::int64_t kNoShiftEnd = std::numeric_limits<std::int64_t>::max() / 4;

class NumberTrack {
 public:
  // The positive numbers of a piece; nothing when it has none.
  static std::optional<NumberTrack> Of(const NumberPiece& piece);

  const NumberPiece& piece() const { return piece_; }  // its low end is there, and not below the one after 0
  const std::optional<Modulus>& modulus() const { return modulus_; }  // of multiple_of

  // The j for which digits * 10^j is on the track. REQUIRES: digits neither start nor end in 0.
  ShiftRange Shifts(std::string_view digits) const;
  // `range`, cut down to the j for which number * 10^j meets the conditions of the piece, its ends aside.
  // REQUIRES: the number does not end in 0.
  template <typename Number>  // a std::string_view of its digits, or a std::uint64_t
  void LimitByConditions(Number number, ShiftRange& range) const;

  // Whether the prefix may become one of the numbers, by its part in front of an exponent, its sign aside.
  // REQUIRES: !prefix.has_exponent().
  bool AdmitsDigits(const NumberPrefix& prefix) const;
  // Likewise, where only digits may follow. REQUIRES: prefix.is_plain(), prefix.digit_count() > 0.
  bool AdmitsPlain(const NumberPrefix& prefix) const;
  // REQUIRES: prefix.has_exponent(), prefix.digit_count() > 0.
  bool AdmitsExponent(const NumberPrefix& prefix) const;

 private:
  bool Reaches(const NumberPrefix& prefix, ShiftRange shifts) const;
  bool HasPast(std::string_view digits, ShiftRange shifts) const;
  bool HasIn(const NumberPiece& interval) const;

  NumberPiece piece_;
  std::optional<Modulus> modulus_;
  std::vector<Modulus> excluded_;  // of not_multiples_of
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_NUMBER_TRACK_H_
