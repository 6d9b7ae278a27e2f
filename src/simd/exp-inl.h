// exp32 on vectors: the operations of core::Exp32 in the same order, so the same bits (docs/determinism.md, "exp2").
// Included once a target, between Highway's namespace macros.
#if defined(DECANT_SIMD_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DECANT_SIMD_EXP_INL_H_
#undef DECANT_SIMD_EXP_INL_H_
#else
#define DECANT_SIMD_EXP_INL_H_
#endif

#include "hwy/highway.h"

#include "core/math.h"

// Highway's emulated f64 to f32 conversion saturates where IEEE gives infinity: those targets use core::Exp32.
#ifndef DECANT_VECTOR_EXP
#define DECANT_VECTOR_EXP (HWY_HAVE_FLOAT64 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)
#endif

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if DECANT_VECTOR_EXP

using ExpD64 = hn::CappedTag<double, 8>;
using ExpD32 = hn::Rebind<float, ExpD64>;
inline constexpr std::size_t kExpLanes = hn::MaxLanes(ExpD32());

// RN(2^(k/16)) for the low four bits of each lane.
HWY_INLINE hn::Vec<ExpD64> Exp2TableAt(hn::Vec<hn::RebindToSigned<ExpD64>> index) {
#if HWY_TARGET == HWY_AVX3
  const ExpD64 d;
  return hn::Vec<ExpD64>{
      _mm512_permutex2var_pd(hn::LoadU(d, core::kExp2Table).raw, index.raw, hn::LoadU(d, core::kExp2Table + 8).raw)};
#else
  const hn::RebindToSigned<ExpD64> di;
  return hn::GatherIndex(ExpD64(), core::kExp2Table, hn::And(index, hn::Set(di, 15)));
#endif
}

// core::Exp2 of each lane, where the result is a normal number. REQUIRES: -1022 <= g < 1024.
HWY_INLINE hn::Vec<ExpD64> Exp2Normal(hn::Vec<ExpD64> g) {
  const ExpD64 d;
  const hn::RebindToSigned<ExpD64> di;
  // Adding 1.5 * 2^52 rounds to an integer, halves to even, and leaves it in the low bits.
  const auto magic = hn::Set(d, 0x1.8p52);
  const auto shifted = hn::Add(hn::Mul(g, hn::Set(d, 16.0)), magic);
  const auto r = hn::Sub(g, hn::Mul(hn::Sub(shifted, magic), hn::Set(d, 0.0625)));
  auto p = hn::Set(d, core::kExp2Coefficients[core::kExp2Degree]);
  for (int i = core::kExp2Degree - 1; i >= 0; --i) {
    p = hn::Add(hn::Set(d, core::kExp2Coefficients[i]), hn::Mul(r, p));
  }
  const auto bits = hn::BitCast(di, shifted);
  // floor(k/16) + 1023 lies in the low 12 bits; what is above falls off the top.
  const hn::RebindToUnsigned<ExpD64> du;
  const auto exponent = hn::Add(hn::ShiftRight<4>(hn::BitCast(du, bits)), hn::Set(du, 1023u));
  const auto power = hn::BitCast(d, hn::ShiftLeft<52>(exponent));
  return hn::Mul(hn::Mul(Exp2TableAt(bits), p), power);
}

// A lane that is NaN gives some number or NaN: callers keep NaN out.
HWY_INLINE hn::Vec<ExpD32> Exp32(hn::Vec<ExpD32> x) {
  const ExpD64 d;
  // Past +-200 the f32 result is infinity or 0, as it is at +-200.
  const auto g =
      hn::Min(hn::Max(hn::Mul(hn::PromoteTo(d, x), hn::Set(d, core::kLog2E)), hn::Set(d, -200.0)), hn::Set(d, 200.0));
  return hn::DemoteTo(ExpD32(), Exp2Normal(g));
}

#endif  // DECANT_VECTOR_EXP

// out[i] = exp32(in[i] - shift) for i < n; may be in place.
HWY_INLINE void ExpShifted(const float* in, float shift, std::size_t n, float* out) {
  std::size_t i = 0;
#if DECANT_VECTOR_EXP
  const ExpD32 d;
  const auto by = hn::Set(d, shift);
  for (; i + kExpLanes <= n; i += kExpLanes) hn::StoreU(Exp32(hn::Sub(hn::LoadU(d, in + i), by)), d, out + i);
#endif
  for (; i < n; ++i) out[i] = core::Exp32(in[i] - shift);
}

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
