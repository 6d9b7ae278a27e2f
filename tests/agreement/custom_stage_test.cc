// A custom stage that does what one of decant's does gives the same step, record for record: the plain twin runs the
// chain with decant's own stage in that place.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "decant/candidates.h"
#include "decant/sampler.h"
#include "twin/sampler.h"

namespace decant {
namespace {

constexpr float kBanned = -std::numeric_limits<float>::infinity();

class Bias final : public CustomProcessor {
 public:
  explicit Bias(LogitBiasParams params) : params_(std::move(params)) {}
  std::string_view name() const override { return "my_bias"; }
  Result<void> Process(std::span<float> scores, const History&) const override {
    for (const TokenBias& bias : params_.biases) {
      float& score = scores[bias.token];
      score = static_cast<float>(static_cast<double>(score) + bias.bias);
    }
    return {};
  }

 private:
  LogitBiasParams params_;
};

// What occurred loses a constant, as with presence_penalty over prompt and output.
class Presence final : public CustomProcessor {
 public:
  std::string_view name() const override { return "my_presence"; }
  Result<void> Process(std::span<float> scores, const History& history) const override {
    std::vector<bool> seen(scores.size());
    for (const TokenId token : history.tokens()) {
      if (!seen[token]) scores[token] = static_cast<float>(static_cast<double>(scores[token]) - 0.5);
      seen[token] = true;
    }
    return {};
  }
};

// Leaves the candidates sorted, so that the stages behind it meet another arrangement.
class Best final : public CustomFilter {
 public:
  explicit Best(std::size_t k) : k_(k) {}
  std::string_view name() const override { return "my_top_k"; }
  Result<void> Filter(Candidates& candidates, const History&) const override {
    candidates.SortCanonical();
    candidates.KeepFirst(std::min(k_, candidates.size()));
    return {};
  }

 private:
  std::size_t k_;
};

StageSpec Custom(std::shared_ptr<const CustomProcessor> stage) {
  return {StageId::kCustomProcessor, CustomProcessorParams{std::move(stage)}};
}
StageSpec Custom(std::shared_ptr<const CustomFilter> stage) {
  return {StageId::kCustomFilter, CustomFilterParams{std::move(stage)}};
}

// A chain of decant's stages, and the same with custom ones in some places.
struct Pair {
  Chain ours, custom;
};

Pair ChainOf(std::mt19937& engine, std::size_t vocabulary) {
  Pair pair;
  const auto both = [&pair](const StageSpec& ours, const StageSpec& custom) {
    pair.ours.push_back(ours);
    pair.custom.push_back(custom);
  };
  const auto plain = [&both](const StageSpec& stage) { both(stage, stage); };
  const LogitBiasParams biases{{{static_cast<TokenId>(engine() % vocabulary), 1.25}}};
  const auto k = static_cast<std::int64_t>(1 + engine() % vocabulary);
  if (engine() % 2 == 0) plain({StageId::kRepetitionPenalty, RepetitionPenaltyParams{.penalty = 1.3}});
  both({StageId::kLogitBias, biases}, Custom(std::make_shared<Bias>(biases)));
  if (engine() % 2 == 0) plain({StageId::kTemperature, TemperatureParams{engine() % 5 == 0 ? 0 : 0.7}});
  if (engine() % 2 == 0) plain({StageId::kTopP, TopPParams{0.9}});
  both({StageId::kTopK, TopKParams{k}}, Custom(std::make_shared<Best>(k)));
  if (engine() % 2 == 0) plain({StageId::kMinP, MinPParams{0.05}});
  if (engine() % 2 == 0) {
    both({StageId::kPresencePenalty, CountPenaltyParams{.penalty = 0.5, .scope = PenaltyScope::kWindow}},
         Custom(std::make_shared<Presence>()));
  }
  if (engine() % 2 == 0) plain({StageId::kTopP, TopPParams{0.8}});
  if (engine() % 3 == 0) plain({StageId::kGreedy, {}});
  return pair;
}

// The record as it would be of decant's own stages.
StepRecord Renamed(StepRecord record) {
  for (StageRecord& stage : record.stages) {
    if (stage.custom == "my_bias") stage.id = StageId::kLogitBias;
    if (stage.custom == "my_presence") stage.id = StageId::kPresencePenalty;
    if (stage.custom == "my_top_k") stage.id = StageId::kTopK;
    stage.custom.clear();
  }
  return record;
}

TEST(CustomStageAgreementTest, ACustomStageGivesTheStepOfTheOneThatItImitates) {
  std::mt19937 engine(3);  // numerics: test data only
  int compared = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::size_t vocabulary = 1 + engine() % (round % 20 == 0 ? 900 : 7);
    const auto [ours, custom] = ChainOf(engine, vocabulary);
    std::vector<float> logits(vocabulary);
    for (float& logit : logits) logit = engine() % 9 == 0 ? kBanned : static_cast<float>(engine() % 40) * 0.25f;
    logits[engine() % vocabulary] = 1;
    std::vector<std::uint32_t> mask((vocabulary + 31) / 32);
    for (std::uint32_t& word : mask) word = static_cast<std::uint32_t>(engine() | engine());
    std::vector<TokenId> tokens(engine() % 6);
    for (TokenId& token : tokens) token = static_cast<TokenId>(engine() % vocabulary);
    const std::span<const TokenId> all(tokens);

    const twin::StepInput input{.logits = logits,
                                .mask = engine() % 2 == 0 ? nullptr : mask.data(),
                                .prompt = all.first(tokens.size() / 2),
                                .output = all.subspan(tokens.size() / 2),
                                .address = {.seed = static_cast<std::uint64_t>(round), .position = tokens.size()}};
    SamplerState state({.seed = input.address.seed, .prompt = input.prompt, .output = input.output});
    RowView row = RowView::F32(logits);
    row.mask = input.mask;
    const auto sampler = MakeSampler(custom, vocabulary, {});
    ASSERT_TRUE(sampler.has_value()) << sampler.error().message;
    StepRecord record;
    const auto choice = (*sampler)->Sample(row, state, &record);
    const auto twin = twin::Sample(ours, input);
    ASSERT_EQ(choice.has_value(), twin.has_value()) << "round " << round;
    if (!choice.has_value()) continue;
    ASSERT_EQ(Renamed(record), *twin) << "round " << round;
    // Fast and without evidence, too.
    ASSERT_EQ((*sampler)->Choose(row, state, Detail::kFull), *choice) << "round " << round;
    ASSERT_EQ((*sampler)->Choose(row, state, Detail::kToken)->token, choice->token) << "round " << round;
    ++compared;
  }
  EXPECT_GT(compared, 3000);
}

}  // namespace
}  // namespace decant
