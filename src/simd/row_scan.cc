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

// Where a row's scores come from, as f32.
struct FromF32 {
  using T = float;
  static HWY_INLINE ScanV Vector(const float* at) { return hn::LoadU(ScanD(), at); }
  static float One(const float* at) { return *at; }
};
struct FromF16 {
  using T = std::uint16_t;
  static HWY_INLINE ScanV Vector(const std::uint16_t* at) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || (HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64)
    return LoadHalves(ScanD(), at);  // an instruction; elsewhere Highway's conversion takes infinities for numbers
#else
    alignas(64) float values[kScanLanes];
    for (std::size_t i = 0; i < kScanLanes; ++i) values[i] = core::HalfToFloat(at[i]);
    return hn::Load(ScanD(), values);
#endif
  }
  static float One(const std::uint16_t* at) { return core::HalfToFloat(*at); }
};
struct FromBF16 {
  using T = std::uint16_t;
  static HWY_INLINE ScanV Vector(const std::uint16_t* at) {
    const ScanD d;
    const hn::RebindToUnsigned<ScanD> du;
    const hn::Rebind<std::uint16_t, ScanD> dh;
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(dh, at))));
  }
  static float One(const std::uint16_t* at) { return core::Bfloat16ToFloat(*at); }
};

// The bits of a block's mask, as lanes want them.
class MaskBits {
 public:
  // REQUIRES: n <= kMaxBlock.
  void Start(const std::uint32_t* words, std::size_t n) {
    std::memcpy(bits_, words, (n + 31) / 32 * sizeof(std::uint32_t));
  }
  // Lanes i, i + 1, … REQUIRES: i a multiple of kScanLanes.
  HWY_INLINE ScanV Apply(ScanV x, std::size_t i) const {
    const ScanD d;
#if HWY_TARGET == HWY_SCALAR
    return One(i) ? x : hn::Set(d, kNoScore);
#else
    const std::uint8_t* at = bits_ + i / 8;
    std::uint8_t shifted[8];
    if constexpr (kScanLanes < 8) {
      shifted[0] = static_cast<std::uint8_t>(*at >> (i % 8));
      at = shifted;
    }
    return hn::IfThenElse(hn::LoadMaskBits(d, at), x, hn::Set(d, kNoScore));
#endif
  }
  bool One(std::size_t i) const { return ((bits_[i / 8] >> (i % 8)) & 1u) != 0; }

 private:
  std::uint8_t bits_[kMaxBlock / 8 + 8];  // a load of lanes may read 8 bytes
};

struct BlockMaximum {
  float max;
  bool valid;  // the tail; the rest is in the sum
};

// What a maximum may hide a sum tells, in the end: a NaN stays one, a +inf becomes one where it meets a ban.
HWY_INLINE bool IsValid(ScanV sum) {
  const ScanD d;
  return hn::AllTrue(d, hn::Lt(sum, hn::Set(d, std::numeric_limits<float>::infinity())));
}

template <class From, bool kMasked, bool kFromMemory>
HWY_INLINE BlockMaximum MaximumOf(const typename From::T* row, std::size_t n, [[maybe_unused]] const MaskBits& bits,
                                  ScanV& sum) {
  const ScanD d;
  auto m0 = hn::Set(d, kNoScore), m1 = m0, m2 = m0, m3 = m0;
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  const auto masked = [&](ScanV x, [[maybe_unused]] std::size_t i) {
    if constexpr (kMasked) return bits.Apply(x, i);
    return x;
  };
  std::size_t i = 0;
  for (; i + 4 * kScanLanes <= n; i += 4 * kScanLanes) {
    if constexpr (kFromMemory) PrefetchAhead(row + i, 4 * kScanLanes);
    const auto x0 = From::Vector(row + i), x1 = From::Vector(row + i + kScanLanes);
    const auto x2 = From::Vector(row + i + 2 * kScanLanes), x3 = From::Vector(row + i + 3 * kScanLanes);
    s0 = hn::Add(s0, x0);
    s1 = hn::Add(s1, x1);
    s2 = hn::Add(s2, x2);
    s3 = hn::Add(s3, x3);
    m0 = hn::Max(m0, masked(x0, i));
    m1 = hn::Max(m1, masked(x1, i + kScanLanes));
    m2 = hn::Max(m2, masked(x2, i + 2 * kScanLanes));
    m3 = hn::Max(m3, masked(x3, i + 3 * kScanLanes));
  }
  for (; i + kScanLanes <= n; i += kScanLanes) {
    const auto x = From::Vector(row + i);
    s0 = hn::Add(s0, x);
    m0 = hn::Max(m0, masked(x, i));
  }
  const auto all = hn::Max(hn::Max(m0, m1), hn::Max(m2, m3));
  sum = hn::Add(sum, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
  float max = hn::GetLane(hn::MaxOfLanes(d, all));
  bool valid = true;
  for (; i < n; ++i) {
    const float x = From::One(row + i);
    valid = valid && x <= kLargest;
    if ((!kMasked || bits.One(i)) && x > max) max = x;
  }
  return {.max = max, .valid = valid && max <= kLargest};
}

template <class From, bool kMasked>
bool ScanMaximaOf(const typename From::T* row, const std::uint32_t* words, std::size_t n, std::size_t block,
                  float* maxima) {
  bool valid = true;
  MaskBits bits;
  ScanV sum = hn::Zero(ScanD());
  for (std::size_t begin = 0; begin < n; begin += block) {
    const std::size_t size = std::min(block, n - begin);
    if constexpr (kMasked) bits.Start(words + begin / 32, size);
    const BlockMaximum found = MaximumOf<From, kMasked, true>(row + begin, size, bits, sum);
    *maxima++ = found.max;
    valid = valid && found.valid;
  }
  return valid && IsValid(sum);
}

template <class From>
bool ScanRowOf(const RowView& row, std::size_t first, std::size_t n, std::size_t block, float* maxima) {
  const auto* data = static_cast<const typename From::T*>(row.data) + first;
  return row.mask == nullptr ? ScanMaximaOf<From, false>(data, nullptr, n, block, maxima)
                             : ScanMaximaOf<From, true>(data, row.mask + first / 32, n, block, maxima);
}

bool ScanRowT(const RowView& row, std::size_t first, std::size_t n, std::size_t block, float* maxima) {
  if (row.type == ElementType::kF16) return ScanRowOf<FromF16>(row, first, n, block, maxima);
  if (row.type == ElementType::kBF16) return ScanRowOf<FromBF16>(row, first, n, block, maxima);
  return ScanRowOf<FromF32>(row, first, n, block, maxima);
}

bool ScanMaximaT(const float* row, std::size_t n, std::size_t block, float* maxima) {
  return ScanMaximaOf<FromF32, false>(row, nullptr, n, block, maxima);
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

float RoughSumAtLeastT(const float* scores, const float* terms, std::size_t n, float bound) {
  const ScanD d;
  const auto at = hn::Set(d, bound);
  auto s0 = hn::Zero(d), s1 = s0;
  std::size_t i = 0;
  for (; i + 2 * kScanLanes <= n; i += 2 * kScanLanes) {
    const std::size_t next = i + kScanLanes;
    s0 = hn::Add(s0, hn::IfThenElseZero(hn::Ge(hn::LoadU(d, scores + i), at), hn::LoadU(d, terms + i)));
    s1 = hn::Add(s1, hn::IfThenElseZero(hn::Ge(hn::LoadU(d, scores + next), at), hn::LoadU(d, terms + next)));
  }
  alignas(64) float lanes[kScanLanes];
  hn::Store(hn::Add(s0, s1), d, lanes);
  float total = 0;
  for (const float lane : lanes) total += lane;
  for (; i < n; ++i) total += scores[i] >= bound ? terms[i] : 0.0f;
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
  bool valid = true;
  MaskBits bits;
  for (std::size_t begin = 0; begin < n; begin += kMaxBlock) {
    const std::size_t size = std::min(n - begin, kMaxBlock);
    bits.Start(words + begin / 32, size);
    const float* const from = row + begin;
    float* const to = out + begin;
    auto good = hn::Eq(hn::Zero(d), hn::Zero(d));
    std::size_t i = 0;
    for (; i + kScanLanes <= size; i += kScanLanes) {
      const auto x = hn::LoadU(d, from + i);
      good = hn::And(good, hn::Le(x, hn::Set(d, kLargest)));
      hn::StoreU(bits.Apply(x, i), d, to + i);
    }
    valid = valid && hn::AllTrue(d, good);
    for (; i < size; ++i) {
      valid = valid && from[i] <= kLargest;
      to[i] = bits.One(i) ? from[i] : kNoScore;
    }
  }
  return valid;
}

template <class From>
HWY_INLINE void Widen(const std::uint16_t* row, std::size_t n, float* out) {
  const ScanD d;
  std::size_t i = 0;
  PrefetchAhead(row, n);
  for (; i + kScanLanes <= n; i += kScanLanes) hn::StoreU(From::Vector(row + i), d, out + i);
  for (; i < n; ++i) out[i] = From::One(row + i);
}

void WidenF16T(const std::uint16_t* row, std::size_t n, float* out) { Widen<FromF16>(row, n, out); }
void WidenBF16T(const std::uint16_t* row, std::size_t n, float* out) { Widen<FromBF16>(row, n, out); }

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace decant::simd {

HWY_EXPORT(ScanMaximaT);
HWY_EXPORT(ScanRowT);
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
HWY_EXPORT(RoughSumAtLeastT);
HWY_EXPORT(FirstWithScoreT);
HWY_EXPORT(CopyMaskedT);
HWY_EXPORT(WidenF16T);
HWY_EXPORT(WidenBF16T);

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

bool ScanMaxima(std::span<const float> row, std::size_t block, float* maxima) {
  return HWY_DYNAMIC_DISPATCH(ScanMaximaT)(row.data(), row.size(), block, maxima);
}
bool ScanMaxima(const RowView& row, std::size_t first, std::size_t n, std::size_t block, float* maxima) {
  return HWY_DYNAMIC_DISPATCH(ScanRowT)(row, first, n, block, maxima);
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
float SumAtLeast(std::span<const float> scores, const float* terms, float bound) {
  return HWY_DYNAMIC_DISPATCH(RoughSumAtLeastT)(scores.data(), terms, scores.size(), bound);
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

}  // namespace decant::simd
#endif  // HWY_ONCE
