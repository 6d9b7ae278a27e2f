// The tree of a vocabulary's tokens.
#include "grammar/token_trie.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.h"
#include "decant/token.h"

namespace decant::grammar {

// Leaves the path's nodes deeper than `depth`, whose subtrees are complete now.
void TokenTrie::Close(std::vector<std::uint32_t>& path, std::size_t depth) {
  while (path.size() > depth) {
    const std::uint32_t i = path.back();
    path.pop_back();
    Node& node = nodes_[i];
    node.end = static_cast<std::uint32_t>(nodes_.size());
    if (path.empty()) continue;
    Node& parent = nodes_[path.back()];
    parent.height = std::max(parent.height, static_cast<std::uint8_t>(node.height < 255 ? node.height + 1 : 255));
    AsciiSet& below = below_[path.back()];
    below.words[0] |= below_[i].words[0];
    below.words[1] |= below_[i].words[1];
    below.Add(node.byte);
  }
}

TokenTrie::TokenTrie(std::span<const std::string_view> bytes, std::vector<TokenId> sorted)
    : tokens_(std::move(sorted)) {
  std::vector<std::uint32_t> path;  // the nodes of the last token
  std::string_view last;
  nodes_.reserve(2 * tokens_.size() + 1);
  below_.reserve(2 * tokens_.size() + 1);
  for (std::size_t t = 0; t < tokens_.size(); ++t) {
    const std::string_view token = bytes[tokens_[t]];
    DECANT_DCHECK(!token.empty() && token.size() <= kMaxTokenBytes && token >= last);
    const std::size_t shared = static_cast<std::size_t>(
        std::mismatch(last.begin(), last.end(), token.begin(), token.end()).first - last.begin());
    Close(path, shared);
    for (std::size_t d = shared; d < token.size(); ++d) {
      path.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.push_back({.end = 0,
                        .first = static_cast<std::uint32_t>(t),
                        .depth = static_cast<std::uint16_t>(d + 1),
                        .byte = static_cast<std::uint8_t>(token[d]),
                        .height = 0});
      below_.emplace_back();
    }
    height_ = std::max(height_, token.size());
    last = token;
  }
  Close(path, 0);
  nodes_.push_back({.end = static_cast<std::uint32_t>(nodes_.size()),
                    .first = static_cast<std::uint32_t>(tokens_.size()),
                    .depth = 0,
                    .byte = 0,
                    .height = 0});
  nodes_.shrink_to_fit();
  below_.shrink_to_fit();
}

std::size_t TokenTrie::memory_bytes() const {
  return sizeof(*this) + nodes_.capacity() * sizeof(Node) + below_.capacity() * sizeof(AsciiSet) +
         tokens_.capacity() * sizeof(TokenId);
}

std::vector<TokenId> SortedByBytes(std::span<const std::string_view> bytes, std::span<const TokenId> ids) {
  // Most comparisons are decided by the first eight bytes, which lie in the array that is sorted.
  struct Key {
    std::uint64_t head;  // big endian, filled up with zeros
    TokenId id;
  };
  std::vector<Key> keys;
  keys.reserve(ids.size());
  for (const TokenId id : ids) {
    std::uint64_t head = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      head = head << 8 | (i < bytes[id].size() ? static_cast<unsigned char>(bytes[id][i]) : 0u);
    }
    keys.push_back({head, id});
  }
  std::sort(keys.begin(), keys.end(), [bytes](const Key& a, const Key& b) {
    if (a.head != b.head) return a.head < b.head;
    if (const int order = bytes[a.id].compare(bytes[b.id]); order != 0) return order < 0;
    return a.id < b.id;
  });
  std::vector<TokenId> sorted;
  sorted.reserve(keys.size());
  for (const Key& key : keys) sorted.push_back(key.id);
  return sorted;
}

}  // namespace decant::grammar
