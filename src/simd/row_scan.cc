// One pass each; several maxima and sums run side by side, because one operation waits for the last.
#include "simd/row_scan.h"

#include "simd/enabled_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/row_scan.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

#include "simd/row_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A whole block, and its mask.
template <class From>
struct Stream {
  const typename From::T* row;
  const MaskBits* bits;
  template <bool kMasked>
  HWY_INLINE ScanV Masked(ScanV x, [[maybe_unused]] std::size_t i) const {
    if constexpr (kMasked) return bits->Apply(x, i);
    return x;
  }
};

struct MaximumPair {
  float near, far;
};

// Two blocks at once, from two places of the row: more lines of memory are on their way than for one.
template <class From, bool kMasked>
HWY_INLINE MaximumPair TwoMaxima(const Stream<From>& a, const Stream<From>& b, std::size_t block, ScanV& sum) {
  const ScanD d;
  auto a0 = hn::Set(d, kNoScore), a1 = a0, b0 = a0, b1 = a0;
  auto s0 = sum, s1 = hn::Zero(d), s2 = s1, s3 = s1;
  for (std::size_t i = 0; i < block; i += 2 * kScanLanes) {
    PrefetchAhead(a.row + i, 2 * kScanLanes);
    PrefetchAhead(b.row + i, 2 * kScanLanes);
    const auto x0 = From::Vector(a.row + i), x1 = From::Vector(a.row + i + kScanLanes);
    const auto y0 = From::Vector(b.row + i), y1 = From::Vector(b.row + i + kScanLanes);
    s0 = hn::Add(s0, x0);
    s1 = hn::Add(s1, x1);
    s2 = hn::Add(s2, y0);
    s3 = hn::Add(s3, y1);
    a0 = hn::Max(a0, a.template Masked<kMasked>(x0, i));
    a1 = hn::Max(a1, a.template Masked<kMasked>(x1, i + kScanLanes));
    b0 = hn::Max(b0, b.template Masked<kMasked>(y0, i));
    b1 = hn::Max(b1, b.template Masked<kMasked>(y1, i + kScanLanes));
  }
  sum = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  return {LargestLane(d, hn::Max(a0, a1)), LargestLane(d, hn::Max(b0, b1))};
}

template <class From, bool kMasked>
bool ScanMaximaOf(const typename From::T* row, const std::uint32_t* words, std::size_t n, std::size_t block,
                  float* maxima) {
  static_assert(kMinBlock % (2 * kScanLanes) == 0);
  bool valid = true;
  MaskBits bits, far_bits;
  ScanV sum = hn::Zero(ScanD());
  const std::size_t half = n / block / 2;  // blocks
  for (std::size_t b = 0; b < half; ++b) {
    const std::size_t near = b * block, far = (half + b) * block;
    if constexpr (kMasked) {
      bits.Start(words + near / 32, block);
      far_bits.Start(words + far / 32, block);
    }
    const MaximumPair found = TwoMaxima<From, kMasked>({row + near, &bits}, {row + far, &far_bits}, block, sum);
    maxima[b] = found.near;
    maxima[half + b] = found.far;
    valid = valid && std::max(found.near, found.far) <= kLargest;
  }
  for (std::size_t begin = 2 * half * block; begin < n; begin += block) {
    const std::size_t size = std::min(block, n - begin);
    if constexpr (kMasked) bits.Start(words + begin / 32, size);
    const BlockMaximum found = MaximumOf<From, kMasked, true>(row + begin, size, bits, sum);
    maxima[begin / block] = found.max;
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

std::size_t CountAtLeastT(const float* row, std::size_t n, float bound) {
  const ScanD d;
  const auto at = hn::Set(d, bound);
  std::size_t count = 0, i = 0;
  for (; i + kScanLanes <= n; i += kScanLanes) count += hn::CountTrue(d, hn::Ge(hn::LoadU(d, row + i), at));
  for (; i < n; ++i) count += row[i] >= bound;
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
HWY_EXPORT(CollectAtLeastT);
HWY_EXPORT(CountAtLeastT);
HWY_EXPORT(SumAtLeastT);
HWY_EXPORT(RoughSumAtLeastT);
HWY_EXPORT(FirstWithScoreT);
HWY_EXPORT(CopyMaskedT);
HWY_EXPORT(WidenF16T);
HWY_EXPORT(WidenBF16T);

bool ScanMaxima(std::span<const float> row, std::size_t block, float* maxima) {
  return HWY_DYNAMIC_DISPATCH(ScanMaximaT)(row.data(), row.size(), block, maxima);
}
bool ScanMaxima(const RowView& row, std::size_t first, std::size_t n, std::size_t block, float* maxima) {
  return HWY_DYNAMIC_DISPATCH(ScanRowT)(row, first, n, block, maxima);
}
std::size_t CollectAtLeast(std::span<const float> row, std::size_t block, const float* maxima, float bound,
                           TokenId first_id, Candidates::Room room) {
  return HWY_DYNAMIC_DISPATCH(CollectAtLeastT)(row.data(), row.size(), block, maxima, bound, first_id, room);
}
std::size_t CountAtLeast(std::span<const float> row, float bound) {
  return HWY_DYNAMIC_DISPATCH(CountAtLeastT)(row.data(), row.size(), bound);
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
