// The alphabet of byte-level BPE (GPT-2): 256 printable letters, one for each byte, in which vocabularies are written.
//
// Printable bytes of Latin-1 are themselves ("a", "!", "é"); the other 68, in ascending order, are U+0100 and on, so
// that a space is "Ġ" and a line feed "Ċ".
#ifndef DECANT_TEXT_BYTE_LEVEL_H_
#define DECANT_TEXT_BYTE_LEVEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace decant::text {

// The letter of a byte, in [U+0021, U+0143].
char32_t LetterOfByte(std::uint8_t byte);
std::optional<std::uint8_t> ByteOfLetter(char32_t letter);

// Bytes written in letters (as UTF-8), and back; nothing when a code point is not a letter or the UTF-8 is not valid.
std::string BytesToLetters(std::string_view bytes);
std::optional<std::string> LettersToBytes(std::string_view letters);

}  // namespace decant::text

#endif  // DECANT_TEXT_BYTE_LEVEL_H_
