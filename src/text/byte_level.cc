// The byte alphabet as two small constant tables.
#include "text/byte_level.h"

#include <array>
#include <cstddef>

#include "core/utf8.h"

namespace decant::text {
namespace {

constexpr std::size_t kLetterLimit = 0x144;
constexpr std::uint16_t kNotALetter = 0xFFFF;

constexpr bool StandsForItself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<std::uint16_t, 256> letter{};
  std::array<std::uint16_t, kLetterLimit> byte{};
};

constexpr Alphabet MakeAlphabet() {
  Alphabet alphabet;
  alphabet.byte.fill(kNotALetter);
  std::uint16_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::uint16_t letter = StandsForItself(byte) ? static_cast<std::uint16_t>(byte) : next++;
    alphabet.letter[byte] = letter;
    alphabet.byte[letter] = static_cast<std::uint16_t>(byte);
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = MakeAlphabet();

}  // namespace

char32_t LetterOfByte(std::uint8_t byte) { return kAlphabet.letter[byte]; }

std::optional<std::uint8_t> ByteOfLetter(char32_t letter) {
  if (letter >= kLetterLimit || kAlphabet.byte[letter] == kNotALetter) return std::nullopt;
  return static_cast<std::uint8_t>(kAlphabet.byte[letter]);
}

std::string BytesToLetters(std::string_view bytes) {
  std::string letters;
  for (const char byte : bytes) core::AppendUtf8(LetterOfByte(static_cast<std::uint8_t>(byte)), letters);
  return letters;
}

std::optional<std::string> LettersToBytes(std::string_view letters) {
  std::string bytes;
  while (!letters.empty()) {
    const core::Utf8Part part = core::DecodeUtf8(letters);
    if (part.status != core::Utf8Status::kValid) return std::nullopt;
    const std::optional<std::uint8_t> byte = ByteOfLetter(part.code_point);
    if (!byte) return std::nullopt;
    bytes.push_back(static_cast<char>(*byte));
    letters.remove_prefix(part.length);
  }
  return bytes;
}

}  // namespace decant::text
