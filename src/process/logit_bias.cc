// Sums are formed in f64 and rounded once; one that leaves the floats is an error, never a silent ban.
#include "process/logit_bias.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/number_text.h"

namespace decant::process {

Result<void> ValidateLogitBias(const LogitBiasParams& params, std::size_t vocabulary) {
  std::vector<TokenId> seen;
  seen.reserve(params.biases.size());
  for (const TokenBias& entry : params.biases) {
    if (std::isnan(entry.bias) || (std::isinf(entry.bias) && entry.bias > 0)) {
      return Fail(ErrorCode::kOutOfRange,
                  "logit_bias of token " + std::to_string(entry.token) + " is " +
                      (std::isnan(entry.bias) ? "NaN" : "Infinity") + "; expected a finite number or -Infinity (a ban)",
                  {.subject = "logit_bias", .allowed = "a finite number or -Infinity"});
    }
    seen.push_back(entry.token);
  }
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice != seen.end()) {
    return Fail(ErrorCode::kConflict, "logit_bias names token " + std::to_string(*twice) + " twice",
                {.subject = "logit_bias", .allowed = "each token once"});
  }
  for (const TokenBias& entry : params.biases) {
    if (entry.token >= vocabulary) {
      return Fail(ErrorCode::kTokenOutOfRange,
                  "logit_bias names token " + std::to_string(entry.token) + "; the vocabulary has tokens 0 to " +
                      std::to_string(vocabulary - 1),
                  {.subject = "logit_bias", .allowed = "0.." + std::to_string(vocabulary - 1)});
    }
  }
  return {};
}

Result<void> ApplyLogitBias(const LogitBiasParams& params, RowScores& scores) {
  for (const TokenBias& entry : params.biases) {
    float& score = scores.Edit(entry.token);
    if (std::isinf(score)) continue;
    const float sum = static_cast<float>(static_cast<double>(score) + entry.bias);
    if (std::isinf(sum) && !std::isinf(entry.bias)) {
      return Fail(ErrorCode::kNonFiniteLogit,
                  "logit of token " + std::to_string(entry.token) + " plus its bias " + core::ShortestText(entry.bias) +
                      " leaves the 32-bit floats",
                  {.subject = "logit_bias", .allowed = "a sum within +-3.4028235e38"});
    }
    score = sum;
  }
  return {};
}

}  // namespace decant::process
