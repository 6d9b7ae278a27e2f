// A vocabulary as a model's file gives it, and the tokenizer made from it.
#ifndef DECANT_TEXT_VOCABULARY_H_
#define DECANT_TEXT_VOCABULARY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decant/error.h"
#include "decant/token.h"
#include "decant/tokenizer.h"
#include "text/normalization.h"

namespace decant::text {

// Which pieces become a token without a merge being asked.
enum class WholePieces : std::uint8_t {
  kIfMerged,  // those that the merges turn into one token anyway
  kAnyToken,  // all that are ordinary tokens ("ignore_merges" of tokenizer.json)
};

// What the source's format calls its fields: the subjects of errors.
struct VocabularyFields {
  std::string_view model = "tokenizer.ggml.model";
  std::string_view pre = "tokenizer.ggml.pre";
  std::string_view tokens = "tokenizer.ggml.tokens";
  std::string_view kinds = "tokenizer.ggml.token_type";
  std::string_view merges = "tokenizer.ggml.merges";
  std::string_view bos = "tokenizer.ggml.bos_token_id";
  std::string_view eos = "tokenizer.ggml.eos_token_id";
  std::string_view add_bos = "tokenizer.ggml.add_bos_token";
};

// Plain data, as a model's file holds it; nothing is checked yet.
struct VocabularySource {
  std::string model = {};  // "gpt2" is byte-level BPE
  std::string pre = {};    // how text is cut into pieces: a name that FindPreTokenizer knows
  // By id; ordinary ones in the byte alphabet (byte_level.h), special ones as text. Empty: no token has the id, and its
  // kind is kUnused.
  std::vector<std::string> tokens = {};
  std::vector<TokenKind> kinds = {};     // by id, as many as tokens
  std::vector<std::string> merges = {};  // "left right", in order of rank
  std::optional<TokenId> bos = {}, eos = {};
  bool add_bos = false;
  Normalization normalization = Normalization::kNone;
  WholePieces whole_pieces = WholePieces::kIfMerged;
  // Special tokens (control, user-defined) that are looked for, normalized, in normalized text, after all others.
  std::vector<TokenId> normalized_specials = {};
  VocabularyFields fields = {};
};

// kUnsupportedTokenizer: a model or a pre-tokenizer that decant does not have, or a vocabulary that would let ordinary
// text become a control token. kCorruptFile: the source contradicts itself (sizes, duplicates, merges of unknown
// tokens, bos or eos out of range). The subject names the field.
Result<std::shared_ptr<const Tokenizer>> MakeBpeTokenizer(VocabularySource source);

}  // namespace decant::text

#endif  // DECANT_TEXT_VOCABULARY_H_
