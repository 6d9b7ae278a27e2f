// Reads tokenizer.json, the file of Hugging Face's `tokenizers` (byte-level BPE only), into a Tokenizer.
//
// What the file says is either honoured or refused by name; docs/tokenizer.md lists both. Not read: "truncation" and
// "padding", which are settings of a batch of texts.
#ifndef DECANT_TEXT_TOKENIZER_JSON_H_
#define DECANT_TEXT_TOKENIZER_JSON_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "decant/error.h"
#include "decant/token.h"
#include "decant/tokenizer.h"

namespace decant::text {

// tokenizer.json does not say which tokens begin and end a text: a model's other files do. A text goes before an id,
// as tokenizer_config.json speaks of the tokenizer and config.json of the model; neither given: the model has none.
// The token that the post-processor puts before a text is bos, whatever bos_id says; another text is an error.
struct TokenizerJsonOptions {
  std::optional<std::string> bos = {}, eos = {};    // bos_token and eos_token of tokenizer_config.json: "<|eot_id|>"
  std::optional<TokenId> bos_id = {}, eos_id = {};  // bos_token_id and eos_token_id of config.json
};

// add_bos() is true when the file's post-processor starts a text with bos. vocabulary_size() is the greatest id + 1,
// which may be less than the rows of the model's embedding: the rest is padding.
//
// kCannotRead; kCorruptFile: the file is no JSON or contradicts its format or itself; kUnsupportedTokenizer: a kind of
// tokenizer, or a setting, that decant does not have. The subject names the field ("pre_tokenizer.pretokenizers[0]").
Result<std::shared_ptr<const Tokenizer>> LoadTokenizerJson(const std::string& path,
                                                           const TokenizerJsonOptions& options);
// The same, from the bytes of the file.
Result<std::shared_ptr<const Tokenizer>> ParseTokenizerJson(std::string_view text, const TokenizerJsonOptions& options);

}  // namespace decant::text

#endif  // DECANT_TEXT_TOKENIZER_JSON_H_
