// What may follow the closing quote of a key, as far as white space and the colon alone decide it.
#ifndef DECANT_GRAMMAR_JSON_KEY_TAILS_H_
#define DECANT_GRAMMAR_JSON_KEY_TAILS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "grammar/json/machine.h"
#include "grammar/mask_cache.h"
#include "grammar/mask_words.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

// Of the tails of a vocabulary. Immutable; any thread.
class KeyTails final : public CacheEntry {
 public:
  static constexpr std::uint64_t kKind = 0x4a534f4e05;
  // From the vocabulary's cache. They depend on the machine's options only.
  static std::shared_ptr<const KeyTails> Of(const Vocabulary& vocabulary, const Machine& machine);

  // After any key. REQUIRES, as below: an index into Vocabulary::tails().
  bool MayFollow(std::uint32_t tail) const { return HasToken(follow_, tail); }
  // They reach the member's value, which decides.
  bool ReachValue(std::uint32_t tail) const { return HasToken(reach_value_, tail); }
  std::size_t memory_bytes() const override {
    return sizeof(*this) + (follow_.capacity() + reach_value_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  std::vector<std::uint32_t> follow_, reach_value_;  // rows of tails
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_KEY_TAILS_H_
