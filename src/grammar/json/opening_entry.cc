// One walk over the tails, as if each began the string.
#include "grammar/json/opening_entry.h"

#include <string_view>
#include <utility>

#include "grammar/mask_words.h"
#include "grammar/string_terminal.h"
#include "grammar/token_trie.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kMostFound = 4096;

}  // namespace

std::size_t OpeningEntry::memory_bytes() const {
  std::size_t bytes = sizeof(*this) + inner_.capacity() * sizeof(std::uint32_t) + exits_.capacity() * sizeof(Exit) +
                      contents_.capacity() * sizeof(std::string);
  for (const std::string& content : contents_) bytes += content.capacity();
  return bytes;
}

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
      if (CanClose(pool_, before)) AddExits(i, *entry);
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

// The tails below a node whose byte is the closing quote.
void OpeningEntries::AddExits(std::uint32_t node, OpeningEntry& entry) const {
  const TokenTrie& trie = vocabulary_.tail_trie();
  const std::size_t closed = trie.node(node).depth;
  const auto content = static_cast<std::uint32_t>(entry.contents_.size());
  for (const TokenId opener : trie.TokensOf(node)) {
    const std::string_view bytes = vocabulary_.tails()[opener];
    if (entry.contents_.size() == content) {
      entry.contents_.push_back(DecodeAll(kNoEscape, bytes.substr(0, closed - 1)));
    }
    entry.exits_.push_back(
        {.opener = opener, .content = content, .tail = vocabulary_.IndexOfTail(bytes.substr(closed))});
  }
}

}  // namespace decant::grammar
