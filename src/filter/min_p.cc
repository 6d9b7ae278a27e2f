// The best token weighs exactly 2^44, so the test is one shift and one comparison of integers.
#include "filter/min_p.h"

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
  candidates.KeepIf([&](TokenId, float score) { return simd::Weight(simd::Gap(score, max, scale)) << 9 >= threshold; });
}

}  // namespace decant::filter
