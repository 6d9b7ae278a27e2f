// 2^x with a proven bound on its error instead of defined bits: what bounded passes weigh a row with before they know
// whether the exact weights are needed (docs/determinism.md, "Bounded passes"). Its results may differ between targets;
// nothing but a proof may rest on them. Included once a target, between Highway's namespace macros.
//
// Both reduce to 2^k * 2^r with |r| a little over 1/2 at most, and put k into the exponent by an integer addition. The
// polynomials are minimax in relative error (Remez): degree 6 errs by 2^-29, degree 7 by 2^-34.5.
#if defined(DECANT_SIMD_BOUNDED_EXP2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DECANT_SIMD_BOUNDED_EXP2_INL_H_
#undef DECANT_SIMD_BOUNDED_EXP2_INL_H_
#else
#define DECANT_SIMD_BOUNDED_EXP2_INL_H_
#endif

#include "hwy/highway.h"

#include "core/math.h"
#include "simd/exp-inl.h"
#include "simd/row_masses.h"

// Without a fused multiply-add the f32 form loses its bound: such targets weigh in f64, exactly.
#ifndef DECANT_BOUNDED_F32
#define DECANT_BOUNDED_F32 (DECANT_VECTOR_EXP && HWY_NATIVE_FMA)
#endif

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Terms below 2^kSmallestTerm of their reference count as that.
inline constexpr float kSmallestTerm = -120;
inline constexpr double kSmallestFineTerm = -100;

#if DECANT_BOUNDED_F32

// Highest power first.
inline constexpr float kCoarseCoefficients[] = {
    0x1.41d334p-13f, 0x1.5f456ap-10f, 0x1.3b2dbcp-7f, 0x1.c6aed4p-5f, 0x1.ebfbdap-3f, 0x1.62e43p-1f, 1.0f};
inline constexpr double kFineCoefficients[] = {0x1.fe1786b50da52p-17, 0x1.446a1fdd54f3ap-13, 0x1.5d8a7085cddb8p-10,
                                               0x1.3b29dc40d2ec5p-7,  0x1.c6b08aaf3156ep-5,  0x1.ebfbe0a4be886p-3,
                                               0x1.62e42ff11627ap-1,  0x1.ffffffffabbccp-1};

template <class D, std::size_t kTerms>
HWY_INLINE hn::Vec<D> Horner(D d, const hn::TFromD<D> (&coefficients)[kTerms], hn::Vec<D> r) {
  auto p = hn::Set(d, coefficients[0]);
  for (std::size_t i = 1; i < kTerms; ++i) p = hn::MulAdd(p, r, hn::Set(d, coefficients[i]));
  return p;
}

using TermD = hn::CappedTag<float, 16>;
inline constexpr std::size_t kTermLanes = hn::MaxLanes(TermD());

// 2^((x - shift) * c - reference) of each lane; relative error < kTermError.
struct BoundedTerm {
  using V = hn::Vec<TermD>;
  V shift, smallest, hi, lo, magic;

  BoundedTerm(const MassScale& scale, float reference)
      : shift(hn::Set(TermD(), scale.shift)),
        smallest(hn::Set(TermD(), static_cast<float>((reference + kSmallestTerm) / scale.exact))),
        hi(hn::Set(TermD(), scale.hi)),
        lo(hn::Set(TermD(), scale.lo)),
        // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits; less the reference, an integer too.
        magic(hn::Set(TermD(), 0x1.8p23f - reference)) {}

  HWY_INLINE V operator()(V x) const {
    const TermD d;
    const hn::RebindToUnsigned<TermD> du;
    x = hn::Max(hn::Sub(x, shift), smallest);
    const V shifted = hn::MulAdd(x, hi, magic);
    const V k = hn::Sub(shifted, magic);
    const V r = hn::MulAdd(x, lo, hn::MulSub(x, hi, k));
    const V p = Horner(d, kCoarseCoefficients, r);
    return hn::BitCast(d, hn::Add(hn::BitCast(du, p), hn::ShiftLeft<23>(hn::BitCast(du, shifted))));
  }
};

#endif  // DECANT_BOUNDED_F32

#if DECANT_VECTOR_EXP

// 2^t of each lane, t >= kSmallestFineTerm; relative error < kFineError.
HWY_INLINE hn::Vec<ExpD64> FineExp2(hn::Vec<ExpD64> t) {
#if DECANT_BOUNDED_F32
  const ExpD64 d;
  const hn::RebindToUnsigned<ExpD64> du;
  const auto magic = hn::Set(d, 0x1.8p52);
  const auto shifted = hn::Add(t, magic);
  const auto r = hn::Sub(t, hn::Sub(shifted, magic));
  const auto p = Horner(d, kFineCoefficients, r);
  return hn::BitCast(d, hn::Add(hn::BitCast(du, p), hn::ShiftLeft<52>(hn::BitCast(du, shifted))));
#else
  return Exp2Normal(t);
#endif
}

#endif  // DECANT_VECTOR_EXP

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
