// A piece of the real line: an interval, cut down to the multiples of a number and to non-multiples of others. What
// sets of numbers are unions of. Only decimals count: the reals between them are in no piece.
#ifndef DECANT_GRAMMAR_NUMBER_PIECE_H_
#define DECANT_GRAMMAR_NUMBER_PIECE_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grammar/decimal.h"
#include "grammar/fingerprint.h"

namespace decant::grammar {

// A cut of the line just before a number or just after it. An interval is what lies between two cuts: [1, 2) between
// the one before 1 and the one before 2, the point 1 between the two at 1.
struct Edge {
  Decimal value;
  bool after = false;
  std::strong_ordering operator<=>(const Edge&) const = default;
  bool operator==(const Edge&) const = default;
};

struct NumberPiece {
  std::optional<Edge> low, high;          // nothing = no end
  std::optional<Decimal> multiple_of;     // > 0
  std::vector<Decimal> not_multiples_of;  // each > 0

  bool operator==(const NumberPiece&) const = default;
  bool IsPlain() const { return !multiple_of && not_multiples_of.empty(); }  // an interval, whole
  bool IsLine() const { return IsPlain() && !low && !high; }
  bool IsPoint() const { return low && high && low->value == high->value; }
  bool Spans(const Decimal& value) const;  // by its interval alone
  bool Has(const Decimal& value) const;
};

// The numbers x with -x in the piece.
NumberPiece Mirrored(const NumberPiece& piece);
// The interval common to both, without multiples; nothing when it is empty.
std::optional<NumberPiece> CommonInterval(const NumberPiece& a, const NumberPiece& b);

// Writes the same numbers in one way: not_multiples_of sorted, multiples of multiple_of and none a multiple of another;
// ends on numbers of the piece where it has a multiple_of (unless they are longer than 256 digits); a point without
// conditions. Nothing when it has no number.
std::optional<NumberPiece> Reduced(NumberPiece piece);
// Of pieces as Reduced() makes them, but for their ends: whether there is a number in it. Cost: a few divisions of
// numbers as long as the piece's own, however far apart the exponents.
bool HasNumbers(const NumberPiece& piece);

// How many numbers there are in it, most when they are more. REQUIRES: as Reduced() makes them.
std::uint64_t CountNumbers(const NumberPiece& piece, std::uint64_t most);
// One with a short spelling; nothing when all have more than thousands of digits. REQUIRES: as Reduced() makes them.
std::optional<Decimal> ShortNumber(const NumberPiece& piece);

// Equal for equal pieces in equal order.
Fingerprint ContentOf(std::span<const NumberPiece> pieces);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_NUMBER_PIECE_H_
