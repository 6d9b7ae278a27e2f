// Sets of numbers that schemas speak of (ranges, multiples, and their unions, intersections and complements), and which
// of them a JSON number's first characters can still become.
#ifndef DECANT_GRAMMAR_NUMBER_SET_H_
#define DECANT_GRAMMAR_NUMBER_SET_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grammar/decimal.h"
#include "grammar/fingerprint.h"
#include "grammar/number_piece.h"
#include "grammar/number_prefix.h"

namespace decant::grammar {

// A union of pieces; each piece is an interval of the reals cut down to multiples of some numbers and to non-multiples
// of others. Immutable, and cheap to copy; any thread.
class NumberSet {
 public:
  NumberSet();  // None()
  static NumberSet All();
  static NumberSet None();
  static NumberSet Only(Decimal value);
  static NumberSet OneOf(const std::vector<Decimal>& values);
  static NumberSet Multiples(Decimal of);  // REQUIRES: of > 0
  static NumberSet AtLeast(Decimal bound);
  static NumberSet Above(Decimal bound);
  static NumberSet AtMost(Decimal bound);
  static NumberSet Below(Decimal bound);
  // No larger in size than the largest double as programs write it: what a reader that keeps numbers as doubles takes.
  static NumberSet Finite();

  NumberSet Intersect(const NumberSet& other) const;
  NumberSet Unite(const NumberSet& other) const;
  // Exponential in how many different multiples have a say in one place; linear in pieces.
  NumberSet Complement() const;

  bool Has(const Decimal& value) const;
  bool IsEmpty() const;
  bool IsAll() const;  // exact, as IsEmpty() is
  // How many numbers it has, counted no further than `most`.
  std::uint64_t Count(std::uint64_t most) const;
  // A number of the set with a short spelling, as JSON; nothing for the empty set (and for one whose numbers all have
  // thousands of digits).
  std::optional<std::string> Example() const;

  // Whether some JSON number that starts with the prefix has its value in the set: exact, whatever the spelling
  // (fractions with trailing zeros, exponents, -0) the number takes.
  bool Admits(const NumberPrefix& prefix) const;
  // Likewise, where it may only go on with digits. REQUIRES: prefix.is_plain(), and the set has integers alone.
  bool AdmitsPlain(const NumberPrefix& prefix) const;
  // Whether the prefix is a number as it stands, and its value is in the set.
  bool Accepts(const NumberPrefix& prefix) const;
  // Equal keys: the same tokens within the horizon may follow, and the number may end after the same ones of them, in
  // whatever process.
  Fingerprint KeyOf(const NumberPrefix& prefix, const NumberHorizon& horizon) const;
  Fingerprint Content() const;  // of the set
  // Equal sets may be written in unequal ways where multiples meet; equal ones are equal.
  bool operator==(const NumberSet& other) const;

 private:
  struct Parts;
  explicit NumberSet(std::vector<NumberPiece> pieces);
  static NumberSet Between(std::optional<Edge> low, std::optional<Edge> high);
  std::shared_ptr<const Parts> parts_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_NUMBER_SET_H_
