// Finds the texts of special tokens ("<|im_start|>") in running text: leftmost first, of those at one place the
// longest.
#ifndef DECANT_TEXT_SPECIAL_TOKENS_H_
#define DECANT_TEXT_SPECIAL_TOKENS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "decant/token.h"

namespace decant::text {

struct SpecialMatch {
  std::size_t start;
  std::size_t length;
  TokenId token;
};

// A byte trie. Immutable, shared by threads.
class SpecialTokens {
 public:
  // REQUIRES: the texts are distinct and not empty; they are copied.
  explicit SpecialTokens(std::vector<std::pair<std::string_view, TokenId>> texts);

  bool empty() const { return nodes_.size() == 1; }
  // The first match at or after `from`. Cost: linear in the bytes passed over, times the longest common head.
  std::optional<SpecialMatch> Next(std::string_view text, std::size_t from) const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Node {
    TokenId token = kNone;          // the token whose text ends here
    std::uint32_t first_child = 0;  // children are consecutive, by byte
    std::uint32_t children = 0;
    unsigned char byte = 0;  // on the edge to this node
  };
  std::uint32_t ChildOf(std::uint32_t node, unsigned char byte) const;

  std::vector<Node> nodes_;
  std::array<std::uint32_t, 256> roots_;  // by the first byte
};

}  // namespace decant::text

#endif  // DECANT_TEXT_SPECIAL_TOKENS_H_
