// A walk over the tokens that begin with a number's characters.
#include "grammar/json/number_entry.h"

#include <algorithm>
#include <utility>

#include "grammar/json/literals.h"
#include "grammar/token_trie.h"

namespace decant::grammar {

std::shared_ptr<const NumberEntry> NumberEntries::Of(const WrittenNumbers& set, const NumberPrefix& prefix) {
  const Fingerprint key = set.KeyOf(prefix, horizon_);
  if (auto found = vocabulary_.cache().Find<NumberEntry>(key)) return found;
  return vocabulary_.cache().Insert<NumberEntry>(key, Make(set, prefix));
}

std::shared_ptr<const NumberEntry> NumberEntries::Make(const WrittenNumbers& set, const NumberPrefix& prefix) {
  auto entry = std::make_shared<NumberEntry>();
  std::ranges::fill(row_, 0);
  const TokenTrie& trie = vocabulary_.trie();
  std::vector<NumberPrefix> prefixes = {prefix};  // after each byte of the way down
  std::uint32_t last_exit = ~std::uint32_t{0};
  std::vector<std::uint32_t> path(1);
  for (std::uint32_t i = 0; i < trie.size();) {
    const TokenTrie::Node& node = trie.node(i);
    const std::size_t depth = node.depth;
    if (!IsNumberByte(node.byte)) {
      // Every child of a node that the number may end at: noted once, at the first.
      if (depth > 1 && path[depth - 1] != last_exit && set.Accepts(prefixes[depth - 1])) {
        last_exit = path[depth - 1];
        entry->exits_.push_back(last_exit);
      }
      i = node.end;
      continue;
    }
    if (prefixes.size() <= depth) prefixes.push_back(prefixes[depth - 1]), path.push_back(0);
    prefixes[depth] = prefixes[depth - 1];
    if (!prefixes[depth].Step(node.byte) || !set.Admits(prefixes[depth])) {
      i = node.end;
      continue;
    }
    path[depth] = i;
    for (const TokenId token : trie.TokensAt(i)) AddToken(row_, token);
    ++i;
  }
  std::ranges::sort(entry->exits_);
  entry->exits_.erase(std::ranges::unique(entry->exits_).begin(), entry->exits_.end());
  entry->inner_ = TokenSet::Of(row_);
  return entry;
}

}  // namespace decant::grammar
