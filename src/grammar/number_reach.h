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
#include <vector>

#include "core/wide.h"
#include "grammar/fingerprint.h"
#include "grammar/number_piece.h"
#include "grammar/number_prefix.h"
#include "grammar/number_track.h"

namespace decant::grammar {

// Immutable; any thread. Nothing here allocates while prefixes and ends have at most 18 digits.
class NumberReach {
 public:
  // Of the union of pieces as Reduced() makes them.
  explicit NumberReach(std::span<const NumberPiece> pieces);
  // As of NumberSet.
  bool Admits(const NumberPrefix& prefix) const;
  bool AdmitsPlain(const NumberPrefix& prefix) const;
  bool Accepts(const NumberPrefix& prefix) const;
  Fingerprint KeyOf(const NumberPrefix& prefix, const NumberHorizon& horizon) const;

 private:
  // The digits of a prefix, the first 18 of them as a number >= 10^17.
  struct Digits {
    std::uint64_t lead;
    std::uint64_t number, stripped;  // all of them, and without zeros at the end
    std::int64_t count;              // of number
    std::int64_t zeros;              // at its end
  };
  // An end of a track, alike.
  struct ShortEdge {
    std::uint64_t lead = 0;
    std::int64_t magnitude = 0;
    bool after = false;
    bool is_there = false;  // false: 0, or no end
  };
  // A number by itself.
  struct Point {
    std::uint64_t lead;
    std::int64_t magnitude;
    auto operator<=>(const Point&) const = default;
  };
  // A track whose ends and multiples are short.
  struct ShortTrack {
    ShortEdge low, high;
    bool is_bare = false;       // no conditions
    bool is_remote = false;     // its high end is: see IsRemote
    bool is_ladder = false;     // multiples, of step * 10^exponent
    bool is_by_powers = false;  // the only condition, and step is 1
    std::uint64_t step = 0;
    std::int64_t exponent = 0;
    core::Uint128 low_units = 0, high_units = 0;  // ends of a ladder with two, in units of 10^exponent, both included
    std::size_t track = 0;                        // of Side::tracks

    bool HasPast(const Digits& digits) const;
    bool HasInRows(core::Uint128 left, core::Uint128 width) const;
  };
  // Numbers above 0, or the sizes of those below.
  struct Side {
    std::vector<NumberTrack> tracks;
    std::vector<std::size_t> long_tracks;  // those that are neither among short_tracks nor points
    std::vector<ShortTrack> short_tracks;
    std::vector<Point> points;  // sorted
    // What decides, besides the conditions on powers of ten, how a prefix may go on.
    std::vector<Decimal> ends;
    std::vector<Decimal> remote_ends;  // likewise, but only of digits or exponents near these
    bool has_powers = false;           // multiples, or non-multiples, of powers of ten
    bool has_others = false;           // of other numbers; or too many ends
    Fingerprint content;               // of its tracks, and whether 0 is in the set

    void AddTrack(NumberTrack track);
    void AddEnds(const NumberPiece& piece);
    ShiftRange ShortShifts(const ShortTrack& track, const Digits& digits) const;
    bool AdmitsShort(const NumberPrefix& prefix) const;
    bool AdmitsShortPlain(const NumberPrefix& prefix) const;
    bool AdmitsShortExponent(const NumberPrefix& prefix) const;
    bool AcceptsShort(const Digits& digits, std::int64_t shift) const;
  };

  static Digits DigitsOf(const NumberPrefix& prefix);
  static std::optional<ShortEdge> Shortened(const Decimal& value);
  static std::optional<ShortTrack> Shortened(const NumberTrack& track);
  static Fingerprint AddOrder(Fingerprint key, const NumberPrefix& prefix, std::span<const Decimal> ends);
  Fingerprint AddDigits(Fingerprint key, const NumberPrefix& prefix, const NumberHorizon& horizon) const;

  Fingerprint content_;  // of the pieces
  bool is_all_ = false;
  bool is_empty_ = false;
  bool has_zero_ = false;
  std::array<Side, 2> sides_;  // above 0, below 0
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_NUMBER_REACH_H_
