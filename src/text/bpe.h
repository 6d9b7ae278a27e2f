// Byte-pair encoding of one piece of text (Sennrich et al. 2016): start from one token a byte; again and again replace
// the adjacent pair with the lowest merge rank, the leftmost of equals, until no adjacent pair has a merge.
//
// Short pieces scan an array of ranks; long ones use a heap over a linked list, so that cost stays n log n.
#ifndef DECANT_TEXT_BPE_H_
#define DECANT_TEXT_BPE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "decant/token.h"

namespace decant::text {

class Bpe {
 public:
  static constexpr TokenId kNoToken = 0xFFFFFFFF;

  // byte_tokens[b]: the token of byte b, or kNoToken: such bytes are left out of the result, and what stood at either
  // side of them may merge (as Hugging Face's BPE without an unknown token does). merges: how many will be added.
  Bpe(const std::array<TokenId, 256>& byte_tokens, std::size_t merges);

  // The next merge in order of rank; false, and nothing added, when the pair has a rank already.
  // REQUIRES: fewer calls than `merges` so far.
  bool AddMerge(TokenId left, TokenId right, TokenId result);

  // Appends the tokens of the piece. Thread-safe once all merges are in.
  void Encode(std::string_view piece, std::vector<TokenId>& out) const;

  TokenId byte_token(std::uint8_t byte) const { return byte_tokens_[byte]; }

 private:
  static constexpr std::uint32_t kNoRank = 0xFFFFFFFF;
  static constexpr std::size_t kShort = 48;  // bytes: where scanning and heap cost the same
  struct Slot {
    TokenId left, right;
    std::uint32_t rank;  // kNoRank: free
    TokenId result;
  };

  const Slot& Find(TokenId left, TokenId right) const;
  std::uint32_t RankOf(TokenId left, TokenId right) const { return Find(left, right).rank; }
  void EncodeShort(std::string_view piece, std::vector<TokenId>& out) const;
  void EncodeLong(std::string_view piece, std::vector<TokenId>& out) const;

  std::array<TokenId, 256> byte_tokens_;
  std::vector<Slot> slots_;         // open addressing, linear probing, at most half full
  std::vector<TokenId> result_of_;  // by rank
  unsigned shift_ = 0;
};

}  // namespace decant::text

#endif  // DECANT_TEXT_BPE_H_
