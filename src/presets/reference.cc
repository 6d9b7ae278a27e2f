// Preset `reference`: temperature and stable top-k in double precision, one SplitMix64 draw a token.
//
// Order of events in every call: the logits are checked, then the mode, then the distribution is formed, and only then
// does the generator move.
#include "presets/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/math.h"
#include "core/number_text.h"

namespace decant::presets {
namespace {

using reference::Greedy;
using reference::Mode;
using reference::SampledToken;
using reference::TemperatureTopK;

class CompensatedSum {
 public:
  void Add(double value) {
    const double corrected = value - compensation_;
    const double next = sum_ + corrected;
    compensation_ = (next - sum_) - corrected;
    sum_ = next;
  }
  double sum() const { return sum_; }

 private:
  double sum_ = 0;
  double compensation_ = 0;
};

// A row that is ready to be drawn from.
struct Prepared {
  std::vector<TokenId> ranked;  // the whole vocabulary
  std::size_t keep = 0;         // how many of them are retained
  std::vector<double> probabilities;
};

Result<Prepared> Prepare(std::span<const double> logits, const Mode& mode) {
  DECANT_CHECKED(CheckLogits(logits));
  DECANT_CHECKED(CheckMode(mode, logits.size()));
  Prepared prepared{.ranked = RankOrder(logits), .keep = 1, .probabilities = {}};
  if (const auto* sampling = std::get_if<TemperatureTopK>(&mode)) {
    prepared.keep = sampling->top_k;
    DECANT_TRY(Softmax softmax, SoftmaxOf(logits, std::span<const TokenId>(prepared.ranked).first(prepared.keep),
                                          sampling->temperature));
    prepared.probabilities = std::move(softmax.probabilities);
  } else {
    prepared.probabilities.assign(logits.size(), 0.0);
    prepared.probabilities[prepared.ranked.front()] = 1.0;
  }
  return prepared;
}

SampledToken Draw(const Prepared& prepared, const Mode& mode, reference::SplitMix64& rng) {
  if (std::holds_alternative<Greedy>(mode)) return {.token = prepared.ranked.front(), .draw = {}};
  return SelectByInterval(prepared.probabilities, rng.NextUnit());
}

reference::Distribution Describe(std::span<const double> logits, const Mode& mode, const Prepared& prepared) {
  reference::Distribution distribution{.mode = mode, .candidates = {}, .retained = {}};
  distribution.candidates.resize(logits.size());
  for (std::size_t place = 0; place < prepared.ranked.size(); ++place) {
    const TokenId token = prepared.ranked[place];
    distribution.candidates[token] = {.token = token,
                                      .logit = logits[token],
                                      .rank = place + 1,
                                      .retained = place < prepared.keep,
                                      .probability = prepared.probabilities[token]};
  }
  const std::span<const TokenId> retained = std::span<const TokenId>(prepared.ranked).first(prepared.keep);
  distribution.retained.assign(retained.begin(), retained.end());
  return distribution;
}

}  // namespace

Result<void> CheckVocabulary(std::size_t vocabulary) {
  constexpr std::uint64_t kMost = std::uint64_t{std::numeric_limits<TokenId>::max()} + 1;
  if (vocabulary == 0) {
    return Fail(ErrorCode::kEmptyLogits, "the row has 0 logits; expected at least 1",
                {.subject = "logits", .allowed = "at least 1"});
  }
  if (vocabulary > kMost) {
    return Fail(
        ErrorCode::kVocabularyTooLarge,
        "the vocabulary has " + std::to_string(vocabulary) + " tokens; expected at most " + std::to_string(kMost),
        {.subject = "logits", .allowed = "at most " + std::to_string(kMost)});
  }
  return {};
}

Result<void> CheckLogits(std::span<const double> logits) {
  DECANT_CHECKED(CheckVocabulary(logits.size()));
  for (std::size_t token = 0; token < logits.size(); ++token) {
    if (!std::isfinite(logits[token])) {
      return Fail(ErrorCode::kNonFiniteLogit,
                  "logit of token " + std::to_string(token) + " is " + core::NumberText(logits[token]) +
                      "; expected a finite number",
                  {.subject = "logits", .allowed = "finite numbers"});
    }
  }
  return {};
}

Result<void> CheckTemperature(double temperature) {
  if (std::isfinite(temperature) && temperature > 0) return {};
  return Fail(ErrorCode::kInvalidTemperature,
              "temperature is " + core::NumberText(temperature) + "; expected a finite number above 0",
              {.subject = "temperature",
               .allowed = "a finite number above 0",
               .hint = temperature == 0 ? "greedy choice is a drawer of its own in preset reference" : ""});
}

std::unexpected<Error> InvalidTopK(std::string value, std::size_t vocabulary) {
  const std::string allowed = "1.." + std::to_string(vocabulary);
  return Fail(ErrorCode::kInvalidTopK, "top_k is " + std::move(value) + "; expected " + allowed,
              {.subject = "top_k", .allowed = allowed});
}

Result<void> CheckMode(const Mode& mode, std::size_t vocabulary) {
  const auto* sampling = std::get_if<TemperatureTopK>(&mode);
  if (sampling == nullptr) return {};
  DECANT_CHECKED(CheckTemperature(sampling->temperature));
  if (sampling->top_k == 0 || sampling->top_k > vocabulary) {
    return InvalidTopK(std::to_string(sampling->top_k), vocabulary);
  }
  return {};
}

Result<void> CheckProbabilitySum(double sum) {
  // Written so that NaN fails.
  if (std::abs(sum - 1.0) <= kProbabilitySumTolerance) return {};
  return Fail(ErrorCode::kInvalidProbabilitySum,
              "the probabilities sum to " + core::NumberText(sum) + "; expected 1 within 1e-12",
              {.subject = "logits", .allowed = "a sum of 1 within 1e-12"});
}

std::vector<TokenId> RankOrder(std::span<const double> logits) {
  std::vector<TokenId> ranked(logits.size());
  std::iota(ranked.begin(), ranked.end(), TokenId{0});
  std::sort(ranked.begin(), ranked.end(),
            [logits](TokenId a, TokenId b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  return ranked;
}

double ScaledGap(double logit, double maximum, double temperature) {
  // Below 1 the quotients could overflow where their difference does not; from 1 up the difference could.
  if (temperature < 1.0) return (logit - maximum) / temperature;
  return logit / temperature - maximum / temperature;
}

Result<Softmax> SoftmaxOf(std::span<const double> logits, std::span<const TokenId> retained, double temperature) {
  Softmax softmax{.probabilities = std::vector<double>(logits.size(), 0.0), .weight_sum = 0};
  std::vector<double>& values = softmax.probabilities;
  const double maximum = logits[retained.front()];
  CompensatedSum weight_sum;
  for (const TokenId token : retained) {
    values[token] = token == retained.front() ? 1.0 : core::Exp(ScaledGap(logits[token], maximum, temperature));
    weight_sum.Add(values[token]);
  }
  softmax.weight_sum = weight_sum.sum();
  CompensatedSum probability_sum;
  for (double& value : values) {
    value /= softmax.weight_sum;
    probability_sum.Add(value);
  }
  DECANT_CHECKED(CheckProbabilitySum(probability_sum.sum()));
  return softmax;
}

SampledToken SelectByInterval(std::span<const double> probabilities, double draw) {
  std::size_t last = probabilities.size();
  while (last > 0 && !(probabilities[last - 1] > 0)) --last;
  DECANT_CHECK(last > 0);
  --last;
  double start = 0;
  for (std::size_t token = 0; token < last; ++token) {
    if (!(probabilities[token] > 0)) continue;
    const double end = std::min(start + probabilities[token], 1.0);
    if (draw < end) {
      return {.token = static_cast<TokenId>(token), .draw = draw, .interval_start = start, .interval_end = end};
    }
    start = end;
  }
  return {.token = static_cast<TokenId>(last), .draw = draw, .interval_start = start, .interval_end = 1.0};
}

}  // namespace decant::presets

namespace decant::reference {

std::uint64_t SplitMix64::Next() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

double SplitMix64::NextUnit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

std::vector<TokenId> Distribution::PositiveSupport() const {
  std::vector<TokenId> support;
  for (const Candidate& candidate : candidates) {
    if (candidate.probability > 0) support.push_back(candidate.token);
  }
  return support;
}

double Distribution::ProbabilitySum() const {
  presets::CompensatedSum sum;
  for (const Candidate& candidate : candidates) sum.Add(candidate.probability);
  return sum.sum();
}

Result<Distribution> DistributionOf(std::span<const double> logits, const Mode& mode) {
  const core::FloatingPointGuard guard;
  DECANT_TRY(const presets::Prepared prepared, presets::Prepare(logits, mode));
  return presets::Describe(logits, mode, prepared);
}

Result<SampledToken> SampleNext(std::span<const double> logits, const Mode& mode, SplitMix64& rng) {
  const core::FloatingPointGuard guard;
  DECANT_TRY(const presets::Prepared prepared, presets::Prepare(logits, mode));
  return presets::Draw(prepared, mode, rng);
}

Result<Decision> SampleNextWithTrace(std::span<const double> logits, const Mode& mode, SplitMix64& rng) {
  const core::FloatingPointGuard guard;
  DECANT_TRY(const presets::Prepared prepared, presets::Prepare(logits, mode));
  Distribution distribution = presets::Describe(logits, mode, prepared);
  return Decision{.sampled = presets::Draw(prepared, mode, rng), .distribution = std::move(distribution)};
}

}  // namespace decant::reference
