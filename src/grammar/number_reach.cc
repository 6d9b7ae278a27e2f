// Which sizes of numbers are within reach of a prefix: points D * 10^j, and the stretches between them.
#include "grammar/number_reach.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/check.h"

namespace decant::grammar {
namespace {

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;
const Edge kAfterZero{.value = {}, .after = true};

using Phase = NumberPrefix::Phase;

std::int64_t Signed(std::uint64_t count) { return static_cast<std::int64_t>(count); }

std::string_view WithoutTrailingZeros(std::string_view digits, const NumberPrefix& prefix) {
  return digits.substr(0, digits.size() - prefix.trailing_zeros());
}

// The edges of (D, D + 1) * 10^shift.
Edge After(std::string_view digits, std::int64_t shift) { return {.value = Decimal::Of(digits, shift), .after = true}; }
Edge BeforeNext(std::string_view digits, std::int64_t shift) {
  const Natural next = Natural::FromDigits(digits) + Natural(1);
  return {.value = Decimal::Of(next.ToDigits(), shift), .after = false};
}

}  // namespace

NumberReach::NumberReach(std::span<const NumberPiece> pieces) {
  is_empty_ = pieces.empty();
  is_all_ = pieces.size() == 1 && pieces.front().IsLine();
  for (const NumberPiece& piece : pieces) {
    has_zero_ = has_zero_ || piece.Has(Decimal());
    for (std::size_t sign = 0; sign < 2; ++sign) {
      NumberPiece sizes = sign == 0 ? piece : Mirrored(piece);
      sizes.low = std::max(sizes.low.value_or(kAfterZero), kAfterZero);
      std::optional<NumberPiece> reduced = Reduced(std::move(sizes));
      if (!reduced) continue;
      Track track{.piece = *std::move(reduced), .modulus = std::nullopt, .excluded = {}};
      if (track.piece.multiple_of) track.modulus = Modulus(track.piece.multiple_of->digits());
      for (const Decimal& n : track.piece.not_multiples_of) track.excluded.push_back(Modulus(n.digits()));
      tracks_[sign].push_back(std::move(track));
    }
  }
}

// The j for which digits * 10^j is in the track. REQUIRES: digits end in no zero.
NumberReach::Range NumberReach::Shifts(const Track& track, std::string_view digits) {
  Range range{-kFar, kFar};
  const std::int64_t above = Signed(digits.size()) - 1;  // the magnitude of the digits
  const Edge& low = *track.piece.low;
  if (!low.value.is_zero()) {
    const auto order = digits <=> low.value.digits();
    range.low = low.value.magnitude() - above + (order < 0 || (order == 0 && low.after) ? 1 : 0);
  }
  if (track.piece.high) {
    const Edge& high = *track.piece.high;
    const auto order = digits <=> high.value.digits();
    range.high = high.value.magnitude() - above - (order > 0 || (order == 0 && !high.after) ? 1 : 0);
  }
  if (track.modulus) {
    const std::optional<std::int64_t> shift = track.modulus->LeastShift(digits);
    if (!shift) return {.low = 0, .high = -1};
    range.low = std::max(range.low, track.piece.multiple_of->exponent() + *shift);
  }
  for (std::size_t i = 0; i < track.excluded.size(); ++i) {
    const std::optional<std::int64_t> shift = track.excluded[i].LeastShift(digits);
    if (shift) range.high = std::min(range.high, track.piece.not_multiples_of[i].exponent() + *shift - 1);
  }
  return range;
}

// Whether the track has a number in (D, D + 1) * 10^j for a j of the shifts.
bool NumberReach::ReachesPast(const Track& track, std::string_view digits, Range shifts) {
  const NumberPiece& piece = track.piece;
  const std::int64_t above = Signed(digits.size()) - 1;
  std::int64_t first = shifts.low;
  std::int64_t last = shifts.high;
  if (!piece.low->value.is_zero()) first = std::max(first, piece.low->value.magnitude() - above);
  if (piece.high) last = std::min(last, piece.high->value.magnitude() - above);
  if (piece.multiple_of) first = std::max(first, piece.multiple_of->exponent() + 1);
  // Past the first and before the last j the whole stretch is in the interval, and from some j on it is wide enough:
  // far fewer are tried than there may be.
  for (std::int64_t shift = first; shift <= last; ++shift) {
    NumberPiece stretch;
    stretch.low = After(digits, shift);
    stretch.high = BeforeNext(digits, shift);
    if (std::optional<NumberPiece> common = CommonInterval(stretch, piece)) {
      common->multiple_of = piece.multiple_of;
      common->not_multiples_of = piece.not_multiples_of;
      if (HasNumbers(*common)) return true;
    }
    if (!piece.multiple_of && shift > first + 1) shift = std::max(shift, last - 1);
  }
  return false;
}

bool NumberReach::AdmitsDigits(const Track& track, const NumberPrefix& prefix) {
  const std::string all_digits = prefix.Digits();
  const std::string_view digits = WithoutTrailingZeros(all_digits, prefix);
  const std::int64_t fraction = Signed(prefix.fraction_digits());
  // Digits may still come before the point in phase kInteger, so that any larger shift is within reach.
  Range shifts{.low = -kMaxExponent - fraction, .high = kMaxExponent - fraction};
  if (prefix.phase() == Phase::kInteger) shifts.high = kFar;
  const std::int64_t zeros = Signed(prefix.trailing_zeros());
  const Range points = Shifts(track, digits);
  if (std::max(points.low, shifts.low + zeros) <= std::min(points.high, shifts.high + zeros)) return true;
  return ReachesPast(track, all_digits, shifts);
}

bool NumberReach::AdmitsExponent(const Track& track, const NumberPrefix& prefix) {
  const std::string digits = prefix.Digits();
  const Range shifts = Shifts(track, WithoutTrailingZeros(digits, prefix));
  const std::int64_t moved = Signed(prefix.fraction_digits()) - Signed(prefix.trailing_zeros());
  return prefix.MayHaveExponent(shifts.low + moved, shifts.high + moved);
}

// Zeros alone so far: everything small enough for the largest exponent is within reach.
bool NumberReach::AdmitsSmaller(const Track& track, const NumberPrefix& prefix) {
  NumberPiece stretch;
  stretch.high = {.value = Decimal::Of("1", kMaxExponent - Signed(prefix.fraction_digits())), .after = false};
  std::optional<NumberPiece> common = CommonInterval(stretch, track.piece);
  if (!common) return false;
  common->multiple_of = track.piece.multiple_of;
  common->not_multiples_of = track.piece.not_multiples_of;
  return HasNumbers(*common);
}

bool NumberReach::Admits(const NumberPrefix& prefix) const {
  if (is_all_) return true;
  if (is_empty_) return false;
  if (prefix.phase() == Phase::kStart) return true;
  const std::vector<Track>& tracks = tracks_[prefix.is_negative() ? 1 : 0];
  if (prefix.phase() == Phase::kMinus) return has_zero_ || !tracks.empty();
  if (prefix.digit_count() == 0) {
    if (has_zero_) return true;
    return !prefix.has_exponent() &&
           std::ranges::any_of(tracks, [&](const Track& track) { return AdmitsSmaller(track, prefix); });
  }
  return std::ranges::any_of(tracks, [&](const Track& track) {
    return prefix.has_exponent() ? AdmitsExponent(track, prefix) : AdmitsDigits(track, prefix);
  });
}

bool NumberReach::Accepts(const NumberPrefix& prefix) const {
  if (!prefix.IsComplete()) return false;
  if (is_all_) return true;
  if (prefix.digit_count() == 0) return has_zero_;
  if (prefix.exponent() > kMaxExponent) return false;
  const std::string digits = prefix.Digits();
  const std::int64_t shift = (prefix.is_exponent_negative() ? -prefix.exponent() : prefix.exponent()) +
                             Signed(prefix.trailing_zeros()) - Signed(prefix.fraction_digits());
  return std::ranges::any_of(tracks_[prefix.is_negative() ? 1 : 0], [&](const Track& track) {
    const Range shifts = Shifts(track, WithoutTrailingZeros(digits, prefix));
    return shifts.low <= shift && shift <= shifts.high;
  });
}

Fingerprint NumberReach::KeyOf(const NumberPrefix& prefix, std::size_t /*bytes*/, Fingerprint content) const {
  const Fingerprint key = Add(content, static_cast<std::uint64_t>(prefix.phase()));
  return is_all_ ? key : Add(key, prefix.text());
}

}  // namespace decant::grammar
