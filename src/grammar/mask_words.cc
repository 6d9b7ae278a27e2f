// Rows of mask words and sets of tokens.
#include "grammar/mask_words.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/check.h"
#include "decant/token.h"

namespace decant::grammar {
namespace {

// Appends the tokens until there are more than `most`.
void AppendTokens(std::span<const std::uint32_t> row, std::size_t most, std::vector<TokenId>& tokens) {
  constexpr std::size_t kAtOnce = 16;
  for (std::size_t i = 0; i < row.size() && tokens.size() <= most; i += kAtOnce) {
    const std::span<const std::uint32_t> words = row.subspan(i, std::min(kAtOnce, row.size() - i));
    std::uint32_t any = 0;
    for (const std::uint32_t word : words) any |= word;
    if (any == 0) continue;
    for (std::size_t k = 0; k < words.size(); ++k) {
      for (std::uint32_t word = words[k]; word != 0; word &= word - 1) {
        tokens.push_back(static_cast<TokenId>(32 * (i + k) + static_cast<std::size_t>(std::countr_zero(word))));
      }
    }
  }
}

// Setting a bit costs about as much as uniting eight words, and a list of this length takes an eighth of a row.
constexpr std::size_t kWordsPerListed = 8;

}  // namespace

void Unite(std::span<const std::uint32_t> from, std::span<std::uint32_t> row) {
  DECANT_DCHECK(row.size() >= from.size());
  for (std::size_t i = 0; i < from.size(); ++i) row[i] |= from[i];
}

// Bits counted in pairs, nibbles and bytes: without the instruction, which not every machine has, std::popcount is a
// call.
std::size_t CountTokens(std::span<const std::uint32_t> row) {
  std::size_t count = 0;
  for (std::uint32_t word : row) {
    word -= (word >> 1) & 0x55555555u;
    word = (word & 0x33333333u) + ((word >> 2) & 0x33333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0fu;
    count += (word * 0x01010101u) >> 24;
  }
  return count;
}

TokenSet TokenSet::Of(std::span<const std::uint32_t> row) {
  TokenSet set;
  const std::size_t most = row.size() / kWordsPerListed;
  AppendTokens(row, most, set.list_);
  if (set.list_.size() <= most) {
    set.list_.shrink_to_fit();
    return set;
  }
  set.list_ = {};
  set.row_.assign(row.begin(), row.end());
  return set;
}

void TokenSet::CopyTo(std::span<std::uint32_t> row) const {
  DECANT_DCHECK(row.size() >= row_.size());
  const auto end = std::copy(row_.begin(), row_.end(), row.begin());
  std::fill(end, row.end(), 0u);
  for (const TokenId token : list_) AddToken(row, token);
}

void TokenSet::UniteInto(std::span<std::uint32_t> row) const {
  Unite(row_, row);
  for (const TokenId token : list_) AddToken(row, token);
}

void TokenSet::RemoveFrom(std::span<std::uint32_t> row) const {
  DECANT_DCHECK(row.size() >= row_.size());
  for (std::size_t i = 0; i < row_.size(); ++i) row[i] &= ~row_[i];
  for (const TokenId token : list_) RemoveToken(row, token);
}

void TokenSet::AppendTo(std::vector<TokenId>& tokens) const {
  AppendTokens(row_, SIZE_MAX, tokens);
  tokens.insert(tokens.end(), list_.begin(), list_.end());
}

bool TokenSet::Has(TokenId token) const {
  if (!row_.empty()) return token / 32 < row_.size() && HasToken(row_, token);
  return std::binary_search(list_.begin(), list_.end(), token);
}

std::size_t TokenSet::memory_bytes() const {
  return sizeof(*this) + row_.capacity() * sizeof(std::uint32_t) + list_.capacity() * sizeof(TokenId);
}

}  // namespace decant::grammar
