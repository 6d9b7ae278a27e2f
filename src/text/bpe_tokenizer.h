// The byte-level BPE tokenizer: special tokens, normalization, special tokens of normalized text, pieces, merges.
//
// Most pieces of running text are tokens themselves, so a piece is first looked up whole. That is right exactly for the
// tokens that BPE builds from their own bytes, which are found once, when the tokenizer is made, or for all ordinary
// tokens where the vocabulary says so (WholePieces).
#ifndef DECANT_TEXT_BPE_TOKENIZER_H_
#define DECANT_TEXT_BPE_TOKENIZER_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/tokenizer.h"
#include "text/bpe.h"
#include "text/normalization.h"
#include "text/pretokenizer.h"
#include "text/special_tokens.h"
#include "text/token_table.h"
#include "text/vocabulary.h"

namespace decant::text {

class BpeTokenizer final : public Tokenizer {
 public:
  struct Parts {
    TokenTable bytes;
    Bpe bpe;
    SpecialTokens specials, normalized_specials;
    PreTokenizer pre;
    Normalization normalization;
    WholePieces whole_pieces;
    std::vector<TokenKind> kinds;
    std::optional<TokenId> bos, eos;
    bool add_bos;
    std::string name;
  };
  // REQUIRES: parts as MakeBpeTokenizer checks them.
  explicit BpeTokenizer(Parts parts);

  std::size_t vocabulary_size() const override { return parts_.bytes.size(); }
  std::vector<TokenId> Encode(std::string_view text, SpecialText special) const override;
  std::string_view Bytes(TokenId id) const override { return parts_.bytes.text(id); }
  Result<std::string> Decode(std::span<const TokenId> ids) const override;
  TokenKind kind(TokenId id) const override { return parts_.kinds[id]; }
  std::optional<TokenId> Find(std::string_view bytes) const override {
    return bytes.empty() ? std::nullopt : parts_.bytes.Find(bytes);  // ids that no token has are empty in the table
  }
  std::optional<TokenId> bos() const override { return parts_.bos; }
  std::optional<TokenId> eos() const override { return parts_.eos; }
  bool add_bos() const override { return parts_.add_bos; }
  std::string_view name() const override { return parts_.name; }

 private:
  void EncodePart(std::string_view text, SpecialText special, std::vector<TokenId>& out) const;
  void EncodeOrdinary(std::string_view text, std::vector<TokenId>& out) const;

  Parts parts_;
  std::vector<bool> is_whole_;  // by id: a piece with the token's bytes is this one token
  std::size_t longest_whole_ = 0;
};

}  // namespace decant::text

#endif  // DECANT_TEXT_BPE_TOKENIZER_H_
