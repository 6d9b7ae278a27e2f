// Paths of members and items, cut at a fixed length.
#include "grammar/schema/path.h"

namespace decant::grammar {

std::string ChildPath(std::string_view path, std::string_view name) {
  std::string out;
  out.reserve(path.size() + name.size() + 1);
  out = path;
  out += '/';
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      constexpr char kDigits[] = "0123456789ABCDEF";
      (((out += '%') += kDigits[static_cast<unsigned char>(c) / 16])) += kDigits[static_cast<unsigned char>(c) % 16];
    } else {
      out += c;
    }
  }
  if (out.size() <= kMaxPathBytes) return out;
  // Cut at a name's border, or where one name is too long by itself, at a character's.
  std::size_t start = out.find('/', out.size() - kMaxPathBytes);
  if (start == std::string::npos) {
    start = out.size() - kMaxPathBytes;
    while (start < out.size() && (static_cast<unsigned char>(out[start]) & 0xC0u) == 0x80u) ++start;
    return "#/…" + out.substr(start);
  }
  return "#/…" + out.substr(start);
}

std::string ChildPath(std::string_view path, std::size_t index) { return ChildPath(path, std::to_string(index)); }

}  // namespace decant::grammar
