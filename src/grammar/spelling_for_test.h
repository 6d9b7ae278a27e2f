// JSON strings by their definition: every spelling of every character, for tests to compare with.
#ifndef DECANT_GRAMMAR_SPELLING_FOR_TEST_H_
#define DECANT_GRAMMAR_SPELLING_FOR_TEST_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.h"

namespace decant::grammar {

// How a character may be spelled inside a JSON string; hexadecimal digits in lower case.
inline std::vector<std::string> SpellingsOf(char32_t code_point) {
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t", kLetters = "\"\\/bfnrt";
  std::vector<std::string> spellings;
  if (code_point >= 0x20 && code_point != '"' && code_point != '\\') {
    spellings.emplace_back();
    core::AppendUtf8(code_point, spellings.back());
  }
  for (std::size_t i = 0; i < kMeanings.size(); ++i) {
    if (code_point == static_cast<unsigned char>(kMeanings[i])) spellings.push_back(std::string("\\") + kLetters[i]);
  }
  std::array<char, 16> escape{};
  const unsigned value = code_point;
  if (value < 0x10000) {
    std::snprintf(escape.data(), escape.size(), "\\u%04x", value);
  } else {
    const unsigned pair = value - 0x10000;
    std::snprintf(escape.data(), escape.size(), "\\u%04x\\u%04x", 0xD800 + (pair >> 10), 0xDC00 + (pair & 0x3FF));
  }
  spellings.emplace_back(escape.data());
  return spellings;
}

// Whether the raw bytes may be the start of the text's inside of a JSON string, up to its closing quote.
inline bool BeginsSpelling(std::string_view raw, std::string_view text) {
  if (raw.empty()) return true;
  if (text.empty()) return false;
  const core::Utf8Part part = core::DecodeUtf8(text);
  const auto same = [](char r, char s, bool digit) {
    return r == s || (digit && r >= 'A' && r <= 'F' && r - 'A' + 'a' == s);
  };
  for (const std::string& spelling : SpellingsOf(part.code_point)) {
    const std::size_t shared = std::min(raw.size(), spelling.size());
    bool alike = true;
    for (std::size_t i = 0; i < shared; ++i)
      alike = alike && same(raw[i], spelling[i], spelling.size() > 4 && i % 6 > 1);
    if (alike && (shared == raw.size() || BeginsSpelling(raw.substr(shared), text.substr(part.length)))) return true;
  }
  return false;
}

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SPELLING_FOR_TEST_H_
