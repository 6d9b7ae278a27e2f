// Preset octlm against PyTorch: 20,000 tokens that torch drew, from the same rows and seeds, and its probabilities.
// tests/golden/make_octlm.py made the files and describes the rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "decant/sampler.h"

namespace decant {
namespace {

// The settings of a line; what stands behind its colon is left in `values`.
struct Line {
  std::size_t vocabulary = 0;
  std::uint64_t seed = 0;
  double temperature = 1;
  std::int64_t top_k = 0;
  double top_p = 1;
  std::uint32_t levels = 1;
  int shift = 0;
  int bans = 0;
  std::uint32_t row = 0;
  std::vector<double> values = {};
};

std::vector<Line> ReadLines(const std::string& name) {
  std::ifstream in(std::string(DECANT_SOURCE_DIR) + "/tests/golden/" + name);
  std::vector<Line> lines;
  for (std::string text; std::getline(in, text);) {
    if (text.starts_with('#')) continue;
    std::istringstream fields(text);
    Line line;
    std::string colon;
    fields >> line.vocabulary >> line.seed >> line.temperature >> line.top_k >> line.top_p >> line.levels >>
        line.shift >> line.bans >> line.row >> colon;
    EXPECT_EQ(colon, ":") << text;
    for (double value = 0; fields >> value;) line.values.push_back(value);
    lines.push_back(std::move(line));
  }
  return lines;
}

// The next row; `state` goes on.
std::vector<float> NextRow(const Line& line, std::uint32_t& state) {
  std::vector<float> logits(line.vocabulary);
  for (float& logit : logits) {
    state = state * 1664525u + 1013904223u;
    const std::uint32_t level = (state >> 8) % line.levels;
    logit = line.bans != 0 && level == 0 ? -std::numeric_limits<float>::infinity()
                                         : std::ldexp(static_cast<float>(level), -line.shift);
  }
  return logits;
}

std::shared_ptr<const Sampler> SamplerOf(const Line& line) {
  const auto sampler = MakeSampler({{StageId::kTemperature, TemperatureParams{line.temperature}},
                                    {StageId::kTopK, TopKParams{line.top_k}},
                                    {StageId::kTopP, TopPParams{line.top_p}}},
                                   line.vocabulary, {.preset = Preset::kOctlm});
  EXPECT_TRUE(sampler.has_value()) << sampler.error().message;
  return sampler.value_or(nullptr);
}

TEST(OctlmGoldenTest, DrawsWhatTorchDraws) {
  const std::vector<Line> lines = ReadLines("octlm.txt");
  ASSERT_EQ(lines.size(), 1000u);
  std::size_t compared = 0, different = 0;
  for (const Line& line : lines) {
    const auto sampler = SamplerOf(line);
    ASSERT_NE(sampler, nullptr);
    SamplerState state({.seed = line.seed});
    std::uint32_t row_state = line.row;
    for (const double expected : line.values) {
      const std::vector<float> logits = NextRow(line, row_state);
      const auto choice = sampler->Sample(RowView::F32(logits), state, nullptr);
      ASSERT_TRUE(choice.has_value()) << choice.error().message;
      state.Accept(choice->token);
      ++compared;
      if (choice->token == static_cast<TokenId>(expected)) continue;
      if (++different <= 10) {
        ADD_FAILURE() << "vocabulary " << line.vocabulary << ", seed " << line.seed << ", draw " << compared % 20
                      << ": " << choice->token << "; torch drew " << expected;
      }
    }
  }
  EXPECT_EQ(compared, 20'000u);
  EXPECT_EQ(different, 0u);
}

// The exponential function and the sum after top_p are not torch's to the bit: docs/octlm-preset.md states the bound.
TEST(OctlmGoldenTest, ProbabilitiesAgreeWithTorchToTheStatedBound) {
  constexpr double kBound = 1e-6;
  const std::vector<Line> lines = ReadLines("octlm_probabilities.txt");
  ASSERT_GT(lines.size(), 50u);
  double worst = 0;
  for (const Line& line : lines) {
    const auto sampler = SamplerOf(line);
    ASSERT_NE(sampler, nullptr);
    ASSERT_EQ(line.values.size(), line.vocabulary);
    SamplerState state({.seed = line.seed});
    std::uint32_t row_state = line.row;
    const std::vector<float> logits = NextRow(line, row_state);
    StepRecord record;
    ASSERT_TRUE(sampler->Sample(RowView::F32(logits), state, &record).has_value());
    std::vector<double> found(line.vocabulary, 0.0);
    for (std::size_t i = 0; i < record.support.size(); ++i) found[record.support[i]] = record.probabilities[i];
    for (std::size_t token = 0; token < line.vocabulary; ++token) {
      ASSERT_EQ(found[token] > 0, line.values[token] > 0) << "seed " << line.seed << ", token " << token;
      if (line.values[token] > 0) {
        worst = std::max(worst, std::abs(found[token] - line.values[token]) / line.values[token]);
      }
    }
  }
  EXPECT_LE(worst, kBound);
  EXPECT_GT(worst, 0) << "a difference in the last digit is expected: does the test compare anything?";
}

}  // namespace
}  // namespace decant
