// Choose equals the twin on every small input: each vocabulary up to five with bans and ties, each combination of
// stages, each order of the filters, each mask, both details, and several draws a row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "agreement/twin_answer.h"
#include "decant/sampler.h"

namespace decant {
namespace {

constexpr float kBanned = -std::numeric_limits<float>::infinity();

// In the default order: each stage absent or at one of a few values, and both drawers.
std::vector<Chain> EveryChain() {
  const std::vector<Chain> biases = {{},
                                     {{StageId::kLogitBias, LogitBiasParams{{{0, 1.0}, {1, -1.0}}}}},
                                     {{StageId::kLogitBias, LogitBiasParams{{{0, -INFINITY}}}}}};
  std::vector<Chain> chains = biases;
  const auto extend = [&chains](const std::vector<StageSpec>& choices) {
    std::vector<Chain> longer;
    for (const Chain& chain : chains) {
      for (const StageSpec& stage : choices) {
        longer.push_back(chain);
        longer.back().push_back(stage);
      }
    }
    chains = std::move(longer);
  };
  using enum StageId;
  extend({{kTemperature, TemperatureParams{1}},
          {kTemperature, TemperatureParams{0.5}},
          {kTemperature, TemperatureParams{3}},
          {kTemperature, TemperatureParams{0}}});
  extend({{kTopK, TopKParams{0}}, {kTopK, TopKParams{1}}, {kTopK, TopKParams{2}}, {kTopK, TopKParams{7}}});
  extend({{kTopP, TopPParams{1}}, {kTopP, TopPParams{0.5}}, {kTopP, TopPParams{0.9}}});
  extend({{kMinP, MinPParams{0}}, {kMinP, MinPParams{0.3}}, {kMinP, MinPParams{1}}});
  extend({{kCategorical, {}}, {kGreedy, {}}});
  return chains;
}

bool Fits(const Chain& chain, std::size_t vocabulary) {
  for (const StageSpec& stage : chain) {
    const auto* bias = std::get_if<LogitBiasParams>(&stage.params);
    if (bias == nullptr) continue;
    for (const TokenBias& entry : bias->biases) {
      if (entry.token >= vocabulary) return false;
    }
  }
  return true;
}

// The row with this number, a digit a token.
std::vector<float> RowOf(std::size_t number, std::size_t vocabulary, const std::vector<float>& values) {
  std::vector<float> row;
  for (std::size_t i = 0; i < vocabulary; ++i, number /= values.size()) row.push_back(values[number % values.size()]);
  return row;
}

std::size_t RowCount(std::size_t vocabulary, const std::vector<float>& values) {
  std::size_t rows = 1;
  for (std::size_t i = 0; i < vocabulary; ++i) rows *= values.size();
  return rows;
}

// Every row over the values, under the chain.
void CompareEveryRow(const Chain& chain, std::size_t vocabulary, const std::vector<float>& values) {
  const auto sampler = MakeSampler(chain, vocabulary, {});
  ASSERT_TRUE(sampler.has_value()) << sampler.error().message;
  for (std::size_t row = 0; row < RowCount(vocabulary, values); ++row) {
    const std::vector<float> logits = RowOf(row, vocabulary, values);
    const std::uint64_t seeds[] = {row, row + 1000, row + 2000};
    const twin::StepInput input{.logits = logits, .address = {.position = vocabulary}};
    ASSERT_EQ(Differs(**sampler, input, seeds), "") << "row " << ::testing::PrintToString(logits);
  }
}

TEST(FastSamplerTest, EverySmallVocabularyUnderEveryChain) {
  const std::vector<Chain> chains = EveryChain();
  for (std::size_t vocabulary = 1; vocabulary <= 5; ++vocabulary) {
    // Four of five hold every order of ties; signed zeros tie too.
    const std::vector<float> values = vocabulary <= 3 ? std::vector<float>{kBanned, -0.0f, 0.0f, 1.0f, 2.0f}
                                                      : std::vector<float>{kBanned, 0.0f, 1.0f, 2.0f};
    for (const Chain& chain : chains) {
      if (Fits(chain, vocabulary)) CompareEveryRow(chain, vocabulary, values);
      if (HasFatalFailure()) return;
    }
  }
}

// Up to four stages of these in every order, any of them twice.
TEST(FastSamplerTest, EveryOrderOfFiltersAndTemperatures) {
  using enum StageId;
  const std::vector<StageSpec> stages = {{kTemperature, TemperatureParams{0.5}},
                                         {kTemperature, TemperatureParams{3}},
                                         {kTopK, TopKParams{3}},
                                         {kTopP, TopPParams{0.8}},
                                         {kMinP, MinPParams{0.2}},
                                         {kLogitBias, LogitBiasParams{{{0, 1.5}, {1, -INFINITY}}}}};
  std::vector<Chain> chains = {{}};
  for (std::size_t begin = 0, length = 0; length < 4; ++length) {
    const std::size_t end = chains.size();
    for (; begin < end; ++begin) {
      for (const StageSpec& stage : stages) {
        chains.push_back(chains[begin]);
        chains.back().push_back(stage);
      }
    }
  }
  const std::vector<float> rows[] = {{0, 1, 2, 3},    {3, 2, 1, 0, -1}, {1, 1, 1, 1}, {0.5f, kBanned, 0.25f},
                                     {kBanned, 0, 0}, {2, 1, 2, 1, 2},  {0, 5}};
  for (Chain& chain : chains) {
    for (const StageId drawer : {kCategorical, kGreedy}) {
      Chain whole = chain;
      whole.push_back({drawer, {}});
      for (const std::vector<float>& logits : rows) {
        const auto sampler = MakeSampler(whole, logits.size(), {});
        ASSERT_TRUE(sampler.has_value()) << sampler.error().message;
        const std::uint64_t seeds[] = {1, 2, 3};
        ASSERT_EQ(Differs(**sampler, {.logits = logits}, seeds), "") << "row " << ::testing::PrintToString(logits);
      }
    }
  }
}

TEST(FastSamplerTest, EveryMaskOfASmallVocabulary) {
  const std::vector<float> rows[] = {{1, 2, 2, 0, 1}, {0, 0, 0, 0, 0}, {kBanned, 3, kBanned, 1, 2}};
  const std::vector<Chain> chains = EveryChain();
  for (const Chain& chain : chains) {
    const auto sampler = MakeSampler(chain, 5, {});
    ASSERT_TRUE(sampler.has_value());
    for (const std::vector<float>& logits : rows) {
      for (std::uint32_t allowed = 0; allowed < 32; ++allowed) {
        const std::uint32_t mask = allowed | 0xffffffe0u;  // the bits past the vocabulary mean nothing
        const std::uint64_t seeds[] = {allowed, allowed + 100};
        ASSERT_EQ(Differs(**sampler, {.logits = logits, .mask = &mask}, seeds), "") << "mask " << allowed;
      }
    }
  }
}

// Where a threshold is a power of two or the next number to one, and where it rounds to 0.
TEST(FastSamplerTest, EveryThresholdBesideAPowerOfTwo) {
  std::vector<double> ps = {std::numeric_limits<double>::denorm_min(), 0x1p-54, 0x1.8p-54, 0x1p-53, 0x1p-30, 1.0};
  for (const int exponent : {-1, -2, -3, -8, -9, -44, -45, -52}) {
    const double p = std::ldexp(1.0, exponent);
    ps.insert(ps.end(), {std::nextafter(p, 0.0), p, std::nextafter(p, 1.0)});
  }
  ps.insert(ps.end(), {std::nextafter(1.0, 0.0), 1 - 0x1p-52, 0.49999999999999994});
  const std::vector<float> values = {kBanned, 0.0f, 1.0f, 4.0f};
  for (const double p : ps) {
    for (std::size_t vocabulary = 1; vocabulary <= 4; ++vocabulary) {
      CompareEveryRow({{StageId::kTopP, TopPParams{p}}}, vocabulary, values);
      CompareEveryRow({{StageId::kMinP, MinPParams{p}}}, vocabulary, values);
      CompareEveryRow({{StageId::kTemperature, TemperatureParams{0.1}}, {StageId::kMinP, MinPParams{p}}}, vocabulary,
                      values);
      CompareEveryRow({{StageId::kMinP, MinPParams{p}}, {StageId::kTopP, TopPParams{p}}}, vocabulary, values);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(FastSamplerTest, TemperaturesAtTheEndsOfTheirRange) {
  const double ends[] = {std::numeric_limits<double>::min(), 1e-300, 1e-30, 1e6, 1e-3, std::nextafter(1.0, 2.0)};
  const std::vector<float> values = {kBanned, -1e-38f, 0.0f, 1.0f, 3e38f};
  for (const double temperature : ends) {
    for (std::size_t vocabulary = 1; vocabulary <= 4; ++vocabulary) {
      const StageSpec first{StageId::kTemperature, TemperatureParams{temperature}};
      CompareEveryRow({first}, vocabulary, values);
      CompareEveryRow({first, {StageId::kTopP, TopPParams{0.7}}}, vocabulary, values);
      CompareEveryRow({first, {StageId::kMinP, MinPParams{0.1}}, {StageId::kGreedy, {}}}, vocabulary, values);
      CompareEveryRow({{StageId::kTopK, TopKParams{2}}, first}, vocabulary, values);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(FastSamplerTest, ATokenAloneIsAllThatIsGiven) {
  const std::vector<float> logits = {0, 1, 2};
  for (const Chain& chain : {Chain{}, Chain{{StageId::kTemperature, TemperatureParams{0}}}}) {
    const auto sampler = MakeSampler(chain, 3, {});
    ASSERT_TRUE(sampler.has_value());
    SamplerState state({.seed = 3});
    const Choice choice = (*sampler)->Choose(RowView::F32(logits), state, Detail::kToken).value();
    EXPECT_EQ(choice, (Choice{.token = choice.token, .drawn_by = choice.drawn_by}));
  }
}

}  // namespace
}  // namespace decant
