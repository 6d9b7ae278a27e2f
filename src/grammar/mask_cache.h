// What was found out once about a vocabulary's tokens, by fingerprint of what it depends on: least recently used
// entries go first when the bytes run out. Any thread.
#ifndef DECANT_GRAMMAR_MASK_CACHE_H_
#define DECANT_GRAMMAR_MASK_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "grammar/fingerprint.h"

namespace decant::grammar {

// A kind of entry is a final class with `static constexpr std::uint64_t kKind`, a number of its own: entries of
// different kinds never meet under one fingerprint.
class CacheEntry {
 public:
  virtual ~CacheEntry() = default;
  virtual std::size_t memory_bytes() const = 0;
};

class MaskCache {
 public:
  // 0 keeps nothing. A single entry larger than its part's share (an eighth of a large budget) is not kept.
  explicit MaskCache(std::size_t budget_bytes);

  // Null when there is none.
  template <class Entry>
  std::shared_ptr<const Entry> Find(Fingerprint key) const {
    return std::static_pointer_cast<const Entry>(FindAny(Add(key, Entry::kKind)));
  }
  // Keeps the entry unless one of the same key came first; the one to use comes back. REQUIRES: not null.
  template <class Entry>
  std::shared_ptr<const Entry> Insert(Fingerprint key, std::shared_ptr<const Entry> entry) const {
    return std::static_pointer_cast<const Entry>(InsertAny(Add(key, Entry::kKind), std::move(entry)));
  }
  // Keeps the entry in the place of one of the same key. REQUIRES: not null.
  template <class Entry>
  void Replace(Fingerprint key, std::shared_ptr<const Entry> entry) const {
    RemoveAny(Add(key, Entry::kKind));
    Insert<Entry>(key, std::move(entry));
  }

  std::size_t bytes() const;  // held now
  std::size_t entries() const;

 private:
  struct Item {
    Fingerprint key;
    std::shared_ptr<const CacheEntry> entry;
    std::size_t bytes;
  };
  struct Part {  // of the keys
    std::mutex mutex;
    std::list<Item> items;  // the most recently used one first
    std::unordered_map<Fingerprint, std::list<Item>::iterator, FingerprintHash> by_key;
    std::size_t bytes = 0;
  };
  std::shared_ptr<const CacheEntry> FindAny(Fingerprint key) const;
  std::shared_ptr<const CacheEntry> InsertAny(Fingerprint key, std::shared_ptr<const CacheEntry> entry) const;
  void RemoveAny(Fingerprint key) const;
  Part& PartOf(Fingerprint key) const { return *parts_[key.high % parts_.size()]; }

  std::vector<std::unique_ptr<Part>> parts_;
  std::size_t part_budget_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_MASK_CACHE_H_
