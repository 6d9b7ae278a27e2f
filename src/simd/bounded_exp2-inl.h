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

// p * 2^k, for k in the low bits of `shifted`, which has 1.5 of its last integer bit added.
template <class V, class D = hn::DFromV<V>>
HWY_INLINE V TimesPowerOfTwo(V p, V shifted) {
  constexpr int kFractionBits = sizeof(hn::TFromD<D>) == 4 ? 23 : 52;
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(D(), hn::Add(hn::BitCast(du, p), hn::ShiftLeft<kFractionBits>(hn::BitCast(du, shifted))));
}

// term(x) of four vectors, a step of the polynomial for all of them at a time: one alone waits for each of its own
// results.
template <class Term, class D, std::size_t kTerms, class V = hn::Vec<D>>
HWY_INLINE void FourInStep(const Term& term, D d, const hn::TFromD<D> (&coefficients)[kTerms], V& x0, V& x1, V& x2,
                           V& x3) {
  V s0, s1, s2, s3;
  const V r0 = term.Reduced(x0, s0), r1 = term.Reduced(x1, s1);
  const V r2 = term.Reduced(x2, s2), r3 = term.Reduced(x3, s3);
  x0 = x1 = x2 = x3 = hn::Set(d, coefficients[0]);
  for (std::size_t i = 1; i < kTerms; ++i) {
    const V next = hn::Set(d, coefficients[i]);
    x0 = hn::MulAdd(x0, r0, next);
    x1 = hn::MulAdd(x1, r1, next);
    x2 = hn::MulAdd(x2, r2, next);
    x3 = hn::MulAdd(x3, r3, next);
  }
  x0 = TimesPowerOfTwo(x0, s0);
  x1 = TimesPowerOfTwo(x1, s1);
  x2 = TimesPowerOfTwo(x2, s2);
  x3 = TimesPowerOfTwo(x3, s3);
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

  // The argument r of 2^r; `shifted` has the power of two.
  HWY_INLINE V Reduced(V x, V& shifted) const {
    x = hn::Max(hn::Sub(x, shift), smallest);
    shifted = hn::MulAdd(x, hi, magic);
    return hn::MulAdd(x, lo, hn::MulSub(x, hi, hn::Sub(shifted, magic)));
  }
  HWY_INLINE V operator()(V x) const {
    V shifted;
    const V r = Reduced(x, shifted);
    return TimesPowerOfTwo(Horner(TermD(), kCoarseCoefficients, r), shifted);
  }
  HWY_INLINE void Four(V& x0, V& x1, V& x2, V& x3) const {
    FourInStep(*this, TermD(), kCoarseCoefficients, x0, x1, x2, x3);
  }
};

#endif  // DECANT_BOUNDED_F32

#if DECANT_VECTOR_EXP

// 2^((x - max) * scale) of each lane, the exponent at least kSmallestFineTerm; relative error < kFineError.
struct FineTerm {
  using V = hn::Vec<ExpD64>;
  V max, scale, smallest;

  FineTerm(float top, double c)
      : max(hn::Set(ExpD64(), static_cast<double>(top))),
        scale(hn::Set(ExpD64(), c)),
        smallest(hn::Set(ExpD64(), kSmallestFineTerm / c)) {}

#if DECANT_BOUNDED_F32
  HWY_INLINE V Reduced(V x, V& shifted) const {
    const V magic = hn::Set(ExpD64(), 0x1.8p52);
    x = hn::Max(hn::Sub(x, max), smallest);
    shifted = hn::MulAdd(x, scale, magic);
    return hn::MulSub(x, scale, hn::Sub(shifted, magic));
  }
  HWY_INLINE V operator()(V x) const {
    V shifted;
    const V r = Reduced(x, shifted);
    return TimesPowerOfTwo(Horner(ExpD64(), kFineCoefficients, r), shifted);
  }
  HWY_INLINE void Four(V& x0, V& x1, V& x2, V& x3) const {
    FourInStep(*this, ExpD64(), kFineCoefficients, x0, x1, x2, x3);
  }
#else
  HWY_INLINE V operator()(V x) const { return Exp2Normal(hn::Mul(hn::Max(hn::Sub(x, max), smallest), scale)); }
  HWY_INLINE void Four(V& x0, V& x1, V& x2, V& x3) const {
    x0 = (*this)(x0);
    x1 = (*this)(x1);
    x2 = (*this)(x2);
    x3 = (*this)(x3);
  }
#endif
};

#endif  // DECANT_VECTOR_EXP

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
