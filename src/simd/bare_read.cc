// One loop, by how many vectors it takes a turn, and the same over two halves at once.
#include "simd/bare_read.h"

#include "simd/enabled_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/bare_read.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

#include "simd/prefetch_ahead.h"

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highway's vectors cannot be array elements on every target: eight names instead.
template <int kVectors, bool kAhead = false, class D, class T = hn::TFromD<D>>
HWY_INLINE T MaxOf(D d, const T* row, std::size_t n) {
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t turn = lanes * static_cast<std::size_t>(kVectors);
  T most = row[0];
  auto a = hn::Set(d, most), b = a, c = a, e = a, f = a, g = a, h = a, k = a;
  std::size_t i = 0;
  for (; i + turn <= n; i += turn) {
    if constexpr (kAhead) PrefetchAhead(row + i, turn);
    a = hn::Max(a, hn::LoadU(d, row + i));
    b = hn::Max(b, hn::LoadU(d, row + i + lanes));
    c = hn::Max(c, hn::LoadU(d, row + i + 2 * lanes));
    e = hn::Max(e, hn::LoadU(d, row + i + 3 * lanes));
    if constexpr (kVectors == 8) {
      f = hn::Max(f, hn::LoadU(d, row + i + 4 * lanes));
      g = hn::Max(g, hn::LoadU(d, row + i + 5 * lanes));
      h = hn::Max(h, hn::LoadU(d, row + i + 6 * lanes));
      k = hn::Max(k, hn::LoadU(d, row + i + 7 * lanes));
    }
  }
  a = hn::Max(hn::Max(hn::Max(a, b), hn::Max(c, e)), hn::Max(hn::Max(f, g), hn::Max(h, k)));
  alignas(64) T values[64 / sizeof(T)];
  hn::Store(a, d, values);
  for (std::size_t lane = 0; lane < lanes; ++lane) most = std::max(most, values[lane]);
  for (; i < n; ++i) most = std::max(most, row[i]);
  return most;
}

template <bool kAhead, class D, class T = hn::TFromD<D>>
HWY_INLINE T MaxOfHalves(D d, const T* row, std::size_t n) {
  const std::size_t lanes = hn::Lanes(d), turn = 4 * lanes;
  const std::size_t half = n / 2 / turn * turn;
  const T* const second = row + half;
  auto a = hn::Set(d, row[0]), b = a, c = a, e = a, f = a, g = a, h = a, k = a;
  for (std::size_t i = 0; i < half; i += turn) {
    if constexpr (kAhead) {
      PrefetchAhead(row + i, turn);
      PrefetchAhead(second + i, turn);
    }
    a = hn::Max(a, hn::LoadU(d, row + i));
    b = hn::Max(b, hn::LoadU(d, row + i + lanes));
    c = hn::Max(c, hn::LoadU(d, row + i + 2 * lanes));
    e = hn::Max(e, hn::LoadU(d, row + i + 3 * lanes));
    f = hn::Max(f, hn::LoadU(d, second + i));
    g = hn::Max(g, hn::LoadU(d, second + i + lanes));
    h = hn::Max(h, hn::LoadU(d, second + i + 2 * lanes));
    k = hn::Max(k, hn::LoadU(d, second + i + 3 * lanes));
  }
  a = hn::Max(hn::Max(hn::Max(a, b), hn::Max(c, e)), hn::Max(hn::Max(f, g), hn::Max(h, k)));
  alignas(64) T values[64 / sizeof(T)];
  hn::Store(a, d, values);
  T most = values[0];
  for (std::size_t lane = 1; lane < lanes; ++lane) most = std::max(most, values[lane]);
  for (std::size_t i = 2 * half; i < n; ++i) most = std::max(most, row[i]);
  return most;
}

template <class T>
HWY_INLINE T MaxBy(ReadLoop loop, const T* row, std::size_t n) {
  const hn::ScalableTag<T> d;
  switch (loop) {
    case ReadLoop::kFourVectors:
      return MaxOf<4>(d, row, n);
    case ReadLoop::kEightVectors:
      return MaxOf<8>(d, row, n);
    case ReadLoop::kTwoStreams:
      return MaxOfHalves<false>(d, row, n);
    case ReadLoop::kTwoStreamsAskingAhead:
      return MaxOfHalves<true>(d, row, n);
    case ReadLoop::kAskingAhead:
      break;
  }
  return MaxOf<8, true>(d, row, n);
}

float BareMaxF32(ReadLoop loop, const float* row, std::size_t n) { return MaxBy(loop, row, n); }
std::int16_t BareMaxI16(ReadLoop loop, const std::int16_t* row, std::size_t n) { return MaxBy(loop, row, n); }

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace decant::simd {

HWY_EXPORT(BareMaxF32);
HWY_EXPORT(BareMaxI16);

float BareMax(ReadLoop loop, const float* row, std::size_t n) { return HWY_DYNAMIC_DISPATCH(BareMaxF32)(loop, row, n); }
std::int16_t BareMax(ReadLoop loop, const std::int16_t* row, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(BareMaxI16)(loop, row, n);
}

}  // namespace decant::simd
#endif  // HWY_ONCE
