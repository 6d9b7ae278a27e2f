// Halves to floats, exactly. Included once a target, between Highway's namespace macros.
#if defined(DECANT_SIMD_LOAD_HALVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DECANT_SIMD_LOAD_HALVES_INL_H_
#undef DECANT_SIMD_LOAD_HALVES_INL_H_
#else
#define DECANT_SIMD_LOAD_HALVES_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lanes(d) halves as bits, in f32.
template <class D>
HWY_INLINE hn::Vec<D> LoadHalves(D d, const std::uint16_t* halves) {
  const hn::Rebind<hwy::float16_t, D> dh;
  return hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(halves)));
}

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
