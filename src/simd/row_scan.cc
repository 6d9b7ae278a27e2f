// One pass each. A block is small enough for the first-level cache, so that its maximum and its mass cost one read of
// the memory behind; four sums run side by side, because one addition waits for the last.
#include "simd/row_scan.h"

#include "simd/enabled_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/row_scan.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/float16.h"
#include "core/math.h"
#include "simd/bounded_exp2-inl.h"
#include "simd/load_halves-inl.h"

#ifndef DECANT_SIMD_ROW_SCAN_ONCE_
#define DECANT_SIMD_ROW_SCAN_ONCE_
namespace decant::simd {
inline constexpr float kNoScore = -std::numeric_limits<float>::infinity();
inline constexpr float kLargest = std::numeric_limits<float>::max();
// A reference stays an integer that f32 adds to 1.5 * 2^23 without rounding.
inline constexpr float kLargestReference = 0x1p21f;
}  // namespace decant::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ScanD = hn::CappedTag<float, 16>;
using ScanV = hn::Vec<ScanD>;
inline constexpr std::size_t kScanLanes = hn::MaxLanes(ScanD());

// The last values of a row as a whole vector, filled up with bans.
HWY_INLINE ScanV LoadTail(const float* row, std::size_t n) {
  const ScanD d;
  alignas(64) float padded[kScanLanes];
  std::fill(padded, padded + kScanLanes, kNoScore);
  std::memcpy(padded, row, n * sizeof(float));
  return hn::Load(d, padded);
}

// Asks for what lies kAhead bytes behind the next n values: a core alone does not keep memory busy. Reading past the
// end of a row is no fault here, and mostly the next row.
template <class T>
HWY_INLINE void PrefetchAhead(const T* values, std::size_t n) {
  constexpr std::size_t kLine = 64, kAhead = 8192;
  const char* at = reinterpret_cast<const char*>(values) + kAhead;
  for (std::size_t line = 0; line < n * sizeof(T); line += kLine) __builtin_prefetch(at + line, 0, 3);
}

struct BlockMaximum {
  float max;
  bool valid;
};

template <bool kFromMemory>
HWY_INLINE BlockMaximum MaximumOf(const float* row, std::size_t n) {
  const ScanD d;
  const auto largest = hn::Set(d, kLargest);
  auto m0 = hn::Set(d, kNoScore), m1 = m0, m2 = m0, m3 = m0;
  auto valid = hn::Le(m0, largest);
  std::size_t i = 0;
  for (; i + 4 * kScanLanes <= n; i += 4 * kScanLanes) {
    if constexpr (kFromMemory) PrefetchAhead(row + i, 4 * kScanLanes);
    const auto x0 = hn::LoadU(d, row + i);
    const auto x1 = hn::LoadU(d, row + i + kScanLanes);
    const auto x2 = hn::LoadU(d, row + i + 2 * kScanLanes);
    const auto x3 = hn::LoadU(d, row + i + 3 * kScanLanes);
    // A NaN makes the comparison false, whatever Max does with it.
    valid = hn::And(valid, hn::And(hn::And(hn::Le(x0, largest), hn::Le(x1, largest)),
                                   hn::And(hn::Le(x2, largest), hn::Le(x3, largest))));
    m0 = hn::Max(m0, x0);
    m1 = hn::Max(m1, x1);
    m2 = hn::Max(m2, x2);
    m3 = hn::Max(m3, x3);
  }
  const auto take = [&](ScanV x) {
    valid = hn::And(valid, hn::Le(x, largest));
    m0 = hn::Max(m0, x);
  };
  for (; i + kScanLanes <= n; i += kScanLanes) take(hn::LoadU(d, row + i));
  if (i < n) take(LoadTail(row + i, n - i));
  const auto all = hn::Max(hn::Max(m0, m1), hn::Max(m2, m3));
  return {.max = hn::GetLane(hn::MaxOfLanes(d, all)), .valid = hn::AllTrue(d, valid)};
}

bool ScanMaximaT(const float* row, std::size_t n, std::size_t block, float* maxima) {
  bool valid = true;
  const bool one = n <= block;  // made by the caller, and near
  for (std::size_t begin = 0; begin < n; begin += block) {
    const std::size_t size = std::min(block, n - begin);
    const BlockMaximum found = one ? MaximumOf<false>(row + begin, size) : MaximumOf<true>(row + begin, size);
    *maxima++ = found.max;
    valid = valid && found.valid;
  }
  return valid;
}

#if !DECANT_BOUNDED_F32
// The exact exp2 in place of the bounded one.
HWY_INLINE double TermOf(float x, const MassScale& scale, float reference) {
  const double t =
      (static_cast<double>(x) - static_cast<double>(scale.shift)) * scale.exact - static_cast<double>(reference);
  return core::Exp2(std::max(t, static_cast<double>(kSmallestTerm)));
}
#endif

#if DECANT_VECTOR_EXP
HWY_INLINE double SumOf(hn::Vec<ExpD64> sum) {
  const ExpD64 d;
  alignas(64) double lanes[hn::MaxLanes(ExpD64())];
  hn::Store(sum, d, lanes);
  double total = 0;
  for (const double lane : lanes) total += lane;
  return total;
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
  for (std::size_t begin = 0, b = 0; begin < n; begin += block, ++b) {
    const std::size_t size = std::min(block, n - begin);
    const BlockMaximum found = n <= block ? MaximumOf<false>(row + begin, size) : MaximumOf<true>(row + begin, size);
    const float largest = std::ceil((found.max - scale.shift) * scale.hi);
    // Also what a NaN gives, which is not valid anyway.
    const float reference = largest > -kLargestReference ? std::min(largest, kLargestReference) : -kLargestReference;
    maxima[b] = found.max;
    references[b] = reference;
    masses[b] = MassOf<false>(row + begin, size, scale, reference, 0);
    valid = valid && found.valid;
  }
  return valid;
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

// Appends the lanes of the mask; returns how many.
HWY_INLINE std::size_t Append(ScanV x, hn::Mask<ScanD> wanted, hn::Vec<hn::RebindToUnsigned<ScanD>> lanes, TokenId id,
                              Candidates::Room room) {
  const ScanD d;
  const hn::RebindToUnsigned<ScanD> du;
  hn::StoreU(hn::Compress(x, wanted), d, room.scores);
  hn::StoreU(hn::Compress(hn::Add(lanes, hn::Set(du, id)), hn::RebindMask(du, wanted)), du, room.ids);
  return hn::CountTrue(d, wanted);
}

// Appends the tokens of one block that `wanted` takes; returns how many.
template <class Wanted>
HWY_INLINE std::size_t CollectBlock(const float* row, std::size_t n, TokenId first_id, Candidates::Room room,
                                    hn::Vec<hn::RebindToUnsigned<ScanD>> lanes, Wanted wanted) {
  const ScanD d;
  std::size_t found = 0;
  const auto take = [&](ScanV x, std::size_t i) {
    const auto which = wanted(x);
    if (hn::AllFalse(d, which)) return;
    found += Append(x, which, lanes, first_id + static_cast<TokenId>(i), {room.ids + found, room.scores + found});
  };
  std::size_t i = 0;
  for (; i + kScanLanes <= n; i += kScanLanes) take(hn::LoadU(d, row + i), i);
  if (i < n) take(LoadTail(row + i, n - i), i);
  return found;
}

std::size_t CollectAtLeastT(const float* row, std::size_t n, std::size_t block, const float* maxima, float bound,
                            TokenId first_id, Candidates::Room room) {
  const ScanD d;
  const auto lanes = hn::Iota(hn::RebindToUnsigned<ScanD>(), 0);
  // Padding is -inf: never wanted, as bans are not.
  const auto at = hn::Set(d, std::max(bound, -kLargest));
  std::size_t found = 0;
  for (std::size_t begin = 0, b = 0; begin < n; begin += block, ++b) {
    if (!(maxima[b] >= bound)) continue;
    found += CollectBlock(row + begin, std::min(block, n - begin), first_id + static_cast<TokenId>(begin),
                          {room.ids + found, room.scores + found}, lanes, [at](ScanV x) { return hn::Ge(x, at); });
  }
  return found;
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

std::size_t CountAtLeastT(const float* row, std::size_t n, float bound) {
  const ScanD d;
  const auto at = hn::Set(d, bound);
  std::size_t count = 0, i = 0;
  for (; i + kScanLanes <= n; i += kScanLanes) count += hn::CountTrue(d, hn::Ge(hn::LoadU(d, row + i), at));
  for (; i < n; ++i) count += row[i] >= bound;
  return count;
}

std::size_t CountAboveT(const float* row, std::size_t n, float bound) {
  const ScanD d;
  const auto at = hn::Set(d, bound);
  std::size_t count = 0, i = 0;
  for (; i + kScanLanes <= n; i += kScanLanes) count += hn::CountTrue(d, hn::Gt(hn::LoadU(d, row + i), at));
  for (; i < n; ++i) count += row[i] > bound;
  return count;
}

double SumAtLeastT(const float* scores, const double* terms, std::size_t n, float bound) {
  double total = 0;
  std::size_t i = 0;
#if DECANT_VECTOR_EXP
  const ExpD64 d;
  const ExpD32 df;
  const auto at = hn::Set(d, static_cast<double>(bound));
  auto sum = hn::Zero(d);
  for (; i + kExpLanes <= n; i += kExpLanes) {
    const auto x = hn::PromoteTo(d, hn::LoadU(df, scores + i));
    sum = hn::Add(sum, hn::IfThenElseZero(hn::Ge(x, at), hn::LoadU(d, terms + i)));
  }
  total = SumOf(sum);
#endif
  for (; i < n; ++i) total += scores[i] >= bound ? terms[i] : 0.0;
  return total;
}

std::size_t FirstWithScoreT(const float* row, std::size_t n, float score) {
  const ScanD d;
  const auto wanted = hn::Set(d, score);
  std::size_t i = 0;
  for (; i + kScanLanes <= n; i += kScanLanes) {
    const auto found = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, row + i), wanted));
    if (found >= 0) return i + static_cast<std::size_t>(found);
  }
  while (i < n && row[i] != score) ++i;
  return i;
}

bool CopyMaskedT(const float* row, std::size_t n, const std::uint32_t* words, float* out) {
  const ScanD d;
  const auto largest = hn::Set(d, kLargest), banned = hn::Set(d, kNoScore);
  auto valid = hn::Le(banned, largest);
  std::size_t i = 0;
  bool rest = true;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (kScanLanes >= 4) {
    std::uint8_t bits[kMaxBlock / 8 + 8];  // a load of mask bits may read 8 bytes
    while (i + kScanLanes <= n) {
      const std::size_t size = std::min(n - i, kMaxBlock);
      std::memcpy(bits, words + i / 32, (size + 31) / 32 * sizeof(std::uint32_t));
      PrefetchAhead(row + i, size);
      for (std::size_t j = 0; j + kScanLanes <= size; j += kScanLanes, i += kScanLanes) {
        const auto x = hn::LoadU(d, row + i);
        valid = hn::And(valid, hn::Le(x, largest));
        hn::Mask<ScanD> allowed;
        if constexpr (kScanLanes >= 8) {
          allowed = hn::LoadMaskBits(d, bits + j / 8);
        } else {
          const std::uint8_t nibble[8] = {static_cast<std::uint8_t>(bits[j / 8] >> (j % 8))};
          allowed = hn::LoadMaskBits(d, nibble);
        }
        hn::StoreU(hn::IfThenElse(allowed, x, banned), d, out + i);
      }
      if (size < kMaxBlock) break;
    }
  }
#endif
  for (; i < n; ++i) {
    rest = rest && row[i] <= kLargest;
    out[i] = ((words[i / 32] >> (i % 32)) & 1u) != 0 ? row[i] : kNoScore;
  }
  return rest && hn::AllTrue(d, valid);
}

void WidenF16T(const std::uint16_t* row, std::size_t n, float* out) {
  [[maybe_unused]] const ScanD d;
  std::size_t i = 0;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || (HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64)
  // These have an instruction; elsewhere Highway's conversion takes infinities for numbers.
  PrefetchAhead(row, n);
  for (; i + kScanLanes <= n; i += kScanLanes) hn::StoreU(LoadHalves(d, row + i), d, out + i);
#endif
  for (; i < n; ++i) out[i] = core::HalfToFloat(row[i]);
}

void WidenBF16T(const std::uint16_t* row, std::size_t n, float* out) {
  const ScanD d;
  const hn::RebindToUnsigned<ScanD> du;
  const hn::Rebind<std::uint16_t, ScanD> dh;
  std::size_t i = 0;
  PrefetchAhead(row, n);
  for (; i + kScanLanes <= n; i += kScanLanes) {
    hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(dh, row + i)))), d, out + i);
  }
  for (; i < n; ++i) out[i] = core::Bfloat16ToFloat(row[i]);
}

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace decant::simd {

HWY_EXPORT(ScanMaximaT);
HWY_EXPORT(ScanMassesT);
HWY_EXPORT(TermsT);
HWY_EXPORT(MassesAboveT);
HWY_EXPORT(FineMassesT);
HWY_EXPORT(FineBandT);
HWY_EXPORT(FineTermsT);
HWY_EXPORT(CollectAtLeastT);
HWY_EXPORT(CountAtLeastT);
HWY_EXPORT(CountAboveT);
HWY_EXPORT(SumAtLeastT);
HWY_EXPORT(FirstWithScoreT);
HWY_EXPORT(CopyMaskedT);
HWY_EXPORT(WidenF16T);
HWY_EXPORT(WidenBF16T);

namespace {

// |x c| up to here keeps x * lo, which the reduction leaves to the polynomial, below 2^-10.
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

bool ScanMaxima(std::span<const float> row, std::size_t block, float* maxima) {
  return HWY_DYNAMIC_DISPATCH(ScanMaximaT)(row.data(), row.size(), block, maxima);
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
std::size_t CollectAtLeast(std::span<const float> row, std::size_t block, const float* maxima, float bound,
                           TokenId first_id, Candidates::Room room) {
  return HWY_DYNAMIC_DISPATCH(CollectAtLeastT)(row.data(), row.size(), block, maxima, bound, first_id, room);
}
std::size_t CountAtLeast(std::span<const float> row, float bound) {
  return HWY_DYNAMIC_DISPATCH(CountAtLeastT)(row.data(), row.size(), bound);
}
std::size_t CountAbove(std::span<const float> row, float bound) {
  return HWY_DYNAMIC_DISPATCH(CountAboveT)(row.data(), row.size(), bound);
}
double SumAtLeast(std::span<const float> scores, const double* terms, float bound) {
  return HWY_DYNAMIC_DISPATCH(SumAtLeastT)(scores.data(), terms, scores.size(), bound);
}
std::size_t FirstWithScore(std::span<const float> row, float score) {
  return HWY_DYNAMIC_DISPATCH(FirstWithScoreT)(row.data(), row.size(), score);
}
bool CopyMasked(std::span<const float> row, const std::uint32_t* words, float* out) {
  return HWY_DYNAMIC_DISPATCH(CopyMaskedT)(row.data(), row.size(), words, out);
}
void WidenF16(std::span<const std::uint16_t> row, float* out) {
  HWY_DYNAMIC_DISPATCH(WidenF16T)(row.data(), row.size(), out);
}
void WidenBF16(std::span<const std::uint16_t> row, float* out) {
  HWY_DYNAMIC_DISPATCH(WidenBF16T)(row.data(), row.size(), out);
}

void PrefetchRow(const void* row, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const char* at = static_cast<const char*>(row);
  for (std::size_t i = 0; i < bytes; i += kLine) __builtin_prefetch(at + i, 0, 2);
}

}  // namespace decant::simd
#endif  // HWY_ONCE
