// Generation in preset reference: stops, records, errors, and the published example.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/reference_generation.h"
#include "presets/reference.h"

namespace decant::reference {
namespace {

using decode::GenerateWith;
using decode::PrefixModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Prefers the token after the prefix's last one, in a circle of 5.
PrefixModel Circle(std::size_t context) {
  return {.vocabulary = 5, .context = context, .last_logits = [](std::span<const TokenId> prefix) {
            std::vector<double> logits(5, 0.0);
            logits[(prefix.back() + 1) % 5] = 3;
            return Result<std::vector<double>>(logits);
          }};
}

TEST(ReferenceGenerationTest, StopsWhenTheNextPrefixWouldNotFit) {
  SplitMix64 rng(1);
  const TokenId prompt[] = {0};
  const auto run = GenerateWith(Circle(2), prompt, {.mode = Greedy{}, .eos = {}, .max_new_tokens = 4}, rng);
  ASSERT_TRUE(run.has_value());
  EXPECT_THAT(run->generated, ElementsAre(1, 2));  // the full context emits one more
  EXPECT_EQ(run->steps[0].prefix_length, 1u);
  EXPECT_EQ(run->steps[1].prefix_length, 2u);
  EXPECT_EQ(run->full_prefix_calls, 2u);
  EXPECT_EQ(run->stop, Stop::kContextLimit);
  EXPECT_EQ(rng.state(), 1u);
}

TEST(ReferenceGenerationTest, APromptThatFillsTheContextEmitsOneToken) {
  SplitMix64 rng(1);
  const TokenId prompt[] = {0, 1};
  const auto run = GenerateWith(Circle(2), prompt, {.mode = Greedy{}, .eos = {}, .max_new_tokens = 4}, rng);
  ASSERT_TRUE(run.has_value());
  EXPECT_THAT(run->generated, ElementsAre(2));
  EXPECT_EQ(run->stop, Stop::kContextLimit);
}

TEST(ReferenceGenerationTest, EmitsTheEosTokenAndThenStops) {
  SplitMix64 rng(1);
  const TokenId prompt[] = {2};
  const auto run = GenerateWith(Circle(9), prompt, {.mode = Greedy{}, .eos = 4, .max_new_tokens = 2}, rng);
  ASSERT_TRUE(run.has_value());
  EXPECT_THAT(run->generated, ElementsAre(3, 4));
  EXPECT_EQ(run->stop, Stop::kEos);  // before the token limit, which is reached too
}

TEST(ReferenceGenerationTest, StopsAtTheTokenLimitBeforeTheContext) {
  SplitMix64 rng(1);
  const TokenId prompt[] = {0};
  const auto run = GenerateWith(Circle(2), prompt, {.mode = Greedy{}, .eos = {}, .max_new_tokens = 2}, rng);
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->stop, Stop::kTokenLimit);
  EXPECT_EQ(run->full_prefix_calls, 2u);
}

TEST(ReferenceGenerationTest, NoNewTokensIsNoCall) {
  SplitMix64 rng(1);
  const TokenId prompt[] = {0};
  const auto run = GenerateWith(
      Circle(2), prompt, {.mode = TemperatureTopK{.temperature = 1, .top_k = 3}, .eos = {}, .max_new_tokens = 0}, rng);
  ASSERT_TRUE(run.has_value());
  EXPECT_THAT(run->prompt, ElementsAre(0));
  EXPECT_THAT(run->generated, IsEmpty());
  EXPECT_THAT(run->steps, IsEmpty());
  EXPECT_EQ(run->full_prefix_calls, 0u);
  EXPECT_EQ(run->stop, Stop::kTokenLimit);
  EXPECT_EQ(rng.state(), 1u);
}

TEST(ReferenceGenerationTest, RecordsEachDrawAndReplaysFromASavedState) {
  SplitMix64 rng(99), twin(99), replay(99);
  const TokenId prompt[] = {0};
  const GenerationConfig config{.mode = TemperatureTopK{.temperature = 2, .top_k = 4}, .eos = {}, .max_new_tokens = 6};
  const auto run = GenerateWith(Circle(64), prompt, config, rng);
  ASSERT_TRUE(run.has_value());
  ASSERT_EQ(run->steps.size(), 6u);
  for (const GenerationStep& step : run->steps) {
    EXPECT_EQ(step.draw, twin.NextUnit());
    EXPECT_LE(step.interval_start, *step.draw);
    EXPECT_LT(*step.draw, step.interval_end);
  }
  EXPECT_EQ(rng.state(), twin.state());
  EXPECT_EQ(*GenerateWith(Circle(64), prompt, config, replay), *run);
  EXPECT_EQ(replay.state(), rng.state());
}

struct Refusal {
  std::vector<TokenId> prompt;
  GenerationConfig config;
  ErrorCode code;
  const char* text;
};

TEST(ReferenceGenerationTest, RefusesARequestBeforeAnyCall) {
  const Mode sound = TemperatureTopK{.temperature = 1, .top_k = 3};
  const Refusal kRefusals[] = {
      {{}, {sound, {}, 4}, ErrorCode::kEmptyPrompt, "the prompt has 0 tokens"},
      {{0, 1, 2}, {sound, {}, 4}, ErrorCode::kPromptTooLong, "the prompt has 3 tokens; expected at most 2"},
      {{0, 5},
       {sound, {}, 4},
       ErrorCode::kTokenOutOfRange,
       "the prompt token at position 1 is 5; expected an id below 5"},
      {{0}, {sound, 5, 4}, ErrorCode::kTokenOutOfRange, "the eos token is 5; expected an id below 5"},
      {{0}, {TemperatureTopK{0, 3}, {}, 4}, ErrorCode::kInvalidTemperature, "temperature is 0"},
      {{0}, {TemperatureTopK{1, 6}, {}, 0}, ErrorCode::kInvalidTopK, "top_k is 6; expected 1..5"},
  };
  for (const Refusal& refusal : kRefusals) {
    SplitMix64 rng(36);
    int calls = 0;
    PrefixModel model = Circle(2);
    model.last_logits = [&calls](std::span<const TokenId>) {
      ++calls;
      return Result<std::vector<double>>(std::vector<double>(5, 0.0));
    };
    const auto run = GenerateWith(model, refusal.prompt, refusal.config, rng);
    ASSERT_FALSE(run.has_value()) << refusal.text;
    EXPECT_EQ(run.error().code, refusal.code);
    EXPECT_THAT(run.error().message, HasSubstr(refusal.text));
    EXPECT_EQ(rng.state(), 36u);
    EXPECT_EQ(calls, 0);
  }
}

TEST(ReferenceGenerationTest, AFailurePartWayLeavesTheGenerator) {
  struct Failure {
    Result<std::vector<double>> second;
    ErrorCode code;
  };
  const Failure kFailures[] = {
      {std::vector<double>(4, 0.0), ErrorCode::kLogitCountMismatch},
      {std::vector<double>(5, std::nan("")), ErrorCode::kNonFiniteLogit},
      {Fail(ErrorCode::kNonFiniteActivation, "layer 3"), ErrorCode::kNonFiniteActivation},
  };
  for (const Failure& failure : kFailures) {
    PrefixModel model{.vocabulary = 5, .context = 8, .last_logits = [&](std::span<const TokenId> prefix) {
                        return prefix.size() == 1 ? Result<std::vector<double>>(std::vector<double>(5, 0.0))
                                                  : failure.second;
                      }};
    SplitMix64 rng(36);
    const TokenId prompt[] = {0};
    const auto run = GenerateWith(
        model, prompt, {.mode = TemperatureTopK{.temperature = 1, .top_k = 3}, .eos = {}, .max_new_tokens = 4}, rng);
    ASSERT_FALSE(run.has_value());
    EXPECT_EQ(run.error().code, failure.code) << run.error().message;
    EXPECT_EQ(rng.state(), 36u);
  }
}

// A language model whose rows are the circle's; the sequence must start anew for every prefix.
class CircleModel final : public LanguageModel {
 public:
  std::size_t vocabulary_size() const override { return 5; }
  std::size_t context_length() const override { return 3; }
  KvSequence Start() const override {
    ++starts_;
    return KvSequence(pool_);
  }
  Result<std::vector<RowError>> Forward(std::span<const Row> rows, std::span<float> logits) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].position, i);
      EXPECT_EQ(rows[i].sequence->size(), 0u);
      EXPECT_EQ(rows[i].wants_logits, i + 1 == rows.size());
    }
    if (fails_) return std::vector<RowError>{{0, Error{.code = ErrorCode::kNonFiniteActivation, .message = "layer 0"}}};
    EXPECT_EQ(logits.size(), 5u);
    for (float& logit : logits) logit = 0;
    logits[(rows.back().token + 1) % 5] = 3;
    return std::vector<RowError>{};
  }
  int starts() const { return starts_; }
  void set_fails() { fails_ = true; }

 private:
  std::shared_ptr<BlockPool> pool_ = std::make_shared<BlockPool>(64, 4);
  mutable int starts_ = 0;
  bool fails_ = false;
};

TEST(GenerateUncachedTest, EvaluatesTheWholePrefixForEveryToken) {
  CircleModel model;
  SplitMix64 rng(1);
  const TokenId prompt[] = {4};
  const GenerationConfig config{.mode = Greedy{}, .eos = {}, .max_new_tokens = 9};
  const auto run = GenerateUncached(model, prompt, config, rng);
  ASSERT_TRUE(run.has_value());
  EXPECT_THAT(run->generated, ElementsAre(0, 1, 2));
  EXPECT_EQ(model.starts(), 3);
  model.set_fails();
  EXPECT_EQ(GenerateUncached(model, prompt, config, rng).error().code, ErrorCode::kNonFiniteActivation);
}

TEST(StopTest, HasTheNamesOfTheReport) {
  EXPECT_EQ(NameOf(Stop::kEos), "eos");
  EXPECT_EQ(NameOf(Stop::kTokenLimit), "token-limit");
  EXPECT_EQ(NameOf(Stop::kContextLimit), "context-limit");
}

}  // namespace
}  // namespace decant::reference
