// Probabilities of a text's tokens, summed up: two plain passes in the order of the text.
#include <algorithm>

#include "core/math.h"
#include "decant/measure.h"

namespace decant {

SurpriseSummary SummarizeSurprise(std::span<const double> log_probabilities) {
  SurpriseSummary summary{.tokens = log_probabilities.size()};
  if (log_probabilities.empty()) return summary;
  const auto count = static_cast<double>(log_probabilities.size());
  std::vector<double> probabilities;
  for (const double log_probability : log_probabilities) {
    probabilities.push_back(core::Exp(log_probability));
    summary.mean_probability += probabilities.back();
    summary.mean_surprise_bits -= log_probability * core::kLog2E;
  }
  summary.mean_probability /= count;
  summary.mean_surprise_bits /= count;
  for (const double p : probabilities) {
    summary.probability_variance += (p - summary.mean_probability) * (p - summary.mean_probability);
  }
  summary.probability_variance /= count;
  const auto unlikely = std::ranges::count_if(probabilities, [](double p) { return p < kUnlikely; });
  summary.unlikely_share = static_cast<double>(unlikely) / count;
  return summary;
}

}  // namespace decant
