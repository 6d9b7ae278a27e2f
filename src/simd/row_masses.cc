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

// The mass of a block over its reference; with kCut, of the tokens at or above `cut` alone.
template <bool kCut>
HWY_INLINE double MassOf(const float* row, std::size_t n, const MassScale& scale, float reference, float cut) {
#if DECANT_BOUNDED_F32
  const TermD d;
  const BoundedTerm term(scale, reference);
  const auto bound = hn::Set(d, cut);
  const auto at = [&](hn::Vec<TermD> x) {
    if constexpr (kCut) return hn::IfThenElseZero(hn::Ge(x, bound), term(x));
    return term(x);
  };
  // Eight terms meet in f32, which is 3 roundings; from there on sums are f64.
  auto sum = hn::Zero(ExpD64());
  std::size_t i = 0;
  for (; i + 8 * kTermLanes <= n; i += 8 * kTermLanes) {
    const auto s0 = hn::Add(at(hn::LoadU(d, row + i)), at(hn::LoadU(d, row + i + kTermLanes)));
    const auto s1 = hn::Add(at(hn::LoadU(d, row + i + 2 * kTermLanes)), at(hn::LoadU(d, row + i + 3 * kTermLanes)));
    const auto s2 = hn::Add(at(hn::LoadU(d, row + i + 4 * kTermLanes)), at(hn::LoadU(d, row + i + 5 * kTermLanes)));
    const auto s3 = hn::Add(at(hn::LoadU(d, row + i + 6 * kTermLanes)), at(hn::LoadU(d, row + i + 7 * kTermLanes)));
    sum = hn::Add(sum, Widened(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  }
  for (; i + kTermLanes <= n; i += kTermLanes) sum = hn::Add(sum, Widened(at(hn::LoadU(d, row + i))));
  if (i < n) sum = hn::Add(sum, Widened(at(LoadTail(row + i, n - i))));
  const double total = SumOf(sum);
  return total;
#else
  double total = 0;
  std::size_t i = 0;
#if DECANT_VECTOR_EXP
  const ExpD64 d;
  const ExpD32 df;
  const auto shift = hn::Set(d, static_cast<double>(scale.shift));
  const auto c = hn::Set(d, scale.exact);
  const auto over = hn::Set(d, static_cast<double>(reference));
  const auto bound = hn::Set(d, static_cast<double>(cut));
  auto sum = hn::Zero(d);
  for (; i + kExpLanes <= n; i += kExpLanes) {
    const auto x = hn::PromoteTo(d, hn::LoadU(df, row + i));
    const auto t = hn::Sub(hn::Mul(hn::Sub(x, shift), c), over);
    auto value = Exp2Normal(hn::Max(t, hn::Set(d, static_cast<double>(kSmallestTerm))));
    if constexpr (kCut) value = hn::IfThenElseZero(hn::Ge(x, bound), value);
    sum = hn::Add(sum, value);
  }
  total = SumOf(sum);
#endif
  for (; i < n; ++i) {
    if (!kCut || row[i] >= cut) total += TermOf(row[i], scale, reference);
  }
  return total;
#endif
}

bool ScanMassesT(const float* row, std::size_t n, std::size_t block, const MassScale& scale, float* maxima,
                 float* references, double* masses) {
  bool valid = true;
  const MaskBits unmasked{};
  ScanV sum = hn::Zero(ScanD());
  for (std::size_t begin = 0, b = 0; begin < n; begin += block, ++b) {
    const std::size_t size = std::min(block, n - begin);
    const BlockMaximum found = n <= block ? MaximumOf<FromF32, false, false>(row + begin, size, unmasked, sum)
                                          : MaximumOf<FromF32, false, true>(row + begin, size, unmasked, sum);
    const float largest = std::ceil((found.max - scale.shift) * scale.hi);
    // Also what a NaN gives, which is not valid anyway.
    const float reference = largest > -kLargestReference ? std::min(largest, kLargestReference) : -kLargestReference;
    maxima[b] = found.max;
    references[b] = reference;
    masses[b] = MassOf<false>(row + begin, size, scale, reference, 0);
    valid = valid && found.valid;
  }
  return valid && IsValid(sum);
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
    above[b] = MassOf<true>(row + begin, std::min(block, n - begin), scale, references[b], bound);
  }
}

#if DECANT_VECTOR_EXP
struct FineTerm {
  hn::Vec<ExpD64> max, scale;
  FineTerm(float top, double c) : max(hn::Set(ExpD64(), static_cast<double>(top))), scale(hn::Set(ExpD64(), c)) {}
  HWY_INLINE hn::Vec<ExpD64> operator()(hn::Vec<ExpD64> x) const {
    return FineExp2(hn::Max(hn::Mul(hn::Sub(x, max), scale), hn::Set(ExpD64(), kSmallestFineTerm)));
  }
};
#endif

HWY_INLINE double FineTermOf(float x, float max, double scale) {
  const double gap = (static_cast<double>(x) - static_cast<double>(max)) * scale;
  return core::Exp2(std::max(gap, kSmallestFineTerm));
}

struct FineSums {
  double all, above;
};

// With kBand, what is at or above `high` beside it.
template <bool kBand>
HWY_INLINE FineSums FineSumsOf(const float* row, std::size_t n, float max, double scale, float high) {
  FineSums sums = {0, 0};
  std::size_t i = 0;
#if DECANT_VECTOR_EXP
  const ExpD64 d;
  const ExpD32 df;
  const FineTerm term(max, scale);
  const auto bound = hn::Set(d, static_cast<double>(high));
  auto all0 = hn::Zero(d), all1 = all0, above0 = all0, above1 = all0;
  for (; i + 2 * kExpLanes <= n; i += 2 * kExpLanes) {
    const auto x0 = hn::PromoteTo(d, hn::LoadU(df, row + i)), x1 = hn::PromoteTo(d, hn::LoadU(df, row + i + kExpLanes));
    const auto t0 = term(x0), t1 = term(x1);
    all0 = hn::Add(all0, t0);
    all1 = hn::Add(all1, t1);
    if constexpr (kBand) {
      above0 = hn::Add(above0, hn::IfThenElseZero(hn::Ge(x0, bound), t0));
      above1 = hn::Add(above1, hn::IfThenElseZero(hn::Ge(x1, bound), t1));
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
    const FineSums sums = FineSumsOf<true>(row + begin, size, max, scale, band.high);
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
                double* masses) {
  return HWY_DYNAMIC_DISPATCH(ScanMassesT)(row.data(), row.size(), block, scale, maxima, references, masses);
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
