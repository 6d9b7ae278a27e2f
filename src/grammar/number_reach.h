// What a set of numbers lets the first characters of a JSON number become.
//
// The point and an exponent may stand anywhere, so before an exponent the characters fix no more than the sign and the
// first digits D: the values within reach are those of [D, D + 1) * 10^j for every integer j. After the "e" they fix
// all digits, and the exponents within reach are a few ranges of integers.
#ifndef DECANT_GRAMMAR_NUMBER_REACH_H_
#define DECANT_GRAMMAR_NUMBER_REACH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "grammar/fingerprint.h"
#include "grammar/natural.h"
#include "grammar/number_piece.h"
#include "grammar/number_prefix.h"

namespace decant::grammar {

class NumberReach {
 public:
  // The set is the union of pieces as Reduced() makes them.
  explicit NumberReach(std::span<const NumberPiece> pieces);
  bool Admits(const NumberPrefix& prefix) const;
  bool Accepts(const NumberPrefix& prefix) const;
  Fingerprint KeyOf(const NumberPrefix& prefix, std::size_t bytes, Fingerprint content) const;

 private:
  // The sizes of the numbers of one sign of a piece: all above 0.
  struct Track {
    NumberPiece piece;               // its low end is there, and not below the one after 0
    std::optional<Modulus> modulus;  // of multiple_of
    std::vector<Modulus> excluded;   // of not_multiples_of
  };
  struct Range {
    std::int64_t low, high;  // both included; none when low > high
  };

  static Range Shifts(const Track& track, std::string_view digits);
  static bool ReachesPast(const Track& track, std::string_view digits, Range shifts);
  static bool AdmitsDigits(const Track& track, const NumberPrefix& prefix);
  static bool AdmitsExponent(const Track& track, const NumberPrefix& prefix);
  static bool AdmitsSmaller(const Track& track, const NumberPrefix& prefix);

  bool is_all_ = false;
  bool is_empty_ = false;
  bool has_zero_ = false;
  std::array<std::vector<Track>, 2> tracks_;  // of numbers above 0, and of the sizes of those below
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_NUMBER_REACH_H_
