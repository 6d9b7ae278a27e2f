// Which sizes of numbers are within reach of digits: points D * 10^j, and the stretches from them to (D + 1) * 10^j.
#include "grammar/number_track.h"

#include <algorithm>
#include <string>
#include <utility>

namespace decant::grammar {
namespace {

const Edge kAfterZero{.value = {}, .after = true};

std::int64_t Signed(std::uint64_t count) { return static_cast<std::int64_t>(count); }

std::string_view WithoutTrailingZeros(std::string_view digits, const NumberPrefix& prefix) {
  return digits.substr(0, digits.size() - prefix.trailing_zeros());
}

// (D, D + 1) * 10^shift.
NumberPiece StretchPast(std::string_view digits, std::int64_t shift) {
  const Natural next = Natural::FromDigits(digits) + Natural(1);
  NumberPiece stretch;
  stretch.low = Edge{.value = Decimal::Of(digits, shift), .after = true};
  stretch.high = Edge{.value = Decimal::Of(next.ToDigits(), shift), .after = false};
  return stretch;
}

}  // namespace

std::optional<NumberTrack> NumberTrack::Of(const NumberPiece& piece) {
  if (piece.high && *piece.high <= kAfterZero) return std::nullopt;
  NumberPiece positive = piece;
  positive.low = std::max(piece.low.value_or(kAfterZero), kAfterZero);
  std::optional<NumberPiece> reduced = Reduced(std::move(positive));
  if (!reduced) return std::nullopt;
  NumberTrack track;
  track.piece_ = *std::move(reduced);
  if (track.piece_.multiple_of) track.modulus_ = Modulus(track.piece_.multiple_of->digits());
  for (const Decimal& n : track.piece_.not_multiples_of) track.excluded_.push_back(Modulus(n.digits()));
  return track;
}

template <typename Number>
void NumberTrack::LimitByConditions(Number number, ShiftRange& range) const {
  if (modulus_) {
    const std::optional<std::int64_t> shift = modulus_->LeastShift(number);
    range.low = std::max(range.low, shift ? piece_.multiple_of->exponent() + *shift : kNoShiftEnd + 1);
  }
  for (std::size_t i = 0; i < excluded_.size(); ++i) {
    const std::optional<std::int64_t> shift = excluded_[i].LeastShift(number);
    if (shift) range.high = std::min(range.high, piece_.not_multiples_of[i].exponent() + *shift - 1);
  }
}
template void NumberTrack::LimitByConditions(std::uint64_t, ShiftRange&) const;

ShiftRange NumberTrack::Shifts(std::string_view digits) const {
  ShiftRange range{-kNoShiftEnd, kNoShiftEnd};
  const std::int64_t above = Signed(digits.size()) - 1;  // the magnitude of the digits
  const Edge& low = *piece_.low;
  if (!low.value.is_zero()) {
    const auto order = digits <=> low.value.digits();
    range.low = low.value.magnitude() - above + (order < 0 || (order == 0 && low.after) ? 1 : 0);
  }
  if (piece_.high) {
    const Edge& high = *piece_.high;
    const auto order = digits <=> high.value.digits();
    range.high = high.value.magnitude() - above - (order > 0 || (order == 0 && !high.after) ? 1 : 0);
  }
  LimitByConditions(digits, range);
  return range;
}

bool NumberTrack::HasIn(const NumberPiece& interval) const {
  std::optional<NumberPiece> common = CommonInterval(interval, piece_);
  if (!common) return false;
  common->multiple_of = piece_.multiple_of;
  common->not_multiples_of = piece_.not_multiples_of;
  return HasNumbers(*common);
}

// Whether it has a number in (D, D + 1) * 10^j for a j of the shifts.
bool NumberTrack::HasPast(std::string_view digits, ShiftRange shifts) const {
  const std::int64_t above = Signed(digits.size()) - 1;
  std::int64_t first = shifts.low;
  std::int64_t last = shifts.high;
  if (!piece_.low->value.is_zero()) first = std::max(first, piece_.low->value.magnitude() - above);
  if (piece_.high) last = std::min(last, piece_.high->value.magnitude() - above);
  // All multiples end in zeros below their power of ten, so none is past the digits there.
  if (piece_.multiple_of) first = std::max(first, piece_.multiple_of->exponent() + 1);
  // Past the first j and before the last the whole stretch is in the interval, and from some j on it is so wide that it
  // has a multiple: far fewer are tried than there may be.
  for (std::int64_t shift = first; shift <= last; ++shift) {
    if (HasIn(StretchPast(digits, shift))) return true;
    if (!piece_.multiple_of && shift > first) shift = std::max(shift, last - 1);
  }
  return false;
}

// Whether it has a number in [D, D + 1) * 10^j for a j of the shifts.
bool NumberTrack::Reaches(const NumberPrefix& prefix, ShiftRange shifts) const {
  const std::string digits = prefix.Digits();
  const std::int64_t zeros = Signed(prefix.trailing_zeros());
  const ShiftRange points = Shifts(WithoutTrailingZeros(digits, prefix));
  if (std::max(points.low, shifts.low + zeros) <= std::min(points.high, shifts.high + zeros)) return true;
  return HasPast(digits, shifts);
}

bool NumberTrack::AdmitsPlain(const NumberPrefix& prefix) const {
  return Reaches(prefix, {.low = 0, .high = kNoShiftEnd});
}

bool NumberTrack::AdmitsDigits(const NumberPrefix& prefix) const {
  const std::int64_t fraction = Signed(prefix.fraction_digits());
  if (prefix.digit_count() == 0) {  // everything small enough for the largest exponent
    NumberPiece smaller;
    smaller.high = Edge{.value = Decimal::Of("1", kMaxExponent - fraction), .after = false};
    return HasIn(smaller);
  }
  // In front of the point digits may still come, and then any larger shift is within reach.
  const bool is_integer = prefix.phase() == NumberPrefix::Phase::kInteger;
  return Reaches(prefix, {.low = -kMaxExponent - fraction, .high = is_integer ? kNoShiftEnd : kMaxExponent - fraction});
}

bool NumberTrack::AdmitsExponent(const NumberPrefix& prefix) const {
  const std::string digits = prefix.Digits();
  const ShiftRange shifts = Shifts(WithoutTrailingZeros(digits, prefix));
  const std::int64_t moved = Signed(prefix.fraction_digits()) - Signed(prefix.trailing_zeros());
  return prefix.MayHaveExponent(shifts.low + moved, shifts.high + moved);
}

}  // namespace decant::grammar
