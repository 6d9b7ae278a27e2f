// Templates are programs; only ChatML is recognised, by its markers and its spelled-out system message.
#include "decode/chat_template.h"

namespace decant::decode {

ChatTemplate RecognizeChatTemplate(std::string_view source) {
  if (source.empty()) return {.kind = "none", .default_system = ""};
  if (source.find("<|im_start|>") == std::string_view::npos) return {.kind = "unsupported", .default_system = ""};
  // ChatML templates that add a system message spell it out: "<|im_start|>system\n…<|im_end|>".
  constexpr std::string_view kOpen = "<|im_start|>system\n", kClose = "<|im_end|>";
  ChatTemplate chat{.kind = "chatml", .default_system = ""};
  const std::size_t open = source.find(kOpen);
  if (open != std::string_view::npos) {
    const std::string_view rest = source.substr(open + kOpen.size());
    const std::size_t close = rest.find(kClose);
    if (close != std::string_view::npos) chat.default_system = rest.substr(0, close);
    // Quotes, braces and escapes belong to the template's own language: this is no plain text after all.
    if (chat.default_system.find_first_of("'\"{}\\") != std::string::npos) {
      return {.kind = "unsupported", .default_system = ""};
    }
  }
  return chat;
}

}  // namespace decant::decode
