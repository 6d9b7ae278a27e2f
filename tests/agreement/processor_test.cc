// Every processor equals its plain twin, record for record: on every small vocabulary with short sequences, alone and
// with the others, and on random long ones; incremental counts against counting anew included.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "decant/sampler.h"
#include "twin/sampler.h"

namespace decant {
namespace {

constexpr float kBanned = -std::numeric_limits<float>::infinity();

// One call on a state, and the twin's answer to the same step.
::testing::AssertionResult Same(const Sampler& sampler, const twin::StepInput& input, SamplerState& state) {
  StepRecord record;
  RowView row = RowView::F32(input.logits);
  row.mask = input.mask;
  row.structural = input.structural;
  const auto fast = sampler.Sample(row, state, &record);
  const auto twin = twin::Sample(sampler.chain(), input);
  std::string chain;
  for (const StageSpec& stage : sampler.chain()) chain += std::string(NameOf(stage.id)) + " ";
  if (fast.has_value() != twin.has_value()) {
    return ::testing::AssertionFailure() << "one fails, chain " << chain << ": "
                                         << (fast ? "the twin" : fast.error().message);
  }
  if (!fast.has_value()) {
    if (fast.error().code == twin.error().code) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "other errors, chain " << chain << ": " << fast.error().message;
  }
  if (record == *twin) return ::testing::AssertionSuccess();
  for (std::size_t i = 0; i < record.scores.size(); ++i) {
    if (record.scores[i] == twin->scores[i]) continue;
    return ::testing::AssertionFailure() << "score of token " << i << " is " << record.scores[i] << ", the twin's "
                                         << twin->scores[i] << ", chain " << chain;
  }
  return ::testing::AssertionFailure() << "records differ, chain " << chain;
}

// For each processor: off, and a few values. Tokens lie below 3.
std::vector<std::vector<StageSpec>> Settings() {
  using enum StageId;
  return {
      {{kRepetitionPenalty, RepetitionPenaltyParams{}},
       {kRepetitionPenalty, RepetitionPenaltyParams{.penalty = 1.5}},
       {kRepetitionPenalty, RepetitionPenaltyParams{.penalty = 0.5, .window = 2}}},
      {{kFrequencyPenalty, CountPenaltyParams{.penalty = 0.75}},
       {kFrequencyPenalty, CountPenaltyParams{.penalty = -0.3, .scope = PenaltyScope::kWindow, .window = 3}}},
      {{kPresencePenalty, CountPenaltyParams{.penalty = 0.5, .scope = PenaltyScope::kWindow}},
       {kPresencePenalty, CountPenaltyParams{.penalty = 0.5, .window = 1}}},
      {{kDry, DryParams{.multiplier = 0.5, .base = 1.75, .allowed_length = 1}},
       {kDry, DryParams{.multiplier = 1, .base = 2, .allowed_length = 2, .breakers = {{2}, {0, 1}}}},
       {kDry, DryParams{.multiplier = 1, .base = 1, .allowed_length = 1, .window = 3}}},
      {{kNoRepeatNgram, NoRepeatNgramParams{.size = 1}},
       {kNoRepeatNgram, NoRepeatNgramParams{.size = 2}},
       {kNoRepeatNgram, NoRepeatNgramParams{.size = 3}}},
      {{kBadWords, BadWordsParams{.words = {{1, 0}, {2}}}}},
      {{kAllowedTokens, TokenListParams{.tokens = {0, 2}}}, {kAllowedTokens, TokenListParams{.tokens = {1}}}},
      {{kBannedTokens, TokenListParams{.tokens = {1}}}},
      {{kBeginSuppress, TokenListParams{.tokens = {0}}}},
      {{kForcedTokens, TokenListParams{.tokens = {1, 0}}}},
      {{kMinTokens, MinTokensParams{.count = 2, .tokens = {0}}},
       {kMinTokens, MinTokensParams{.count = 1, .tokens = {1, 2}}}},
      {{kLogitBias, LogitBiasParams{{{0, -INFINITY}, {1, 0.25}}}}},
  };
}

// Each processor alone, and every two of them in both orders.
std::vector<Chain> Pairs() {
  std::vector<StageSpec> all;
  for (const auto& settings : Settings()) all.insert(all.end(), settings.begin(), settings.end());
  std::vector<Chain> chains;
  for (const StageSpec& a : all) {
    chains.push_back({a});
    for (const StageSpec& b : all) {
      if (a.id != b.id) chains.push_back({a, b, {StageId::kTopP, TopPParams{0.8}}});
    }
  }
  return chains;
}

TEST(ProcessorAgreementTest, EveryShortSequenceUnderEveryPairOfProcessors) {
  const std::vector<std::vector<float>> rows = {{1, 1, 1}, {-1, 0, 2}, {kBanned, 1, -0.0f}};
  const std::vector<Chain> chains = Pairs();
  std::uint64_t compared = 0;
  for (const Chain& chain : chains) {
    const auto sampler = MakeSampler(chain, 3, {});
    ASSERT_TRUE(sampler.has_value()) << sampler.error().message;
    for (std::size_t length = 0; length <= 5; ++length) {
      std::size_t sequences = 1;
      for (std::size_t i = 0; i < length; ++i) sequences *= 3;
      for (std::size_t code = 0; code < sequences; ++code) {
        std::vector<TokenId> tokens;
        for (std::size_t i = 0, rest = code; i < length; ++i, rest /= 3)
          tokens.push_back(static_cast<TokenId>(rest % 3));
        const std::size_t prompt = code % (length + 1);
        const std::span<const TokenId> all(tokens);
        const std::uint32_t mask = 1 + static_cast<std::uint32_t>(code % 7);
        const std::uint32_t structural = static_cast<std::uint32_t>(code % 8);
        const auto& row = rows[code % rows.size()];
        const twin::StepInput input{.logits = row,
                                    .mask = code % 2 == 0 ? nullptr : &mask,
                                    .structural = code % 3 == 0 ? &structural : nullptr,
                                    .prompt = all.first(prompt),
                                    .output = all.subspan(prompt),
                                    .address = {.seed = code, .position = length}};
        SamplerState state({.seed = code, .prompt = input.prompt, .output = input.output});
        ASSERT_TRUE(Same(**sampler, input, state)) << "sequence " << code << " of " << length;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100'000u);
}

// A chain of every processor, each with some chance, at random values.
Chain RandomChain(std::mt19937_64& engine, std::size_t vocabulary) {
  const auto uniform = [&engine] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
  const auto token = [&engine, vocabulary] { return static_cast<TokenId>(engine() % vocabulary); };
  const auto tokens = [&](std::size_t most) {
    std::vector<TokenId> list;
    for (std::size_t i = 0, n = 1 + engine() % most; i < n; ++i) list.push_back(token());
    return list;
  };
  const auto window = [&] { return uniform() < 0.5 ? -1 : static_cast<std::int64_t>(engine() % 50); };
  const auto scope = [&] { return uniform() < 0.5 ? PenaltyScope::kOutput : PenaltyScope::kWindow; };
  Chain chain;
  using enum StageId;
  const auto maybe = [&](StageId id, StageParams params) {
    if (uniform() < 0.4) chain.push_back({id, std::move(params)});
  };
  maybe(kRepetitionPenalty, RepetitionPenaltyParams{.penalty = 0.5 + uniform(), .window = window()});
  maybe(kFrequencyPenalty, CountPenaltyParams{.penalty = uniform() - 0.3, .scope = scope(), .window = window()});
  maybe(kPresencePenalty, CountPenaltyParams{.penalty = uniform(), .scope = scope(), .window = window()});
  maybe(kDry, DryParams{.multiplier = uniform(),
                        .base = 1 + uniform(),
                        .allowed_length = 1 + static_cast<std::int64_t>(engine() % 3),
                        .window = window(),
                        .breakers = {tokens(2), tokens(2)}});
  maybe(kNoRepeatNgram, NoRepeatNgramParams{.size = static_cast<std::int64_t>(engine() % 5)});
  maybe(kBadWords, BadWordsParams{.words = {tokens(3), tokens(3)}});
  maybe(kBannedTokens, TokenListParams{.tokens = tokens(4)});
  maybe(kMinTokens, MinTokensParams{.count = static_cast<std::int64_t>(engine() % 40), .tokens = tokens(2)});
  if (uniform() < 0.5) chain.push_back({kTemperature, TemperatureParams{0.5 + uniform()}});
  if (uniform() < 0.5) chain.push_back({kTopK, TopKParams{static_cast<std::int64_t>(1 + engine() % vocabulary)}});
  return chain;
}

TEST(ProcessorAgreementTest, LongSequencesWithRollBacks) {
  std::mt19937_64 engine(11);  // numerics: test data only
  for (int run = 0; run < 4000; ++run) {
    const std::size_t vocabulary = 2 + engine() % 12;
    const auto sampler = MakeSampler(RandomChain(engine, vocabulary), vocabulary, {});
    ASSERT_TRUE(sampler.has_value()) << sampler.error().message;
    std::vector<TokenId> prompt;
    for (std::size_t i = 0, n = engine() % 30; i < n; ++i)
      prompt.push_back(static_cast<TokenId>(engine() % vocabulary));
    std::vector<TokenId> output;
    SamplerState state({.seed = engine(), .prompt = prompt});
    const std::uint64_t seed = state.seed();
    for (int step = 0; step < 60; ++step) {
      std::vector<float> logits;
      for (std::size_t i = 0; i < vocabulary; ++i) {
        logits.push_back(static_cast<float>(static_cast<int>(engine() % 9) - 4) * 0.5f);
      }
      const std::uint32_t structural = static_cast<std::uint32_t>(engine());
      const twin::StepInput input{.logits = logits,
                                  .structural = step % 4 == 0 ? &structural : nullptr,
                                  .prompt = prompt,
                                  .output = output,
                                  .address = {.seed = seed, .position = prompt.size() + output.size()}};
      ASSERT_TRUE(Same(**sampler, input, state)) << "run " << run << ", step " << step;
      const auto token = static_cast<TokenId>(engine() % vocabulary);
      state.Accept(token);
      output.push_back(token);
      if (engine() % 8 == 0) {
        const std::size_t n = 1 + engine() % output.size();
        state.RollBack(n);
        output.resize(output.size() - n);
      }
    }
  }
}

TEST(ProcessorAgreementTest, AStateWithoutTokensIsRefusedWhereAStageLooksBack) {
  const auto sampler = MakeSampler({{StageId::kRepetitionPenalty, RepetitionPenaltyParams{.penalty = 2}}}, 2, {});
  ASSERT_TRUE(sampler.has_value());
  SamplerState state({.position = 7});
  const std::vector<float> logits = {0, 0};
  const auto choice = (*sampler)->Sample(RowView::F32(logits), state, nullptr);
  ASSERT_FALSE(choice.has_value());
  EXPECT_EQ(choice.error().message, "repetition_penalty looks back; the state is at position 7 and holds 0 tokens");
}

// The rules that meet: grammar over end bans over other bans.
struct Meeting {
  std::uint32_t mask;  // of three tokens; 7 with `masked` false = none
  bool masked;
  Chain chain;
  std::vector<TokenId> kept;  // empty = EmptySupport
};

TEST(ProcessorAgreementTest, WhenRulesMeetTheGrammarWinsThenEndBansThenTheOthers) {
  const StageSpec ends = {StageId::kMinTokens, MinTokensParams{.count = 5, .tokens = {2}}};
  const auto allow = [](std::vector<TokenId> tokens) {
    return StageSpec{StageId::kAllowedTokens, TokenListParams{.tokens = std::move(tokens)}};
  };
  const std::vector<Meeting> meetings = {
      {7, false, {allow({2}), ends}, {0, 1}},  // min_tokens over the list
      {0b110, true, {allow({0}), ends}, {1}},  // grammar and min_tokens over the list
      {0b100, true, {ends}, {2}},              // grammar over min_tokens
      {0b100, true, {allow({2}), ends}, {2}},  // min_tokens alone gives way
      {0b100, true, {allow({0}), ends}, {2}},  // both give way
      {0b010, true, {allow({0})}, {1}},        // grammar over the list
      {7, false, {allow({0}), {StageId::kBannedTokens, TokenListParams{.tokens = {0}}}}, {}},
      {0, true, {ends}, {}},
  };
  const std::vector<float> logits = {0, 0, 0};
  for (const Meeting& meeting : meetings) {
    const auto sampler = MakeSampler(meeting.chain, 3, {});
    ASSERT_TRUE(sampler.has_value());
    SamplerState state({});
    RowView row = RowView::F32(logits);
    if (meeting.masked) row.mask = &meeting.mask;
    StepRecord record;
    const auto choice = (*sampler)->Sample(row, state, &record);
    ASSERT_EQ(choice.has_value(), !meeting.kept.empty());
    if (choice.has_value()) {
      EXPECT_EQ(record.kept, meeting.kept);
    } else {
      EXPECT_EQ(choice.error().code, ErrorCode::kEmptySupport);
    }
    ASSERT_TRUE(Same(**sampler, {.logits = logits, .mask = row.mask}, state));
  }
}

}  // namespace
}  // namespace decant
