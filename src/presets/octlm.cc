// Each step is one function; masked tokens are -inf before the softmax and 0 after it.
#include "presets/octlm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/math.h"
#include "core/number_text.h"

namespace decant::presets {
namespace {

constexpr float kBanned = -std::numeric_limits<float>::infinity();
constexpr std::size_t kLanes = 16;

// Values below the k-th largest are masked; whatever equals it stays.
void MaskBelowTopK(std::vector<float>& logits, std::int64_t k) {
  if (static_cast<std::uint64_t>(k) >= logits.size()) return;
  std::vector<float> sorted = logits;
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(sorted.begin(), place, sorted.end(), std::greater());
  const float cutoff = *place;
  for (float& logit : logits) {
    if (logit < cutoff) logit = kBanned;
  }
}

Result<void> DivideByTemperature(std::vector<float>& logits, double temperature) {
  const auto divisor = static_cast<float>(temperature);
  for (std::size_t token = 0; token < logits.size(); ++token) {
    logits[token] /= divisor;
    if (logits[token] <= std::numeric_limits<float>::max()) continue;
    return Fail(ErrorCode::kInvalidTemperature,
                "temperature is " + core::NumberText(temperature) + "; the logit of token " + std::to_string(token) +
                    " divided by it is infinite in f32",
                {.subject = "temperature", .hint = "temperature 0 is greedy"});
  }
  return {};
}

// PyTorch multiplies by the reciprocal of the sum.
std::vector<float> SoftmaxOfRow(std::span<const float> logits) {
  const float maximum = *std::ranges::max_element(logits);
  std::vector<float> values(logits.size());
  std::ranges::transform(logits, values.begin(), [maximum](float logit) { return core::Exp32(logit - maximum); });
  const float reciprocal = 1.0F / TorchLaneSum(values);
  for (float& value : values) value *= reciprocal;
  return values;
}

struct Place {
  float probability;
  TokenId token;
};

// torch.sort(descending=True) leaves equal values where libstdc++'s std::sort does; with another standard library
// they stand by ascending id.
void SortDescending(std::vector<Place>& places) {
  const auto before = [](const Place& a, const Place& b) { return a.probability > b.probability; };
#ifdef __GLIBCXX__
  std::sort(places.begin(), places.end(), before);
#else
  std::stable_sort(places.begin(), places.end(), before);
#endif
}

void ApplyTopP(OctlmDistribution& distribution, double top_p) {
  std::vector<float>& probabilities = distribution.probabilities;
  std::vector<Place> places(probabilities.size());
  for (std::size_t token = 0; token < places.size(); ++token) {
    places[token] = {.probability = probabilities[token], .token = static_cast<TokenId>(token)};
  }
  SortDescending(places);
  const auto bound = static_cast<float>(top_p);
  double mass = 0;
  double kept_mass = 0;
  distribution.kept.clear();
  for (const Place& place : places) {
    mass += static_cast<double>(place.probability);
    const bool masked = static_cast<float>(mass) - place.probability >= bound;
    if (masked || !(place.probability > 0)) {
      probabilities[place.token] = 0;
      continue;
    }
    distribution.kept.push_back(place.token);
    kept_mass += static_cast<double>(place.probability);
  }
  const auto sum = static_cast<float>(kept_mass);
  for (const TokenId token : distribution.kept) probabilities[token] /= sum;
}

}  // namespace

Result<void> CheckOctlmSettings(const OctlmSettings& settings) {
  const auto narrow = static_cast<float>(settings.temperature);
  const bool in_f32 = settings.temperature == 0 || (narrow > 0 && std::isfinite(narrow));
  if (!(settings.temperature >= 0 && in_f32)) {
    return Fail(ErrorCode::kInvalidTemperature,
                "temperature is " + core::NumberText(settings.temperature) +
                    "; expected 0 (greedy) or a number that is finite and above 0 in f32",
                {.subject = "temperature", .allowed = "0 (greedy) or finite and above 0 in f32"});
  }
  if (settings.top_k < 0) {
    return Fail(ErrorCode::kInvalidTopK, "top_k is " + std::to_string(settings.top_k) + "; expected 0 (off) or 1..",
                {.subject = "top_k", .allowed = "0 (off) or 1.."});
  }
  if (!(static_cast<float>(settings.top_p) > 0)) {
    return Fail(
        ErrorCode::kOutOfRange,
        "top_p is " + core::NumberText(settings.top_p) + "; expected a number above 0 in f32 (1 and above is off)",
        {.subject = "top_p", .allowed = "above 0 in f32; 1 and above is off"});
  }
  return {};
}

float TorchLaneSum(std::span<const float> values) {
  DECANT_DCHECK(!values.empty());
  if (values.size() < kLanes) {
    float sum = values[0];
    for (const float value : values.subspan(1)) sum += value;
    return sum;
  }
  std::array<float, kLanes> lanes;
  std::copy_n(values.begin(), kLanes, lanes.begin());
  for (std::size_t i = kLanes; i < values.size(); ++i) lanes[i % kLanes] += values[i];
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

Result<OctlmDistribution> OctlmDistributionOf(std::span<const float> logits, const OctlmSettings& settings) {
  DECANT_DCHECK(!settings.greedy() && !logits.empty());
  std::vector<float> row(logits.begin(), logits.end());
  if (settings.has_top_k()) MaskBelowTopK(row, settings.top_k);
  OctlmDistribution distribution;
  for (std::size_t token = 0; token < row.size(); ++token) {
    if (row[token] != kBanned) distribution.after_top_k.push_back(static_cast<TokenId>(token));
  }
  if (distribution.after_top_k.empty()) {
    return Fail(ErrorCode::kEmptySupport, "every token is banned; none can be chosen",
                {.subject = "logits", .allowed = "at least one token that is not -Infinity"});
  }
  DECANT_CHECKED(DivideByTemperature(row, settings.temperature));
  if (*std::ranges::max_element(row) == kBanned) {
    return Fail(
        ErrorCode::kInvalidTemperature,
        "temperature is " + core::NumberText(settings.temperature) + "; every logit divided by it is -Infinity in f32",
        {.subject = "temperature", .hint = "temperature 0 is greedy"});
  }
  distribution.before_top_p = SoftmaxOfRow(row);
  distribution.probabilities = distribution.before_top_p;
  distribution.kept = distribution.after_top_k;
  if (settings.has_top_p()) ApplyTopP(distribution, settings.top_p);
  return distribution;
}

}  // namespace decant::presets
