// One walk over the tails, as if each began the string.
#include "grammar/json/opening_entry.h"

#include <utility>

#include "grammar/mask_words.h"
#include "grammar/string_terminal.h"
#include "grammar/token_trie.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kMostFound = 4096;

}  // namespace

std::shared_ptr<const OpeningEntry> OpeningEntries::Of(Expr content) {
  if (found_.size() >= kMostFound) found_.clear();
  std::shared_ptr<const OpeningEntry>& found = found_[content];
  if (found != nullptr) return found;
  const Fingerprint key = FingerprintOf(pool_, {.content = content}, vocabulary_.longest_token());
  found = vocabulary_.cache().Find<OpeningEntry>(key);
  if (found == nullptr) found = vocabulary_.cache().Insert<OpeningEntry>(key, Make(content));
  return found;
}

std::shared_ptr<const OpeningEntry> OpeningEntries::Make(Expr content) {
  auto entry = std::make_shared<OpeningEntry>();
  const TokenTrie& trie = vocabulary_.tail_trie();
  entry->inner_.assign(WordsFor(vocabulary_.tails().size()), 0);
  if (!vocabulary_.tails().empty() && vocabulary_.tails().front().empty()) AddToken(entry->inner_, 0);
  std::vector<StringState> states(trie.height() + 1);
  states[0] = {.content = content};
  for (std::uint32_t i = 0; i < trie.size();) {
    const TokenTrie::Node& node = trie.node(i);
    const StringState before = states[node.depth - 1u];
    if (node.byte == '"' && before.escape == kNoEscape) {
      if (CanClose(pool_, before)) {
        for (const TokenId tail : trie.TokensOf(i)) entry->exits_.push_back({.tail = tail, .closed = node.depth});
      }
      i = node.end;
      continue;
    }
    states[node.depth] = Step(pool_, before, node.byte);
    if (IsDead(states[node.depth])) {
      i = node.end;
      continue;
    }
    for (const TokenId tail : trie.TokensAt(i)) AddToken(entry->inner_, tail);
    ++i;
  }
  return entry;
}

}  // namespace decant::grammar
