// The trie is laid out breadth first from the sorted texts, so that the children of a node stand together.
#include "text/special_tokens.h"

#include <algorithm>

namespace decant::text {

SpecialTokens::SpecialTokens(std::vector<std::pair<std::string_view, TokenId>> texts) {
  std::sort(texts.begin(), texts.end());
  // Node i covers the texts [first, last), which share their first `depth` bytes.
  struct Range {
    std::size_t first, last, depth;
  };
  std::vector<Range> ranges{{0, texts.size(), 0}};
  nodes_.emplace_back();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    auto [first, last, depth] = ranges[i];
    if (first < last && texts[first].first.size() == depth) nodes_[i].token = texts[first++].second;
    nodes_[i].first_child = static_cast<std::uint32_t>(nodes_.size());
    while (first < last) {
      const char byte = texts[first].first[depth];
      std::size_t end = first;
      while (end < last && texts[end].first[depth] == byte) ++end;
      ranges.push_back({first, end, depth + 1});
      nodes_.push_back({.byte = static_cast<unsigned char>(byte)});
      ++nodes_[i].children;
      first = end;
    }
  }
  for (unsigned byte = 0; byte < 256; ++byte) roots_[byte] = ChildOf(0, static_cast<unsigned char>(byte));
}

std::uint32_t SpecialTokens::ChildOf(std::uint32_t node, unsigned char byte) const {
  const Node* first = nodes_.data() + nodes_[node].first_child;
  const Node* last = first + nodes_[node].children;
  const Node* found =
      std::lower_bound(first, last, byte, [](const Node& child, unsigned char b) { return child.byte < b; });
  return found != last && found->byte == byte ? static_cast<std::uint32_t>(found - nodes_.data()) : kNone;
}

std::optional<SpecialMatch> SpecialTokens::Next(std::string_view text, std::size_t from) const {
  if (empty()) return std::nullopt;
  for (std::size_t start = from; start < text.size(); ++start) {
    std::uint32_t node = roots_[static_cast<unsigned char>(text[start])];
    std::optional<SpecialMatch> longest;
    for (std::size_t at = start + 1; node != kNone; ++at) {
      if (nodes_[node].token != kNone) longest = {start, at - start, nodes_[node].token};
      if (at == text.size()) break;
      node = ChildOf(node, static_cast<unsigned char>(text[at]));
    }
    if (longest) return longest;
  }
  return std::nullopt;
}

}  // namespace decant::text
