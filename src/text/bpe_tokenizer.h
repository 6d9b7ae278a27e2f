// The byte-level BPE tokenizer: special tokens, then pieces, then merges.
//
// Most pieces of running text are tokens themselves, so a piece is first looked up whole. That is right exactly for the
// tokens that BPE builds from their own bytes; which those are is found once, when the tokenizer is made.
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
#include "text/special_tokens.h"
#include "text/token_table.h"

namespace decant::text {

class BpeTokenizer final : public Tokenizer {
 public:
  struct Parts {
    TokenTable bytes;
    Bpe bpe;
    SpecialTokens specials;
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
  std::optional<TokenId> Find(std::string_view bytes) const override { return parts_.bytes.Find(bytes); }
  std::optional<TokenId> bos() const override { return parts_.bos; }
  std::optional<TokenId> eos() const override { return parts_.eos; }
  bool add_bos() const override { return parts_.add_bos; }
  std::string_view name() const override { return parts_.name; }

 private:
  void EncodeOrdinary(std::string_view text, std::vector<TokenId>& out) const;

  Parts parts_;
  std::vector<bool> is_whole_;  // by id: BPE turns the token's bytes into this one token
  std::size_t longest_whole_ = 0;
};

}  // namespace decant::text

#endif  // DECANT_TEXT_BPE_TOKENIZER_H_
