// Selection stops at k: nothing behind it is sorted.
#include "filter/top_k.h"

#include <string>

namespace decant::filter {

Result<void> ValidateTopK(const TopKParams& params) {
  if (params.k >= -1) return {};
  return Fail(ErrorCode::kInvalidTopK,
              "top_k is " + std::to_string(params.k) + "; expected an integer of at least 1, or 0 or -1 (off)",
              {.subject = "top_k", .allowed = "1.. (0 or -1 = off)"});
}

bool IsOff(const TopKParams& params) { return params.k <= 0; }

void ApplyTopK(const TopKParams& params, Candidates& candidates) {
  const auto k = static_cast<std::uint64_t>(params.k);
  if (k >= candidates.size()) return;
  candidates.KeepBest(static_cast<std::size_t>(k));
}

}  // namespace decant::filter
