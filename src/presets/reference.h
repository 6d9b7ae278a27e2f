// The pieces of preset `reference` (decant/reference.h) that its distribution, its sampler and its generation
// (src/decode) share.
//
// Probabilities are held by token id, a removed token at exact zero. The first candidate weighs 1, the others the
// exponential of their scaled gap to it; sums are compensated (Kahan 1965).
#ifndef DECANT_PRESETS_REFERENCE_H_
#define DECANT_PRESETS_REFERENCE_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "decant/error.h"
#include "decant/reference.h"
#include "decant/token.h"

namespace decant::presets {

// How far the stored probabilities may sum from 1.
inline constexpr double kProbabilitySumTolerance = 1e-12;

// kEmptyLogits, kVocabularyTooLarge, kNonFiniteLogit (NaN and both infinities; names the token and the value).
Result<void> CheckVocabulary(std::size_t vocabulary);
Result<void> CheckLogits(std::span<const double> logits);
Result<void> CheckTemperature(double temperature);  // kInvalidTemperature unless finite and above 0
Result<void> CheckProbabilitySum(double sum);       // kInvalidProbabilitySum
Result<void> CheckMode(const reference::Mode& mode, std::size_t vocabulary);
std::unexpected<Error> InvalidTopK(std::string value, std::size_t vocabulary);

// Every id, logit descending and then id ascending. REQUIRES: finite logits.
std::vector<TokenId> RankOrder(std::span<const double> logits);

// (logit - maximum) / temperature, in the order of operations that does not overflow early at either end.
double ScaledGap(double logit, double maximum, double temperature);

struct Softmax {
  std::vector<double> probabilities;  // by token id, the whole vocabulary; 0 for removed tokens
  double weight_sum = 0;              // of the candidates, the first weighing 1
};
// REQUIRES: retained is a prefix, not empty, of RankOrder(logits); a valid temperature.
Result<Softmax> SoftmaxOf(std::span<const double> logits, std::span<const TokenId> retained, double temperature);

// The token whose half-open interval holds the draw. Intervals lie side by side in ascending id order over the positive
// probabilities; the last of them ends at 1. REQUIRES: some probability is positive; draw in [0, 1).
reference::SampledToken SelectByInterval(std::span<const double> probabilities, double draw);

}  // namespace decant::presets

#endif  // DECANT_PRESETS_REFERENCE_H_
