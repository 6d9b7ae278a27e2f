// Plain loops over exact integers; only exp2 and log2 are floating point, and their results are rounded to integers.
#include "simd/weigh.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/math.h"
#include "core/wide.h"

namespace decant::simd {
namespace {

constexpr double kSmallestGap = -46;  // 2^44 * 2^-46 is a quarter: rounds to 0

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

float MaxScore(const Candidates& candidates) {
  float max = candidates.score(candidates.ids()[0]);
  for (const TokenId id : candidates.ids()) {
    const float score = candidates.score(id);
    if (score > max) max = score;
  }
  return max;
}

Weights Weigh(const Candidates& candidates) {
  Weights weights{.values = std::vector<std::uint64_t>(candidates.size()), .max = MaxScore(candidates)};
  const double scale = GapScale(candidates.temperature());
  const std::span<const TokenId> ids = candidates.ids();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    weights.values[i] = Weight(Gap(candidates.score(ids[i]), weights.max, scale));
    weights.total += weights.values[i];
  }
  return weights;
}

std::uint64_t TotalWeight(const Candidates& candidates, float max) {
  const double scale = GapScale(candidates.temperature());
  std::uint64_t total = 0;
  for (const TokenId id : candidates.ids()) total += Weight(Gap(candidates.score(id), max, scale));
  return total;
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
  return scaled < 0x1p52 ? RoundToInteger(scaled) : static_cast<std::uint64_t>(scaled);
}

}  // namespace decant::simd
