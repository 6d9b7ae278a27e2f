// Tables merge four by four, so that an old one is copied only a few times.
#include "grammar/json/key_set.h"

#include <algorithm>

namespace decant::grammar {

std::uint64_t HashOfKey(std::string_view text) { return Add(Fingerprint{}, text).low; }

bool KeySet::Has(const SeenKey& key) const {
  for (const Table* table = head_; table != nullptr; table = table->next) {
    if (std::ranges::binary_search(table->keys, key.text, {}, &SeenKey::text)) return true;
  }
  return false;
}

KeySet KeySet::With(const SeenKey& key, Arena& arena) const {
  std::size_t size = 1;
  const Table* rest = head_;
  while (rest != nullptr && rest->keys.size() == size) {
    std::size_t same = 0;
    const Table* end = rest;
    for (; end != nullptr && end->keys.size() == size && same < kMerged - 1; end = end->next) ++same;
    if (same < kMerged - 1) break;
    size *= kMerged;
    rest = end;
  }
  const std::span<SeenKey> merged = arena.MakeArray<SeenKey>(size);
  std::size_t filled = 0;
  merged[filled++] = key;
  for (const Table* table = head_; table != rest; table = table->next) {
    std::ranges::copy(table->keys, merged.begin() + static_cast<std::ptrdiff_t>(filled));
    filled += table->keys.size();
  }
  std::ranges::sort(merged, {}, &SeenKey::text);

  KeySet grown;
  grown.head_ = arena.Make<Table>(rest, merged);
  grown.size_ = size_ + 1;
  const Fingerprint of_key = Add(Fingerprint{}, key.text);
  grown.content_ = {.high = content_.high + of_key.high, .low = content_.low + of_key.low};
  return grown;
}

}  // namespace decant::grammar
