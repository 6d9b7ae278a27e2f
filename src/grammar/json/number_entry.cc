// A walk over the tokens that begin with a number's characters.
#include "grammar/json/number_entry.h"

#include <algorithm>
#include <utility>

#include "grammar/json/literals.h"
#include "grammar/token_trie.h"

namespace decant::grammar {
namespace {

Fingerprint KeyOf(const NumberState& state, std::size_t horizon, bool by_text) {
  Fingerprint key = Add(Fingerprint{}, static_cast<std::uint64_t>(state.free) << 2 |
                                           std::uint64_t{state.set == nullptr} << 1 | std::uint64_t{state.needs_value});
  if (state.set == nullptr) return key;
  key = Add(key, state.set->KeyOf(*state.prefix, horizon));
  return by_text ? Add(key, state.prefix->text()) : key;
}

}  // namespace

std::shared_ptr<const NumberEntry> NumberEntries::Of(const NumberState& state) {
  const bool by_text =
      state.needs_value && state.set != nullptr && (has_long_exponents_ || state.prefix->has_exponent());
  const Fingerprint key = KeyOf(state, vocabulary_.longest_token(), by_text);
  if (auto found = vocabulary_.cache().Find<NumberEntry>(key)) return found;
  return vocabulary_.cache().Insert<NumberEntry>(key, Make(state));
}

template <class State, class Step, class MayEnd>
void NumberEntries::Walk(State start, Step step, MayEnd may_end, NumberEntry& entry) {
  const TokenTrie& trie = vocabulary_.trie();
  std::vector<State> states;
  states.push_back(std::move(start));
  std::uint32_t last_exit = ~std::uint32_t{0};
  std::vector<std::uint32_t> path(1);
  for (std::uint32_t i = 0; i < trie.size();) {
    const TokenTrie::Node& node = trie.node(i);
    const std::size_t depth = node.depth;
    if (!IsNumberByte(node.byte)) {
      // Every child of a node that the number may end at: noted once, at the first.
      if (depth > 1 && path[depth - 1] != last_exit && may_end(states[depth - 1])) {
        last_exit = path[depth - 1];
        entry.exits_.push_back(last_exit);
      }
      i = node.end;
      continue;
    }
    if (states.size() <= depth) states.push_back(states[depth - 1]), path.push_back(0);
    states[depth] = states[depth - 1];
    if (!step(states[depth], node.byte)) {
      i = node.end;
      continue;
    }
    path[depth] = i;
    for (const TokenId token : trie.TokensAt(i)) AddToken(row_, token);
    ++i;
  }
}

std::shared_ptr<const NumberEntry> NumberEntries::Make(const NumberState& state) {
  auto entry = std::make_shared<NumberEntry>();
  std::ranges::fill(row_, 0);
  if (state.set == nullptr) {
    const auto step = [](FreeNumber& number, std::uint8_t byte) {
      const std::optional<FreeNumber> next = NextOf(number, byte);
      if (next.has_value()) number = *next;
      return next.has_value();
    };
    Walk(state.free, step, [](FreeNumber number) { return IsComplete(number); }, *entry);
  } else {
    const auto step = [&state](NumberPrefix& prefix, std::uint8_t byte) {
      if (!prefix.Step(byte) || !state.set->Admits(prefix)) return false;
      return !state.needs_value || !prefix.IsComplete() || prefix.Value().has_value();
    };
    Walk(*state.prefix, step, [&state](const NumberPrefix& prefix) { return state.set->Accepts(prefix); }, *entry);
  }
  std::ranges::sort(entry->exits_);
  entry->exits_.erase(std::ranges::unique(entry->exits_).begin(), entry->exits_.end());
  entry->inner_ = TokenSet::Of(row_);
  return entry;
}

}  // namespace decant::grammar
