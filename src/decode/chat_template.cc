// Templates are programs; only ChatML is recognised, by its markers and its spelled-out system message.
#include "decode/chat_template.h"

#include <algorithm>
#include <cstddef>

namespace decant::decode {

ChatTemplate RecognizeChatTemplate(std::string_view source) {
  if (source.empty()) return {.kind = "none", .default_system = ""};
  if (source.find("<|im_start|>") == std::string_view::npos) return {.kind = "unsupported", .default_system = ""};
  // ChatML templates that add a system message spell it out: "<|im_start|>system\n…<|im_end|>", the line feed as it is
  // or as an escape of the template's language.
  constexpr std::string_view kOpen = "<|im_start|>system", kClose = "<|im_end|>";
  ChatTemplate chat{.kind = "chatml", .default_system = ""};
  const std::size_t line_feed = source.find(std::string(kOpen) + "\n");
  const std::size_t escape = source.find(std::string(kOpen) + "\\n");
  if (const std::size_t open = std::min(line_feed, escape); open != std::string_view::npos) {
    const std::string_view rest = source.substr(open + kOpen.size() + (open == escape ? 2 : 1));
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
