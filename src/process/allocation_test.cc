// After one run over a sequence, looking back at each step of it takes no memory from the heap.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "process/bad_words.h"
#include "process/count_penalty.h"
#include "process/dry.h"
#include "process/min_tokens.h"
#include "process/no_repeat_ngram.h"
#include "process/repetition_penalty.h"
#include "process/row.h"
#include "process/token_lists.h"

// g++ takes an inlined operator new for another allocator's.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace {

std::atomic<std::size_t> allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace decant::process {
namespace {

// Every stage that looks back, over a row that stays as it is.
void Apply(const RowView& view, RowScores& scores, History& history, DryScratch& dry) {
  static const RepetitionPenaltyParams repetition{.penalty = 1.2};
  static const CountPenaltyParams count{.penalty = 0.3, .scope = PenaltyScope::kWindow, .window = 500};
  static const DryParams repeats{.multiplier = 0.8, .base = 1.75, .breakers = {{1}, {5, 2}}};
  static const NoRepeatNgramParams ngrams{.size = 3};
  static const BadWordsParams words{.words = {{4, 5}, {6}}};
  static const TokenListParams allowed{.tokens = {0, 1, 2, 3, 7, 11}};
  static const MinTokensParams least{.count = 1'000'000, .tokens = {0}};
  scores.Start(view);
  Row row{.scores = scores, .history = history, .dry = &dry};
  EXPECT_TRUE(ApplyRepetitionPenalty(repetition, row).has_value());
  EXPECT_TRUE(ApplyCountPenalty(StageId::kFrequencyPenalty, count, row).has_value());
  EXPECT_TRUE(ApplyDry(repeats, row).has_value());
  EXPECT_TRUE(ApplyNoRepeatNgram(ngrams, row).has_value());
  ApplyBadWords(words, row);
  ApplyTokenList(StageId::kAllowedTokens, allowed, row);
  ApplyMinTokens(least, row);
  EXPECT_FALSE(scores.Changes().empty());
}

TEST(AllocationTest, LookingBackTakesNoMemoryAfterWarmUp) {
  constexpr std::size_t kSteps = 1500;
  std::vector<float> logits(3000, 1.0f);
  std::vector<TokenId> prompt, output;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < 500 + kSteps; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    (i < 500 ? prompt : output).push_back(static_cast<TokenId>((state >> 33) % (i % 3 == 0 ? 3000 : 12)));
  }
  RowScores scores;
  History history(prompt, {});
  DryScratch dry;
  std::size_t taken[2] = {};
  for (const std::size_t run : {0u, 1u}) {
    const std::size_t before = allocations;
    for (const TokenId token : output) {
      Apply(RowView::F32(logits), scores, history, dry);
      history.Append(token);
    }
    history.RollBack(kSteps);
    taken[run] = allocations - before;
  }
  EXPECT_GT(taken[0], 0u);
  EXPECT_EQ(taken[1], 0u);
}

}  // namespace
}  // namespace decant::process
