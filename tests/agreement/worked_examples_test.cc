// The worked examples of a published lesson on decoding, with its figures corrected where arithmetic says otherwise:
// the temperature table, the order of temperature and truncation, nucleus and min-p on a confident and an uncertain
// row, the sign rule of the repetition penalty, and the grouping of f32 sums.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/math.h"
#include "core/number_text.h"
#include "decant/parameters.h"
#include "decant/sampler.h"

namespace decant {
namespace {

using ::testing::ElementsAre;

StageSpec Temperature(double value) { return {StageId::kTemperature, TemperatureParams{value}}; }
StageSpec TopK(std::int64_t k) { return {StageId::kTopK, TopKParams{k}}; }
StageSpec TopP(double p) { return {StageId::kTopP, TopPParams{p}}; }
StageSpec MinP(double p) { return {StageId::kMinP, MinPParams{p}}; }

struct Setting {
  Chain chain;
  Preset preset = Preset::kNative;
  std::vector<TokenId> output = {};  // what was generated so far
};

StepRecord RecordOf(const std::vector<float>& logits, const Setting& setting) {
  StepRecord record;
  const auto sampler = MakeSampler(setting.chain, logits.size(), {.preset = setting.preset});
  EXPECT_TRUE(sampler.has_value()) << sampler.error().message;
  if (!sampler.has_value()) return record;
  SamplerState state({.seed = 1, .output = setting.output});
  const auto choice = (*sampler)->Sample(RowView::F32(logits), state, &record);
  EXPECT_TRUE(choice.has_value()) << choice.error().message;
  return record;
}

std::vector<float> LogitsOf(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(core::Log(p)));
  return logits;
}

const std::vector<float> kFour = {4, 3, 1, 0};
const std::vector<float> kConfident = LogitsOf({0.95, 0.03, 0.01, 0.01});
const std::vector<float> kUncertain = [] {
  std::vector<double> probabilities = {0.08, 0.07, 0.07};
  probabilities.resize(29, 0.03);
  return LogitsOf(probabilities);
}();

// The lesson gives 87 % at 0.5, 1.2 % and 6.2 % for the fourth token at 1 and 2; the last is 6.9 %.
TEST(WorkedExamplesTest, TheTemperatureTable) {
  const struct {
    double temperature;
    const char* percent[4];
  } kTable[] = {{0.5, {"87.862", "11.891", "0.218", "0.029"}},
                {1.0, {"69.639", "25.619", "3.467", "1.275"}},
                {2.0, {"50.891", "30.867", "11.355", "6.887"}}};
  for (const auto& row : kTable) {
    for (const Preset preset : Presets()) {
      const StepRecord record = RecordOf(kFour, {.chain = {Temperature(row.temperature)}, .preset = preset});
      ASSERT_EQ(record.probabilities.size(), 4u);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(core::FixedText(100 * record.probabilities[i], 3), row.percent[i])
            << "temperature " << row.temperature << ", preset " << NameOf(preset);
      }
    }
  }
}

TEST(WorkedExamplesTest, TemperatureZeroIsGreedyAndOneIsTheModelsOwnDistribution) {
  EXPECT_EQ(RecordOf(kFour, {.chain = {Temperature(0)}}).choice.probability, 1);
  EXPECT_EQ(RecordOf(kFour, {.chain = {Temperature(1)}}).probabilities, RecordOf(kFour, {.chain = {}}).probabilities);
  const StepRecord flat = RecordOf(kFour, {.chain = {Temperature(1e6)}});
  for (const double p : flat.probabilities) EXPECT_NEAR(p, 0.25, 1e-6);
}

// At temperature 2 the best two hold 82 % and a nucleus of 90 % takes the third; at 1 they hold 95 %.
TEST(WorkedExamplesTest, TemperatureBeforeTruncationKeepsAnotherSetThanAfterIt) {
  const StepRecord before = RecordOf(kFour, {.chain = {Temperature(2), TopP(0.9)}});
  const StepRecord after = RecordOf(kFour, {.chain = {TopP(0.9), Temperature(2)}});
  EXPECT_THAT(before.kept, ElementsAre(0, 1, 2));
  EXPECT_THAT(after.kept, ElementsAre(0, 1));
  // The weights of what both keep are in the same ratio.
  EXPECT_NEAR(before.probabilities[0] / before.probabilities[1], after.probabilities[0] / after.probabilities[1], 1e-9);
}

TEST(WorkedExamplesTest, SamplersSetsThatOrderByName) {
  const auto kept = [](std::string_view order) {
    ParameterSet parameters;
    for (const auto& [name, text] :
         {std::pair<std::string_view, std::string_view>{"temperature", "2"}, {"top_p", "0.9"}, {"samplers", order}}) {
      const ParameterSpec* spec = *FindParameter(name);
      EXPECT_TRUE(parameters.Set(*spec, *ParseParameter(*spec, text), ParameterSource::kFlag).has_value());
    }
    return RecordOf(kFour, {.chain = BuildChain(parameters, {}).value()}).kept.size();
  };
  EXPECT_EQ(kept("temperature,top_p"), 3u);
  EXPECT_EQ(kept("top_p,temperature"), 2u);
}

TEST(WorkedExamplesTest, TopKDragsInTokensThatAConfidentModelRulesOut) {
  const StepRecord record = RecordOf(kConfident, {.chain = {TopK(3)}});
  EXPECT_THAT(record.kept, ElementsAre(0, 1, 2));
  EXPECT_LT(record.probabilities[2], 0.011);
}

// The lesson says "about 30 tokens" of a row that it does not give; of this one it is 26: 0.22 + 23 * 0.03 = 0.91.
TEST(WorkedExamplesTest, TheNucleusAdaptsToTheShapeOfTheRow) {
  EXPECT_THAT(RecordOf(kConfident, {.chain = {TopP(0.9)}}).kept, ElementsAre(0));
  EXPECT_EQ(RecordOf(kUncertain, {.chain = {TopP(0.9)}}).kept.size(), 26u);
  EXPECT_EQ(RecordOf(kConfident, {.chain = {TopP(0.9)}, .preset = Preset::kOctlm}).kept.size(), 1u);
  EXPECT_EQ(RecordOf(kUncertain, {.chain = {TopP(0.9)}, .preset = Preset::kOctlm}).kept.size(), 26u);
}

TEST(WorkedExamplesTest, AHighTemperatureWidensTheNucleusButNotMinP) {
  const std::vector<float> row = LogitsOf({0.70, 0.2, 0.02, 0.02, 0.02, 0.02, 0.02});
  EXPECT_EQ(RecordOf(row, {.chain = {TopP(0.9)}}).kept.size(), 2u);
  EXPECT_EQ(RecordOf(row, {.chain = {Temperature(2), TopP(0.9)}}).kept.size(), 6u);
  EXPECT_EQ(RecordOf(row, {.chain = {MinP(0.2)}}).kept.size(), 2u);
  EXPECT_EQ(RecordOf(row, {.chain = {Temperature(2), MinP(0.2)}}).kept.size(), 2u);
}

// min_p 0.1: the thresholds are 0.095 and 0.008.
TEST(WorkedExamplesTest, MinPIsRelativeToTheBestToken) {
  EXPECT_THAT(RecordOf(kConfident, {.chain = {MinP(0.1)}}).kept, ElementsAre(0));
  EXPECT_EQ(RecordOf(kUncertain, {.chain = {MinP(0.1)}}).kept.size(), kUncertain.size());
  EXPECT_EQ(RecordOf(kUncertain, {.chain = {MinP(0.5)}}).kept.size(), 3u);  // 0.04
}

TEST(WorkedExamplesTest, TheRepetitionPenaltyLooksAtTheSign) {
  const StageSpec penalty = {StageId::kRepetitionPenalty, RepetitionPenaltyParams{.penalty = 2}};
  const StepRecord record = RecordOf({3, -1, 3, -1}, {.chain = {penalty}, .output = {0, 1}});
  EXPECT_THAT(record.scores, ElementsAre(1.5F, -2.0F, 3.0F, -1.0F));
  // Divided, the negative one would have risen to -0.5.
  EXPECT_LT(record.probabilities[1], record.probabilities[3]);
  // A window of one token sees only the last.
  const StageSpec narrow = {StageId::kRepetitionPenalty, RepetitionPenaltyParams{.penalty = 2, .window = 1}};
  EXPECT_THAT(RecordOf({3, -1, 3, -1}, {.chain = {narrow}, .output = {0, 1}}).scores,
              ElementsAre(3.0F, -2.0F, 3.0F, -1.0F));
}

TEST(WorkedExamplesTest, FrequencyCountsAndPresenceDoesNot) {
  const std::vector<float> logits = {1, 1, 1};
  const std::vector<TokenId> output = {0, 0, 0, 1};
  const StageSpec frequency = {StageId::kFrequencyPenalty, CountPenaltyParams{.penalty = 0.5}};
  const StageSpec presence = {StageId::kPresencePenalty, CountPenaltyParams{.penalty = 0.5}};
  EXPECT_THAT(RecordOf(logits, {.chain = {frequency}, .output = output}).scores, ElementsAre(-0.5F, 0.5F, 1.0F));
  EXPECT_THAT(RecordOf(logits, {.chain = {presence}, .output = output}).scores, ElementsAre(0.5F, 0.5F, 1.0F));
}

// f32 keeps 24 bits: next to 1e10 a 1 is lost, in both groupings that the lesson shows. It comes back only where the
// large numbers meet first.
TEST(WorkedExamplesTest, GroupingDecidesWhetherASmallTermSurvives) {
  volatile float large = 1e10F, one = 1.0F;  // volatile: rounded at run time
  const float sum = large + one;
  const float difference = one - large;
  const float nothing = large - large;
  EXPECT_EQ(sum - large, 0.0F);
  EXPECT_EQ(large + difference, 0.0F);
  EXPECT_EQ(nothing + one, 1.0F);
}

}  // namespace
}  // namespace decant
