// Vectors first, then the same operations on the tail: a row of any length gives the same bits on every target.
#include "simd/row_kernels.h"

#include "simd/enabled_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/row_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cmath>
#include <cstring>

#include "core/float16.h"
#include "simd/exp-inl.h"
#include "simd/lane_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void RmsNormT(const float* x, const float* weights, std::size_t n, float epsilon, float* out) {
  const LaneD d;
  LaneSum squares;
  std::size_t i = 0;
  for (; i + kSumLanes <= n; i += kSumLanes) {
    for (std::size_t v = 0; v < kLaneVectors; ++v) {
      const auto value = hn::LoadU(d, x + i + v * kLaneWidth);
      squares.lanes[v] = hn::Add(squares.lanes[v], hn::Mul(value, value));
    }
  }
  if (i < n) {
    // A zero added to a sum that started at +0 changes nothing.
    alignas(64) float tail[kSumLanes] = {};
    std::memcpy(tail, x + i, (n - i) * sizeof(float));
    for (std::size_t v = 0; v < kLaneVectors; ++v) {
      const auto value = hn::LoadU(d, tail + v * kLaneWidth);
      squares.lanes[v] = hn::Add(squares.lanes[v], hn::Mul(value, value));
    }
  }
  const float mean = squares.Total() / static_cast<float>(n);
  const float s = 1.0f / std::sqrt(mean + epsilon);
  const auto factor = hn::Set(d, s);
  i = 0;
  for (; i + kLaneWidth <= n; i += kLaneWidth) {
    hn::StoreU(hn::Mul(hn::Mul(hn::LoadU(d, x + i), factor), hn::LoadU(d, weights + i)), d, out + i);
  }
  for (; i < n; ++i) out[i] = (x[i] * s) * weights[i];
}

void SwiGluT(const float* gate, const float* up, std::size_t n, float* out) {
  std::size_t i = 0;
#if DECANT_VECTOR_EXP
  const ExpD32 d;
  const auto one = hn::Set(d, 1.0f);
  for (; i + kExpLanes <= n; i += kExpLanes) {
    const auto g = hn::LoadU(d, gate + i);
    const auto silu = hn::Div(g, hn::Add(one, Exp32(hn::Neg(g))));
    hn::StoreU(hn::Mul(silu, hn::LoadU(d, up + i)), d, out + i);
  }
#endif
  for (; i < n; ++i) {
    const float g = gate[i];
    const float e = g == g ? core::Exp32(-g) : g;  // a NaN stays one
    out[i] = (g / (1.0f + e)) * up[i];
  }
}

bool ToHalvesT(const float* x, std::size_t n, std::uint16_t* out) {
  std::size_t i = 0;
  bool finite = true;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || (HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64)
  // These have an instruction that rounds to nearest even; elsewhere Highway's conversion truncates.
  const LaneD d;
  const hn::Rebind<hwy::float16_t, LaneD> dh;
  const hn::Rebind<std::uint16_t, LaneD> du;
  auto largest = hn::Zero(du);
  for (; i + kLaneWidth <= n; i += kLaneWidth) {
    const auto half = hn::BitCast(du, hn::DemoteTo(dh, hn::LoadU(d, x + i)));
    largest = hn::Max(largest, hn::And(half, hn::Set(du, 0x7fffu)));
    hn::StoreU(half, du, out + i);
  }
  std::uint16_t lanes[kLaneWidth];
  hn::StoreU(largest, du, lanes);
  for (const std::uint16_t lane : lanes) finite = finite && core::IsFiniteHalf(lane);
#endif
  for (; i < n; ++i) {
    out[i] = core::FloatToHalf(x[i]);
    finite = finite && core::IsFiniteHalf(out[i]);
  }
  return finite;
}

bool AllFiniteT(const float* x, std::size_t n) {
  const LaneD d;
  const hn::Rebind<std::int32_t, LaneD> di;
  const auto magnitude = hn::Set(di, 0x7fffffff);
  auto largest = hn::Zero(di);
  std::size_t i = 0;
  for (; i + kLaneWidth <= n; i += kLaneWidth) {
    largest = hn::Max(largest, hn::And(hn::BitCast(di, hn::LoadU(d, x + i)), magnitude));
  }
  bool finite = hn::GetLane(hn::MaxOfLanes(di, largest)) < 0x7f800000;
  for (; i < n; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    finite = finite && (bits & 0x7fffffffu) < 0x7f800000u;
  }
  return finite;
}

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace decant::simd {

HWY_EXPORT(RmsNormT);
HWY_EXPORT(SwiGluT);
HWY_EXPORT(ToHalvesT);
HWY_EXPORT(AllFiniteT);

void RmsNorm(const float* x, const float* weights, std::size_t n, float epsilon, float* out) {
  HWY_DYNAMIC_DISPATCH(RmsNormT)(x, weights, n, epsilon, out);
}
void SwiGlu(const float* gate, const float* up, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(SwiGluT)(gate, up, n, out);
}
bool ToHalves(const float* x, std::size_t n, std::uint16_t* out) { return HWY_DYNAMIC_DISPATCH(ToHalvesT)(x, n, out); }
bool AllFinite(const float* x, std::size_t n) { return HWY_DYNAMIC_DISPATCH(AllFiniteT)(x, n); }

}  // namespace decant::simd
#endif  // HWY_ONCE
