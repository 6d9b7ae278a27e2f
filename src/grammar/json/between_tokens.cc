// One pass over the tree of tokens, kept with the vocabulary.
#include "grammar/json/between_tokens.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/check.h"
#include "grammar/token_trie.h"

namespace decant::grammar {
namespace {

constexpr std::array<ByteClass, 256> MakeByteClasses() {
  std::array<ByteClass, 256> classes{};
  const auto set = [&classes](std::string_view bytes, ByteClass byte_class) {
    for (const char c : bytes) classes[static_cast<unsigned char>(c)] = byte_class;
  };
  set(" \t\r\n", ByteClass::kWhite);
  set("\"", ByteClass::kQuote);
  set("{", ByteClass::kOpenBrace);
  set("}", ByteClass::kCloseBrace);
  set("[", ByteClass::kOpenBracket);
  set("]", ByteClass::kCloseBracket);
  set(":", ByteClass::kColon);
  set(",", ByteClass::kComma);
  set("-", ByteClass::kMinus);
  set("0123456789", ByteClass::kDigit);
  set(".+E", ByteClass::kNumberRest);
  set("ruals", ByteClass::kLetter);
  set("e", ByteClass::kE);
  set("t", ByteClass::kT);
  set("f", ByteClass::kF);
  set("n", ByteClass::kN);
  return classes;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

constinit const std::array<ByteClass, 256> kByteClasses = MakeByteClasses();

std::shared_ptr<const BetweenTokens> BetweenTokens::Of(const Vocabulary& vocabulary) {
  if (auto found = vocabulary.cache().Find<BetweenTokens>({})) return found;
  auto made = std::make_shared<BetweenTokens>();
  const TokenTrie& trie = vocabulary.trie();
  made->first_nodes_.fill(kNoNode);
  for (std::uint32_t i = 0; i < trie.size(); i = trie.node(i).end) made->first_nodes_[trie.node(i).byte] = i;

  std::vector<std::pair<std::uint32_t, TokenId>> white;
  std::vector<std::pair<std::uint8_t, AfterWhite>> after;
  std::vector<bool> is_white(trie.height() + 1);  // the way down to depth d
  is_white[0] = true;
  for (std::uint32_t i = 0; i < trie.size();) {
    const TokenTrie::Node& node = trie.node(i);
    const ByteClass byte_class = kByteClasses[node.byte];
    is_white[node.depth] = is_white[node.depth - 1u] && byte_class == ByteClass::kWhite;
    if (is_white[node.depth]) {
      for (const TokenId token : trie.TokensAt(i)) white.emplace_back(node.depth, token);
      ++i;
      continue;
    }
    if (node.depth > 1 && byte_class != ByteClass::kOther) {
      after.emplace_back(node.byte, AfterWhite{.node = i, .white = node.depth - 1u});
    }
    i = node.end;
  }
  std::ranges::sort(white);
  made->white_ends_.assign(white.empty() ? 1 : white.back().first + 1, 0);
  for (const auto& [length, token] : white) {
    made->white_tokens_.push_back(token);
    ++made->white_ends_[length];
  }
  for (std::size_t n = 1; n < made->white_ends_.size(); ++n) made->white_ends_[n] += made->white_ends_[n - 1];
  std::ranges::sort(after, {},
                    [](const auto& entry) { return std::tuple(entry.first, entry.second.white, entry.second.node); });
  std::size_t at = 0;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    made->after_white_start_[byte] = static_cast<std::uint32_t>(at);
    for (; at < after.size() && after[at].first == byte; ++at) made->after_white_.push_back(after[at].second);
  }
  made->after_white_start_[256] = static_cast<std::uint32_t>(at);
  made->FindOpenings(vocabulary);
  for (const TokenId token : trie.tokens()) {
    const std::string_view bytes = vocabulary.bytes(token);
    const std::string_view number = bytes.substr(0, bytes.find_first_not_of("0123456789+-.eE"));
    const auto digits = static_cast<std::size_t>(std::ranges::count_if(number, IsDigit));
    const bool has_exponent =
        std::ranges::any_of(number.substr(std::min(number.find_first_of("eE"), number.size())), IsDigit);
    made->numbers_.digits = std::max(made->numbers_.digits, digits);
    made->numbers_.has_exponents = made->numbers_.has_exponents || has_exponent;
  }
  return vocabulary.cache().Insert<BetweenTokens>({}, std::move(made));
}

void BetweenTokens::FindOpenings(const Vocabulary& vocabulary) {
  const TokenTrie& trie = vocabulary.trie();
  for (std::uint32_t i = 0; i < trie.size();) {
    const TokenTrie::Node& node = trie.node(i);
    if (node.byte != '"') {
      // Only JSON's own bytes stand before a string.
      i = kByteClasses[node.byte] == ByteClass::kOther ? node.end : i + 1;
      continue;
    }
    for (const TokenId token : trie.TokensOf(i)) {
      openings_.push_back({.token = token, .tail = vocabulary.quoted_tail(token)->tail});
    }
    opening_nodes_.push_back(i);
    opening_ends_.push_back(static_cast<std::uint32_t>(openings_.size()));
    i = node.end;
  }
}

std::span<const BetweenTokens::Opening> BetweenTokens::OpeningsOf(std::uint32_t quote_node) const {
  const auto found = std::ranges::lower_bound(opening_nodes_, quote_node);
  DECANT_CHECK(found != opening_nodes_.end() && *found == quote_node);
  const auto at = static_cast<std::size_t>(found - opening_nodes_.begin());
  const std::size_t first = at == 0 ? 0 : opening_ends_[at - 1];
  return std::span(openings_).subspan(first, opening_ends_[at] - first);
}

std::span<const TokenId> BetweenTokens::WhiteUpTo(std::size_t characters) const {
  return std::span(white_tokens_).first(white_ends_[std::min(characters, white_ends_.size() - 1)]);
}

std::span<const BetweenTokens::AfterWhite> BetweenTokens::AfterWhiteOf(std::uint8_t byte) const {
  const std::uint32_t first = after_white_start_[byte];
  return std::span(after_white_).subspan(first, after_white_start_[byte + std::size_t{1}] - first);
}

std::size_t BetweenTokens::memory_bytes() const {
  return sizeof(*this) + white_tokens_.capacity() * sizeof(TokenId) + white_ends_.capacity() * sizeof(std::uint32_t) +
         after_white_.capacity() * sizeof(AfterWhite) + openings_.capacity() * sizeof(Opening) +
         (opening_nodes_.capacity() + opening_ends_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace decant::grammar
