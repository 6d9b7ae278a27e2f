// A batch is its rows: whatever its size, order, mates and threads, each gets the choice that it gets alone, and a bad
// row fails alone (D1 and D2 of docs/determinism.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "agreement/sampler_rows.h"
#include "agreement/twin_answer.h"
#include "decant/runtime.h"
#include "decant/sampler.h"

namespace decant {
namespace {

using enum StageId;

// One sequence: its sampler, its logits in its preset's type, its masks, and what it remembers.
struct Sequence {
  std::shared_ptr<const Sampler> sampler;
  std::vector<float> logits;
  std::vector<double> wide;  // of a row in f64; empty otherwise
  std::vector<std::uint32_t> mask, structural;
  std::vector<TokenId> prompt;
  std::uint64_t seed = 0;
  bool knows_tokens = true;  // false: the state holds a position alone

  SamplerState Start() const {
    if (!knows_tokens) return SamplerState({.seed = seed, .position = prompt.size()});
    return SamplerState({.seed = seed, .prompt = prompt});
  }
  RowView Row() const {
    RowView row = wide.empty() ? RowView::F32(logits) : RowView::F64(wide);
    row.mask = mask.empty() ? nullptr : mask.data();
    row.structural = structural.empty() ? nullptr : structural.data();
    return row;
  }
};

std::shared_ptr<const Sampler> Make(Chain chain, std::size_t vocabulary, Preset preset) {
  auto sampler = MakeSampler(std::move(chain), vocabulary, {.preset = preset});
  EXPECT_TRUE(sampler.has_value()) << sampler.error().message;
  return sampler.has_value() ? *sampler : nullptr;
}

Sequence MakeSequence(std::size_t number, std::size_t largest, Random& random) {
  Sequence sequence{.sampler = nullptr, .logits = {}, .wide = {}, .mask = {}, .structural = {}, .prompt = {}};
  const std::size_t size = 1 + random.Below(largest);
  sequence.seed = random.Bits();
  sequence.prompt = MakeHistory(size, random.Below(60), random);
  if (number % 7 == 5) {
    sequence.logits = MakeRow(Family::kFlat, size, random);
    if (random.Chance(0.5)) sequence.wide.assign(sequence.logits.begin(), sequence.logits.end());
    sequence.sampler = Make({{kTemperature, TemperatureParams{0.7}}}, size, Preset::kReference);
    return sequence;
  }
  sequence.logits = MakeRow(Families()[random.Below(Families().size())], size, random);
  if (number % 7 == 6) {
    sequence.logits = MakeRow(Family::kModelLike, size, random);
    sequence.sampler = Make({{kTemperature, TemperatureParams{0.9}}}, size, Preset::kOctlm);
    return sequence;
  }
  Chain chain = number % 7 == 4 ? MakeRandomProcessors(size, random) : Chain{};
  const Chain rest = number % 2 == 0 ? MakeBenchChain(kBenchChains[random.Below(6)]) : MakeRandomFilters(random);
  chain.insert(chain.end(), rest.begin(), rest.end());
  if (random.Chance(0.4)) sequence.mask = MakeMask(size, 0.6, random);
  if (random.Chance(0.2)) sequence.structural = MakeMask(size, 0.2, random);
  sequence.sampler = Make(std::move(chain), size, Preset::kNative);
  return sequence;
}

std::vector<Sequence> MakeSequences(std::size_t count, std::size_t largest, Random& random) {
  std::vector<Sequence> sequences;
  for (std::size_t i = 0; i < count; ++i) sequences.push_back(MakeSequence(i, largest, random));
  return sequences;
}

// A row for each way to fail, and two that do not.
std::vector<Sequence> WithBadRows(Random& random) {
  std::vector<Sequence> sequences = MakeSequences(8, 300, random);
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (Sequence& s : sequences) {
    s.sampler = Make(MakeBenchChain(BenchChain::kTopK), s.logits.size(), Preset::kNative);
    s.mask.clear();
    s.wide.clear();
  }
  sequences[0].logits.back() = kNaN;
  sequences[1].logits.push_back(0);                                                 // another vocabulary
  sequences[2].wide.assign(sequences[2].logits.size(), 0.0);                        // another type
  std::ranges::fill(sequences[3].logits, -std::numeric_limits<float>::infinity());  // nothing left
  sequences[4].sampler = Make({{kDry, DryParams{.multiplier = 1}}}, sequences[4].logits.size(), Preset::kNative);
  sequences[4].prompt.assign(3, 0);
  sequences[4].knows_tokens = false;  // nothing to look back at
  sequences[5].sampler = Make({}, sequences[5].logits.size(), Preset::kReference);
  sequences[5].logits[0] = kNaN;
  return sequences;
}

std::string Text(const Result<Choice>& choice) {
  if (!choice.has_value()) return "error " + choice.error().message;
  return "token " + std::to_string(choice->token) + " rank " + std::to_string(choice->rank);
}

::testing::AssertionResult Same(const Result<Choice>& batched, const Result<Choice>& alone, Detail detail) {
  bool same = batched.has_value() == alone.has_value();
  if (same && !alone.has_value()) {
    same = batched.error().code == alone.error().code && batched.error().message == alone.error().message;
  } else if (same) {
    same = detail == Detail::kFull ? *batched == *alone
                                   : batched->token == alone->token && batched->drawn_by == alone->drawn_by;
  }
  if (same) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << Text(batched) << " in the batch, " << Text(alone) << " alone";
}

// Some steps of all sequences, alone.
std::vector<std::vector<Result<Choice>>> Alone(const std::vector<Sequence>& sequences, int steps) {
  std::vector<std::vector<Result<Choice>>> choices;
  for (const Sequence& sequence : sequences) {
    SamplerState state = sequence.Start();
    choices.emplace_back();
    for (int step = 0; step < steps; ++step) {
      choices.back().push_back(sequence.sampler->Choose(sequence.Row(), state, Detail::kFull));
      if (choices.back().back().has_value()) state.Accept(choices.back().back()->token);
    }
  }
  return choices;
}

std::shared_ptr<Runtime> Threads(int threads) {
  if (threads == 0) return nullptr;
  return *Runtime::Make({.threads = threads});
}

// The same steps in batches of some size and order.
void CompareBatches(const std::vector<Sequence>& sequences, const std::vector<std::vector<Result<Choice>>>& alone,
                    BatchSampler& batch, std::span<const std::size_t> order, std::size_t size) {
  std::vector<SamplerState> states;
  for (const Sequence& sequence : sequences) states.push_back(sequence.Start());
  for (std::size_t step = 0; step < alone[0].size(); ++step) {
    const Detail detail = step % 2 == 0 ? Detail::kToken : Detail::kFull;
    for (std::size_t begin = 0; begin < order.size(); begin += size) {
      const std::span<const std::size_t> mates = order.subspan(begin, std::min(size, order.size() - begin));
      std::vector<SampleRequest> requests;
      for (const std::size_t i : mates) {
        requests.push_back({.sampler = sequences[i].sampler.get(), .row = sequences[i].Row(), .state = &states[i]});
      }
      std::vector<Result<Choice>> out(mates.size());
      batch.Sample(requests, detail, out);
      for (std::size_t j = 0; j < mates.size(); ++j) {
        ASSERT_TRUE(Same(out[j], alone[mates[j]][step], detail))
            << "sequence " << mates[j] << ", step " << step << ", batches of " << size << ", chain "
            << Describe(sequences[mates[j]].sampler->chain());
        if (out[j].has_value()) states[mates[j]].Accept(out[j]->token);
      }
    }
  }
}

std::vector<std::size_t> Shuffled(std::size_t count, Random& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  return order;
}

TEST(SamplerBatchTest, EachRowGetsWhatItGetsAlone) {
  Random random(1);
  const std::vector<Sequence> sequences = MakeSequences(42, 2000, random);
  const auto alone = Alone(sequences, 4);
  for (const int threads : {0, 1, 2, 3, 4}) {
    BatchSampler batch(Threads(threads));
    for (const std::size_t size : {1u, 2u, 3u, 5u, 16u, 42u}) {
      CompareBatches(sequences, alone, batch, Shuffled(sequences.size(), random), size);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(SamplerBatchTest, RowsFewerThanThreads) {
  Random random(2);
  std::vector<Sequence> sequences;
  for (const BenchChain chain : kBenchChains) {
    for (const Family family : {Family::kModelLike, Family::kFlat, Family::kAllEqual}) {
      Sequence sequence = MakeSequence(0, 1, random);
      sequence.logits = MakeRow(family, 40'000 + random.Below(100), random);
      sequence.mask.clear();
      sequence.structural.clear();
      sequence.prompt = MakeHistory(sequence.logits.size(), 100, random);
      sequence.sampler = Make(MakeBenchChain(chain), sequence.logits.size(), Preset::kNative);
      sequences.push_back(std::move(sequence));
    }
  }
  const auto alone = Alone(sequences, 3);
  for (const int threads : {1, 2, 3, 4}) {
    BatchSampler batch(Threads(threads));
    for (const std::size_t size : {1u, 2u, 3u}) {
      CompareBatches(sequences, alone, batch, Shuffled(sequences.size(), random), size);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(SamplerBatchTest, ABadRowFailsAlone) {
  Random random(3);
  const std::vector<Sequence> sequences = WithBadRows(random);
  const auto alone = Alone(sequences, 3);
  constexpr std::array kCodes = {ErrorCode::kNonFiniteLogit, ErrorCode::kLogitCountMismatch, ErrorCode::kWrongType,
                                 ErrorCode::kEmptySupport, ErrorCode::kConflict};
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    ASSERT_EQ(alone[i][0].has_value(), i >= 6) << i << " " << Text(alone[i][0]);
    if (i < kCodes.size()) {
      EXPECT_EQ(alone[i][0].error().code, kCodes[i]) << Text(alone[i][0]);
    }
  }
  for (const int threads : {0, 1, 2, 4}) {
    BatchSampler batch(Threads(threads));
    for (const std::size_t size : {1u, 3u, 8u}) {
      CompareBatches(sequences, alone, batch, Shuffled(sequences.size(), random), size);
      if (HasFatalFailure()) return;
    }
  }
}

// A failed row moves nothing: the same sequence answers a good row as if the bad one had never been.
TEST(SamplerBatchTest, AFailedRowMovesNothing) {
  Random random(4);
  for (Sequence& sequence : MakeSequences(14, 200, random)) {
    SamplerState state = sequence.Start(), fresh = sequence.Start();
    Sequence bad = sequence;
    bad.logits.back() = std::numeric_limits<float>::quiet_NaN();
    if (!bad.wide.empty()) bad.wide.back() = std::numeric_limits<double>::quiet_NaN();
    BatchSampler batch(nullptr);
    std::vector<Result<Choice>> out(1);
    const SampleRequest spoiled[] = {{.sampler = bad.sampler.get(), .row = bad.Row(), .state = &state}};
    batch.Sample(spoiled, Detail::kToken, out);
    ASSERT_FALSE(out[0].has_value());
    const SampleRequest sound[] = {{.sampler = sequence.sampler.get(), .row = sequence.Row(), .state = &state}};
    batch.Sample(sound, Detail::kFull, out);
    ASSERT_TRUE(Same(out[0], sequence.sampler->Choose(sequence.Row(), fresh, Detail::kFull), Detail::kFull));
  }
}

TEST(SamplerBatchTest, ABatchOfNone) {
  for (const int threads : {0, 2}) {
    BatchSampler batch(Threads(threads));
    batch.Sample({}, Detail::kFull, {});
    Random random(5);
    const std::vector<Sequence> one = MakeSequences(1, 50, random);
    CompareBatches(one, Alone(one, 2), batch, std::vector<std::size_t>{0}, 1);  // and it still works
  }
}

// What one batch left behind in the threads' work areas shows in no later one: sizes grow and shrink.
TEST(SamplerBatchTest, OneBatchSamplerThroughManyStepsAndSizes) {
  Random random(6);
  BatchSampler batch(Threads(2));
  for (int round = 0; round < 40; ++round) {
    const std::size_t largest = round % 8 == 7 ? 30'000 : 1 + random.Below(500);
    const std::vector<Sequence> sequences = MakeSequences(1 + random.Below(20), largest, random);
    CompareBatches(sequences, Alone(sequences, 2), batch, Shuffled(sequences.size(), random), 1 + random.Below(20));
    if (HasFatalFailure()) return;
  }
}

// One sampler serves all sequences of a batch at once.
TEST(SamplerBatchTest, OneSamplerForAllRowsAndThreads) {
  Random random(7);
  BatchSampler batch(Threads(4));
  for (const BenchChain chain : kBenchChains) {
    const auto sampler = Make(MakeBenchChain(chain), 3000, Preset::kNative);
    std::vector<Sequence> sequences;
    for (int i = 0; i < 40; ++i) {
      sequences.push_back(MakeSequence(0, 1, random));
      sequences.back().sampler = sampler;
      sequences.back().logits = MakeRow(Families()[static_cast<std::size_t>(i) % Families().size()], 3000, random);
      sequences.back().mask.clear();
      sequences.back().structural.clear();
    }
    CompareBatches(sequences, Alone(sequences, 3), batch, Shuffled(sequences.size(), random), 40);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace decant
