// The largest of a vector's floats, -inf where all of them are. Included once a target.
#if defined(DECANT_SIMD_LARGEST_LANE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DECANT_SIMD_LARGEST_LANE_INL_H_
#undef DECANT_SIMD_LARGEST_LANE_INL_H_
#else
#define DECANT_SIMD_LARGEST_LANE_INL_H_
#endif

#include "hwy/highway.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highway's emulated target has the lowest finite number for the maximum of -inf alone.
template <class D>
HWY_INLINE float LargestLane(D d, hn::Vec<D> x) {
#if HWY_TARGET == HWY_EMU128
  alignas(64) float lanes[hn::MaxLanes(D())];
  hn::Store(x, d, lanes);
  return *std::max_element(lanes, lanes + hn::MaxLanes(D()));
#else
  return hn::GetLane(hn::MaxOfLanes(d, x));
#endif
}

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
