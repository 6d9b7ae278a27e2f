// The inside of a JSON string (RFC 8259, section 7), read byte by byte while its decoded text is followed through a
// language: "\u0061" and "a" are the same text, and a byte is refused as soon as no text of the language can come of
// it.
#ifndef DECANT_GRAMMAR_STRING_TERMINAL_H_
#define DECANT_GRAMMAR_STRING_TERMINAL_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "grammar/expr_pool.h"
#include "grammar/fingerprint.h"

namespace decant::grammar {

// A part of an escape read so far; 0 outside of one. The other values are opaque.
using EscapeState = std::uint32_t;
inline constexpr EscapeState kNoEscape = 0;

// Between two bytes of a string: after the opening quote, {language, kNoEscape}.
struct StringState {
  Expr content = kNothing;  // what the decoded text may go on with; a language of UTF-8
  EscapeState escape = kNoEscape;
  auto operator<=>(const StringState&) const = default;
};
inline constexpr StringState kDeadString{};

inline bool IsDead(StringState state) { return state.content == kNothing; }

// What a raw byte adds to the decoded text. The closing quote is not a byte of the inside.
struct DecodedByte {
  EscapeState escape = kNoEscape;
  std::uint8_t length = 0;  // of bytes: 0 inside an escape, 4 after a surrogate pair
  std::array<char, 4> bytes = {};
  std::string_view view() const { return {bytes.data(), length}; }
};
// Nothing for what no JSON string has: a control character, an unknown escape, a surrogate that is not in a pair, an
// unescaped quote.
std::optional<DecodedByte> Decode(EscapeState escape, std::uint8_t byte);
// Whether there is a character that an escape read so far may spell.
bool CanSpell(EscapeState escape);
// Raw bytes decoded, and the escape that they end in; nothing where Decode takes not all of them.
struct DecodedText {
  std::string text;
  EscapeState escape = kNoEscape;
};
std::optional<DecodedText> DecodeText(EscapeState escape, std::string_view raw);
// The decoded text of raw bytes from `escape` on. REQUIRES: Decode takes each.
std::string DecodeAll(EscapeState escape, std::string_view raw);

// The state after a byte of the inside; kDeadString when no end of the string is left. Exact, also amid an escape:
// "\ud8" lives exactly when a character that a pair D800..D8FF, DC00..DFFF spells may come. REQUIRES: a living state.
StringState Step(ExprPool& pool, StringState state, std::uint8_t byte);
StringState Step(ExprPool& pool, StringState state, std::string_view bytes);  // also of a dead state
// Whether the closing quote may come.
inline bool CanClose(const ExprPool& pool, StringState state) {
  return state.escape == kNoEscape && pool.IsNullable(state.content);
}

// The bytes that Step may take, and the quote where CanClose: a few too many where that costs less, none too few.
ByteSet FirstBytes(ExprPool& pool, StringState state);

// Stands for what may follow within `bytes` raw bytes and the closing quote.
Fingerprint FingerprintOf(ExprPool& pool, StringState state, std::size_t bytes);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_STRING_TERMINAL_H_
