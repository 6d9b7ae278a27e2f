// Hashing eight bytes at a time, and linear probing.
#include "text/token_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/check.h"

namespace decant::text {
namespace {

// Never leaves the process, so its value may differ between byte orders.
std::uint32_t HashOf(std::string_view text) {
  std::uint64_t hash = text.size() * 0x9E3779B97F4A7C15u;
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 29;
  };
  while (text.size() > 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), 8);
    mix(word);
    text.remove_prefix(8);
  }
  std::uint64_t word = 0;
  for (const char byte : text) word = (word << 8) | static_cast<unsigned char>(byte);
  mix(word);
  return static_cast<std::uint32_t>((hash * 0x94D049BB133111EBu) >> 32);
}

}  // namespace

TokenTable::TokenTable(std::size_t tokens, std::size_t bytes) {
  slots_.assign(std::bit_ceil(std::max<std::size_t>(2 * tokens, 16)), Slot{.hash = 0, .id = kFree});
  starts_.reserve(tokens + 1);
  texts_.reserve(bytes);
}

// The slot of the text, or the free slot where it would be.
std::size_t TokenTable::SlotOf(std::string_view text, std::uint32_t hash) const {
  std::size_t at = hash & (slots_.size() - 1);
  while (slots_[at].id != kFree && !(slots_[at].hash == hash && this->text(slots_[at].id) == text)) {
    at = (at + 1) & (slots_.size() - 1);
  }
  return at;
}

std::optional<TokenId> TokenTable::Add(std::string_view text) {
  DECANT_DCHECK(2 * (size() + 1) <= slots_.size());
  const auto id = static_cast<TokenId>(size());
  const std::uint32_t hash = HashOf(text);
  Slot& slot = slots_[SlotOf(text, hash)];
  texts_.append(text);
  starts_.push_back(texts_.size());
  if (slot.id != kFree) return slot.id;
  slot = {.hash = hash, .id = id};
  return std::nullopt;
}

std::optional<TokenId> TokenTable::Find(std::string_view text) const {
  const Slot& slot = slots_[SlotOf(text, HashOf(text))];
  return slot.id == kFree ? std::nullopt : std::optional(slot.id);
}

}  // namespace decant::text
