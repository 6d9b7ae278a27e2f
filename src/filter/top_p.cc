// Sorting starts shallow and goes deeper only until the mass is found: a nucleus is usually small.
#include "filter/top_p.h"

#include <algorithm>
#include <string>

#include "core/number_text.h"
#include "core/wide.h"
#include "simd/weigh.h"

namespace decant::filter {
namespace {

// Sorting goes this deep first, then four times deeper, until the prefix is found: a nucleus is usually small.
constexpr std::size_t kFirstDepth = 256;

}  // namespace

Result<void> ValidateTopP(const TopPParams& params) {
  if (params.p > 0 && params.p <= 1) return {};
  return Fail(ErrorCode::kOutOfRange, "top_p is " + core::NumberText(params.p) + "; expected a number in (0, 1]",
              {.subject = "top_p", .allowed = "(0, 1]", .hint = params.p == 0 ? "use temperature 0 for greedy" : ""});
}

bool IsOff(const TopPParams& params) { return params.p == 1; }

void ApplyTopP(const TopPParams& params, Candidates& candidates) {
  const float max = simd::MaxScore(candidates.scores());
  const double scale = simd::GapScale(candidates.temperature());
  const core::Uint128 needed =
      core::Multiply(simd::Threshold(params.p), simd::TotalWeight(candidates, max));  // S * 2^53 >= P * Z
  std::uint64_t sum = 0;
  std::size_t count = 0;
  for (std::size_t depth = std::min(kFirstDepth, candidates.size());; depth = std::min(depth * 4, candidates.size())) {
    const std::span<const std::uint64_t> best = candidates.BestKeys(depth);
    for (; count < depth; ++count) {
      sum += simd::Weight(simd::Gap(ScoreOfKey(best[count]), max, scale));
      if ((core::Uint128{sum} << 53) >= needed) return candidates.KeepBest(count + 1);
    }
    // At full depth sum is Z and P <= 2^53: the test above has held.
  }
}

}  // namespace decant::filter
