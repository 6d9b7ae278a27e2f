// A block is small enough for the first-level cache, so that its maximum and its mass cost one read of the memory
// behind.
#include "simd/row_masses.h"

#include "simd/enabled_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/row_masses.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/math.h"
#include "simd/bounded_exp2-inl.h"
#include "simd/row_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A reference stays an integer that f32 adds to 1.5 * 2^23 without rounding.
inline constexpr float kLargestReference = 0x1p21f;

#if !DECANT_BOUNDED_F32
// The exact exp2 in place of the bounded one.
HWY_INLINE double TermOf(float x, const MassScale& scale, float reference) {
  const double t =
      (static_cast<double>(x) - static_cast<double>(scale.shift)) * scale.exact - static_cast<double>(reference);
  return core::Exp2(std::max(t, static_cast<double>(kSmallestTerm)));
}
#endif

#if DECANT_BOUNDED_F32
// The sum of pairs of lanes, in f64.
HWY_INLINE hn::Vec<ExpD64> Widened(hn::Vec<TermD> sum) {
  const ExpD64 d;
  const ExpD32 half;
  return hn::Add(hn::PromoteTo(d, hn::LowerHalf(half, sum)), hn::PromoteTo(d, hn::UpperHalf(half, sum)));
}
#endif

// Of the tokens of a block: the mass of all, and of those at or above a bound.
struct MassSums {
  double all, above;
};

// Over the block's reference; with kCut, `above` too. With kFromMemory it asks for the block a few further on: this is
// where memory has time.
template <bool kCut, bool kFromMemory>
HWY_INLINE MassSums MassOf(const float* row, std::size_t n, const MassScale& scale, float reference, float cut) {
#if DECANT_BOUNDED_F32
  const TermD d;
  const BoundedTerm term(scale, reference);
  const auto bound = hn::Set(d, cut);
  // Eight terms meet in f32, which is 3 roundings; from there on sums are f64.
  auto all = hn::Zero(ExpD64()), above = all;
  const auto add_eight = [&](const float* from) {
    const auto at = [&](std::size_t vector) { return hn::LoadU(d, from + vector * kTermLanes); };
    auto t0 = at(0), t1 = at(1), t2 = at(2), t3 = at(3), t4 = at(4), t5 = at(5), t6 = at(6), t7 = at(7);
    term.Four(t0, t1, t2, t3);
    term.Four(t4, t5, t6, t7);
    const auto sum = [](auto a0, auto a1, auto a2, auto a3, auto a4, auto a5, auto a6, auto a7) {
      return Widened(hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(hn::Add(a4, a5), hn::Add(a6, a7))));
    };
    all = hn::Add(all, sum(t0, t1, t2, t3, t4, t5, t6, t7));
    if constexpr (kCut) {
      const auto cut_off = [&](auto t, std::size_t vector) { return hn::IfThenElseZero(hn::Ge(at(vector), bound), t); };
      above = hn::Add(above, sum(cut_off(t0, 0), cut_off(t1, 1), cut_off(t2, 2), cut_off(t3, 3), cut_off(t4, 4),
                                 cut_off(t5, 5), cut_off(t6, 6), cut_off(t7, 7)));
    }
  };
  const auto add_one = [&](hn::Vec<TermD> x) {
    const auto t = term(x);
    all = hn::Add(all, Widened(t));
    if constexpr (kCut) above = hn::Add(above, Widened(hn::IfThenElseZero(hn::Ge(x, bound), t)));
  };
  std::size_t i = 0;
  for (; i + 8 * kTermLanes <= n; i += 8 * kTermLanes) {
    if constexpr (kFromMemory) PrefetchAhead(row + i, 8 * kTermLanes);
    add_eight(row + i);
  }
  for (; i + kTermLanes <= n; i += kTermLanes) add_one(hn::LoadU(d, row + i));
  if (i < n) add_one(LoadTail(row + i, n - i));
  return {.all = SumOf(all), .above = kCut ? SumOf(above) : 0};
#else
  MassSums sums = {0, 0};
  std::size_t i = 0;
#if DECANT_VECTOR_EXP
  const ExpD64 d;
  const ExpD32 df;
  const auto shift = hn::Set(d, static_cast<double>(scale.shift));
  const auto c = hn::Set(d, scale.exact);
  const auto over = hn::Set(d, static_cast<double>(reference));
  const auto bound = hn::Set(d, static_cast<double>(cut));
  auto all = hn::Zero(d), above = all;
  for (; i + kExpLanes <= n; i += kExpLanes) {
    const auto x = hn::PromoteTo(d, hn::LoadU(df, row + i));
    const auto t = hn::Sub(hn::Mul(hn::Sub(x, shift), c), over);
    const auto value = Exp2Normal(hn::Max(t, hn::Set(d, static_cast<double>(kSmallestTerm))));
    all = hn::Add(all, value);
    if constexpr (kCut) above = hn::Add(above, hn::IfThenElseZero(hn::Ge(x, bound), value));
  }
  sums = {.all = SumOf(all), .above = kCut ? SumOf(above) : 0};
#endif
  for (; i < n; ++i) {
    const double term = TermOf(row[i], scale, reference);
    sums.all += term;
    if (kCut && row[i] >= cut) sums.above += term;
  }
  return sums;
#endif
}

template <bool kCut, bool kFromMemory>
HWY_INLINE bool ScanMassesOf(const float* row, std::size_t n, std::size_t block, const MassScale& scale, float* maxima,
                             float* references, double* masses, const MassCut& cut) {
  bool valid = true;
  const MaskBits unmasked{};
  ScanV sum = hn::Zero(ScanD());
  const auto size_at = [&](std::size_t begin) { return std::min(block, n - begin); };
  BlockMaximum found = MaximumOf<FromF32, false, false>(row, size_at(0), unmasked, sum);
  for (std::size_t begin = 0, b = 0; begin < n; begin += block, ++b) {
    const float largest = std::ceil((found.max - scale.shift) * scale.hi);
    // Also what a NaN gives, which is not valid anyway.
    const float reference = largest > -kLargestReference ? std::min(largest, kLargestReference) : -kLargestReference;
    maxima[b] = found.max;
    references[b] = reference;
    valid = valid && found.valid;
    // The next block's maximum now: its mass has to wait for it, this one's need not.
    const std::size_t next = begin + block;
    if (next < n) found = MaximumOf<FromF32, false, false>(row + next, size_at(next), unmasked, sum);
    const MassSums sums = MassOf<kCut, kFromMemory>(row + begin, size_at(begin), scale, reference, cut.bound);
    masses[b] = sums.all;
    if constexpr (kCut) cut.above[b] = sums.above;
  }
  return valid && IsValid(sum);
}

bool ScanMassesT(const float* row, std::size_t n, std::size_t block, const MassScale& scale, float* maxima,
                 float* references, double* masses, const MassCut& cut) {
  if (n == 0) return true;
  const auto scan = [&](auto of) { return of(row, n, block, scale, maxima, references, masses, cut); };
  if (cut.above != nullptr) return n <= block ? scan(ScanMassesOf<true, false>) : scan(ScanMassesOf<true, true>);
  return n <= block ? scan(ScanMassesOf<false, false>) : scan(ScanMassesOf<false, true>);
}

void TermsT(const float* block, std::size_t n, const MassScale& scale, float reference, float* out) {
#if DECANT_BOUNDED_F32
  const TermD d;
  const BoundedTerm term(scale, reference);
  std::size_t i = 0;
  for (; i + kTermLanes <= n; i += kTermLanes) hn::StoreU(term(hn::LoadU(d, block + i)), d, out + i);
  if (i < n) {
    alignas(64) float tail[kTermLanes];
    hn::Store(term(LoadTail(block + i, n - i)), d, tail);
    std::memcpy(out + i, tail, (n - i) * sizeof(float));
  }
#else
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(TermOf(block[i], scale, reference));
#endif
}

void MassesAboveT(const float* row, std::size_t n, std::size_t block, const MassScale& scale, const float* references,
                  float bound, double* above) {
  for (std::size_t begin = 0, b = 0; begin < n; begin += block, ++b) {
    above[b] = MassOf<true, false>(row + begin, std::min(block, n - begin), scale, references[b], bound).above;
  }
}

HWY_INLINE double FineTermOf(float x, float max, double scale) {
  const double gap = (static_cast<double>(x) - static_cast<double>(max)) * scale;
  return core::Exp2(std::max(gap, kSmallestFineTerm));
}

// With kBand, what is at or above `high` beside it.
template <bool kBand>
HWY_INLINE MassSums FineSumsOf(const float* row, std::size_t n, float max, double scale, float high) {
  MassSums sums = {0, 0};
  std::size_t i = 0;
#if DECANT_VECTOR_EXP
  const ExpD64 d;
  const ExpD32 df;
  const FineTerm term(max, scale);
  const auto bound = hn::Set(d, static_cast<double>(high));
  auto all0 = hn::Zero(d), all1 = all0, above0 = all0, above1 = all0;
  for (; i + 4 * kExpLanes <= n; i += 4 * kExpLanes) {
    const auto at = [&](std::size_t vector) { return hn::PromoteTo(d, hn::LoadU(df, row + i + vector * kExpLanes)); };
    const auto x0 = at(0), x1 = at(1), x2 = at(2), x3 = at(3);
    auto t0 = x0, t1 = x1, t2 = x2, t3 = x3;
    term.Four(t0, t1, t2, t3);
    all0 = hn::Add(all0, hn::Add(t0, t1));
    all1 = hn::Add(all1, hn::Add(t2, t3));
    if constexpr (kBand) {
      above0 = hn::IfThenElse(hn::Ge(x0, bound), hn::Add(above0, t0), above0);
      above1 = hn::IfThenElse(hn::Ge(x1, bound), hn::Add(above1, t1), above1);
      above0 = hn::IfThenElse(hn::Ge(x2, bound), hn::Add(above0, t2), above0);
      above1 = hn::IfThenElse(hn::Ge(x3, bound), hn::Add(above1, t3), above1);
    }
  }
  sums = {.all = SumOf(hn::Add(all0, all1)), .above = SumOf(hn::Add(above0, above1))};
#endif
  for (; i < n; ++i) {
    const double t = FineTermOf(row[i], max, scale);
    sums.all += t;
    if (kBand && row[i] >= high) sums.above += t;
  }
  return sums;
}

void FineMassesT(const float* row, std::size_t n, std::size_t block, float max, double scale, double* masses) {
  for (std::size_t begin = 0, b = 0; begin < n; begin += block, ++b) {
    masses[b] = FineSumsOf<false>(row + begin, std::min(block, n - begin), max, scale, 0).all;
  }
}

std::size_t FineBandT(const float* row, std::size_t n, std::size_t block, float max, double scale, const Band& band,
                      TokenId first_id, std::size_t most, Candidates::Room room, double* above, double* all) {
  const ScanD d;
  const auto lanes = hn::Iota(hn::RebindToUnsigned<ScanD>(), 0);
  const auto from = hn::Set(d, std::max(band.low, -kLargest)), to = hn::Set(d, band.high);
  std::size_t found = 0;
  for (std::size_t begin = 0, b = 0; begin < n && found <= most; begin += block, ++b) {
    const std::size_t size = std::min(block, n - begin);
    const MassSums sums = FineSumsOf<true>(row + begin, size, max, scale, band.high);
    all[b] = sums.all;
    above[b] = sums.above;
    found +=
        CollectBlock(row + begin, size, first_id + static_cast<TokenId>(begin), {room.ids + found, room.scores + found},
                     lanes, [&](ScanV x) { return hn::And(hn::Ge(x, from), hn::Lt(x, to)); });
  }
  return found;
}

void FineTermsT(const float* block, std::size_t n, float max, double scale, double* out) {
  std::size_t i = 0;
#if DECANT_VECTOR_EXP
  const ExpD64 d;
  const ExpD32 df;
  const FineTerm term(max, scale);
  for (; i + kExpLanes <= n; i += kExpLanes) {
    hn::StoreU(term(hn::PromoteTo(d, hn::LoadU(df, block + i))), d, out + i);
  }
#endif
  for (; i < n; ++i) out[i] = FineTermOf(block[i], max, scale);
}

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace decant::simd {

HWY_EXPORT(ScanMassesT);
HWY_EXPORT(TermsT);
HWY_EXPORT(MassesAboveT);
HWY_EXPORT(FineMassesT);
HWY_EXPORT(FineBandT);
HWY_EXPORT(FineTermsT);

namespace {

// |x c| up to here keeps x * lo, which the reduction leaves to the polynomial, below 2^-9.
constexpr double kLargestProduct = 0x1p15;
constexpr double kLargestScale = 0x1p60;

}  // namespace

bool FitsMassScale(double scale, float shift, float max) {
  if (!(scale >= 1 / kLargestScale && scale <= kLargestScale)) return false;
  return std::fabs(static_cast<double>(max) - static_cast<double>(shift)) * scale <= kLargestProduct;
}

MassScale MassScaleOf(double scale, float shift) {
  // Out of range they are of no use, but finite.
  const double bounded = std::clamp(scale, 1 / kLargestScale, kLargestScale);
  const auto hi = static_cast<float>(bounded);
  return {.exact = bounded, .hi = hi, .lo = static_cast<float>(bounded - static_cast<double>(hi)), .shift = shift};
}

bool ScanMasses(std::span<const float> row, std::size_t block, const MassScale& scale, float* maxima, float* references,
                double* masses, const MassCut& cut) {
  return HWY_DYNAMIC_DISPATCH(ScanMassesT)(row.data(), row.size(), block, scale, maxima, references, masses, cut);
}
void Terms(std::span<const float> block, const MassScale& scale, float reference, float* out) {
  HWY_DYNAMIC_DISPATCH(TermsT)(block.data(), block.size(), scale, reference, out);
}
void MassesAbove(std::span<const float> row, std::size_t block, const MassScale& scale, const float* references,
                 float bound, double* above) {
  HWY_DYNAMIC_DISPATCH(MassesAboveT)(row.data(), row.size(), block, scale, references, bound, above);
}
void FineMasses(std::span<const float> row, std::size_t block, float max, double scale, double* masses) {
  HWY_DYNAMIC_DISPATCH(FineMassesT)(row.data(), row.size(), block, max, scale, masses);
}
std::size_t FineBand(std::span<const float> row, std::size_t block, float max, double scale, const Band& band,
                     TokenId first_id, std::size_t most, Candidates::Room room, double* above, double* all) {
  return HWY_DYNAMIC_DISPATCH(FineBandT)(row.data(), row.size(), block, max, scale, band, first_id, most, room, above,
                                         all);
}
void FineTerms(std::span<const float> block, float max, double scale, double* out) {
  HWY_DYNAMIC_DISPATCH(FineTermsT)(block.data(), block.size(), max, scale, out);
}

}  // namespace decant::simd
#endif  // HWY_ONCE
