// What a GGUF file says of its tokenizer.
#ifndef DECANT_DECODE_GGUF_VOCABULARY_H_
#define DECANT_DECODE_GGUF_VOCABULARY_H_

#include "decant/error.h"
#include "decode/chat_template.h"
#include "text/vocabulary.h"
#include "weights/gguf.h"

namespace decant::decode {

// tokenizer.ggml.*: kCorruptFile for a missing or wrongly typed field.
Result<text::VocabularySource> ReadVocabulary(const weights::GgufFile& file);

// RecognizeChatTemplate of the file's template.
Result<ChatTemplate> ReadChatTemplate(const weights::GgufFile& file);

}  // namespace decant::decode

#endif  // DECANT_DECODE_GGUF_VOCABULARY_H_
