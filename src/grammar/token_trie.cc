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
namespace {

// Where a text of UTF-8 stands after a byte (Unicode 15, table 3-7).
struct Place {
  bool broken = false;      // no text goes so
  std::uint8_t left = 0;    // bytes that the character still lacks
  std::uint8_t low = 0x80;  // of the next one, if any is left
  std::uint8_t high = 0xBF;

  bool IsBorder() const { return !broken && left == 0; }
  Place After(std::uint8_t byte) const {
    if (broken) return *this;
    if (left > 0) {
      if (byte < low || byte > high) return {.broken = true};
      return {.left = static_cast<std::uint8_t>(left - 1)};
    }
    if (byte < 0x80) return {};
    if (byte < 0xC2 || byte > 0xF4) return {.broken = true};
    if (byte < 0xE0) return {.left = 1};
    if (byte < 0xF0) {
      return {.left = 2,
              .low = static_cast<std::uint8_t>(byte == 0xE0 ? 0xA0 : 0x80),
              .high = static_cast<std::uint8_t>(byte == 0xED ? 0x9F : 0xBF)};
    }
    return {.left = 3,
            .low = static_cast<std::uint8_t>(byte == 0xF0 ? 0x90 : 0x80),
            .high = static_cast<std::uint8_t>(byte == 0xF4 ? 0x8F : 0xBF)};
  }
};

}  // namespace

// A node on the way to the token that is added.
struct TokenTrie::Open {
  std::uint32_t node = 0;
  Place place = {};         // after its byte
  bool begins = true;       // a character
  CharacterSet below = {};  // of the subtree so far
  std::uint8_t height = 0;
  std::uint32_t children = 0;
};

// Leaves the path's nodes deeper than `depth`, whose subtrees are complete now.
void TokenTrie::Close(std::vector<Open>& path, std::size_t depth) {
  while (path.size() > depth) {
    const Open done = path.back();
    path.pop_back();
    Node& node = nodes_[done.node];
    node.end = static_cast<std::uint32_t>(nodes_.size());
    node.height = done.height;
    below_[done.node] = done.below;
    if (!done.place.IsBorder()) below_[done.node].AddBroken();
    if (done.children >= kLeastFan) AddFan(done.node);
    if (path.empty()) continue;
    Open& parent = path.back();
    ++parent.children;
    parent.below.Unite(done.below);
    if (done.place.broken) {
      parent.below.AddBroken();
    } else if (done.begins) {
      parent.below.AddFirst(node.byte);
    }
    const unsigned height = done.height + (done.begins ? 1u : 0u);
    parent.height = std::max(parent.height, static_cast<std::uint8_t>(std::min(height, 255u)));
  }
}

TokenTrie::TokenTrie(std::span<const std::string_view> bytes, std::vector<TokenId> sorted)
    : fans_(1), tokens_(std::move(sorted)) {
  std::vector<Open> path;  // the nodes of the last token
  std::string_view last;
  nodes_.reserve(2 * tokens_.size() + 1);
  for (std::size_t t = 0; t < tokens_.size(); ++t) {
    const std::string_view token = bytes[tokens_[t]];
    DECANT_DCHECK(!token.empty() && token.size() <= kMaxTokenBytes && token >= last);
    const std::size_t shared = static_cast<std::size_t>(
        std::mismatch(last.begin(), last.end(), token.begin(), token.end()).first - last.begin());
    Close(path, shared);
    for (std::size_t d = shared; d < token.size(); ++d) {
      const auto byte = static_cast<std::uint8_t>(token[d]);
      const Place before = path.empty() ? Place{} : path.back().place;
      path.push_back({.node = static_cast<std::uint32_t>(nodes_.size()),
                      .place = before.After(byte),
                      .begins = before.IsBorder()});
      nodes_.push_back({.end = 0,
                        .first = static_cast<std::uint32_t>(t),
                        .depth = static_cast<std::uint16_t>(d + 1),
                        .byte = byte,
                        .height = 0});
    }
    below_.resize(nodes_.size());
    fan_of_.resize(nodes_.size());
    if (!path.back().place.IsBorder()) path.back().below.AddBroken();
    height_ = std::max(height_, token.size());
    last = token;
  }
  Close(path, 0);
  AddFan(kRoot);
  nodes_.push_back({.end = static_cast<std::uint32_t>(nodes_.size()),
                    .first = static_cast<std::uint32_t>(tokens_.size()),
                    .depth = 0,
                    .byte = 0,
                    .height = 0});
  nodes_.shrink_to_fit();
  below_.shrink_to_fit();
  fan_of_.shrink_to_fit();
  fans_.shrink_to_fit();
  children_.shrink_to_fit();
}

// REQUIRES: the subtree is complete.
void TokenTrie::AddFan(std::uint32_t node) {
  const bool is_root = node == kRoot;
  Fan fan{.first = static_cast<std::uint32_t>(children_.size())};
  const auto end = static_cast<std::uint32_t>(nodes_.size());
  for (std::uint32_t child = is_root ? 0 : node + 1; child < end; child = nodes_[child].end) {
    fan.bytes.Add(nodes_[child].byte);
    children_.push_back(child);
  }
  if (is_root) {
    fans_[0] = fan;
  } else {
    fan_of_[node] = static_cast<std::uint32_t>(fans_.size());
    fans_.push_back(fan);
  }
}

std::uint32_t TokenTrie::FirstChild(std::uint32_t node, const ByteSet& bytes, unsigned from) const {
  const std::uint32_t end = node == kRoot ? size() : nodes_[node].end;
  if (!HasManyChildren(node)) {
    std::uint32_t child = node + 1;
    while (child < end && (nodes_[child].byte < from || !bytes.Has(nodes_[child].byte))) child = nodes_[child].end;
    return child;
  }
  const Fan& fan = fans_[node == kRoot ? 0 : fan_of_[node]];
  const unsigned byte = fan.bytes.FirstOfBoth(bytes, from);
  return byte == 256 ? end : children_[fan.first + fan.bytes.RankOf(static_cast<std::uint8_t>(byte))];
}

std::uint32_t TokenTrie::FindChild(std::uint32_t node, std::uint8_t byte) const {
  if (!HasManyChildren(node)) {
    for (std::uint32_t child = node + 1; child < nodes_[node].end; child = nodes_[child].end) {
      if (nodes_[child].byte == byte) return child;
    }
    return kNoNode;
  }
  const Fan& fan = fans_[node == kRoot ? 0 : fan_of_[node]];
  return fan.bytes.Has(byte) ? children_[fan.first + fan.bytes.RankOf(byte)] : kNoNode;
}

std::size_t TokenTrie::memory_bytes() const {
  return sizeof(*this) + nodes_.capacity() * sizeof(Node) + below_.capacity() * sizeof(CharacterSet) +
         tokens_.capacity() * sizeof(TokenId) + fans_.capacity() * sizeof(Fan) +
         (fan_of_.capacity() + children_.capacity()) * sizeof(std::uint32_t);
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
