// The quick way: digits and ends of at most 18 digits are compared and divided as integers. What is longer goes the way
// of NumberTrack.
#include "grammar/number_reach.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.h"

namespace decant::grammar {
namespace {

using Phase = NumberPrefix::Phase;

constexpr std::int64_t kLeadDigits = static_cast<std::int64_t>(NumberPrefix::kNumberDigits);
// Shorter numbers are so far from the bound on exponents that any shift they need may be written.
constexpr std::int64_t kShortMagnitude = 1'000'000;
constexpr std::int64_t kMaxUnitMagnitude = 36;  // 10^37 and a few times that fit 128 bits
constexpr std::size_t kMaxEndsInKey = 16;
// Ends from 10^kRemoteMagnitude on are far from numbers with at most kNearDigits digits on either side of the point,
// whatever conditions there are on numbers no larger than 10^kSmallMagnitude: these have exponents up to
// kNearDigits + kSmallMagnitude + 60 (18 digits have no more twos and fives) to meet the conditions with.
constexpr std::int64_t kRemoteMagnitude = 300;
constexpr std::uint64_t kNearDigits = 100;
constexpr std::int64_t kSmallMagnitude = 20;
constexpr std::size_t kFewConditions = 4;

constexpr std::array<std::uint64_t, 19> MakePowersOfTen() {
  std::array<std::uint64_t, 19> powers = {1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}
constexpr std::array<std::uint64_t, 19> kPowersOfTen = MakePowersOfTen();

std::uint64_t PowerOfTen(std::int64_t exponent) { return kPowersOfTen[static_cast<std::size_t>(exponent)]; }

std::int64_t Signed(std::uint64_t count) { return static_cast<std::int64_t>(count); }

bool IsShort(const NumberPrefix& prefix) {
  return prefix.digit_count() <= NumberPrefix::kNumberDigits && Signed(prefix.fraction_digits()) <= kShortMagnitude;
}

bool IsShort(const Decimal& value) {
  return Signed(value.digits().size()) <= kLeadDigits &&
         (value.is_zero() || (value.exponent() <= kShortMagnitude && value.exponent() >= -kShortMagnitude));
}

std::uint64_t NumberOf(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char digit : digits) number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  return number;
}

// REQUIRES: the value has at most kMaxUnitMagnitude digits in these units, and is an integer in them.
core::Uint128 Units(const Decimal& value, std::int64_t exponent) {
  core::Uint128 units = NumberOf(value.digits());
  for (std::int64_t i = exponent; i < value.exponent(); ++i) units *= 10;
  return units;
}

// Whether there is a multiple of step in [low, high]. REQUIRES: low <= high.
bool HasMultiple(core::Uint128 low, core::Uint128 high, std::uint64_t step) {
  if (high - low >= step - 1) return true;
  constexpr core::Uint128 kLast = ~std::uint64_t{0};
  const std::uint64_t rest =
      high <= kLast ? static_cast<std::uint64_t>(high) % step : static_cast<std::uint64_t>(high % step);
  return rest <= high - low;
}

bool IsSmall(const Decimal& value) {
  return IsShort(value) &&
         (value.is_zero() || (value.magnitude() <= kSmallMagnitude && value.exponent() >= -kSmallMagnitude));
}

// Whether the high end decides nothing for numbers that are far from it.
bool IsRemote(const NumberPiece& piece) {
  return piece.high && piece.high->value.magnitude() >= kRemoteMagnitude && IsSmall(piece.low->value) &&
         (!piece.multiple_of || IsSmall(*piece.multiple_of)) && piece.not_multiples_of.size() <= kFewConditions &&
         std::ranges::all_of(piece.not_multiples_of, IsSmall);
}

// Whether no token makes the number one near a remote end.
bool StaysNear(const NumberPrefix& prefix, const NumberHorizon& horizon) {
  if (prefix.has_exponent()) return prefix.is_exponent_negative() && prefix.digit_count() <= kNearDigits;
  const std::uint64_t digits = std::max(prefix.digit_count(), prefix.fraction_digits());
  return !horizon.has_exponents && digits + horizon.digits <= kNearDigits;
}

bool IsPowerOfTen(const Decimal& value) { return value.digits() == "1"; }

}  // namespace

NumberReach::NumberReach(std::span<const NumberPiece> pieces)
    : content_(ContentOf(pieces)), is_all_(pieces.size() == 1 && pieces.front().IsLine()), is_empty_(pieces.empty()) {
  for (const NumberPiece& piece : pieces) {
    has_zero_ = has_zero_ || piece.Has(Decimal());
    if (std::optional<NumberTrack> track = NumberTrack::Of(piece)) sides_[0].AddTrack(*std::move(track));
    if (piece.low && !piece.low->value.is_negative()) continue;
    if (std::optional<NumberTrack> track = NumberTrack::Of(Mirrored(piece))) sides_[1].AddTrack(*std::move(track));
  }
  for (Side& side : sides_) {
    std::ranges::sort(side.points);
    for (std::vector<Decimal>* const ends : {&side.ends, &side.remote_ends}) {
      std::ranges::sort(*ends);
      ends->erase(std::ranges::unique(*ends).begin(), ends->end());
      if (ends->size() > kMaxEndsInKey) side.has_others = true;
    }
    std::vector<NumberPiece> sizes;
    for (const NumberTrack& track : side.tracks) sizes.push_back(track.piece());
    side.content = Add(ContentOf(sizes), has_zero_ ? 1u : 0u);
  }
}

NumberReach::Digits NumberReach::DigitsOf(const NumberPrefix& prefix) {
  const std::int64_t count = Signed(prefix.digit_count());
  return {.lead = prefix.number() * PowerOfTen(kLeadDigits - count),
          .number = prefix.number(),
          .stripped = prefix.stripped_number(),
          .count = count,
          .zeros = Signed(prefix.trailing_zeros())};
}

std::optional<NumberReach::ShortEdge> NumberReach::Shortened(const Decimal& value) {
  if (!IsShort(value)) return std::nullopt;
  if (value.is_zero()) return ShortEdge{};
  const std::int64_t missing = kLeadDigits - Signed(value.digits().size());
  return ShortEdge{
      .lead = NumberOf(value.digits()) * PowerOfTen(missing), .magnitude = value.magnitude(), .is_there = true};
}

std::optional<NumberReach::ShortTrack> NumberReach::Shortened(const NumberTrack& track) {
  const NumberPiece& piece = track.piece();
  ShortTrack quick;
  for (const auto& [end, to] : {std::pair(&piece.low, &quick.low), std::pair(&piece.high, &quick.high)}) {
    if (!*end) continue;
    const std::optional<ShortEdge> edge = Shortened((*end)->value);
    if (!edge) return std::nullopt;
    *to = *edge;
    to->after = (*end)->after;
  }
  if (!std::ranges::all_of(piece.not_multiples_of, [](const Decimal& n) { return IsShort(n); })) return std::nullopt;
  quick.is_bare = piece.IsPlain();
  quick.is_remote = IsRemote(piece);
  if (!piece.multiple_of) return quick;
  const Decimal& m = *piece.multiple_of;
  if (!IsShort(m)) return std::nullopt;
  quick.is_ladder = true;
  quick.step = NumberOf(m.digits());
  quick.exponent = m.exponent();
  quick.is_by_powers = quick.step == 1 && piece.not_multiples_of.empty();
  if (!piece.high || quick.is_remote) return quick;
  // Both ends are multiples, for the piece is reduced and they are not far from the unit.
  if (!piece.not_multiples_of.empty()) return std::nullopt;
  if (piece.high->value.magnitude() - m.exponent() >= kMaxUnitMagnitude) return std::nullopt;
  quick.low_units = Units(piece.low->value, m.exponent());
  quick.high_units = Units(piece.high->value, m.exponent());
  return quick;
}

void NumberReach::Side::AddTrack(NumberTrack track) {
  AddEnds(track.piece());
  if (track.piece().IsPoint() && IsShort(track.piece().low->value)) {
    const std::optional<ShortEdge> edge = Shortened(track.piece().low->value);
    points.push_back({.lead = edge->lead, .magnitude = edge->magnitude});
  } else if (std::optional<ShortTrack> quick = Shortened(track)) {
    quick->track = tracks.size();
    short_tracks.push_back(*quick);
  } else {
    long_tracks.push_back(tracks.size());
  }
  tracks.push_back(std::move(track));
}

void NumberReach::Side::AddEnds(const NumberPiece& piece) {
  // All multiples above 0 are past the first one.
  const bool is_first = piece.multiple_of && !piece.low->after && piece.low->value == *piece.multiple_of;
  if (!is_first && !piece.low->value.is_zero()) ends.push_back(piece.low->value);
  if (piece.high) (IsRemote(piece) ? remote_ends : ends).push_back(piece.high->value);
  std::vector<Decimal> conditions = piece.not_multiples_of;
  if (piece.multiple_of) conditions.push_back(*piece.multiple_of);
  has_powers = has_powers || !conditions.empty();
  has_others = has_others || !std::ranges::all_of(conditions, IsPowerOfTen);
}

// The j for which stripped digits * 10^j is on the track.
inline ShiftRange NumberReach::Side::ShortShifts(const ShortTrack& track, const Digits& digits) const {
  ShiftRange range{-kNoShiftEnd, kNoShiftEnd};
  const std::int64_t above = digits.count - digits.zeros - 1;  // the magnitude of the stripped digits
  if (track.low.is_there) {
    const bool is_past = track.low.after ? digits.lead > track.low.lead : digits.lead >= track.low.lead;
    range.low = track.low.magnitude - above + (is_past ? 0 : 1);
  }
  if (track.high.is_there) {
    const bool is_before = track.high.after ? digits.lead <= track.high.lead : digits.lead < track.high.lead;
    range.high = track.high.magnitude - above - (is_before ? 0 : 1);
  }
  if (track.is_bare) return range;
  if (track.is_by_powers) {
    range.low = std::max(range.low, track.exponent);
  } else if (range.low <= range.high) {
    tracks[track.track].LimitByConditions(digits.stripped, range);
  }
  return range;
}

// Whether there is a number in (D, D + 1) * 10^j for some j.
inline bool NumberReach::ShortTrack::HasPast(const Digits& digits) const {
  if (!high.is_there || is_remote) return true;
  if (!is_ladder) {
    if (!low.is_there) return true;
    // The first stretch that ends past the low end, and where in it the numbers start.
    const bool is_here = digits.lead + PowerOfTen(kLeadDigits - digits.count) > low.lead;
    const std::int64_t magnitude = is_here ? low.magnitude : low.magnitude + 1;
    const std::uint64_t start = is_here ? std::max(digits.lead, low.lead) : digits.lead;
    return magnitude < high.magnitude || (magnitude == high.magnitude && start < high.lead);
  }
  // D * 10^j itself is not on the track for any j: it has been asked.
  return HasInRows(core::Multiply(digits.number, 10), 10);
}

// Of a ladder whose ends are known in units: whether it has a number in the row of `width` units that begins at `left`,
// or in the one that is ten times as far and wide, and so on. REQUIRES: 0 < width <= left.
inline bool NumberReach::ShortTrack::HasInRows(core::Uint128 left, core::Uint128 width) const {
  for (; left <= high_units; left *= 10, width *= 10) {
    const core::Uint128 first = std::max(left, low_units);
    const core::Uint128 last = std::min(left + (width - 1), high_units);
    if (first <= last && HasMultiple(first, last, step)) return true;
  }
  return false;
}

bool NumberReach::Side::AdmitsShort(const NumberPrefix& prefix) const {
  if (prefix.digit_count() == 0) return !short_tracks.empty() || !points.empty();
  const Digits digits = DigitsOf(prefix);
  for (const ShortTrack& track : short_tracks) {
    const ShiftRange shifts = ShortShifts(track, digits);
    if (shifts.low <= shifts.high || track.HasPast(digits)) return true;
  }
  if (points.empty()) return false;
  const auto point = std::ranges::lower_bound(points, digits.lead, {}, &Point::lead);
  return point != points.end() && point->lead < digits.lead + PowerOfTen(kLeadDigits - digits.count);
}

bool NumberReach::Side::AdmitsShortPlain(const NumberPrefix& prefix) const {
  const Digits digits = DigitsOf(prefix);
  for (const ShortTrack& track : short_tracks) {
    // A far row is so wide that it has a number.
    if (!track.high.is_there || track.is_remote) return true;
    const bool is_in_ones = track.is_ladder && track.exponent == 0;
    if (is_in_ones ? track.HasInRows(digits.number, 1) : tracks[track.track].AdmitsPlain(prefix)) return true;
  }
  // Of the points that begin with these digits, those that have as many.
  const auto first = std::ranges::lower_bound(points, digits.lead, {}, &Point::lead);
  const std::uint64_t past = digits.lead + PowerOfTen(kLeadDigits - digits.count);
  for (auto point = first; point != points.end() && point->lead < past; ++point) {
    if (point->magnitude >= digits.count - 1) return true;
  }
  return false;
}

bool NumberReach::Side::AdmitsShortExponent(const NumberPrefix& prefix) const {
  const Digits digits = DigitsOf(prefix);
  const std::int64_t moved = Signed(prefix.fraction_digits()) - digits.zeros;
  for (const ShortTrack& track : short_tracks) {
    const ShiftRange shifts = ShortShifts(track, digits);
    if (prefix.MayHaveExponent(shifts.low + moved, shifts.high + moved)) return true;
  }
  for (const Point& point : std::ranges::equal_range(points, digits.lead, {}, &Point::lead)) {
    const std::int64_t exponent = point.magnitude - (digits.count - digits.zeros - 1) + moved;
    if (prefix.MayHaveExponent(exponent, exponent)) return true;
  }
  return false;
}

bool NumberReach::Side::AcceptsShort(const Digits& digits, std::int64_t shift) const {
  for (const ShortTrack& track : short_tracks) {
    const ShiftRange shifts = ShortShifts(track, digits);
    if (shifts.low <= shift && shift <= shifts.high) return true;
  }
  const Point point{.lead = digits.lead, .magnitude = digits.count - digits.zeros - 1 + shift};
  return std::ranges::binary_search(points, point);
}

bool NumberReach::Admits(const NumberPrefix& prefix) const {
  if (is_all_) return true;
  if (is_empty_) return false;
  const Phase phase = prefix.phase();
  if (phase == Phase::kStart) return true;
  const Side& side = sides_[prefix.is_negative() ? 1 : 0];
  if (phase == Phase::kMinus) return has_zero_ || !side.tracks.empty();
  if (prefix.digit_count() == 0) {
    if (has_zero_) return true;
    if (prefix.has_exponent()) return false;
  }
  const auto admits = [&](const NumberTrack& track) {
    return prefix.has_exponent() ? track.AdmitsExponent(prefix) : track.AdmitsDigits(prefix);
  };
  if (!IsShort(prefix)) return std::ranges::any_of(side.tracks, admits);
  if (prefix.has_exponent() ? side.AdmitsShortExponent(prefix) : side.AdmitsShort(prefix)) return true;
  return std::ranges::any_of(side.long_tracks, [&](std::size_t i) { return admits(side.tracks[i]); });
}

bool NumberReach::AdmitsPlain(const NumberPrefix& prefix) const {
  DECANT_DCHECK(prefix.is_plain());
  if (is_empty_ || prefix.phase() == Phase::kStart) return !is_empty_;
  const Side& side = sides_[prefix.is_negative() ? 1 : 0];
  if (prefix.phase() == Phase::kMinus) return has_zero_ || !side.tracks.empty();
  if (prefix.digit_count() == 0) return has_zero_;
  const auto admits = [&](const NumberTrack& track) { return track.AdmitsPlain(prefix); };
  if (!IsShort(prefix)) return std::ranges::any_of(side.tracks, admits);
  if (side.AdmitsShortPlain(prefix)) return true;
  return std::ranges::any_of(side.long_tracks, [&](std::size_t i) { return admits(side.tracks[i]); });
}

bool NumberReach::Accepts(const NumberPrefix& prefix) const {
  if (!prefix.IsComplete()) return false;
  if (is_all_) return true;
  if (prefix.digit_count() == 0) return has_zero_;
  if (prefix.exponent() > kMaxExponent) return false;
  const Side& side = sides_[prefix.is_negative() ? 1 : 0];
  const std::int64_t shift = (prefix.is_exponent_negative() ? -prefix.exponent() : prefix.exponent()) +
                             Signed(prefix.trailing_zeros()) - Signed(prefix.fraction_digits());
  const bool is_short = IsShort(prefix);
  if (is_short && side.AcceptsShort(DigitsOf(prefix), shift)) return true;
  if (is_short && side.long_tracks.empty()) return false;
  std::string digits = prefix.Digits();
  digits.resize(digits.size() - prefix.trailing_zeros());
  const auto has = [&](const NumberTrack& track) {
    const ShiftRange shifts = track.Shifts(digits);
    return shifts.low <= shift && shift <= shifts.high;
  };
  if (!is_short) return std::ranges::any_of(side.tracks, has);
  return std::ranges::any_of(side.long_tracks, [&](std::size_t i) { return has(side.tracks[i]); });
}

// How the digits compare with those of each end.
Fingerprint NumberReach::AddOrder(Fingerprint key, const NumberPrefix& prefix, std::span<const Decimal> ends) {
  const std::string digits = prefix.Digits();
  std::string_view compared = digits;
  if (prefix.has_exponent()) compared.remove_suffix(prefix.trailing_zeros());
  key = Add(key, prefix.digit_count() - prefix.fraction_digits());
  bool is_undecided = false;
  for (const Decimal& end : ends) {
    std::string other(end.digits());
    // Before an exponent, further digits decide between numbers that start alike.
    if (!prefix.has_exponent()) other.resize(compared.size(), '0');
    const auto order = compared <=> other;
    key = Add(key, order < 0 ? 0u : order > 0 ? 1u : 2u);
    is_undecided = is_undecided || order == 0;
  }
  return is_undecided && !prefix.has_exponent() ? Add(key, digits.size()) : key;
}

// What decides how a prefix with digits goes on: where its first digit stands and how its digits compare with those of
// each end, for the ends; the powers of ten of its digits, for conditions on these; the digits themselves, for others.
Fingerprint NumberReach::AddDigits(Fingerprint key, const NumberPrefix& prefix, const NumberHorizon& horizon) const {
  const Side& side = sides_[prefix.is_negative() ? 1 : 0];
  if (side.has_others || side.has_powers) {
    // After the exponent only the power of the last digit other than 0 counts.
    if (!prefix.has_exponent()) key = Add(key, prefix.fraction_digits());
    key = Add(key, prefix.trailing_zeros() - (prefix.has_exponent() ? prefix.fraction_digits() : 0));
  }
  if (side.has_others) {
    std::string digits = prefix.Digits();
    if (prefix.has_exponent()) digits.resize(digits.size() - prefix.trailing_zeros());
    return Add(key, digits);
  }
  if (!side.ends.empty()) key = AddOrder(key, prefix, side.ends);
  if (side.remote_ends.empty() || StaysNear(prefix, horizon)) return key;
  return AddOrder(Add(key, 1u), prefix, side.remote_ends);
}

Fingerprint NumberReach::KeyOf(const NumberPrefix& prefix, const NumberHorizon& horizon) const {
  const std::uint64_t phase = static_cast<std::uint64_t>(prefix.phase());
  if (is_all_ || is_empty_ || prefix.phase() == Phase::kStart) return Add(content_, phase);
  // With the sign known, the other side has no say.
  Fingerprint key = Add(sides_[prefix.is_negative() ? 1 : 0].content, phase);
  if (prefix.digit_count() == 0) {
    key = Add(key, 0u);
    return prefix.has_exponent() ? key : Add(key, prefix.fraction_digits());
  }
  key = AddDigits(Add(key, 1u), prefix, horizon);
  if (!prefix.has_exponent()) return key;
  return Add(Add(key, prefix.is_exponent_negative() ? 1u : 0u), static_cast<std::uint64_t>(prefix.exponent()));
}

}  // namespace decant::grammar
