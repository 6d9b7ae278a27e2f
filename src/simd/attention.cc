// Query heads of one KV head are taken up to four at a time, so that a key or value is converted once for all of them.
#include "simd/attention.h"

#include "simd/enabled_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/attention.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "simd/exp-inl.h"
#include "simd/lane_sum-inl.h"
#include "simd/largest_lane-inl.h"
#include "simd/load_halves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using VF = hn::Vec<LaneD>;

// The lane sums of kLaneWidth positions, one position a lane: the tree below `first` with steps of kStep, where
// kStep = 16 is accumulator number `first` itself.
template <std::size_t kHeads, std::size_t kStep>
HWY_INLINE void Scores(const float* queries, std::size_t width, const std::uint16_t* keys, std::size_t first,
                       VF (&sums)[kHeads]) {
  if constexpr (kStep == kSumLanes) {
    for (VF& sum : sums) sum = hn::Zero(LaneD());
    for (std::size_t i = first; i < width; i += kSumLanes) {
      const VF k = LoadHalves(LaneD(), keys + i * kAttentionBlock);
      for (std::size_t h = 0; h < kHeads; ++h) {
        sums[h] = hn::Add(sums[h], hn::Mul(hn::Set(LaneD(), queries[h * width + i]), k));
      }
    }
  } else {
    VF other[kHeads];
    Scores<kHeads, 2 * kStep>(queries, width, keys, first, sums);
    Scores<kHeads, 2 * kStep>(queries, width, keys, first + kStep, other);
    for (std::size_t h = 0; h < kHeads; ++h) sums[h] = hn::Add(sums[h], other[h]);
  }
}

// out += w_j * v_j for kVectors vectors of elements from `element` on, then divided by the denominators.
template <std::size_t kHeads, std::size_t kVectors>
HWY_INLINE void Mix(const Attention& a, const float* weights, std::size_t row, const float* denominators,
                    std::size_t element, float* out) {
  const LaneD d;
  const std::size_t padded = PaddedWidth(a.width);
  VF acc[kHeads][kVectors];
  for (auto& head : acc) {
    for (VF& v : head) v = hn::Zero(d);
  }
  for (std::size_t begin = 0; begin < a.positions; begin += kAttentionBlock) {
    const std::size_t end = std::min(a.positions - begin, kAttentionBlock);
    const auto* values =
        reinterpret_cast<const std::uint16_t*>(a.blocks[begin / kAttentionBlock] + a.value_offset) + element;
    for (std::size_t j = 0; j < end; ++j, values += padded) {
      VF v[kVectors];
      for (std::size_t i = 0; i < kVectors; ++i) v[i] = LoadHalves(d, values + i * kLaneWidth);
      for (std::size_t h = 0; h < kHeads; ++h) {
        const VF w = hn::Set(d, weights[h * row + begin + j]);
        for (std::size_t i = 0; i < kVectors; ++i) acc[h][i] = hn::Add(acc[h][i], hn::Mul(w, v[i]));
      }
    }
  }
  alignas(64) float result[kVectors * kLaneWidth];
  for (std::size_t h = 0; h < kHeads; ++h) {
    for (std::size_t i = 0; i < kVectors; ++i) {
      hn::StoreU(hn::Div(acc[h][i], hn::Set(d, denominators[h])), d, result + i * kLaneWidth);
    }
    const std::size_t elements = std::min(kVectors * kLaneWidth, a.width - element);
    std::memcpy(out + h * a.width + element, result, elements * sizeof(float));
  }
}

// The largest of n scores; false if one is not finite. n > 0.
HWY_INLINE bool Largest(const float* scores, std::size_t n, float* largest) {
  const LaneD d;
  const hn::Rebind<std::int32_t, LaneD> di;
  const auto magnitude = hn::Set(di, 0x7fffffff);
  auto max = hn::Set(d, scores[0]);
  auto bits = hn::Zero(di);
  for (std::size_t i = 0; i < n; i += kLaneWidth) {
    const auto s = hn::LoadU(d, scores + i);
    bits = hn::Max(bits, hn::And(hn::BitCast(di, s), magnitude));
    max = hn::Max(max, s);
  }
  *largest = LargestLane(d, max);
  return hn::GetLane(hn::MaxOfLanes(di, bits)) < 0x7f800000;
}

template <std::size_t kHeads>
bool AttendHeads(const Attention& a, const float* queries, float* out) {
  const LaneD d;
  const std::size_t row = ScratchFloats(1, a.positions);  // a multiple of every lane count
  const VF scale = hn::Set(d, a.scale);
  for (std::size_t begin = 0; begin < a.positions; begin += kAttentionBlock) {
    const auto* keys = reinterpret_cast<const std::uint16_t*>(a.blocks[begin / kAttentionBlock] + a.key_offset);
    const std::size_t end = std::min(a.positions - begin, kAttentionBlock);
    for (std::size_t j = 0; j < end; j += kLaneWidth) {
      VF sums[kHeads];
      Scores<kHeads, 1>(queries, a.width, keys + j, 0, sums);
      for (std::size_t h = 0; h < kHeads; ++h) hn::StoreU(hn::Mul(sums[h], scale), d, a.scratch + h * row + begin + j);
    }
  }
  float denominators[kHeads];
  for (std::size_t h = 0; h < kHeads; ++h) {
    float* const scores = a.scratch + h * row;
    // What lies past the last position is replaced: by a real score for the maximum, by nothing for the sum.
    for (std::size_t j = a.positions; j < row; ++j) scores[j] = scores[0];
    float largest;
    if (!Largest(scores, row, &largest)) return false;
    ExpShifted(scores, largest, row, scores);
    for (std::size_t j = a.positions; j < row; ++j) scores[j] = 0.0f;
    LaneSum sum;
    for (std::size_t j = 0; j < row; j += kSumLanes) {
      for (std::size_t v = 0; v < kLaneVectors; ++v) {
        sum.lanes[v] = hn::Add(sum.lanes[v], hn::LoadU(d, scores + j + v * kLaneWidth));
      }
    }
    denominators[h] = sum.Total();
  }
  constexpr std::size_t kVectors = std::min<std::size_t>(HWY_TARGET == HWY_AVX3 ? 4 : 2, kLaneVectors * 4);
  std::size_t element = 0;
  for (; element + kVectors * kLaneWidth <= PaddedWidth(a.width); element += kVectors * kLaneWidth) {
    if (element >= a.width) break;
    Mix<kHeads, kVectors>(a, a.scratch, row, denominators, element, out);
  }
  for (; element < a.width; element += kLaneWidth) Mix<kHeads, 1>(a, a.scratch, row, denominators, element, out);
  return true;
}

bool AttendT(const Attention& a) {
  for (std::size_t head = 0; head < a.heads;) {
    const std::size_t heads = std::min<std::size_t>(a.heads - head, 4);
    const float* const queries = a.queries + head * a.width;
    float* const out = a.out + head * a.width;
    bool finite = false;
    switch (heads) {
      case 1:
        finite = AttendHeads<1>(a, queries, out);
        break;
      case 2:
        finite = AttendHeads<2>(a, queries, out);
        break;
      case 3:
        finite = AttendHeads<3>(a, queries, out);
        break;
      default:
        finite = AttendHeads<4>(a, queries, out);
        break;
    }
    if (!finite) return false;
    head += heads;
  }
  return true;
}

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace decant::simd {

HWY_EXPORT(AttendT);

bool Attend(const Attention& attention) {
  DECANT_DCHECK(attention.positions > 0);
  const bool finite = HWY_DYNAMIC_DISPATCH(AttendT)(attention);
  if (!finite) std::fill_n(attention.out, attention.heads * attention.width, 0.0f);
  return finite;
}

void StoreKey(const std::uint16_t* key, std::size_t width, std::size_t position, std::byte* keys) {
  auto* column = reinterpret_cast<std::uint16_t*>(keys) + position;
  for (std::size_t i = 0; i < width; ++i) column[i * kAttentionBlock] = key[i];
}

void StoreValue(const std::uint16_t* value, std::size_t width, std::size_t position, std::byte* values) {
  std::memcpy(values + position * PaddedWidth(width) * sizeof *value, value, width * sizeof *value);
}

}  // namespace decant::simd
#endif  // HWY_ONCE
