// The mask of a place: most of it is the row of an entry that many places share, so a place keeps only what it adds.
// One that is asked for again gets a row of its own, which is quicker to copy.
#ifndef DECANT_GRAMMAR_JSON_ROW_ENTRY_H_
#define DECANT_GRAMMAR_JSON_ROW_ENTRY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decant/token.h"
#include "grammar/mask_cache.h"
#include "grammar/mask_words.h"

namespace decant::grammar {

// A mask while it is found. Tokens may be added more than once.
class MaskParts {
 public:
  void Clear();
  void Add(TokenId token) { added_.push_back(token); }
  void Add(std::span<const TokenId> tokens) { added_.insert(added_.end(), tokens.begin(), tokens.end()); }
  // Adds what the entry's inner() has, which is kept with the entry.
  template <class Entry>
  void AddInner(const std::shared_ptr<const Entry>& entry) {
    AddSet(entry, entry->inner());
  }
  void CopyTo(std::span<std::uint32_t> row) const;  // REQUIRES: the words of the vocabulary

 private:
  friend class RowEntry;
  void AddSet(const std::shared_ptr<const CacheEntry>& owner, const TokenSet& set);
  std::shared_ptr<const CacheEntry> owner_;
  const TokenSet* shared_ = nullptr;  // null: none
  std::vector<TokenId> added_;
};

// Most masks are the same for all places of one narrow key (PlaceKeys); where they are not, the entry under the narrow
// key says so, and those under the wide keys hold.
class RowEntry final : public CacheEntry {
 public:
  static constexpr std::uint64_t kKind = 0x4a534f4e01;
  static std::shared_ptr<const RowEntry> OfRow(std::span<const std::uint32_t> row);
  static std::shared_ptr<const RowEntry> OfParts(const MaskParts& parts);
  static std::shared_ptr<const RowEntry> NeedingWideKey();

  bool needs_wide_key() const { return needs_wide_key_; }
  // False: the entry that it shares is gone, and the row is not touched.
  bool CopyTo(std::span<std::uint32_t> row) const;
  // Whether to put OfRow in its place: true once, for a long one that is used again.
  bool IsWorthARow() const;
  std::size_t memory_bytes() const override;

 private:
  bool needs_wide_key_ = false;
  TokenSet tokens_;  // all of them, where nothing is shared
  std::weak_ptr<const CacheEntry> owner_;
  const TokenSet* shared_ = nullptr;  // the owner's; null: nothing is shared
  std::vector<TokenId> added_;
  mutable std::atomic<bool> was_weighed_ = false;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_ROW_ENTRY_H_
