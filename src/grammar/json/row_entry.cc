// Masks of places, kept as a shared row and a list, or as a row.
#include "grammar/json/row_entry.h"

#include <algorithm>

namespace decant::grammar {
namespace {

// So many bits take about as long to set as a row takes to copy.
constexpr std::size_t kLongList = 128;

}  // namespace

void MaskParts::Clear() {
  owner_.reset();
  shared_ = nullptr;
  added_.clear();
}

void MaskParts::AddSet(const std::shared_ptr<const CacheEntry>& owner, const TokenSet& set) {
  if (shared_ == nullptr) {
    owner_ = owner;
    shared_ = &set;
  } else {
    set.AppendTo(added_);
  }
}

void MaskParts::CopyTo(std::span<std::uint32_t> row) const {
  if (shared_ == nullptr) {
    std::ranges::fill(row, 0);
  } else {
    shared_->CopyTo(row);
  }
  for (const TokenId token : added_) AddToken(row, token);
}

std::shared_ptr<const RowEntry> RowEntry::OfRow(std::span<const std::uint32_t> row) {
  auto entry = std::make_shared<RowEntry>();
  entry->tokens_ = TokenSet::Of(row);
  return entry;
}

std::shared_ptr<const RowEntry> RowEntry::OfParts(const MaskParts& parts) {
  auto entry = std::make_shared<RowEntry>();
  entry->owner_ = parts.owner_;
  entry->shared_ = parts.shared_;
  entry->added_ = parts.added_;
  return entry;
}

std::shared_ptr<const RowEntry> RowEntry::NeedingWideKey() {
  auto entry = std::make_shared<RowEntry>();
  entry->needs_wide_key_ = true;
  return entry;
}

bool RowEntry::CopyTo(std::span<std::uint32_t> row) const {
  if (shared_ == nullptr) {
    tokens_.CopyTo(row);
  } else {
    const std::shared_ptr<const CacheEntry> owner = owner_.lock();
    if (owner == nullptr) return false;
    shared_->CopyTo(row);
  }
  for (const TokenId token : added_) AddToken(row, token);
  return true;
}

bool RowEntry::IsWorthARow() const {
  return added_.size() > kLongList && !was_weighed_.exchange(true, std::memory_order_relaxed);
}

std::size_t RowEntry::memory_bytes() const {
  return sizeof(*this) + tokens_.memory_bytes() + added_.capacity() * sizeof(TokenId);
}

}  // namespace decant::grammar
