// Intervals cut down to multiples: their numbers are found in units of the multiple, and where exponents lie far apart,
// from the sizes of the ends alone.
#include "grammar/number_piece.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/check.h"
#include "grammar/natural.h"

namespace decant::grammar {
namespace {

constexpr std::int64_t kMaxTightenedDigits = 256;

const Edge kAfterZero{.value = {}, .after = true};
const Edge kBeforeZero{.value = {}, .after = false};

Edge Mirrored(const Edge& edge) { return {.value = edge.value.Negated(), .after = !edge.after}; }

// A power of ten at least (s + 1) 2^s + 1, s the number of non-multiples. Among so many successive multiples of m there
// is one that is no multiple of any of s proper multiples of m: each is a multiple of a prime times m, s primes leave
// out all but prod (1 - 1/p) >= 1 / (s + 1) of them, and inclusion and exclusion over an interval errs by less than
// 2^s.
std::int64_t WindowMagnitude(const NumberPiece& piece) {
  const std::size_t count = piece.not_multiples_of.size();
  return static_cast<std::int64_t>(count / 3 + 2 + std::to_string(count + 1).size());
}

// value / 10^exponent, rounded down. `exact` says whether nothing was lost. REQUIRES: value >= 0.
Natural InUnits(const Decimal& value, std::int64_t exponent, bool& exact) {
  exact = true;
  if (value.is_zero()) return {};
  if (value.exponent() >= exponent) {
    std::string digits(value.digits());
    return Natural::FromDigits(digits.append(static_cast<std::size_t>(value.exponent() - exponent), '0'));
  }
  exact = false;
  const std::int64_t kept = value.magnitude() - exponent + 1;
  return kept <= 0 ? Natural() : Natural::FromDigits(value.digits().substr(0, static_cast<std::size_t>(kept)));
}

// The least k >= 0 with k * m past the edge. REQUIRES: the edge is not below 0.
Natural FirstFactor(const Edge& low, const Decimal& m) {
  bool exact = true;
  const Natural units = InUnits(low.value, m.exponent(), exact);
  Natural::Division division = units.DividedBy(Natural::FromDigits(m.digits()));
  const bool is_multiple = exact && division.remainder.is_zero();
  return is_multiple && !low.after ? division.quotient : division.quotient + Natural(1);
}

// The largest k with k * m below the edge; nothing when not even 0 is. REQUIRES: the edge is not below 0.
std::optional<Natural> LastFactor(const Edge& high, const Decimal& m) {
  bool exact = true;
  const Natural units = InUnits(high.value, m.exponent(), exact);
  Natural::Division division = units.DividedBy(Natural::FromDigits(m.digits()));
  if (!exact || !division.remainder.is_zero() || high.after) return division.quotient;
  if (division.quotient.is_zero()) return std::nullopt;
  return division.quotient - Natural(1);
}

Decimal Times(const Decimal& m, const Natural& k) {
  return Decimal::Of((Natural::FromDigits(m.digits()) * k).ToDigits(), m.exponent());
}

// The multiples of a piece, less those it leaves out.
class Ladder {
 public:
  explicit Ladder(const NumberPiece& piece) : of_(*piece.multiple_of) {
    for (const Decimal& n : piece.not_multiples_of) excluded_.push_back({n.exponent(), Modulus(n.digits())});
  }
  // Whether k * multiple_of is left out.
  bool LeavesOut(const Natural& k) const {
    if (excluded_.empty()) return false;
    if (k.is_zero()) return true;
    const Decimal value = Times(of_, k);
    return std::ranges::any_of(excluded_, [&](const Excluded& excluded) {
      const std::optional<std::int64_t> shift = excluded.modulus.LeastShift(value.digits());
      return shift && *shift <= value.exponent() - excluded.exponent;
    });
  }

 private:
  struct Excluded {
    std::int64_t exponent;
    Modulus modulus;
  };
  Decimal of_;
  std::vector<Excluded> excluded_;
};

// Whether the interval is so wide that it must have numbers, seen from the sizes of its ends alone or, when these are
// close, from their difference. REQUIRES: 0 <= low < high.
bool IsWide(const Edge& low, const Edge& high, std::int64_t wide) {
  const std::int64_t top = high.value.magnitude();
  if (low.value.is_zero() || top >= low.value.magnitude() + 2) return top - 1 >= wide;
  const std::int64_t exponent = std::min(low.value.exponent(), high.value.exponent());
  bool exact = true;
  const Natural width = InUnits(high.value, exponent, exact) - InUnits(low.value, exponent, exact);
  return !width.is_zero() && exponent + static_cast<std::int64_t>(width.ToDigits().size()) - 1 >= wide;
}

// REQUIRES: low >= 0 (nothing = 0 itself is in), multiple_of is there.
bool HasMultiples(const NumberPiece& piece) {
  const Edge low = piece.low.value_or(kBeforeZero);
  if (!piece.high) return true;
  if (*piece.high <= low) return false;
  const Decimal& m = *piece.multiple_of;
  if (low.value == piece.high->value) return piece.Has(low.value);
  if (IsWide(low, *piece.high, m.magnitude() + 1 + WindowMagnitude(piece))) return true;
  // Not wide: then neither end has many more digits in units of m than it has itself, and m has.
  Natural k = FirstFactor(low, m);
  const std::optional<Natural> last = LastFactor(*piece.high, m);
  const Ladder ladder(piece);
  for (; last && k <= *last; k = k + Natural(1)) {
    if (!ladder.LeavesOut(k)) return true;
  }
  return false;
}

bool IsLong(const Edge& edge, const Decimal& m) {
  return !edge.value.is_zero() && edge.value.magnitude() - m.exponent() > kMaxTightenedDigits;
}

// Moves the low end up to the first number of the piece.
void TightenLow(NumberPiece& piece) {
  if (!piece.low || IsLong(*piece.low, *piece.multiple_of)) return;
  if (!piece.low->after && piece.Has(piece.low->value)) return;
  const Decimal m = *piece.multiple_of;
  const Ladder ladder(piece);
  Natural k;
  if (piece.low->value.is_negative()) {
    // Going up from a negative number is going down from a positive one.
    std::optional<Natural> size = LastFactor(Mirrored(*piece.low), m);
    while (size && !size->is_zero() && ladder.LeavesOut(*size)) size = *size - Natural(1);
    if (size && !size->is_zero()) {
      piece.low = {.value = Times(m, *size).Negated(), .after = false};
      return;
    }
  } else {
    k = FirstFactor(*piece.low, m);
  }
  while (ladder.LeavesOut(k)) k = k + Natural(1);
  piece.low = {.value = Times(m, k), .after = false};
}

// How many numbers a piece with a multiple_of has above 0, if fewer than `most`.
std::uint64_t CountPositive(const NumberPiece& piece, std::uint64_t most) {
  constexpr std::int64_t kMagnitudeOfMost = 21;  // 2^64 < 10^20
  constexpr std::size_t kMaxTerms = 12;          // more terms than 2^12 are not added; the numbers are gone through
  const Edge low = std::max(piece.low.value_or(kAfterZero), kAfterZero);
  if (!piece.high) return most;
  if (*piece.high <= low) return 0;
  const Decimal& m = *piece.multiple_of;
  if (IsWide(low, *piece.high, m.magnitude() + 1 + WindowMagnitude(piece) + kMagnitudeOfMost)) return most;
  if (piece.not_multiples_of.size() > kMaxTerms) {
    const Ladder ladder(piece);
    std::uint64_t count = 0;
    const std::optional<Natural> last = LastFactor(*piece.high, m);
    for (Natural k = FirstFactor(low, m); last && k <= *last && count < most; k = k + Natural(1)) {
      if (!ladder.LeavesOut(k)) ++count;
    }
    return count;
  }
  // Inclusion and exclusion: of each choice of non-multiples the multiples of all, with the sign of its size.
  struct Term {
    Decimal of;
    std::size_t next;
    bool subtracts;
  };
  Natural added;
  Natural subtracted;
  for (std::vector<Term> terms = {{m, 0, false}}; !terms.empty();) {
    const Term term = std::move(terms.back());
    terms.pop_back();
    const Natural first = FirstFactor(low, term.of);
    const std::optional<Natural> last = LastFactor(*piece.high, term.of);
    if (!last || *last < first) continue;  // nor do multiples of these have any there
    Natural& sum = term.subtracts ? subtracted : added;
    sum = sum + (*last - first) + Natural(1);
    for (std::size_t i = term.next; i < piece.not_multiples_of.size(); ++i) {
      terms.push_back({LeastCommonMultiple(term.of, piece.not_multiples_of[i]), i + 1, !term.subtracts});
    }
  }
  return std::min(most, (added - subtracted).Saturated());
}

// A number above 0 with few digits: multiples of multiple_of times ever smaller powers of ten.
std::optional<Decimal> ShortPositive(const NumberPiece& piece) {
  constexpr std::int64_t kMaxDigits = 4096;
  constexpr int kTriesEach = 11;
  const Edge low = std::max(piece.low.value_or(kAfterZero), kAfterZero);
  if (piece.high && *piece.high <= low) return std::nullopt;
  std::int64_t top = piece.high ? piece.high->value.magnitude() : 0;
  std::int64_t bottom = piece.high ? piece.high->value.exponent() : 0;
  if (!low.value.is_zero()) {
    top = piece.high ? std::min(top, low.value.magnitude() + 1) : low.value.magnitude() + 1;
    bottom = std::min(bottom, low.value.exponent());
  }
  for (const Decimal& n : piece.not_multiples_of) bottom = std::min(bottom, n.exponent());
  bottom = piece.multiple_of ? piece.multiple_of->exponent() : bottom - 2;
  top = std::max(top, bottom);
  for (std::int64_t exponent = top; exponent >= bottom && top - exponent <= kMaxDigits; --exponent) {
    const Decimal m = Decimal::Of(piece.multiple_of ? piece.multiple_of->digits() : "1", exponent);
    Natural k = FirstFactor(low, m);
    for (int i = 0; i < kTriesEach; ++i, k = k + Natural(1)) {
      Decimal value = Times(m, k);
      if (!piece.Spans(value)) break;
      if (piece.Has(value)) return value;
    }
  }
  return std::nullopt;
}

Fingerprint AddDecimal(Fingerprint to, const Decimal& value) {
  to = Add(to, value.is_negative() ? 1u : 0u);
  return Add(Add(to, static_cast<std::uint64_t>(value.exponent())), value.digits());
}

Fingerprint AddEdge(Fingerprint to, const std::optional<Edge>& edge) {
  return edge ? AddDecimal(Add(to, edge->after ? 2u : 1u), edge->value) : Add(to, 0u);
}

}  // namespace

bool NumberPiece::Spans(const Decimal& value) const {
  if (low && (low->after ? value <= low->value : value < low->value)) return false;
  return !high || (high->after ? value <= high->value : value < high->value);
}

bool NumberPiece::Has(const Decimal& value) const {
  return Spans(value) && (!multiple_of || value.IsMultipleOf(*multiple_of)) &&
         std::ranges::none_of(not_multiples_of, [&](const Decimal& n) { return value.IsMultipleOf(n); });
}

NumberPiece Mirrored(const NumberPiece& piece) {
  NumberPiece mirrored = piece;
  mirrored.low.reset();
  mirrored.high.reset();
  if (piece.high) mirrored.low = Mirrored(*piece.high);
  if (piece.low) mirrored.high = Mirrored(*piece.low);
  return mirrored;
}

std::optional<NumberPiece> CommonInterval(const NumberPiece& a, const NumberPiece& b) {
  NumberPiece common;
  common.low = std::max(a.low, b.low);  // nothing is the least
  common.high = !a.high ? b.high : !b.high ? a.high : std::min(a.high, b.high);
  if (common.low && common.high && *common.high <= *common.low) return std::nullopt;
  return common;
}

std::optional<NumberPiece> Reduced(NumberPiece piece) {
  if (piece.low && piece.high && *piece.high <= *piece.low) return std::nullopt;
  if (piece.IsPoint()) {
    if (!piece.Has(piece.low->value)) return std::nullopt;
    piece.multiple_of.reset();
    piece.not_multiples_of.clear();
    return piece;
  }
  std::vector<Decimal>& excluded = piece.not_multiples_of;
  if (piece.multiple_of) {
    for (Decimal& n : excluded) n = LeastCommonMultiple(n, *piece.multiple_of);
  }
  std::ranges::sort(excluded);
  std::vector<Decimal> kept;
  for (const Decimal& n : excluded) {
    if (std::ranges::none_of(kept, [&](const Decimal& k) { return n.IsMultipleOf(k); })) kept.push_back(n);
  }
  excluded = std::move(kept);
  if (!piece.multiple_of) return piece;
  if (!excluded.empty() && excluded.front() == *piece.multiple_of) return std::nullopt;
  if (!HasNumbers(piece)) return std::nullopt;
  TightenLow(piece);
  piece = Mirrored(piece);
  TightenLow(piece);
  piece = Mirrored(piece);
  if (piece.IsPoint()) {
    piece.multiple_of.reset();
    piece.not_multiples_of.clear();
  }
  return piece;
}

bool HasNumbers(const NumberPiece& piece) {
  if (piece.low && piece.high && *piece.high <= *piece.low) return false;
  if (piece.IsPoint()) return piece.Has(piece.low->value);
  if (!piece.multiple_of) return true;
  if (piece.Has(Decimal())) return true;
  NumberPiece half = piece;
  half.low = std::max(piece.low, std::optional<Edge>(kAfterZero));
  if (HasMultiples(half)) return true;
  half = Mirrored(piece);
  half.low = std::max(half.low, std::optional<Edge>(kAfterZero));
  return HasMultiples(half);
}

std::uint64_t CountNumbers(const NumberPiece& piece, std::uint64_t most) {
  if (piece.IsPoint()) return std::min<std::uint64_t>(1, most);
  if (!piece.multiple_of) return most;
  std::uint64_t count = piece.Has(Decimal()) ? 1 : 0;
  for (const NumberPiece& half : {piece, Mirrored(piece)}) {
    if (count >= most) return most;
    count += CountPositive(half, most - count);
  }
  return std::min(count, most);
}

std::optional<Decimal> ShortNumber(const NumberPiece& piece) {
  for (const std::string_view digit : {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}) {
    Decimal value = Decimal::Of(digit, 0);
    if (piece.Has(value)) return value;
  }
  if (std::optional<Decimal> value = ShortPositive(piece)) return value;
  if (std::optional<Decimal> value = ShortPositive(Mirrored(piece))) return value->Negated();
  if (piece.low && piece.Has(piece.low->value)) return piece.low->value;
  if (piece.high && piece.Has(piece.high->value)) return piece.high->value;
  return std::nullopt;
}

Fingerprint ContentOf(std::span<const NumberPiece> pieces) {
  Fingerprint content = Add(Fingerprint{}, "numbers");
  content = Add(content, pieces.size());
  for (const NumberPiece& piece : pieces) {
    content = AddEdge(AddEdge(content, piece.low), piece.high);
    content = Add(content, piece.multiple_of ? 1u : 0u);
    if (piece.multiple_of) content = AddDecimal(content, *piece.multiple_of);
    content = Add(content, piece.not_multiples_of.size());
    for (const Decimal& n : piece.not_multiples_of) content = AddDecimal(content, n);
  }
  return content;
}

}  // namespace decant::grammar
