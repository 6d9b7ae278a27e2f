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

// The polynomial at four places, a step for all of them at a time.
template <class D, std::size_t kTerms, class V = hn::Vec<D>>
HWY_INLINE void HornerOfFour(D d, const hn::TFromD<D> (&coefficients)[kTerms], V r0, V r1, V r2, V r3, V& p0, V& p1,
                             V& p2, V& p3) {
  p0 = p1 = p2 = p3 = hn::Set(d, coefficients[0]);
  for (std::size_t i = 1; i < kTerms; ++i) {
    const V next = hn::Set(d, coefficients[i]);
    p0 = hn::MulAdd(p0, r0, next);
    p1 = hn::MulAdd(p1, r1, next);
    p2 = hn::MulAdd(p2, r2, next);
    p3 = hn::MulAdd(p3, r3, next);
  }
}

// p * 2^k, for k in the low bits of `shifted`, which has 1.5 of its last integer bit added.
template <class V, class D = hn::DFromV<V>>
HWY_INLINE V TimesPowerOfTwo(V p, V shifted) {
  constexpr int kFractionBits = sizeof(hn::TFromD<D>) == 4 ? 23 : 52;
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(D(), hn::Add(hn::BitCast(du, p), hn::ShiftLeft<kFractionBits>(hn::BitCast(du, shifted))));
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
    x = hn::Max(hn::Sub(x, shift), smallest);
    const V shifted = hn::MulAdd(x, hi, magic);
    const V r = hn::MulAdd(x, lo, hn::MulSub(x, hi, hn::Sub(shifted, magic)));
    return TimesPowerOfTwo(Horner(TermD(), kCoarseCoefficients, r), shifted);
  }

  // The same of four vectors in step: one alone waits for each of its own results.
  HWY_INLINE void Four(V& x0, V& x1, V& x2, V& x3) const {
    x0 = hn::Max(hn::Sub(x0, shift), smallest);
    x1 = hn::Max(hn::Sub(x1, shift), smallest);
    x2 = hn::Max(hn::Sub(x2, shift), smallest);
    x3 = hn::Max(hn::Sub(x3, shift), smallest);
    const V s0 = hn::MulAdd(x0, hi, magic), s1 = hn::MulAdd(x1, hi, magic);
    const V s2 = hn::MulAdd(x2, hi, magic), s3 = hn::MulAdd(x3, hi, magic);
    const V q0 = hn::MulSub(x0, hi, hn::Sub(s0, magic)), q1 = hn::MulSub(x1, hi, hn::Sub(s1, magic));
    const V q2 = hn::MulSub(x2, hi, hn::Sub(s2, magic)), q3 = hn::MulSub(x3, hi, hn::Sub(s3, magic));
    const V r0 = hn::MulAdd(x0, lo, q0), r1 = hn::MulAdd(x1, lo, q1);
    const V r2 = hn::MulAdd(x2, lo, q2), r3 = hn::MulAdd(x3, lo, q3);
    HornerOfFour(TermD(), kCoarseCoefficients, r0, r1, r2, r3, x0, x1, x2, x3);
    x0 = TimesPowerOfTwo(x0, s0);
    x1 = TimesPowerOfTwo(x1, s1);
    x2 = TimesPowerOfTwo(x2, s2);
    x3 = TimesPowerOfTwo(x3, s3);
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

  HWY_INLINE V operator()(V x) const {
    const ExpD64 d;
    x = hn::Max(hn::Sub(x, max), smallest);
#if DECANT_BOUNDED_F32
    const V magic = hn::Set(d, 0x1.8p52);
    const V shifted = hn::MulAdd(x, scale, magic);
    const V p = Horner(d, kFineCoefficients, hn::MulSub(x, scale, hn::Sub(shifted, magic)));
    return TimesPowerOfTwo(p, shifted);
#else
    return Exp2Normal(hn::Mul(x, scale));
#endif
  }

  // The same of four vectors in step: one alone waits for each of its own results.
  HWY_INLINE void Four(V& x0, V& x1, V& x2, V& x3) const {
#if DECANT_BOUNDED_F32
    const ExpD64 d;
    const V magic = hn::Set(d, 0x1.8p52);
    x0 = hn::Max(hn::Sub(x0, max), smallest);
    x1 = hn::Max(hn::Sub(x1, max), smallest);
    x2 = hn::Max(hn::Sub(x2, max), smallest);
    x3 = hn::Max(hn::Sub(x3, max), smallest);
    const V s0 = hn::MulAdd(x0, scale, magic), s1 = hn::MulAdd(x1, scale, magic);
    const V s2 = hn::MulAdd(x2, scale, magic), s3 = hn::MulAdd(x3, scale, magic);
    const V r0 = hn::MulSub(x0, scale, hn::Sub(s0, magic)), r1 = hn::MulSub(x1, scale, hn::Sub(s1, magic));
    const V r2 = hn::MulSub(x2, scale, hn::Sub(s2, magic)), r3 = hn::MulSub(x3, scale, hn::Sub(s3, magic));
    HornerOfFour(d, kFineCoefficients, r0, r1, r2, r3, x0, x1, x2, x3);
    x0 = TimesPowerOfTwo(x0, s0);
    x1 = TimesPowerOfTwo(x1, s1);
    x2 = TimesPowerOfTwo(x2, s2);
    x3 = TimesPowerOfTwo(x3, s3);
#else
    x0 = (*this)(x0);
    x1 = (*this)(x1);
    x2 = (*this)(x2);
    x3 = (*this)(x3);
#endif
  }
};

#endif  // DECANT_VECTOR_EXP

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
