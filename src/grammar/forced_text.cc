// Forced bytes and tokens.
#include "grammar/forced_text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"
#include "decant/token.h"
#include "grammar/expr_pool.h"
#include "grammar/token_trie.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kMostForced = 65536;

// The only byte that may follow, and where it leads.
struct OnlyByte {
  int count = 0;  // 2: two or more
  std::uint8_t byte = 0;
  Expr next = kNothing;
};
OnlyByte FindOnlyByte(ExprPool& pool, Expr state) {
  OnlyByte only;
  for (unsigned byte = 0; byte < 256 && only.count < 2; ++byte) {
    const Expr next = pool.Next(state, static_cast<std::uint8_t>(byte));
    if (next == kNothing) continue;
    only = {.count = only.count + 1, .byte = static_cast<std::uint8_t>(byte), .next = next};
  }
  return only;
}

// The longest token that begins the text. `goes_past`: a token begins with the whole text and is longer.
struct LongestToken {
  std::optional<TokenId> token;
  std::size_t length = 0;
  bool goes_past = false;
};
LongestToken FindLongestToken(const TokenTrie& trie, std::string_view text) {
  LongestToken longest;
  std::uint32_t i = 0, end = trie.size();
  for (std::size_t at = 0; at < text.size(); ++at) {
    while (i < end && trie.node(i).byte != static_cast<std::uint8_t>(text[at])) i = trie.node(i).end;
    if (i >= end) return longest;
    if (const std::span<const TokenId> tokens = trie.TokensAt(i); !tokens.empty()) {
      longest.token = tokens.front();
      longest.length = at + 1;
    }
    end = trie.node(i).end;
    ++i;
  }
  longest.goes_past = i < end;
  return longest;
}

}  // namespace

ForcedText FindForcedText(ExprPool& pool, Expr state) {
  ForcedText forced;
  while (forced.bytes.size() < kMostForced) {
    const OnlyByte only = FindOnlyByte(pool, state);
    if (pool.IsNullable(state)) {
      forced.ends_text = only.count == 0;
      break;
    }
    if (only.count != 1) break;
    forced.bytes.push_back(static_cast<char>(only.byte));
    state = only.next;
  }
  return forced;
}

std::string WholeCharacters(std::string_view before, std::string_view bytes) {
  // Only the last three bytes can belong to a character that is not complete.
  std::string text(before);
  text += bytes;
  const std::size_t least = text.size() > 3 ? text.size() - 3 : 0;
  for (std::size_t start = text.size(); start > least; --start) {
    const unsigned char byte = static_cast<unsigned char>(text[start - 1]);
    if ((byte & 0xC0u) == 0x80) continue;
    const core::Utf8Part part = core::DecodeUtf8(std::string_view(text).substr(start - 1));
    if (part.status != core::Utf8Status::kIncomplete) break;
    return start - 1 > before.size() ? text.substr(before.size(), start - 1 - before.size()) : std::string();
  }
  return std::string(bytes);
}

std::vector<TokenId> SplitForced(const Vocabulary& vocabulary, const ForcedText& forced) {
  std::vector<TokenId> tokens;
  std::string_view rest = forced.bytes;
  while (!rest.empty()) {
    const LongestToken longest = FindLongestToken(vocabulary.trie(), rest);
    if (!longest.token.has_value() || (longest.goes_past && !forced.ends_text)) return tokens;
    tokens.push_back(*longest.token);
    rest.remove_prefix(longest.length);
  }
  if (forced.ends_text && vocabulary.end_tokens().size() == 1) tokens.push_back(vocabulary.end_tokens().front());
  return tokens;
}

}  // namespace decant::grammar
