// Tokens as a tree of their bytes, laid flat in depth-first order: one loop walks it, and a refused byte skips its
// whole subtree by one assignment.
//
//   std::vector<State> states(trie.height() + 1);   // states[d]: after d bytes
//   for (std::uint32_t i = 0; i < trie.size();) {
//     const TokenTrie::Node& node = trie.node(i);
//     if (!Step(states[node.depth - 1], node.byte, &states[node.depth])) { i = node.end; continue; }
//     for (TokenId token : trie.TokensAt(i)) …
//     ++i;
//   }
#ifndef DECANT_GRAMMAR_TOKEN_TRIE_H_
#define DECANT_GRAMMAR_TOKEN_TRIE_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "decant/token.h"
#include "grammar/byte_set.h"

namespace decant::grammar {

// Bytes that begin a character, as bits, and one that stands for all that is not a whole character.
struct CharacterSet {
  std::array<std::uint64_t, 3> words = {};                          // ASCII, then the first bytes from 0xC0 on
  static constexpr std::uint64_t kBroken = std::uint64_t{1} << 63;  // of words[2]

  void AddFirst(std::uint8_t byte) {  // REQUIRES: ASCII, or 0xC2..0xF4
    const unsigned bit = byte < 0x80 ? byte : byte - 0x40u;
    words[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  void AddBroken() { words[2] |= kBroken; }
  void Unite(const CharacterSet& other) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] |= other.words[i];
  }
  std::uint8_t FirstByte() const {  // REQUIRES: one that is not broken
    for (std::size_t i = 0;; ++i) {
      const std::uint64_t word = i == 2 ? words[i] & ~kBroken : words[i];
      const std::size_t bit = 64 * i + static_cast<std::size_t>(std::countr_zero(word));
      if (word != 0) return static_cast<std::uint8_t>(bit < 0x80 ? bit : bit + 0x40);
    }
  }
  bool IsBroken() const { return (words[2] & kBroken) != 0; }
  bool IsEmpty() const { return (words[0] | words[1] | words[2]) == 0; }
  bool IsAscii() const { return words[2] == 0; }
  int CountAscii() const { return std::popcount(words[0]) + std::popcount(words[1]); }
  int Count() const { return CountAscii() + std::popcount(words[2]); }
  bool IsWithin(const CharacterSet& other) const {
    return ((words[0] & ~other.words[0]) | (words[1] & ~other.words[1]) | (words[2] & ~other.words[2])) == 0;
  }
  bool Meets(const CharacterSet& other) const {
    return ((words[0] & other.words[0]) | (words[1] & other.words[1]) | (words[2] & other.words[2])) != 0;
  }
  // visit(i) for each bit, 0 to 191, but for kBroken.
  template <class Visit>
  void VisitBits(Visit visit) const {
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (std::uint64_t word = i == 2 ? words[i] & ~kBroken : words[i]; word != 0; word &= word - 1) {
        visit(64 * i + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }
  CharacterSet Less(const CharacterSet& other) const {
    return {.words = {words[0] & ~other.words[0], words[1] & ~other.words[1], words[2] & ~other.words[2]}};
  }
  CharacterSet Both(const CharacterSet& other) const {
    return {.words = {words[0] & other.words[0], words[1] & other.words[1], words[2] & other.words[2]}};
  }
  bool operator==(const CharacterSet&) const = default;
};

// Immutable; any thread.
class TokenTrie {
 public:
  struct Node {
    std::uint32_t end;    // the first node after the subtree
    std::uint32_t first;  // index into tokens() of the subtree's first token
    std::uint16_t depth;  // bytes from the root, this one included
    std::uint8_t byte;
    std::uint8_t height;  // characters of the longest way down from here, 255 = that or more; see below()
  };
  static constexpr std::size_t kMaxTokenBytes = 65535;

  TokenTrie() : nodes_(1, Node{}), fans_(1) {}
  // REQUIRES: `sorted` ascends by (bytes, id); 1 to kMaxTokenBytes bytes each; `bytes` has the bytes by id. The bytes
  // are not kept. Cost: linear in the bytes.
  TokenTrie(std::span<const std::string_view> bytes, std::vector<TokenId> sorted);

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size() - 1); }
  const Node& node(std::uint32_t i) const { return nodes_[i]; }  // REQUIRES: i <= size(); the last one ends the list
  // The first child of a node whose byte is in the set and not below `from`; the node's end if there is none. The node
  // kRoot stands for the tree's. With many children quicker than to look at each.
  static constexpr std::uint32_t kRoot = ~std::uint32_t{0};
  bool HasManyChildren(std::uint32_t node) const { return node == kRoot || fan_of_[node] != 0; }
  std::uint32_t FirstChild(std::uint32_t node, const ByteSet& bytes, unsigned from) const;
  static constexpr std::uint32_t kNoNode = kRoot - 1;
  std::uint32_t FindChild(std::uint32_t node, std::uint8_t byte) const;  // the one with the byte; kNoNode for none
  // The characters of the tokens of the subtree, past the node. Broken, when the node lies inside a character or a
  // token ends inside one.
  const CharacterSet& below(std::uint32_t i) const { return below_[i]; }
  std::span<const TokenId> tokens() const { return tokens_; }  // in the order of the nodes
  std::span<const TokenId> TokensAt(std::uint32_t i) const {   // those that end at the node
    return std::span(tokens_).subspan(nodes_[i].first, nodes_[i + 1].first - nodes_[i].first);
  }
  std::span<const TokenId> TokensOf(std::uint32_t i) const {  // those of the subtree
    return std::span(tokens_).subspan(nodes_[i].first, nodes_[nodes_[i].end].first - nodes_[i].first);
  }
  std::size_t height() const { return height_; }  // bytes of the longest token
  std::size_t memory_bytes() const;

 private:
  struct Open;
  void Close(std::vector<Open>& path, std::size_t depth);

  // The children of a node that has many: by byte, in order.
  struct Fan {
    ByteSet bytes = {};
    std::uint32_t first = 0;  // index into children_
  };
  static constexpr std::size_t kLeastFan = 8;  // children
  void AddFan(std::uint32_t node);

  std::vector<Node> nodes_;              // and one that ends the list
  std::vector<Fan> fans_;                // the first one is the root's
  std::vector<std::uint32_t> fan_of_;    // by node: index into fans_, 0 = none
  std::vector<std::uint32_t> children_;  // nodes
  std::vector<CharacterSet> below_;
  std::vector<TokenId> tokens_;
  std::size_t height_ = 0;
};

// The ids ordered by (bytes, id).
std::vector<TokenId> SortedByBytes(std::span<const std::string_view> bytes, std::span<const TokenId> ids);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_TOKEN_TRIE_H_
