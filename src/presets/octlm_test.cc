// The distribution against a plain twin in f64, on every small row, and the boundary rules by hand.
#include "presets/octlm.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/math.h"

namespace decant::presets {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr float kBanned = -std::numeric_limits<float>::infinity();

OctlmDistribution Of(const std::vector<float>& logits, const OctlmSettings& settings) {
  auto distribution = OctlmDistributionOf(logits, settings);
  EXPECT_TRUE(distribution.has_value()) << distribution.error().message;
  return distribution.value_or(OctlmDistribution{});
}

double EntropyBits(const std::vector<float>& probabilities) {
  double bits = 0;
  for (const float p : probabilities) {
    if (p > 0) bits -= static_cast<double>(p) * core::Log2(static_cast<double>(p));
  }
  return bits;
}

// The definition, token by token, in f64. REQUIRES: at most 16 tokens (equal ones then stand by ascending id).
std::vector<double> Twin(const std::vector<float>& logits, const OctlmSettings& settings) {
  const auto larger = [&](std::size_t token) {
    return std::ranges::count_if(logits, [&](float other) { return other > logits[token]; });
  };
  std::vector<double> p(logits.size(), 0.0);
  const float best = *std::ranges::max_element(logits);
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (logits[i] == kBanned || (settings.top_k > 0 && larger(i) >= settings.top_k)) continue;
    p[i] = core::Exp(static_cast<double>(logits[i] - best) / settings.temperature);
  }
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= total;
  if (settings.top_p >= 1) return p;
  const std::vector<double> all = p;
  for (std::size_t i = 0; i < p.size(); ++i) {
    double before = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      if (all[j] > all[i] || (all[j] == all[i] && j < i)) before += all[j];
    }
    if (before >= settings.top_p) p[i] = 0;
  }
  const double kept = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= kept;
  return p;
}

TEST(OctlmTest, EverySmallRowAgreesWithThePlainTwin) {
  const float kValues[] = {kBanned, 0, 1, 2.5F};
  for (std::size_t vocabulary = 1; vocabulary <= 5; ++vocabulary) {
    const auto rows = static_cast<std::size_t>(1) << (2 * vocabulary);
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<float> logits;
      for (std::size_t i = 0; i < vocabulary; ++i) logits.push_back(kValues[row >> (2 * i) & 3]);
      if (std::ranges::all_of(logits, [](float logit) { return logit == kBanned; })) continue;
      for (const double temperature : {0.25, 1.0, 3.0}) {
        for (const std::int64_t top_k : {0, 1, 2, 7}) {
          for (const double top_p : {1.0, 0.83, 0.47, 0.01}) {
            const OctlmSettings settings{.temperature = temperature, .top_k = top_k, .top_p = top_p};
            const std::vector<double> expected = Twin(logits, settings);
            const OctlmDistribution found = Of(logits, settings);
            for (std::size_t i = 0; i < vocabulary; ++i) {
              ASSERT_NEAR(static_cast<double>(found.probabilities[i]), expected[i], 1e-6)
                  << "row " << row << " of " << vocabulary << ", temperature " << temperature << ", top_k " << top_k
                  << ", top_p " << top_p;
            }
          }
        }
      }
    }
  }
}

// Eight tokens: the story of temperature and top-k.
const std::vector<float> kEight = {3.5F, 2.75F, 2.5F, 1.0F, 0.5F, 0.0F, -0.5F, -1.5F};

TEST(OctlmTest, ALowTemperatureSharpensAndAHighOneFlattens) {
  const OctlmDistribution cold = Of(kEight, {.temperature = 0.5});
  const OctlmDistribution plain = Of(kEight, {});
  const OctlmDistribution warm = Of(kEight, {.temperature = 1.5});
  const OctlmDistribution hot = Of(kEight, {.temperature = 1000});
  EXPECT_GT(cold.probabilities[0], 0.7F);
  EXPECT_LT(cold.probabilities[7], 0.0001F);
  EXPECT_GT(warm.probabilities[7], 0.01F);
  EXPECT_LT(EntropyBits(cold.probabilities), EntropyBits(plain.probabilities));
  EXPECT_LT(EntropyBits(plain.probabilities), EntropyBits(warm.probabilities));
  EXPECT_NEAR(EntropyBits(hot.probabilities), 3, 1e-4);
}

TEST(OctlmTest, TopThreeZeroesFiveTokensWhateverTheTemperature) {
  for (const double temperature : {0.5, 1.0, 1.5, 100.0}) {
    const OctlmDistribution kept = Of(kEight, {.temperature = temperature, .top_k = 3});
    EXPECT_THAT(kept.kept, ElementsAre(0, 1, 2));
    EXPECT_EQ(std::ranges::count(kept.probabilities, 0.0F), 5);
    EXPECT_NEAR(std::accumulate(kept.probabilities.begin(), kept.probabilities.end(), 0.0), 1, 1e-6);
  }
}

TEST(OctlmTest, TemperatureNeverRemovesAToken) {
  EXPECT_EQ(std::ranges::count(Of(kEight, {.temperature = 0.5}).probabilities, 0.0F), 0);
}

TEST(OctlmTest, TopKKeepsEveryTieOfTheKthLogit) {
  EXPECT_THAT(Of({1, 3, 3, 3}, {.top_k = 2}).kept, ElementsAre(1, 2, 3));
  EXPECT_THAT(Of({1, 3, 2, 1}, {.top_k = 3}).kept, ElementsAre(0, 1, 2, 3));
}

TEST(OctlmTest, TopKAboveTheVocabularyKeepsAll) {
  EXPECT_THAT(Of({1, 3, 2}, {.top_k = 100}).kept, ElementsAre(0, 1, 2));
  EXPECT_THAT(Of({kBanned, 3, 2}, {.top_k = 3}).kept, ElementsAre(1, 2));
}

TEST(OctlmTest, TopPKeepsTheTokenThatCrossesTheMassAndStopsAtAnExactHit) {
  const std::vector<float> even = {0, 0, 0, 0};
  EXPECT_THAT(Of(even, {.top_p = 0.5}).kept, ElementsAre(0, 1));
  EXPECT_THAT(Of(even, {.top_p = 0.51}).kept, ElementsAre(0, 1, 2));
  EXPECT_THAT(Of(even, {.top_p = 0.5}).probabilities, ElementsAre(0.5F, 0.5F, 0.0F, 0.0F));
  EXPECT_THAT(Of({0, 5, 1}, {.top_p = 1e-9}).kept, ElementsAre(1));
}

TEST(OctlmTest, TopPLeavesTheTokensInItsSortedOrder) {
  EXPECT_THAT(Of({0, 2, 1}, {.top_p = 0.99}).kept, ElementsAre(1, 2, 0));
}

TEST(OctlmTest, TopPIsMeasuredAfterTheTemperature) {
  const std::vector<float> logits = {4, 3, 1, 0};
  EXPECT_THAT(Of(logits, {.temperature = 0.5, .top_p = 0.85}).kept, ElementsAre(0));
  EXPECT_THAT(Of(logits, {.temperature = 2, .top_p = 0.85}).kept, ElementsAre(0, 1, 2));
}

TEST(OctlmTest, ARetainedTokenMayHaveProbabilityZero) {
  const OctlmDistribution far = Of({0, -200}, {});
  EXPECT_THAT(far.kept, ElementsAre(0, 1));
  EXPECT_THAT(far.probabilities, ElementsAre(1.0F, 0.0F));
}

TEST(OctlmTest, SumsInSixteenLanesAndThenByHalves) {
  EXPECT_EQ(TorchLaneSum(std::vector<float>{0x1p24F, 1, 1}), 0x1p24F);  // one after the other
  std::vector<float> values(16, 0.0F);
  values[0] = 0x1p24F;
  values[8] = 1;  // lane 8 joins lane 0 first
  values[1] = 1;
  EXPECT_EQ(TorchLaneSum(values), 0x1p24F);
  values[8] = 0;
  values[9] = 1;  // lanes 1 and 9 make 2 before they join
  EXPECT_EQ(TorchLaneSum(values), 0x1p24F + 2);
  values.insert(values.end(), {0, 0, 3});
  EXPECT_EQ(TorchLaneSum(values), 0x1p24F + 6);  // lane 2 first: 2^24 + 3 rounds to 2^24 + 4, and lane 1 adds 2
}

TEST(OctlmTest, RefusesSettingsOutOfRange) {
  const struct {
    OctlmSettings settings;
    ErrorCode code;
    const char* text;
  } kRefusals[] = {
      {{.temperature = -1}, ErrorCode::kInvalidTemperature, "temperature is -1; expected 0 (greedy)"},
      {{.temperature = 1e-60}, ErrorCode::kInvalidTemperature, "temperature is 1e-60; expected 0 (greedy)"},
      {{.temperature = 1e60}, ErrorCode::kInvalidTemperature, "temperature is 1e+60"},
      {{.temperature = std::numeric_limits<double>::quiet_NaN()}, ErrorCode::kInvalidTemperature, "NaN"},
      {{.top_k = -1}, ErrorCode::kInvalidTopK, "top_k is -1; expected 0 (off) or 1.."},
      {{.top_p = 0}, ErrorCode::kOutOfRange, "top_p is 0; expected a number above 0"},
      {{.top_p = -0.5}, ErrorCode::kOutOfRange, "top_p is -0.5"},
      {{.top_p = 1e-60}, ErrorCode::kOutOfRange, "top_p is 1e-60"},
      {{.top_p = std::numeric_limits<double>::quiet_NaN()}, ErrorCode::kOutOfRange, "NaN"},
  };
  for (const auto& refusal : kRefusals) {
    const auto checked = CheckOctlmSettings(refusal.settings);
    ASSERT_FALSE(checked.has_value()) << refusal.text;
    EXPECT_EQ(checked.error().code, refusal.code) << checked.error().message;
    EXPECT_THAT(checked.error().message, HasSubstr(refusal.text));
  }
  EXPECT_TRUE(CheckOctlmSettings({.temperature = 0, .top_k = 0, .top_p = 7}).has_value());
}

TEST(OctlmTest, RefusesRowsThatTorchCannotDrawFrom) {
  EXPECT_EQ(OctlmDistributionOf(std::vector<float>{kBanned, kBanned}, {}).error().code, ErrorCode::kEmptySupport);
  const auto high = OctlmDistributionOf(std::vector<float>{1, 2}, {.temperature = 1e-39});
  EXPECT_EQ(high.error().code, ErrorCode::kInvalidTemperature);
  EXPECT_THAT(high.error().message, HasSubstr("the logit of token 0 divided by it is infinite in f32"));
  const auto low = OctlmDistributionOf(std::vector<float>{-1, -2}, {.temperature = 1e-39});
  EXPECT_EQ(low.error().code, ErrorCode::kInvalidTemperature);
}

}  // namespace
}  // namespace decant::presets
