// A vocabulary as a model's file gives it, and the tokenizer made from it.
#ifndef DECANT_TEXT_VOCABULARY_H_
#define DECANT_TEXT_VOCABULARY_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decant/error.h"
#include "decant/token.h"
#include "decant/tokenizer.h"

namespace decant::text {

// Plain data, as a GGUF file's tokenizer.ggml.* fields hold it; nothing is checked yet.
struct VocabularySource {
  std::string model = {};  // tokenizer.ggml.model: "gpt2" is byte-level BPE
  std::string pre = {};    // tokenizer.ggml.pre: how text is cut into pieces; "smollm"
  std::vector<std::string> tokens =
      {};                             // by id; ordinary ones in the byte alphabet (byte_level.h), special ones as text
  std::vector<TokenKind> kinds = {};  // by id, as many as tokens
  std::vector<std::string> merges = {};  // "left right", in order of rank
  std::optional<TokenId> bos = {}, eos = {};
  bool add_bos = false;
};

// kUnsupportedTokenizer: a model or a pre-tokenizer that decant does not have, or a vocabulary that would let ordinary
// text become a control token. kCorruptFile: the source contradicts itself (sizes, duplicates, merges of unknown
// tokens, bos or eos out of range). The subject names the field.
Result<std::shared_ptr<const Tokenizer>> MakeBpeTokenizer(VocabularySource source);

}  // namespace decant::text

#endif  // DECANT_TEXT_VOCABULARY_H_
