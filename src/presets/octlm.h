// The arithmetic of preset `octlm`: the sampling distribution of a small PyTorch decoder, f32 operation by operation.
//
// top_k masks what is below the k-th largest logit (equal ones all stay), the rest is divided by the temperature, a
// softmax makes probabilities, and top_p zeroes every token before which at least top_p of the mass lies. The order
// of the steps is fixed. docs/octlm-preset.md says which operations are PyTorch's to the bit and which are not.
#ifndef DECANT_PRESETS_OCTLM_H_
#define DECANT_PRESETS_OCTLM_H_

#include <cstdint>
#include <span>
#include <vector>

#include "decant/error.h"
#include "decant/token.h"

namespace decant::presets {

struct OctlmSettings {
  double temperature = 1;  // 0 (greedy), or finite, > 0 and so in f32
  std::int64_t top_k = 0;  // 0 is off; above the vocabulary, all
  double top_p = 1;        // > 0 and so in f32; 1 and above is off
  bool greedy() const { return temperature == 0; }
  bool has_top_k() const { return top_k > 0; }
  bool has_top_p() const { return top_p < 1; }
};

// kInvalidTemperature, kInvalidTopK, kOutOfRange (top_p).
Result<void> CheckOctlmSettings(const OctlmSettings& settings);

struct OctlmDistribution {
  std::vector<TokenId> after_top_k;  // not banned and not masked, id ascending
  std::vector<float> before_top_p;   // the softmax, by token id
  std::vector<float> probabilities;  // what is drawn from, by token id
  std::vector<TokenId> kept;         // as the last filter left them: id ascending, or after top_p its sorted order
};

// Without randomness. Errors: kEmptySupport when every token is banned, kInvalidTemperature when a quotient is
// infinite in f32. REQUIRES: checked settings that are not greedy; at least one logit; no NaN and no +inf.
Result<OctlmDistribution> OctlmDistributionOf(std::span<const float> logits, const OctlmSettings& settings);

// Rows of f32 as torch.softmax adds them along the last axis: 16 partial sums, then their halves pairwise. Fewer than
// 16 values are added one by one. REQUIRES: at least one value.
float TorchLaneSum(std::span<const float> values);

}  // namespace decant::presets

#endif  // DECANT_PRESETS_OCTLM_H_
