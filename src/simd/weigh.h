// Integer weights: what turns scores into probabilities without a rounding order (docs/determinism.md, "Weights").
//
// w = RN(2^44 * 2^gap), gap = (score - max) * log2(e) / T. Sums of integers have no order, so every total, prefix and
// cut is exact however the row is split.
#ifndef DECANT_SIMD_WEIGH_H_
#define DECANT_SIMD_WEIGH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "decant/candidates.h"
#include "decant/token.h"

namespace decant::simd {

inline constexpr int kWeightBits = 44;
inline constexpr std::size_t kMaxVocabulary = std::size_t{1} << 19;  // keeps sums within 63 bits

// RN(log2(e) / T), DBL_MAX where that overflows. REQUIRES: temperature >= DBL_MIN.
double GapScale(double temperature);
// (f64(score) - f64(max)) * scale. REQUIRES: both finite.
inline double Gap(float score, float max, double scale) {
  return (static_cast<double>(score) - static_cast<double>(max)) * scale;
}
// RN(2^44 * 2^gap); 0 for gap < -46. REQUIRES: gap <= 0 or -inf.
std::uint64_t Weight(double gap);

// The weights of many scores at once, the same bits as Weight(Gap(score, max, scale)) one by one; returns their sum.
// -inf weighs 0. `out` holds scores.size() or is null for the sum alone. REQUIRES: no score above max.
std::uint64_t WeighScores(std::span<const float> scores, float max, double scale, std::uint64_t* out);

// The largest of the scores. REQUIRES: not empty, not NaN.
float MaxScore(std::span<const float> scores);

// The candidates' weights, aligned with ids(), and their sum.
struct Weights {
  std::vector<std::uint64_t> values;
  std::uint64_t total = 0;
  float max = 0;
};
void Weigh(const Candidates& candidates, Weights& out);  // reuses out's memory
// The sum alone.
std::uint64_t TotalWeight(const Candidates& candidates, float max);

// The entropy of integer weights: floor(sum w*s / total) * 2^-32 bits, s = RN(2^32 * (log2 total - log2 w)), zero
// weights taking no part. REQUIRES: total = sum of weights > 0.
double EntropyBits(std::span<const std::uint64_t> weights, std::uint64_t total);

// RN(p * 2^53): a probability as filters compare it. REQUIRES: 0 <= p <= 1.
std::uint64_t Threshold(double p);

}  // namespace decant::simd

#endif  // DECANT_SIMD_WEIGH_H_
