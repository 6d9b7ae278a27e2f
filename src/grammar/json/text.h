// A text that grows at its end and shares its beginnings: every prefix of it stays what it was.
#ifndef DECANT_GRAMMAR_JSON_TEXT_H_
#define DECANT_GRAMMAR_JSON_TEXT_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "grammar/fingerprint.h"
#include "grammar/json/arena.h"

namespace decant::grammar {

// The null pointer is the empty text.
struct Text {
  const Text* before = nullptr;
  std::uint64_t size = 0;  // of the whole text
  Fingerprint content = {};
  std::array<char, 8> bytes = {};  // the last ones of it
  std::uint8_t count = 0;          // of them
};

inline std::uint64_t SizeOf(const Text* text) { return text == nullptr ? 0 : text->size; }
inline Fingerprint ContentOf(const Text* text) { return text == nullptr ? Fingerprint{} : text->content; }

// Cost: the bytes added.
const Text* Append(const Text* text, std::string_view bytes, Arena& arena);
std::string ToString(const Text* text);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_TEXT_H_
