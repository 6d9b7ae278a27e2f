// exp2, log2, sin and cos as sequences of IEEE operations: see math.h and docs/determinism.md.
//
// exp2: 2^g = 2^n * 2^(i/16) * 2^r with |r| <= 1/32; a table, and a Taylor polynomial of degree 6.
// log2: x = m * 2^e with m near 1, log m = 2 artanh((m - 1) / (m + 1)).
// sin, cos: reduction by pi/2 in three parts, then Taylor polynomials.
#include "core/math.h"

#include <bit>
#include <cstddef>
#include <limits>

#include "core/check.h"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace decant::core {

const double kExp2Coefficients[kExp2Degree + 1] = {
    0x1.0000000000000p+0, 0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0c0p-5,
    0x1.3b2ab6fba4e77p-7, 0x1.5d87fe78a6731p-10, 0x1.430912f86c787p-13,
};
const double kExp2Table[16] = {
    0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
    0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
    0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0,
};

namespace {

constexpr double kSqrt2 = 0x1.6a09e667f3bcdp+0;
constexpr double kTwoOverLn2 = 0x1.71547652b82fep+1;
constexpr double kArtanhCoefficients[11] = {
    // RN(1/(2k+1))
    0x1.0000000000000p+0, 0x1.5555555555555p-2, 0x1.999999999999ap-3, 0x1.2492492492492p-3,
    0x1.c71c71c71c71cp-4, 0x1.745d1745d1746p-4, 0x1.3b13b13b13b14p-4, 0x1.1111111111111p-4,
    0x1.e1e1e1e1e1e1ep-5, 0x1.af286bca1af28p-5, 0x1.8618618618618p-5,
};

constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kHalfPi1 = 0x1.921fb544p+0;  // 31 bits: n times it is exact
constexpr double kHalfPi2 = 0x1.0b4611a6p-34;
constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
constexpr double kSinCoefficients[9] = {
    // RN((-1)^k / (2k+1)!)
    0x1.0000000000000p+0,   -0x1.5555555555555p-3,  0x1.1111111111111p-7,
    -0x1.a01a01a01a01ap-13, 0x1.71de3a556c734p-19,  -0x1.ae64567f544e4p-26,
    0x1.6124613a86d09p-33,  -0x1.ae7f3e733b81fp-41, 0x1.952c77030ad4ap-49,
};
constexpr double kCosCoefficients[10] = {
    // RN((-1)^k / (2k)!)
    0x1.0000000000000p+0,  -0x1.0000000000000p-1,  0x1.5555555555555p-5,  -0x1.6c16c16c16c17p-10,
    0x1.a01a01a01a01ap-16, -0x1.27e4fb7789f5cp-22, 0x1.1eed8eff8d898p-29, -0x1.93974a8c07c9dp-37,
    0x1.ae7f3e733b81fp-45, -0x1.6827863b97d97p-53,
};

template <std::size_t kTerms>
double Horner(const double (&coefficients)[kTerms], double x) {
  double p = coefficients[kTerms - 1];
  for (std::size_t i = kTerms - 1; i-- > 0;) p = coefficients[i] + x * p;
  return p;
}

struct Quadrant {
  int quarter;       // n mod 4
  double remainder;  // a - n * pi/2
};
Quadrant Reduce(double a) {
  DECANT_DCHECK(a > -0x1p20 && a < 0x1p20);
  const int n = static_cast<int>(RoundHalfEven(a * kTwoOverPi));
  const double turns = n;  // through an integer: zero has no sign
  const double r = ((a - turns * kHalfPi1) - turns * kHalfPi2) - turns * kHalfPi3;
  return {n & 3, r};
}
double SinNearZero(double r) { return r * Horner(kSinCoefficients, r * r); }
double CosNearZero(double r) { return Horner(kCosCoefficients, r * r); }

}  // namespace

double PowerOfTwo(int n) {
  DECANT_DCHECK(n >= -1022 && n <= 1023);
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

double RoundHalfEven(double x) {
  // Past 2^52 doubles are integers: the addition rounds, the subtraction is exact.
  constexpr double kShift = 0x1.8p52;
  return (x + kShift) - kShift;
}

double Exp2(double g) {
  if (!(g < 1024)) return g >= 1024 ? std::numeric_limits<double>::infinity() : g;  // the last is NaN
  if (g < -1080) return 0.0;
  const int k = static_cast<int>(RoundHalfEven(16 * g));
  const double r = g - static_cast<double>(k) * 0.0625;
  const double m = kExp2Table[k & 15] * Horner(kExp2Coefficients, r);
  const int n = k >> 4;
  const int half = n >> 1;
  return m * PowerOfTwo(half) * PowerOfTwo(n - half);  // m is in (0.97, 2): only the last product can round
}

double Log2(double x) {
  DECANT_DCHECK(x > 0 && x <= std::numeric_limits<double>::max());
  int e = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    e = -54;
  }
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  e += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
  if (m > kSqrt2) {
    m *= 0.5;
    ++e;
  }
  const double f = (m - 1) / (m + 1);
  const double p = Horner(kArtanhCoefficients, f * f);
  return static_cast<double>(e) + (kTwoOverLn2 * f) * p;
}

double Exp(double x) { return Exp2(x * kLog2E); }
double Log(double x) { return Log2(x) * kLn2; }
float Exp32(float x) { return static_cast<float>(Exp2(static_cast<double>(x) * kLog2E)); }

double Sin(double a) {
  const auto [quarter, r] = Reduce(a);
  const double magnitude = (quarter & 1) != 0 ? CosNearZero(r) : SinNearZero(r);
  return quarter < 2 ? magnitude : -magnitude;
}

double Cos(double a) {
  const auto [quarter, r] = Reduce(a);
  const double magnitude = (quarter & 1) != 0 ? SinNearZero(r) : CosNearZero(r);
  return quarter == 0 || quarter == 3 ? magnitude : -magnitude;
}

// The control register, as far as it changes results: rounding mode, flush to zero, denormals are zero.
#if defined(__x86_64__) || defined(__i386__)
namespace {
constexpr std::uint64_t kControlMask = 0x6000 | 0x8000 | 0x0040;
constexpr std::uint64_t kControlRight = 0;
std::uint64_t ReadControl() { return _mm_getcsr(); }
void WriteControl(std::uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }
}  // namespace
#elif defined(__aarch64__)
namespace {
// RMode (22, 23), FZ (24), FZ16 (19), and with FEAT_AFP also FIZ (0) and AH (1).
constexpr std::uint64_t kControlMask = 0x1c80003;
constexpr std::uint64_t kControlRight = 0;
std::uint64_t ReadControl() {
  std::uint64_t value = 0;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(value));
  return value;
}
void WriteControl(std::uint64_t value) { __asm__ __volatile__("msr fpcr, %0" : : "r"(value) : "memory"); }
}  // namespace
#else
namespace {
constexpr std::uint64_t kControlMask = ~std::uint64_t{0};
constexpr std::uint64_t kControlRight = FE_TONEAREST;
std::uint64_t ReadControl() { return static_cast<std::uint64_t>(std::fegetround()); }
void WriteControl(std::uint64_t value) { std::fesetround(static_cast<int>(value)); }
}  // namespace
#endif

FloatingPointGuard::FloatingPointGuard() : saved_(ReadControl()) {
  if ((saved_ & kControlMask) == kControlRight) return;
  changed_ = true;
  WriteControl((saved_ & ~kControlMask) | kControlRight);
}

FloatingPointGuard::~FloatingPointGuard() {
  // Exception flags that were raised meanwhile stay raised.
  if (changed_) WriteControl((ReadControl() & ~kControlMask) | (saved_ & kControlMask));
}

}  // namespace decant::core
