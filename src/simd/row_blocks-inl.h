// What kernels over the blocks of a row share: where scores come from, masks, a block's maximum, collecting. Included
// once a target, between Highway's namespace macros.
#if defined(DECANT_SIMD_ROW_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DECANT_SIMD_ROW_BLOCKS_INL_H_
#undef DECANT_SIMD_ROW_BLOCKS_INL_H_
#else
#define DECANT_SIMD_ROW_BLOCKS_INL_H_
#endif

#include "hwy/highway.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/float16.h"
#include "decant/candidates.h"
#include "simd/exp-inl.h"
#include "simd/largest_lane-inl.h"
#include "simd/load_halves-inl.h"
#include "simd/prefetch_ahead.h"
#include "simd/row_scan.h"

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr float kNoScore = -std::numeric_limits<float>::infinity();
inline constexpr float kLargest = std::numeric_limits<float>::max();

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
  bool One(std::size_t i) const { return ((std::uint32_t{bits_[i / 8]} >> (i % 8)) & 1u) != 0; }

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
  float max = LargestLane(d, all);
  bool valid = true;
  for (; i < n; ++i) {
    const float x = From::One(row + i);
    valid = valid && x <= kLargest;
    if ((!kMasked || bits.One(i)) && x > max) max = x;
  }
  return {.max = max, .valid = valid && max <= kLargest};
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

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
