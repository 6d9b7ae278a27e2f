// What each token does inside a JSON number: stays in it, or leaves it after some of its bytes.
#ifndef DECANT_GRAMMAR_JSON_NUMBER_ENTRY_H_
#define DECANT_GRAMMAR_JSON_NUMBER_ENTRY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grammar/json/frame.h"
#include "grammar/mask_cache.h"
#include "grammar/mask_words.h"
#include "grammar/number_set.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

class NumberEntry final : public CacheEntry {
 public:
  static constexpr std::uint64_t kKind = 0x4a534f4e04;
  const TokenSet& inner() const { return inner_; }  // tokens that stay in the number
  // Nodes of the vocabulary's tree up to which a token is part of the number, after which the number may end, and some
  // token goes on with another byte.
  std::span<const std::uint32_t> exits() const { return exits_; }
  std::size_t memory_bytes() const override {
    return sizeof(*this) + inner_.memory_bytes() + exits_.capacity() * sizeof(std::uint32_t);
  }

 private:
  friend class NumberEntries;
  TokenSet inner_;
  std::vector<std::uint32_t> exits_;
};

// A number under way: `prefix` in `set`, or, where only the form matters, `free` (kNone: its first character is next).
struct NumberState {
  const NumberSet* set = nullptr;  // null = free
  const NumberPrefix* prefix = nullptr;
  FreeNumber free = FreeNumber::kNone;
  bool needs_value = false;  // an exponent that is out of reach is refused: see Machine
};

// One owner; the vocabulary outlives it.
class NumberEntries {
 public:
  NumberEntries(const Vocabulary& vocabulary, bool has_long_exponents)
      : vocabulary_(vocabulary), has_long_exponents_(has_long_exponents), row_(vocabulary.words()) {}
  std::shared_ptr<const NumberEntry> Of(const NumberState& state);

 private:
  std::shared_ptr<const NumberEntry> Make(const NumberState& state);
  template <class State, class Step, class MayEnd>
  void Walk(State start, Step step, MayEnd may_end, NumberEntry& entry);

  const Vocabulary& vocabulary_;
  bool has_long_exponents_;         // BetweenTokens
  std::vector<std::uint32_t> row_;  // scratch
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_NUMBER_ENTRY_H_
