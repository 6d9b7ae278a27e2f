#include "grammar/json/json_walk.h"

#include "grammar/json/literals.h"
#include "grammar/mask_words.h"
#include "grammar/token_trie.h"

namespace decant::grammar {

JsonWalk::JsonWalk(Machine& machine, const Vocabulary& vocabulary) : machine_(machine), vocabulary_(vocabulary) {
  places_.resize(vocabulary.trie().height() + 1);
}

template <class Accepts>
void JsonWalk::Walk(const Place& place, std::span<std::uint32_t> row, Accepts accepts) {
  const TokenTrie& trie = vocabulary_.trie();
  places_[0] = place;
  for (std::uint32_t i = 0; i < trie.size();) {
    const TokenTrie::Node& node = trie.node(i);
    const Place& before = places_[node.depth - 1u];
    Place& after = places_[node.depth];
    if (accepts(before, node.byte)) {
      after = before;
      if (machine_.Step(after, node.byte, arena_)) {
        for (const TokenId token : trie.TokensAt(i)) AddToken(row, token);
        ++i;
        continue;
      }
    }
    i = node.end;
  }
  arena_.Clear();
}

void JsonWalk::Fill(const Place& place, std::span<std::uint32_t> row) {
  Walk(place, row, [](const Place&, std::uint8_t) { return true; });
}

bool JsonWalk::IsStructural(const Place& place, std::uint8_t byte) {
  switch (place.where) {
    case Where::kInString:
      return byte == '"' && place.string.escape == kNoEscape;
    case Where::kInKey:
      return (byte == '"' && place.string.escape == kNoEscape) ||
             machine_.known().KeysOf(*place.frame->rules).others.empty();
    case Where::kInLiteral:
      return false;
    case Where::kInNumber:
      return !IsNumberByte(byte);
    default: {
      const std::optional<ValueKind> kind = KindBegunBy(byte);
      return !kind.has_value() || *kind == ValueKind::kString || *kind == ValueKind::kArray ||
             *kind == ValueKind::kObject;
    }
  }
}

void JsonWalk::FillStructural(const Place& place, std::span<std::uint32_t> row) {
  Walk(place, row, [this](const Place& at, std::uint8_t byte) { return IsStructural(at, byte); });
}

}  // namespace decant::grammar
