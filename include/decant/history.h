// What a sequence has said so far, indexed so that no stage walks the context at a step.
//
// Counts move with each token in and out of their window, and every n-gram knows its earlier occurrences, newest first.
// Both are exact: appending and rolling back in any order leaves what counting anew would give.
#ifndef DECANT_HISTORY_H_
#define DECANT_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decant/token.h"

namespace decant {

// Which tokens a penalty looks at. (OpenAI and vLLM count generated tokens; llama.cpp counts a window with the prompt.)
enum class PenaltyScope : std::uint8_t { kOutput, kWindow };

struct CountWindow {
  PenaltyScope scope = PenaltyScope::kWindow;  // kOutput: generated tokens only; kWindow: the prompt too
  std::int64_t size = -1;                      // the last tokens looked at; -1 = all
  bool operator==(const CountWindow&) const = default;
};

struct TokenCount {
  TokenId token = 0;
  std::uint32_t count = 0;  // at least 1
  bool operator==(const TokenCount&) const = default;
};

// One owner; copying it forks the sequence. Not thread-safe: asking may build an index.
class History {
 public:
  History() = default;
  History(std::span<const TokenId> prompt, std::span<const TokenId> output);

  std::span<const TokenId> tokens() const { return tokens_; }  // prompt, then output
  std::size_t prompt_size() const { return prompt_size_; }
  std::size_t output_size() const { return tokens_.size() - prompt_size_; }

  // O(log of the distinct tokens) an index, amortized.
  void Append(TokenId token);
  void RollBack(std::size_t n);  // REQUIRES: n <= output_size()

  // The distinct tokens of the window with their counts, ids ascending. The first call for a window counts; later ones
  // find the counts kept. The view lasts until the next call of any member that is not const.
  std::span<const TokenCount> Counts(CountWindow window);

  // The places p >= first whose n tokens before them equal the last n tokens: tokens()[p] once followed what stands at
  // the end now. Newest first. O(places found), after an index for n is built at the first call. The view lasts until
  // the next call of any member that is not const. REQUIRES: n >= 1.
  std::span<const std::size_t> PlacesAfterSuffix(std::size_t n, std::size_t first);

 private:
  struct Counter {
    CountWindow window;
    std::vector<TokenCount> counts;  // ids ascending
    std::size_t begin = 0;           // of the window, an index of tokens_
  };
  // Chains every n-gram's ends, newest first: newest[slot of the n-gram], then previous[end - n]. An end is at least 1,
  // so that 0 says that there is none. Slots are probed one by one; what comes last goes first, so that a slot which a
  // rollback frees was never stepped over.
  struct NgramIndex {
    std::size_t n = 0;
    std::vector<std::size_t> newest;    // a power of two of slots, at most half of them taken
    std::vector<std::size_t> previous;  // by end
    std::size_t taken = 0;              // slots
  };

  std::size_t WindowBegin(const CountWindow& window) const;
  static void Add(Counter& counter, TokenId token);
  static void Remove(Counter& counter, TokenId token);
  // The n-gram's slot, or the free one for it. REQUIRES: n <= end <= tokens_.size().
  std::size_t SlotOf(const NgramIndex& index, std::size_t end) const;
  void Extend(NgramIndex& index, std::size_t end) const;  // with the n-gram that ends there. REQUIRES: ends ascending
  void Shrink(NgramIndex& index) const;                   // by the n-gram that ends at the last token
  void GrowSlots(NgramIndex& index) const;

  std::vector<TokenId> tokens_;
  std::size_t prompt_size_ = 0;
  std::vector<Counter> counters_;
  std::vector<NgramIndex> indices_;
  std::vector<std::size_t> places_;  // the last answer of PlacesAfterSuffix
};

}  // namespace decant

#endif  // DECANT_HISTORY_H_
