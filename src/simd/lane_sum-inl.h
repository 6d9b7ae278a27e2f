// The 16 accumulators of a lane sum and their fixed tree; see row_kernels.h. Included once a target.
#if defined(DECANT_SIMD_LANE_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DECANT_SIMD_LANE_SUM_INL_H_
#undef DECANT_SIMD_LANE_SUM_INL_H_
#else
#define DECANT_SIMD_LANE_SUM_INL_H_
#endif

#include "hwy/highway.h"

#include "simd/row_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using LaneD = hn::CappedTag<float, kSumLanes>;
inline constexpr std::size_t kLaneWidth = hn::MaxLanes(LaneD());
inline constexpr std::size_t kLaneVectors = kSumLanes / kLaneWidth;

struct LaneSum {
  hn::Vec<LaneD> lanes[kLaneVectors];

  HWY_INLINE LaneSum() {
    for (auto& v : lanes) v = hn::Zero(LaneD());
  }
  HWY_INLINE float Total() const {
    alignas(64) float a[kSumLanes];
    for (std::size_t v = 0; v < kLaneVectors; ++v) hn::StoreU(lanes[v], LaneD(), a + v * kLaneWidth);
    for (std::size_t half = kSumLanes / 2; half >= 1; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) a[i] = a[i] + a[i + half];
    }
    return a[0];
  }
};

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
