// Exact integers throughout; only exp2 and log2 are floating point, and their results are rounded to integers.
#include "simd/weigh.h"

#include "simd/enabled_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/weigh.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/math.h"
#include "core/wide.h"
#include "simd/exp-inl.h"
#include "simd/largest_lane-inl.h"

#ifndef DECANT_SIMD_WEIGH_ONCE_
#define DECANT_SIMD_WEIGH_ONCE_
namespace decant::simd {
inline constexpr double kSmallestGap = -46;  // 2^44 * 2^-46 is a quarter: rounds to 0
}  // namespace decant::simd
#endif

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t WeighScoresT(const float* scores, std::size_t n, float max, double scale, std::uint64_t* out) {
  std::uint64_t total = 0;
  std::size_t i = 0;
#if DECANT_VECTOR_EXP
  const ExpD64 d;
  const ExpD32 df;
  const hn::RebindToUnsigned<ExpD64> du;
  const auto top = hn::Set(d, static_cast<double>(max));
  const auto factor = hn::Set(d, scale);
  const auto smallest = hn::Set(d, kSmallestGap);
  auto sum = hn::Zero(du);
  for (; i + kExpLanes <= n; i += kExpLanes) {
    const auto gap = hn::Mul(hn::Sub(hn::PromoteTo(d, hn::LoadU(df, scores + i)), top), factor);
    const auto exp = Exp2Normal(hn::Max(gap, smallest));
    // Adding 2^52 leaves the integer, halves to even, in the low bits.
    const auto shifted = hn::BitCast(du, hn::Add(hn::Mul(exp, hn::Set(d, 0x1p44)), hn::Set(d, 0x1p52)));
    const auto integer = hn::And(shifted, hn::Set(du, (std::uint64_t{1} << 52) - 1));
    const auto weight = hn::IfThenElseZero(hn::RebindMask(du, hn::Ge(gap, smallest)), integer);
    sum = hn::Add(sum, weight);
    if (out != nullptr) hn::StoreU(weight, du, out + i);
  }
  total = hn::GetLane(hn::SumOfLanes(du, sum));
#endif
  for (; i < n; ++i) {
    const std::uint64_t weight = Weight(Gap(scores[i], max, scale));
    total += weight;
    if (out != nullptr) out[i] = weight;
  }
  return total;
}

float MaxScoreT(const float* scores, std::size_t n) {
  float max = scores[0];
  std::size_t i = 0;
  const hn::CappedTag<float, 16> d;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  if (n >= kLanes) {
    auto best = hn::LoadU(d, scores);
    for (; i + kLanes <= n; i += kLanes) best = hn::Max(best, hn::LoadU(d, scores + i));
    max = LargestLane(d, best);
  }
  for (; i < n; ++i) max = scores[i] > max ? scores[i] : max;
  return max;
}

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace decant::simd {

HWY_EXPORT(WeighScoresT);
HWY_EXPORT(MaxScoreT);

namespace {

// The integer nearest to x, halves to even, for 0 <= x < 2^52: adding 2^52 leaves the integer in the low bits.
std::uint64_t RoundToInteger(double x) {
  return std::bit_cast<std::uint64_t>(x + 0x1p52) & ((std::uint64_t{1} << 52) - 1);
}

}  // namespace

double GapScale(double temperature) { return std::min(core::kLog2E / temperature, std::numeric_limits<double>::max()); }

std::uint64_t Weight(double gap) {
  if (gap < kSmallestGap) return 0;
  return RoundToInteger(core::Exp2(gap) * 0x1p44);
}

std::uint64_t WeighScores(std::span<const float> scores, float max, double scale, std::uint64_t* out) {
  return HWY_DYNAMIC_DISPATCH(WeighScoresT)(scores.data(), scores.size(), max, scale, out);
}

float MaxScore(std::span<const float> scores) { return HWY_DYNAMIC_DISPATCH(MaxScoreT)(scores.data(), scores.size()); }

void Weigh(const Candidates& candidates, Weights& out) {
  out.max = MaxScore(candidates.scores());
  if (out.values.size() != candidates.size()) out.values.resize(candidates.size());
  out.total = WeighScores(candidates.scores(), out.max, GapScale(candidates.temperature()), out.values.data());
}

std::uint64_t TotalWeight(const Candidates& candidates, float max) {
  return WeighScores(candidates.scores(), max, GapScale(candidates.temperature()), nullptr);
}

double EntropyBits(std::span<const std::uint64_t> weights, std::uint64_t total) {
  const double log_total = core::Log2(static_cast<double>(total));
  core::Uint128 sum = 0;
  for (const std::uint64_t weight : weights) {
    if (weight == 0) continue;
    const double surprise = log_total - core::Log2(static_cast<double>(weight));
    sum += core::Multiply(weight, RoundToInteger(std::max(surprise, 0.0) * 0x1p32));
  }
  return static_cast<double>(static_cast<std::uint64_t>(sum / total)) * 0x1p-32;
}

std::uint64_t Threshold(double p) {
  const double scaled = p * 0x1p53;
  // The sum rounds to an integer, halves to even. It may reach 2^53, whose low bits are 0: so it is subtracted again.
  return static_cast<std::uint64_t>(scaled < 0x1p52 ? (scaled + 0x1p52) - 0x1p52 : scaled);
}

}  // namespace decant::simd
#endif  // HWY_ONCE
