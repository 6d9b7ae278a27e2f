// Follows the one way there is until there are two.
#include "grammar/json/forced.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "grammar/token_trie.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kMostBytes = 65536;

std::size_t WholeCharacters(std::string_view bytes) {
  std::size_t start = bytes.size();
  while (start > 0 && bytes.size() - start < 4) {
    const auto byte = static_cast<std::uint8_t>(bytes[--start]);
    if ((byte & 0xC0u) == 0x80u) continue;
    const std::size_t length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return start + length <= bytes.size() ? bytes.size() : start;
  }
  return bytes.size();
}

}  // namespace

std::string FindForcedBytes(Machine& machine, const Place& place) {
  std::string bytes;
  Arena arena;
  Place at = place;
  while (bytes.size() < kMostBytes && !machine.MayEnd(at)) {
    std::optional<std::uint8_t> only;
    Place after;
    bool is_choice = false;
    for (unsigned byte = 0; byte < 256 && !is_choice; ++byte) {
      Place next = at;
      if (!machine.Step(next, static_cast<std::uint8_t>(byte), arena)) continue;
      is_choice = only.has_value();
      only = static_cast<std::uint8_t>(byte);
      after = next;
    }
    if (is_choice || !only.has_value()) break;
    bytes += static_cast<char>(*only);
    at = after;
  }
  bytes.resize(WholeCharacters(bytes));
  return bytes;
}

std::vector<TokenId> LongestTokens(const Vocabulary& vocabulary, std::string_view bytes) {
  const TokenTrie& trie = vocabulary.trie();
  std::vector<TokenId> tokens;
  while (!bytes.empty()) {
    std::optional<TokenId> longest;
    std::size_t length = 0, depth = 0;
    std::uint32_t i = 0, end = trie.size();
    while (i < end && depth < bytes.size()) {
      const TokenTrie::Node& node = trie.node(i);
      if (node.byte != static_cast<std::uint8_t>(bytes[depth])) {
        i = node.end;
        continue;
      }
      ++depth;
      if (!trie.TokensAt(i).empty()) longest = trie.TokensAt(i).front(), length = depth;
      end = node.end;
      ++i;
    }
    const bool may_run_past = depth == bytes.size() && i < end;
    if (may_run_past || !longest.has_value()) break;
    tokens.push_back(*longest);
    bytes.remove_prefix(length);
  }
  return tokens;
}

}  // namespace decant::grammar
