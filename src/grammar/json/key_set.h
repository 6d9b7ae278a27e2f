// The keys that an object has so far: grows by one key, and every earlier set stays what it was.
//
// A list of sorted tables after the log-structured merge tree (O'Neil et al. 1996): as soon as four tables of a size
// stand at its head they become one. A question costs a binary search in at most three tables of each size.
#ifndef DECANT_GRAMMAR_JSON_KEY_SET_H_
#define DECANT_GRAMMAR_JSON_KEY_SET_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "grammar/fingerprint.h"
#include "grammar/json/arena.h"

namespace decant::grammar {

struct SeenKey {
  std::uint64_t hash = 0;
  std::string_view text;  // decoded
};
std::uint64_t HashOfKey(std::string_view text);

// A value: what it points at lies in arenas.
class KeySet {
 public:
  bool Has(const SeenKey& key) const;
  // REQUIRES: the key is not in it; its text lies in the arena or in an older one.
  KeySet With(const SeenKey& key, Arena& arena) const;
  std::uint64_t size() const { return size_; }
  // The same for the same keys, in whatever order they came.
  Fingerprint content() const { return content_; }
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const Table* table = head_; table != nullptr; table = table->next) {
      for (const SeenKey& key : table->keys) visit(key);
    }
  }
  // All keys that begin with the text.
  template <class Visit>
  void ForEachFrom(std::string_view text, Visit visit) const {
    for (const Table* table = head_; table != nullptr; table = table->next) {
      auto at = std::ranges::lower_bound(table->keys, text, {}, &SeenKey::text);
      for (; at != table->keys.end() && at->text.starts_with(text); ++at) visit(*at);
    }
  }
  // Of the keys that begin with the text, at least one for each way they go on: at an end, or by a byte.
  template <class Visit>
  void ForEachWayOn(std::string_view text, Visit visit) const {
    for (const Table* table = head_; table != nullptr; table = table->next) {
      auto at = std::ranges::lower_bound(table->keys, text, {}, &SeenKey::text);
      while (at != table->keys.end() && at->text.starts_with(text)) {
        visit(*at);
        const std::string_view way = at->text.substr(0, text.size() + 1);
        ++at;
        if (way.size() == text.size()) continue;
        at = std::ranges::partition_point(at, table->keys.end(),
                                          [way](const SeenKey& key) { return key.text.starts_with(way); });
      }
    }
  }

 private:
  struct Table {
    const Table* next = nullptr;
    std::span<const SeenKey> keys;  // sorted by text
  };
  static constexpr std::size_t kMerged = 4;

  const Table* head_ = nullptr;
  std::uint64_t size_ = 0;
  Fingerprint content_ = {};
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_KEY_SET_H_
