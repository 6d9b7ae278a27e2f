// The algebra of sets of numbers, stretch by stretch of the line.
#include "grammar/number_set.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "grammar/number_reach.h"

namespace decant::grammar {
namespace {

using Pieces = std::vector<NumberPiece>;

bool SameConditions(const NumberPiece& a, const NumberPiece& b) {
  return a.multiple_of == b.multiple_of && a.not_multiples_of == b.not_multiples_of;
}

bool InOrder(const NumberPiece& a, const NumberPiece& b) {
  if (a.multiple_of != b.multiple_of) return a.multiple_of < b.multiple_of;
  if (a.not_multiples_of != b.not_multiples_of) return a.not_multiples_of < b.not_multiples_of;
  return a.low < b.low;  // nothing is the least
}

// Whether an end on the right lies past another; nothing is the largest.
bool EndsLater(const std::optional<Edge>& a, const std::optional<Edge>& b) { return b && (!a || *a > *b); }

// Goes through the stretches of the line in which the same pieces are at work, in order, with these pieces. Stretches
// without any come too.
void ForEachStretch(const Pieces& pieces,
                    const std::function<void(const NumberPiece&, std::span<const NumberPiece* const>)>& visit) {
  std::vector<Edge> edges;
  for (const NumberPiece& piece : pieces) {
    if (piece.low) edges.push_back(*piece.low);
    if (piece.high) edges.push_back(*piece.high);
  }
  std::ranges::sort(edges);
  edges.erase(std::ranges::unique(edges).begin(), edges.end());
  std::vector<const NumberPiece*> waiting;
  for (const NumberPiece& piece : pieces) waiting.push_back(&piece);
  // Equal ones in the order of the pieces, all of one vector.
  std::ranges::sort(
      waiting, [](const NumberPiece* a, const NumberPiece* b) { return a->low != b->low ? a->low < b->low : a < b; });
  std::size_t next = 0;
  std::vector<const NumberPiece*> active;
  for (std::size_t i = 0; i <= edges.size(); ++i) {
    NumberPiece stretch;
    if (i > 0) stretch.low = edges[i - 1];
    if (i < edges.size()) stretch.high = edges[i];
    std::erase_if(active, [&](const NumberPiece* piece) { return piece->high && piece->high <= stretch.low; });
    for (; next < waiting.size() && waiting[next]->low <= stretch.low; ++next) active.push_back(waiting[next]);
    visit(stretch, active);
  }
}

// Adds the piece with one more condition, if it still has numbers.
void AddReduced(NumberPiece piece, Pieces& to) {
  std::optional<NumberPiece> reduced = Reduced(std::move(piece));
  if (reduced && std::ranges::find(to, *reduced) == to.end()) to.push_back(*std::move(reduced));
}

// `piece` less what the conditions of `taken` let through.
void AddDifference(const NumberPiece& piece, const NumberPiece& taken, Pieces& to) {
  if (taken.multiple_of) {
    NumberPiece rest = piece;
    rest.not_multiples_of.push_back(*taken.multiple_of);
    AddReduced(std::move(rest), to);
  }
  NumberPiece inside = piece;  // which conditions before this one let through: what is added has no number twice
  if (taken.multiple_of) {
    inside.multiple_of =
        piece.multiple_of ? LeastCommonMultiple(*piece.multiple_of, *taken.multiple_of) : *taken.multiple_of;
  }
  for (const Decimal& n : taken.not_multiples_of) {
    NumberPiece rest = inside;
    rest.multiple_of = inside.multiple_of ? LeastCommonMultiple(*inside.multiple_of, n) : n;
    AddReduced(std::move(rest), to);
    inside.not_multiples_of.push_back(n);
  }
}

// The stretch less the pieces at work in it; pieces without a common number.
Pieces Remainder(const NumberPiece& stretch, std::span<const NumberPiece* const> active) {
  Pieces rest;
  AddReduced(stretch, rest);
  for (const NumberPiece* taken : active) {
    Pieces next;
    for (const NumberPiece& piece : rest) AddDifference(piece, *taken, next);
    rest = std::move(next);
  }
  return rest;
}

// Whether the conditions of two pieces have a number after the one and before the other. REQUIRES: there is a gap.
bool HasNumbersBetween(const NumberPiece& a, const NumberPiece& b) {
  if (a.IsPlain()) return true;
  NumberPiece gap = a;
  gap.low = a.high;
  gap.high = b.low;
  return HasNumbers(gap);
}

// Joins pieces of the same conditions that have no such number between them. REQUIRES: in order.
Pieces Joined(Pieces pieces) {
  Pieces joined;
  for (NumberPiece& piece : pieces) {
    if (!joined.empty() && SameConditions(joined.back(), piece)) {
      NumberPiece& last = joined.back();
      if (!last.high || !piece.low || *piece.low <= *last.high || !HasNumbersBetween(last, piece)) {
        if (EndsLater(piece.high, last.high)) last.high = piece.high;
        continue;
      }
    }
    joined.push_back(std::move(piece));
  }
  return joined;
}

// Where one piece lets everything through, or several together do, that is written as an interval, and the others end.
Pieces Covered(const Pieces& pieces) {
  Pieces covered;
  ForEachStretch(pieces, [&](const NumberPiece& stretch, std::span<const NumberPiece* const> active) {
    if (active.empty()) return;
    const bool is_dense = std::ranges::any_of(active, [](const NumberPiece* piece) { return !piece->multiple_of; });
    const bool is_plain = std::ranges::any_of(active, [](const NumberPiece* piece) { return piece->IsPlain(); });
    if (is_plain || (is_dense && Remainder(stretch, active).empty())) {
      covered.push_back(stretch);
      return;
    }
    for (const NumberPiece* piece : active) {
      NumberPiece part = *piece;
      part.low = stretch.low;
      part.high = stretch.high;
      if (std::optional<NumberPiece> reduced = Reduced(std::move(part))) covered.push_back(*std::move(reduced));
    }
  });
  return covered;
}

// One way of writing the union, so that equal sets are mostly equal, and that of all numbers always is.
Pieces Canonical(Pieces pieces) {
  Pieces conditional;
  std::ranges::copy_if(pieces, std::back_inserter(conditional), [](const NumberPiece& p) { return !p.IsPlain(); });
  if (!conditional.empty()) {
    std::erase_if(pieces, [&](const NumberPiece& piece) {
      return piece.IsPoint() &&
             std::ranges::any_of(conditional, [&](const NumberPiece& p) { return p.Has(piece.low->value); });
    });
    const auto is_dense = [](const NumberPiece& piece) { return !piece.multiple_of && !piece.IsPoint(); };
    if (pieces.size() > 1 && std::ranges::any_of(pieces, is_dense)) pieces = Covered(pieces);
  }
  std::ranges::sort(pieces, InOrder);
  return Joined(std::move(pieces));
}

}  // namespace

struct NumberSet::Parts {
  explicit Parts(std::vector<NumberPiece> of) : pieces(std::move(of)), content(ContentOf(pieces)), reach(pieces) {}
  std::vector<NumberPiece> pieces;
  Fingerprint content;
  NumberReach reach;
};

NumberSet::NumberSet(std::vector<NumberPiece> pieces) : parts_(std::make_shared<const Parts>(std::move(pieces))) {}

NumberSet::NumberSet() : NumberSet(None()) {}

NumberSet NumberSet::None() {
  static const NumberSet none{std::vector<NumberPiece>()};
  return none;
}

NumberSet NumberSet::Between(std::optional<Edge> low, std::optional<Edge> high) {
  NumberPiece piece;
  piece.low = std::move(low);
  piece.high = std::move(high);
  return NumberSet(std::vector<NumberPiece>{std::move(piece)});
}

NumberSet NumberSet::All() {
  static const NumberSet all = Between(std::nullopt, std::nullopt);
  return all;
}

NumberSet NumberSet::Only(Decimal value) { return OneOf({std::move(value)}); }

NumberSet NumberSet::OneOf(const std::vector<Decimal>& values) {
  Pieces points(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    points[i].low = {.value = values[i], .after = false};
    points[i].high = {.value = values[i], .after = true};
  }
  return NumberSet(Canonical(std::move(points)));
}

NumberSet NumberSet::Multiples(Decimal of) {
  DECANT_DCHECK(!of.is_zero() && !of.is_negative());
  NumberPiece piece;
  piece.multiple_of = std::move(of);
  return NumberSet(std::vector<NumberPiece>{std::move(piece)});
}

NumberSet NumberSet::AtLeast(Decimal bound) {
  return Between(Edge{.value = std::move(bound), .after = false}, std::nullopt);
}
NumberSet NumberSet::Above(Decimal bound) {
  return Between(Edge{.value = std::move(bound), .after = true}, std::nullopt);
}
NumberSet NumberSet::AtMost(Decimal bound) {
  return Between(std::nullopt, Edge{.value = std::move(bound), .after = true});
}
NumberSet NumberSet::Below(Decimal bound) {
  return Between(std::nullopt, Edge{.value = std::move(bound), .after = false});
}

NumberSet NumberSet::Finite() {
  // Above it, and just below 2^1024 - 2^970, from where on doubles are infinite.
  static constexpr std::string_view kMostDigits = "17976931348623158";
  constexpr std::int64_t kMostExponent = 292;
  static const NumberSet finite = [] {
    const Decimal most = Decimal::Of(kMostDigits, kMostExponent);
    return AtLeast(most.Negated()).Intersect(AtMost(most));
  }();
  return finite;
}

NumberSet NumberSet::Intersect(const NumberSet& other) const {
  if (IsAll() || other.IsEmpty()) return other;
  if (other.IsAll() || IsEmpty()) return *this;
  Pieces common;
  for (const NumberPiece& a : parts_->pieces) {
    for (const NumberPiece& b : other.parts_->pieces) {
      std::optional<NumberPiece> piece = CommonInterval(a, b);
      if (!piece) continue;
      piece->multiple_of = a.multiple_of ? a.multiple_of : b.multiple_of;
      if (a.multiple_of && b.multiple_of) piece->multiple_of = LeastCommonMultiple(*a.multiple_of, *b.multiple_of);
      piece->not_multiples_of = a.not_multiples_of;
      piece->not_multiples_of.insert(piece->not_multiples_of.end(), b.not_multiples_of.begin(),
                                     b.not_multiples_of.end());
      if (std::optional<NumberPiece> reduced = Reduced(*std::move(piece))) common.push_back(*std::move(reduced));
    }
  }
  return NumberSet(Canonical(std::move(common)));
}

NumberSet NumberSet::Unite(const NumberSet& other) const {
  if (IsEmpty() || other.IsAll()) return other;
  if (other.IsEmpty() || IsAll()) return *this;
  Pieces pieces = parts_->pieces;
  pieces.insert(pieces.end(), other.parts_->pieces.begin(), other.parts_->pieces.end());
  return NumberSet(Canonical(std::move(pieces)));
}

NumberSet NumberSet::Complement() const {
  Pieces rest;
  ForEachStretch(parts_->pieces, [&](const NumberPiece& stretch, std::span<const NumberPiece* const> active) {
    Pieces left = Remainder(stretch, active);
    std::ranges::move(left, std::back_inserter(rest));
  });
  return NumberSet(Canonical(std::move(rest)));
}

bool NumberSet::Has(const Decimal& value) const {
  return std::ranges::any_of(parts_->pieces, [&](const NumberPiece& piece) { return piece.Has(value); });
}

bool NumberSet::IsEmpty() const { return parts_->pieces.empty(); }

bool NumberSet::IsAll() const { return parts_->pieces.size() == 1 && parts_->pieces.front().IsLine(); }

std::uint64_t NumberSet::Count(std::uint64_t most) const {
  std::uint64_t count = 0;
  ForEachStretch(parts_->pieces, [&](const NumberPiece& stretch, std::span<const NumberPiece* const> active) {
    // Of each piece what those before it have not.
    for (std::size_t i = 0; i < active.size() && count < most; ++i) {
      NumberPiece part = *active[i];
      part.low = stretch.low;
      part.high = stretch.high;
      for (const NumberPiece& counted : Remainder(part, active.first(i))) {
        count += CountNumbers(counted, most - count);
      }
    }
  });
  return count;
}

std::optional<std::string> NumberSet::Example() const {
  std::optional<std::string> shortest;
  for (const NumberPiece& piece : parts_->pieces) {
    const std::optional<Decimal> number = ShortNumber(piece);
    if (!number) continue;
    std::string text = number->ToText();
    if (!shortest || text.size() < shortest->size()) shortest = std::move(text);
  }
  return shortest;
}

bool NumberSet::Admits(const NumberPrefix& prefix) const { return parts_->reach.Admits(prefix); }

bool NumberSet::AdmitsPlain(const NumberPrefix& prefix) const { return parts_->reach.AdmitsPlain(prefix); }

bool NumberSet::Accepts(const NumberPrefix& prefix) const { return parts_->reach.Accepts(prefix); }

Fingerprint NumberSet::KeyOf(const NumberPrefix& prefix, const NumberHorizon& horizon) const {
  return parts_->reach.KeyOf(prefix, horizon);
}

Fingerprint NumberSet::Content() const { return parts_->content; }

bool NumberSet::operator==(const NumberSet& other) const {
  return parts_ == other.parts_ || parts_->pieces == other.parts_->pieces;
}

}  // namespace decant::grammar
