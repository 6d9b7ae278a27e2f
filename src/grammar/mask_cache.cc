// Entries by fingerprint, least recently used ones dropped.
#include "grammar/mask_cache.h"

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "grammar/fingerprint.h"

namespace decant::grammar {
namespace {

// Threads rarely wait for each other in eight parts; a part must still hold many rows.
constexpr std::size_t kMostParts = 8;
constexpr std::size_t kLeastPartBytes = std::size_t{4} << 20;
constexpr std::size_t kItemOverhead = 160;  // list node, hash node, bucket, reference count: about

}  // namespace

MaskCache::MaskCache(std::size_t budget_bytes) {
  const std::size_t parts = std::clamp<std::size_t>(budget_bytes / kLeastPartBytes, 1, kMostParts);
  for (std::size_t i = 0; i < parts; ++i) parts_.push_back(std::make_unique<Part>());
  part_budget_ = budget_bytes / parts;
}

std::shared_ptr<const CacheEntry> MaskCache::FindAny(Fingerprint key) const {
  Part& part = PartOf(key);
  const std::lock_guard lock(part.mutex);
  const auto found = part.by_key.find(key);
  if (found == part.by_key.end()) return nullptr;
  if (found->second != part.items.begin()) part.items.splice(part.items.begin(), part.items, found->second);
  return found->second->entry;
}

std::shared_ptr<const CacheEntry> MaskCache::InsertAny(Fingerprint key, std::shared_ptr<const CacheEntry> entry) const {
  const std::size_t bytes = entry->memory_bytes() + kItemOverhead;
  if (bytes > part_budget_) return entry;
  std::list<Item> dropped;  // freed after the lock
  Part& part = PartOf(key);
  const std::lock_guard lock(part.mutex);
  if (const auto found = part.by_key.find(key); found != part.by_key.end()) return found->second->entry;
  part.items.push_front({key, entry, bytes});
  part.by_key.emplace(key, part.items.begin());
  part.bytes += bytes;
  while (part.bytes > part_budget_) {
    part.bytes -= part.items.back().bytes;
    part.by_key.erase(part.items.back().key);
    dropped.splice(dropped.begin(), part.items, std::prev(part.items.end()));
  }
  return entry;
}

void MaskCache::RemoveAny(Fingerprint key) const {
  std::list<Item> removed;  // freed after the lock
  Part& part = PartOf(key);
  const std::lock_guard lock(part.mutex);
  const auto found = part.by_key.find(key);
  if (found == part.by_key.end()) return;
  part.bytes -= found->second->bytes;
  removed.splice(removed.begin(), part.items, found->second);
  part.by_key.erase(found);
}

std::size_t MaskCache::bytes() const {
  std::size_t bytes = 0;
  for (const auto& part : parts_) {
    const std::lock_guard lock(part->mutex);
    bytes += part->bytes;
  }
  return bytes;
}

std::size_t MaskCache::entries() const {
  std::size_t entries = 0;
  for (const auto& part : parts_) {
    const std::lock_guard lock(part->mutex);
    entries += part->items.size();
  }
  return entries;
}

}  // namespace decant::grammar
