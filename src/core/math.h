// decant's own elementary functions: fixed sequences of IEEE operations, so that every target gives the same bits.
//
// The algorithm is the definition (docs/determinism.md, "Functions"), not the real number it approximates. libm is not
// used: its exp and log differ between C libraries, and within one between CPUs with and without FMA.
#ifndef DECANT_CORE_MATH_H_
#define DECANT_CORE_MATH_H_

#include <cstdint>

namespace decant::core {

inline constexpr double kLog2E = 0x1.71547652b82fep+0;
inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;

// 2^g. g >= 1024 gives +inf, g < -1080 gives 0. Error <= 7.0 * 2^-53 relative; exact at integer g.
double Exp2(double g);
// log2 of a finite x > 0 (subnormals included). Error <= 6.2 * 2^-53 relative. REQUIRES: x > 0 and finite.
double Log2(double x);
double Exp(double x);  // Exp2(x * kLog2E)
double Log(double x);  // Log2(x) * kLn2
float Exp32(float x);  // the f64 result, rounded once to f32
// REQUIRES: |a| < 2^20.
double Sin(double a);
double Cos(double a);

// 2^n for n in [-1022, 1023].
double PowerOfTwo(int n);
// Nearest integer, halves to even. REQUIRES: |x| < 2^51.
double RoundHalfEven(double x);

// The constants of the definition, for the kernels that repeat it and for docs/determinism.md.
inline constexpr int kExp2Degree = 6;
extern const double kExp2Coefficients[kExp2Degree + 1];  // RN(ln2^i / i!)
extern const double kExp2Table[16];                      // RN(2^(i/16))

// Restores rounding to nearest and switches FTZ/DAZ off for its lifetime (PyTorch turns them on). Cheap when the
// state is already right.
class FloatingPointGuard {
 public:
  FloatingPointGuard();
  ~FloatingPointGuard();
  FloatingPointGuard(const FloatingPointGuard&) = delete;
  FloatingPointGuard& operator=(const FloatingPointGuard&) = delete;

 private:
  std::uint64_t saved_ = 0;
  bool changed_ = false;
};

}  // namespace decant::core

#endif  // DECANT_CORE_MATH_H_
