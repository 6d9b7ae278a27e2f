// What decant makes of a model's chat template, whatever file it came from.
#ifndef DECANT_DECODE_CHAT_TEMPLATE_H_
#define DECANT_DECODE_CHAT_TEMPLATE_H_

#include <string>
#include <string_view>

namespace decant::decode {

struct ChatTemplate {
  std::string kind;            // "chatml", "none" or "unsupported"
  std::string default_system;  // the template's own system message; may be empty
};

// By the template's whole text; empty: "none". "chatml" is only what renders as EncodeChatMl writes: one of the ChatML
// templates that models have, with any default system message. White space and the choice of quotes inside tags are
// free; text between tags is not, white space included, unless a tag's "-" removes it.
ChatTemplate RecognizeChatTemplate(std::string_view source);

}  // namespace decant::decode

#endif  // DECANT_DECODE_CHAT_TEMPLATE_H_
