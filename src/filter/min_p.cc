// The best token weighs exactly 2^44, so the test is one shift and one comparison of integers.
#include "filter/min_p.h"

#include <algorithm>
#include <string>

#include "core/number_text.h"
#include "simd/weigh.h"

namespace decant::filter {

Result<void> ValidateMinP(const MinPParams& params) {
  if (params.p >= 0 && params.p <= 1) return {};
  return Fail(ErrorCode::kOutOfRange, "min_p is " + core::NumberText(params.p) + "; expected a number in [0, 1]",
              {.subject = "min_p", .allowed = "[0, 1] (0 = off)"});
}

bool IsOff(const MinPParams& params) { return params.p == 0; }

void ApplyMinP(const MinPParams& params, Candidates& candidates) {
  const std::uint64_t threshold = simd::Threshold(params.p);
  const float max = simd::MaxScore(candidates.scores());
  const double scale = simd::GapScale(candidates.temperature());
  // A chunk ahead of what is tested: keeping never writes behind the place it reads.
  constexpr std::size_t kChunk = 256;
  std::uint64_t weights[kChunk];
  std::size_t i = 0;
  candidates.KeepIf([&](TokenId, float) {
    if (i % kChunk == 0) {
      const std::size_t size = std::min(kChunk, candidates.size() - i);
      simd::WeighScores(candidates.scores().subspan(i, size), max, scale, weights);
    }
    return weights[i++ % kChunk] << 9 >= threshold;
  });
}

}  // namespace decant::filter
