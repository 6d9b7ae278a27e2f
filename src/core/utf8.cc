// UTF-8 by table 3-7 of the Unicode standard: a lead byte fixes the length and the range of the second byte, all
// later bytes are 80..BF. An invalid part ends before the first byte that does not fit (maximal subpart).
#include "core/utf8.h"

#include <cstring>

#include "core/check.h"

namespace decant::core {
namespace {

struct Lead {
  std::size_t length;  // 0 = never starts a code point
  unsigned char low;   // range of the second byte
  unsigned char high;
};
constexpr Lead LeadOf(unsigned char byte) {
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// How many bytes at the start are ASCII, counted in whole words of eight.
std::size_t AsciiPrefix(std::string_view text) {
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & 0x8080808080808080u) != 0) break;
  }
  return i;
}

}  // namespace

Utf8Part DecodeUtf8(std::string_view text) {
  DECANT_DCHECK(!text.empty());
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {Utf8Status::kValid, first, 1};
  const Lead lead = LeadOf(first);
  if (lead.length == 0) return {Utf8Status::kInvalid, kReplacement, 1};
  char32_t code_point = first & (0x7Fu >> lead.length);
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (i == text.size()) return {Utf8Status::kIncomplete, kReplacement, i};
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned char low = i == 1 ? lead.low : 0x80;
    const unsigned char high = i == 1 ? lead.high : 0xBF;
    if (byte < low || byte > high) return {Utf8Status::kInvalid, kReplacement, i};
    code_point = (code_point << 6) | (byte & 0x3Fu);
  }
  return {Utf8Status::kValid, code_point, lead.length};
}

void AppendUtf8(char32_t code_point, std::string& out) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) code_point = kReplacement;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80u | ((code_point >> shift) & 0x3Fu)); };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0u | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0u | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0u | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(AsciiPrefix(text));
    if (text.empty()) break;
    const Utf8Part part = DecodeUtf8(text);
    if (part.status != Utf8Status::kValid) return false;
    text.remove_prefix(part.length);
  }
  return true;
}

std::string ToValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t ascii = AsciiPrefix(text);
    out += text.substr(0, ascii);
    text.remove_prefix(ascii);
    if (text.empty()) break;
    const Utf8Part part = DecodeUtf8(text);
    if (part.status == Utf8Status::kValid) {
      out += text.substr(0, part.length);
    } else {
      AppendUtf8(kReplacement, out);
    }
    text.remove_prefix(part.length);
  }
  return out;
}

std::string Quoted(std::string_view text) {
  constexpr int kLongest = 60;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (int shown = 0; !text.empty(); ++shown) {
    if (shown == kLongest) {
      out += "…";
      break;
    }
    const Utf8Part part = DecodeUtf8(text);
    text.remove_prefix(part.length);
    const char32_t c = part.code_point;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c < 0x20 || (c >= 0x7F && c < 0xA0)) {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    } else {
      AppendUtf8(c, out);
    }
  }
  return out += '"';
}

}  // namespace decant::core
