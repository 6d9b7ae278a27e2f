// From bytes to the token that has them: an open-addressing hash table over texts kept in one block of memory.
#ifndef DECANT_TEXT_TOKEN_TABLE_H_
#define DECANT_TEXT_TOKEN_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decant/token.h"

namespace decant::text {

// Texts by id, in the order they were added, and ids by text. Thread-safe once filled.
class TokenTable {
 public:
  // tokens: how many will be added; bytes: of all their texts.
  TokenTable(std::size_t tokens, std::size_t bytes);

  // Gives the text the next id. When an earlier id has the same text, Find keeps answering that one, and it is
  // returned.
  std::optional<TokenId> Add(std::string_view text);

  std::size_t size() const { return starts_.size() - 1; }
  std::string_view text(TokenId id) const {  // REQUIRES: id < size()
    return std::string_view(texts_).substr(starts_[id], starts_[id + 1] - starts_[id]);
  }
  std::optional<TokenId> Find(std::string_view text) const;

 private:
  struct Slot {
    std::uint32_t hash;
    TokenId id;
  };
  static constexpr TokenId kFree = 0xFFFFFFFF;
  std::size_t SlotOf(std::string_view text, std::uint32_t hash) const;

  std::vector<Slot> slots_;  // linear probing, at most half full
  std::vector<std::size_t> starts_{0};
  std::string texts_;
};

}  // namespace decant::text

#endif  // DECANT_TEXT_TOKEN_TABLE_H_
