// One pass over the tokens that have a quote.
#include "grammar/closing_tokens.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "decant/token.h"
#include "grammar/string_terminal.h"
#include "grammar/token_trie.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {
namespace {

// What raw bytes add to a string's text; nothing where they are not whole characters and escapes.
std::optional<std::string> WholeText(std::string_view raw) {
  std::optional<DecodedText> decoded = DecodeText(kNoEscape, raw);
  // An escape amid a character makes no text either.
  if (!decoded.has_value() || decoded->escape != kNoEscape || !core::IsValidUtf8(raw)) return std::nullopt;
  return std::move(decoded->text);
}

}  // namespace

ClosingTokens::ClosingTokens(const Vocabulary& vocabulary) {
  std::vector<std::pair<std::string, Closing>> found;
  for (const TokenId token : vocabulary.trie().tokens()) {
    const std::optional<QuotedTail> quoted = vocabulary.quoted_tail(token);
    if (!quoted.has_value()) continue;
    std::optional<std::string> text = WholeText(vocabulary.bytes(token).substr(0, quoted->start - 1));
    if (text.has_value()) found.emplace_back(std::move(*text), Closing{.tail = quoted->tail, .token = token});
  }
  std::ranges::sort(found, {}, [](const auto& entry) {
    return std::tuple(std::string_view(entry.first), entry.second.tail, entry.second.token);
  });
  for (auto& [text, closing] : found) {
    if (contents_.empty() || contents_.back() != text) contents_.push_back(std::move(text));
    closing.content = static_cast<std::uint32_t>(contents_.size() - 1);
    by_content_.push_back(closing);
  }
  by_tail_ = by_content_;
  std::ranges::sort(by_tail_, {}, [](const Closing& closing) { return std::tuple(closing.tail, closing.token); });

  const std::vector<std::string_view> texts(contents_.begin(), contents_.end());
  std::vector<TokenId> indices(contents_.size());
  std::iota(indices.begin(), indices.end(), TokenId{0});
  if (has_empty()) indices.erase(indices.begin());
  tree_ = TokenTrie(texts, std::move(indices));
}

std::size_t ClosingTokens::memory_bytes() const {
  std::size_t bytes = (by_tail_.capacity() + by_content_.capacity()) * sizeof(Closing) +
                      contents_.capacity() * sizeof(std::string) + tree_.memory_bytes();
  for (const std::string& content : contents_) bytes += content.capacity();
  return bytes;
}

}  // namespace decant::grammar
