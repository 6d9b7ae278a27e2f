// What each token does inside a JSON number: stays in it, or leaves it after some of its bytes.
#ifndef DECANT_GRAMMAR_JSON_NUMBER_ENTRY_H_
#define DECANT_GRAMMAR_JSON_NUMBER_ENTRY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grammar/mask_cache.h"
#include "grammar/mask_words.h"
#include "grammar/vocabulary.h"
#include "grammar/written_numbers.h"

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

// One owner; the vocabulary outlives it.
class NumberEntries {
 public:
  NumberEntries(const Vocabulary& vocabulary, const NumberHorizon& horizon)
      : vocabulary_(vocabulary), horizon_(horizon), row_(vocabulary.words()) {}
  // Of a number of the set under way.
  std::shared_ptr<const NumberEntry> Of(const WrittenNumbers& set, const NumberPrefix& prefix);

 private:
  std::shared_ptr<const NumberEntry> Make(const WrittenNumbers& set, const NumberPrefix& prefix);

  const Vocabulary& vocabulary_;
  NumberHorizon horizon_;
  std::vector<std::uint32_t> row_;  // scratch
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_NUMBER_ENTRY_H_
