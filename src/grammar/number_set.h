// Sets of numbers that schemas speak of (ranges, multiples, and their unions, intersections and complements), and which
// of them a JSON number's first characters can still become.
#ifndef DECANT_GRAMMAR_NUMBER_SET_H_
#define DECANT_GRAMMAR_NUMBER_SET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/decimal.h"
#include "grammar/fingerprint.h"

namespace decant::grammar {

// The characters of a JSON number (RFC 8259, section 6) up to somewhere.
class NumberPrefix {
 public:
  // Takes a character; false, and nothing moved, when no JSON number goes on with it.
  bool Step(std::uint8_t byte);
  // Whether the characters are a number as they stand.
  bool IsComplete() const;
  // Its value; nothing when it is not complete or its exponent is past +-10^9 (a number no set with bounds takes).
  std::optional<Decimal> Value() const;
  std::string_view text() const { return text_; }

 private:
  enum class Phase : std::uint8_t { kStart, kMinus, kZero, kInteger, kPoint, kFraction, kE, kExponentSign, kExponent };
  friend class NumberSet;
  Phase phase_ = Phase::kStart;
  std::string text_;
};

// A union of pieces; each piece is an interval of the reals cut down to multiples of some numbers and to non-multiples
// of others.
class NumberSet {
 public:
  static NumberSet All();
  static NumberSet None();
  static NumberSet Only(Decimal value);
  static NumberSet Multiples(Decimal of);  // of > 0
  static NumberSet AtLeast(Decimal bound);
  static NumberSet Above(Decimal bound);
  static NumberSet AtMost(Decimal bound);
  static NumberSet Below(Decimal bound);

  NumberSet Intersect(const NumberSet& other) const;
  NumberSet Unite(const NumberSet& other) const;
  NumberSet Complement() const;

  bool Has(const Decimal& value) const;
  bool IsEmpty() const;
  bool IsAll() const;
  // How many numbers it has, counted no further than `most`.
  std::uint64_t Count(std::uint64_t most) const;
  // A number of the set with a short spelling, as JSON; nothing for the empty set.
  std::optional<std::string> Example() const;

  // Whether some JSON number that starts with the prefix has its value in the set: exact, whatever the spelling
  // (fractions with trailing zeros, exponents, -0) the number takes.
  bool Admits(const NumberPrefix& prefix) const;
  // Equal keys: the same tokens of up to `bytes` bytes may follow, in whatever process.
  Fingerprint KeyOf(const NumberPrefix& prefix, std::size_t bytes) const;
  Fingerprint Content() const;  // of the set
  bool operator==(const NumberSet&) const = default;

 private:
  struct Bound {
    Decimal value;
    bool included = false;
    bool operator==(const Bound&) const = default;
  };
  struct Piece {
    std::optional<Bound> low, high;
    std::vector<Decimal> multiples_of;      // sorted; each > 0
    std::vector<Decimal> not_multiples_of;  // sorted; each > 0
    bool operator==(const Piece&) const = default;
  };
  std::vector<Piece> pieces_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_NUMBER_SET_H_
