// The native sampler equals its plain twin, record for record and bit for bit: on every small vocabulary with small
// integer logits (all ties) under every combination of stages, and on large random rows.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "decant/sampler.h"
#include "twin/sampler.h"

namespace decant {
namespace {

constexpr float kBanned = -std::numeric_limits<float>::infinity();

std::string Describe(const Chain& chain) {
  std::string text;
  for (const StageSpec& stage : chain) text += std::string(NameOf(stage.id)) + " ";
  return text;
}

::testing::AssertionResult Same(const Sampler& sampler, const twin::StepInput& input) {
  const auto state_of = [&input] {
    return SamplerState({.seed = input.address.seed,
                         .sequence = input.address.sequence,
                         .prompt = input.prompt,
                         .output = input.output});
  };
  SamplerState state = state_of(), other = state_of();
  StepRecord record;
  RowView row = RowView::F32(input.logits);
  row.mask = input.mask;
  row.structural = input.structural;
  const auto fast = sampler.Sample(row, state, &record);
  const auto bare = sampler.Sample(row, other, nullptr);
  const auto twin = twin::Sample(sampler.chain(), input);
  if (fast.has_value() != twin.has_value()) {
    return ::testing::AssertionFailure() << "one fails: " << (fast ? twin.error().message : fast.error().message)
                                         << ", chain " << Describe(sampler.chain());
  }
  if (!fast) {
    if (fast.error().code != twin.error().code) return ::testing::AssertionFailure() << "other errors";
    return ::testing::AssertionSuccess();
  }
  if (*bare != *fast) return ::testing::AssertionFailure() << "the choice depends on whether a record is asked for";
  if (record != *twin) {
    return ::testing::AssertionFailure() << "records differ: token " << record.choice.token << " and "
                                         << twin->choice.token << ", chain " << Describe(sampler.chain());
  }
  return ::testing::AssertionSuccess();
}

// A prompt of zeros: what a position stands for where the tokens do not matter.
std::vector<TokenId> Tokens(std::size_t count) { return std::vector<TokenId>(count, 0); }

// Every combination of the stages, each absent or at one of a few values, in the default order; the drawers; and some
// other orders.
std::vector<Chain> EveryChain() {
  const std::vector<Chain> biases = {{},
                                     {{StageId::kLogitBias, LogitBiasParams{{{0, 1.0}, {1, -1.0}}}}},
                                     {{StageId::kLogitBias, LogitBiasParams{{{0, -INFINITY}}}}}};
  const std::vector<double> temperatures = {1, 0.5, 3, 0};
  const std::vector<std::int64_t> ks = {0, 1, 2, 7};
  const std::vector<double> ps = {1, 0.5, 0.9};
  const std::vector<double> min_ps = {0, 0.3, 1};
  std::vector<Chain> chains;
  for (const Chain& bias : biases) {
    for (const double t : temperatures) {
      for (const std::int64_t k : ks) {
        for (const double p : ps) {
          for (const double m : min_ps) {
            for (const bool greedy : {false, true}) {
              Chain chain = bias;
              chain.push_back({StageId::kTemperature, TemperatureParams{t}});
              chain.push_back({StageId::kTopK, TopKParams{k}});
              chain.push_back({StageId::kTopP, TopPParams{p}});
              chain.push_back({StageId::kMinP, MinPParams{m}});
              if (greedy) chain.push_back({StageId::kGreedy, {}});
              chains.push_back(chain);
              if (!greedy && k == 2) {  // filters before the processors
                chains.push_back({chain.rbegin(), chain.rend()});
              }
            }
          }
        }
      }
    }
  }
  return chains;
}

bool FitsVocabulary(const Chain& chain, std::size_t vocabulary) {
  for (const StageSpec& stage : chain) {
    if (const auto* bias = std::get_if<LogitBiasParams>(&stage.params)) {
      for (const TokenBias& b : bias->biases) {
        if (b.token >= vocabulary) return false;
      }
    }
  }
  return true;
}

TEST(SamplerAgreementTest, EverySmallVocabularyUnderEveryChain) {
  const float values[] = {kBanned, 0.0f, 1.0f, 2.0f};
  const std::vector<Chain> chains = EveryChain();
  std::uint64_t compared = 0;
  for (std::size_t vocabulary = 1; vocabulary <= 5; ++vocabulary) {
    std::size_t rows = 1;
    for (std::size_t i = 0; i < vocabulary; ++i) rows *= std::size(values);
    for (const Chain& chain : chains) {
      if (!FitsVocabulary(chain, vocabulary)) continue;
      const auto sampler = MakeSampler(chain, vocabulary, {});
      ASSERT_TRUE(sampler.has_value()) << sampler.error().message;
      for (std::size_t row = 0; row < rows; ++row) {
        std::vector<float> logits;
        for (std::size_t i = 0, rest = row; i < vocabulary; ++i, rest /= std::size(values)) {
          logits.push_back(values[rest % std::size(values)]);
        }
        const auto prompt = Tokens(vocabulary);
        ASSERT_TRUE(
            Same(**sampler, {.logits = logits, .prompt = prompt, .address = {.seed = row, .position = vocabulary}}))
            << "row " << row;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1'000'000u);
}

TEST(SamplerAgreementTest, EveryMaskOfASmallVocabulary) {
  const std::vector<float> logits = {1, 2, 2, 0, 1};
  for (const Chain& chain : EveryChain()) {
    const auto sampler = MakeSampler(chain, logits.size(), {});
    ASSERT_TRUE(sampler.has_value());
    for (std::uint32_t mask = 0; mask < 32; ++mask) {
      ASSERT_TRUE(Same(**sampler, {.logits = logits, .mask = &mask, .address = {.seed = mask}})) << "mask " << mask;
    }
  }
}

TEST(SamplerAgreementTest, LargeRandomRows) {
  std::mt19937_64 engine(1);  // numerics: test data only
  const auto uniform = [&engine] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
  constexpr int kRows = 100'000;
  for (int i = 0; i < kRows; ++i) {
    const std::size_t vocabulary = 1 + engine() % (i % 1000 == 0 ? 50'000 : 200);
    std::vector<float> logits(vocabulary);
    const double spread = std::exp2(uniform() * 8 - 2);
    for (float& logit : logits) {
      logit = static_cast<float>((uniform() + uniform() + uniform() - 1.5) * spread);
      if (i % 3 == 0) logit = std::round(logit);
      if (i % 5 == 0 && uniform() < 0.2) logit = kBanned;
    }
    Chain chain;
    if (uniform() < 0.3) {
      chain.push_back(
          {StageId::kLogitBias, LogitBiasParams{{{static_cast<TokenId>(engine() % vocabulary), uniform() * 4}}}});
    }
    if (uniform() < 0.8) chain.push_back({StageId::kTemperature, TemperatureParams{std::exp2(uniform() * 8 - 4)}});
    if (uniform() < 0.5) chain.push_back({StageId::kTopK, TopKParams{static_cast<std::int64_t>(engine() % 100)}});
    if (uniform() < 0.5) chain.push_back({StageId::kTopP, TopPParams{1 - uniform()}});
    if (uniform() < 0.5) chain.push_back({StageId::kMinP, MinPParams{uniform() * uniform()}});
    const auto sampler = MakeSampler(chain, vocabulary, {});
    ASSERT_TRUE(sampler.has_value()) << sampler.error().message;
    const auto prompt = Tokens(engine() % 100);
    ASSERT_TRUE(
        Same(**sampler,
             {.logits = logits,
              .prompt = prompt,
              .address = {.seed = engine(), .position = prompt.size(), .sequence = static_cast<std::uint32_t>(i)}}))
        << "row " << i;
  }
}

}  // namespace
}  // namespace decant
