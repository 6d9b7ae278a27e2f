// C0, DEL and C1 are what a terminal obeys; all else it only shows.
#include "terminal_text.h"

#include <fmt/format.h>

#include "core/utf8.h"

namespace decant::cli {
namespace {

bool IsControl(char32_t c) { return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0); }

}  // namespace

std::string TerminalText(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const core::Utf8Part part = core::DecodeUtf8(text);
    if (part.status == core::Utf8Status::kValid && IsControl(part.code_point)) {
      shown += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(part.code_point));
    } else {
      core::AppendUtf8(part.code_point, shown);
    }
    text.remove_prefix(part.length);
  }
  return shown;
}

}  // namespace decant::cli
