// The tokenizer and the chat template of a model's folder, from tokenizer.json and the files beside it.
#ifndef DECANT_DECODE_FOLDER_TOKENIZER_H_
#define DECANT_DECODE_FOLDER_TOKENIZER_H_

#include <memory>
#include <string>

#include "decant/error.h"
#include "decant/tokenizer.h"
#include "decode/chat_template.h"

namespace decant::decode {

struct FolderTokenizer {
  std::shared_ptr<const Tokenizer> tokenizer;
  ChatTemplate chat;
};

// tokenizer.json must be there. BOS and EOS are bos_token and eos_token of tokenizer_config.json, else bos_token_id and
// eos_token_id of config.json, else those of generation_config.json; of a list, the first. The template is
// chat_template.jinja, else chat_template of tokenizer_config.json (of several, the one called "default"). A file that
// is no JSON or has a wrong type is kCorruptFile and named.
Result<FolderTokenizer> LoadFolderTokenizer(const std::string& folder);

}  // namespace decant::decode

#endif  // DECANT_DECODE_FOLDER_TOKENIZER_H_
