// What a GGUF file says of its tokenizer.
#ifndef DECANT_DECODE_GGUF_VOCABULARY_H_
#define DECANT_DECODE_GGUF_VOCABULARY_H_

#include <string>

#include "decant/error.h"
#include "text/vocabulary.h"
#include "weights/gguf.h"

namespace decant::decode {

// tokenizer.ggml.*: kCorruptFile for a missing or wrongly typed field.
Result<text::VocabularySource> ReadVocabulary(const weights::GgufFile& file);

// What is known of the file's chat template: "chatml", "none" or "unsupported", and its own system message.
struct ChatTemplate {
  std::string kind;
  std::string default_system;
};
Result<ChatTemplate> ReadChatTemplate(const weights::GgufFile& file);

}  // namespace decant::decode

#endif  // DECANT_DECODE_GGUF_VOCABULARY_H_
