// The merge table and the two merge loops.
#include "text/bpe.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>

#include "core/check.h"

namespace decant::text {

Bpe::Bpe(const std::array<TokenId, 256>& byte_tokens, std::size_t merges) : byte_tokens_(byte_tokens) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(2 * merges, 16));
  slots_.assign(size, Slot{.left = 0, .right = 0, .rank = kNoRank, .result = kNoToken});
  shift_ = 64u - static_cast<unsigned>(std::countr_zero(size));
  result_of_.reserve(merges);
}

// The slot of the pair, or the free slot where it would be.
const Bpe::Slot& Bpe::Find(TokenId left, TokenId right) const {
  const std::uint64_t key = (std::uint64_t{left} << 32) | right;
  std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u ^ (key >> 29)) * 0xBF58476D1CE4E5B9u >> shift_);
  while (slots_[at].rank != kNoRank && !(slots_[at].left == left && slots_[at].right == right)) {
    at = (at + 1) & (slots_.size() - 1);
  }
  return slots_[at];
}

bool Bpe::AddMerge(TokenId left, TokenId right, TokenId result) {
  DECANT_DCHECK(2 * (result_of_.size() + 1) <= slots_.size());
  const Slot& found = Find(left, right);
  if (found.rank != kNoRank) return false;
  const auto rank = static_cast<std::uint32_t>(result_of_.size());
  slots_[static_cast<std::size_t>(&found - slots_.data())] = {left, right, rank, result};
  result_of_.push_back(result);
  return true;
}

void Bpe::Encode(std::string_view piece, std::vector<TokenId>& out) const {
  if (piece.size() <= kShort) {
    EncodeShort(piece, out);
    return;
  }
  // Positions are 32 bits wide; a piece past that is merged in parts.
  constexpr std::size_t kMost = std::size_t{1} << 31;
  for (; piece.size() > kMost; piece.remove_prefix(kMost)) EncodeLong(piece.substr(0, kMost), out);
  EncodeLong(piece, out);
}

void Bpe::EncodeShort(std::string_view piece, std::vector<TokenId>& out) const {
  TokenId tokens[kShort];
  std::uint32_t ranks[kShort];  // ranks[i]: of the pair (i, i + 1)
  std::size_t n = 0;
  for (const char byte : piece) {
    const TokenId token = byte_tokens_[static_cast<std::uint8_t>(byte)];
    if (token != kNoToken) tokens[n++] = token;
  }
  for (std::size_t i = 0; i + 1 < n; ++i) ranks[i] = RankOf(tokens[i], tokens[i + 1]);
  while (n > 1) {
    const std::size_t best = static_cast<std::size_t>(std::min_element(ranks, ranks + n - 1) - ranks);
    if (ranks[best] == kNoRank) break;
    tokens[best] = result_of_[ranks[best]];
    std::copy(tokens + best + 2, tokens + n, tokens + best + 1);
    if (best + 2 < n) {
      std::copy(ranks + best + 2, ranks + n - 1, ranks + best + 1);
      ranks[best] = RankOf(tokens[best], tokens[best + 1]);
    }
    --n;
    if (best > 0) ranks[best - 1] = RankOf(tokens[best - 1], tokens[best]);
  }
  out.insert(out.end(), tokens, tokens + n);
}

void Bpe::EncodeLong(std::string_view piece, std::vector<TokenId>& out) const {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Node {
    TokenId token;
    std::uint32_t previous, next;
    std::uint32_t rank;  // of the pair with the next
  };
  std::vector<Node> nodes;
  nodes.reserve(piece.size());
  for (const char byte : piece) {
    const TokenId token = byte_tokens_[static_cast<std::uint8_t>(byte)];
    if (token == kNoToken) continue;
    const auto at = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back({token, at == 0 ? kNone : at - 1, at + 1, kNoRank});
  }
  if (nodes.empty()) return;
  nodes.back().next = kNone;

  // An entry is rank and position; it is stale when the pair at the position has another rank by now. A pair never
  // comes back to a position: what stands there only grows.
  std::vector<std::uint64_t> entries;
  entries.reserve(nodes.size());
  for (std::uint32_t at = 0; at + 1 < nodes.size(); ++at) {
    nodes[at].rank = RankOf(nodes[at].token, nodes[at + 1].token);
    if (nodes[at].rank != kNoRank) entries.push_back((std::uint64_t{nodes[at].rank} << 32) | at);
  }
  std::priority_queue heap(std::greater<std::uint64_t>{}, std::move(entries));
  const auto renew = [&](std::uint32_t at) {
    Node& node = nodes[at];
    node.rank = node.next == kNone ? kNoRank : RankOf(node.token, nodes[node.next].token);
    if (node.rank != kNoRank) heap.push((std::uint64_t{node.rank} << 32) | at);
  };
  while (!heap.empty()) {
    const auto rank = static_cast<std::uint32_t>(heap.top() >> 32);
    const auto at = static_cast<std::uint32_t>(heap.top() & 0xFFFFFFFFu);
    heap.pop();
    Node& node = nodes[at];
    if (node.rank != rank) continue;
    Node& right = nodes[node.next];
    node.token = result_of_[rank];
    right.rank = kNoRank;
    node.next = right.next;
    if (node.next != kNone) nodes[node.next].previous = at;
    renew(at);
    if (node.previous != kNone) renew(node.previous);
  }
  for (std::uint32_t at = 0; at != kNone; at = nodes[at].next) out.push_back(nodes[at].token);
}

}  // namespace decant::text
