// Rows of mask words and sets of tokens. Bit t % 32 of word t / 32 stands for token t.
#ifndef DECANT_GRAMMAR_MASK_WORDS_H_
#define DECANT_GRAMMAR_MASK_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decant/token.h"

namespace decant::grammar {

inline std::size_t WordsFor(std::size_t tokens) { return (tokens + 31) / 32; }

inline bool HasToken(std::span<const std::uint32_t> row, TokenId token) {  // REQUIRES: token < 32 * row.size()
  return ((row[token / 32] >> (token % 32)) & 1u) != 0;
}
inline void AddToken(std::span<std::uint32_t> row, TokenId token) {  // REQUIRES: token < 32 * row.size()
  row[token / 32] |= std::uint32_t{1} << (token % 32);
}
inline void RemoveToken(std::span<std::uint32_t> row, TokenId token) {  // REQUIRES: token < 32 * row.size()
  row[token / 32] &= ~(std::uint32_t{1} << (token % 32));
}
// Adds the tokens of `from`. REQUIRES: row.size() >= from.size().
void Unite(std::span<const std::uint32_t> from, std::span<std::uint32_t> row);
std::size_t CountTokens(std::span<const std::uint32_t> row);

// A set of tokens that does not change, held as a list when it is short and as a row when it is long.
class TokenSet {
 public:
  TokenSet() = default;
  static TokenSet Of(std::span<const std::uint32_t> row);

  // REQUIRES, of each row: as many words as the row the set was made of, or more.
  void CopyTo(std::span<std::uint32_t> row) const;  // the words past the set's become 0
  void UniteInto(std::span<std::uint32_t> row) const;
  void RemoveFrom(std::span<std::uint32_t> row) const;
  void AppendTo(std::vector<TokenId>& tokens) const;  // ascending
  bool Has(TokenId token) const;
  bool IsEmpty() const { return row_.empty() && list_.empty(); }
  std::size_t memory_bytes() const;

 private:
  std::vector<std::uint32_t> row_;  // empty when the list is used
  std::vector<TokenId> list_;       // ascending
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_MASK_WORDS_H_
