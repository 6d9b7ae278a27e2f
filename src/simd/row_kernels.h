// Kernels over one row of activations: normalisation, the gated unit, halves (docs/determinism.md, "Model").
//
// Lane sums: 16 f32 accumulators at +0, element i into accumulator i mod 16, ascending, multiply then add; then the
// tree 0...7 += 8...15, 0...3 += 4...7, 0...1 += 2...3, 0 += 1. Every vector width forms the same sums.
#ifndef DECANT_SIMD_ROW_KERNELS_H_
#define DECANT_SIMD_ROW_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace decant::simd {

inline constexpr std::size_t kSumLanes = 16;

// out = (x * s) * weights with s = 1/sqrt(mean of x^2 + epsilon). May be in place.
void RmsNorm(const float* x, const float* weights, std::size_t n, float epsilon, float* out);

// out = (gate / (1 + exp32(-gate))) * up. May be in place.
void SwiGlu(const float* gate, const float* up, std::size_t n, float* out);

// f32 to f16, halves to even, subnormals kept. False if a result is not finite.
bool ToHalves(const float* x, std::size_t n, std::uint16_t* out);

// Whether every value is a finite number.
bool AllFinite(const float* x, std::size_t n);

}  // namespace decant::simd

#endif  // DECANT_SIMD_ROW_KERNELS_H_
