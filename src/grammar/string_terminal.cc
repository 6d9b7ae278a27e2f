// The inside of a JSON string. An escape that is not complete is a range of characters that it may still spell.
#include "grammar/string_terminal.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "core/utf8.h"
#include "grammar/expr_pool.h"
#include "grammar/fingerprint.h"

namespace decant::grammar {
namespace {

enum class Phase : std::uint8_t {
  kPlain,
  kBackslash,     // after "\"
  kDigits,        // after "\u" and some digits
  kHigh,          // after the high surrogate of a pair
  kLowBackslash,  // and "\"
  kLowDigits,     // and "\u" and some digits
};

struct Escape {
  Phase phase = Phase::kPlain;
  std::uint32_t digits = 0;  // read, 0 to 3
  std::uint32_t value = 0;   // of them
  std::uint32_t high = 0;    // less U+D800

  EscapeState Pack() const { return static_cast<std::uint32_t>(phase) | digits << 3 | value << 5 | high << 17; }
  static Escape Unpack(EscapeState state) {
    return {.phase = static_cast<Phase>(state & 7u),
            .digits = state >> 3 & 3u,
            .value = state >> 5 & 0xFFFu,
            .high = state >> 17};
  }
};

constexpr std::uint32_t kFirstHigh = 0xD800, kFirstLow = 0xDC00, kPastLow = 0xE000;
constexpr std::uint32_t kFirstSupplementary = 0x10000, kLastCodePoint = 0x10FFFF;

std::optional<std::uint32_t> HexDigit(std::uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - std::uint32_t{'0'};
  const std::uint32_t lower = byte | 0x20u;
  if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10;
  return std::nullopt;
}

DecodedByte Spelled(char32_t code_point) {
  std::string text;
  core::AppendUtf8(code_point, text);
  DecodedByte decoded{.length = static_cast<std::uint8_t>(text.size())};
  std::copy(text.begin(), text.end(), decoded.bytes.begin());
  return decoded;
}

std::optional<DecodedByte> AfterBackslash(std::uint8_t byte) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  if (byte == 'u') return DecodedByte{.escape = Escape{.phase = Phase::kDigits}.Pack()};
  const std::size_t at = kLetters.find(static_cast<char>(byte));
  if (at == kLetters.npos) return std::nullopt;
  return DecodedByte{.length = 1, .bytes = {kMeanings[at]}};
}

std::optional<DecodedByte> AfterDigits(Escape escape, std::uint8_t byte) {
  const std::optional<std::uint32_t> digit = HexDigit(byte);
  if (!digit.has_value()) return std::nullopt;
  const std::uint32_t value = escape.value << 4 | *digit;
  if (escape.digits < 3) {
    escape.value = value;
    ++escape.digits;
    return DecodedByte{.escape = escape.Pack()};
  }
  if (escape.phase == Phase::kLowDigits) {
    if (value < kFirstLow || value >= kPastLow) return std::nullopt;
    return Spelled(kFirstSupplementary + (escape.high << 10 | (value - kFirstLow)));
  }
  if (value >= kFirstHigh && value < kFirstLow) {
    return DecodedByte{.escape = Escape{.phase = Phase::kHigh, .high = value - kFirstHigh}.Pack()};
  }
  if (value >= kFirstLow && value < kPastLow) return std::nullopt;
  return Spelled(value);
}

constexpr ByteSet BytesOf(std::string_view bytes) {
  ByteSet set;
  for (const char byte : bytes) set.Add(static_cast<std::uint8_t>(byte));
  return set;
}
// That Decode takes in a phase, kPlain aside.
constexpr std::string_view kHexDigits = "0123456789ABCDEFabcdef";
constexpr std::array<ByteSet, 6> kBytesOfPhase = {ByteSet{},     BytesOf("\"\\/bfnrtu"), BytesOf(kHexDigits),
                                                  BytesOf("\\"), BytesOf("u"),           BytesOf(kHexDigits)};

struct Ranges {
  std::array<CodePointRange, 3> items = {};
  std::size_t size = 0;
  void Add(std::uint32_t first, std::uint32_t last) { items[size++] = {.first = first, .last = last}; }
};

// The characters that an escape may still spell.
Ranges Spellable(Escape escape) {
  Ranges ranges;
  const std::uint32_t open = 4 * (4 - escape.digits);  // bits
  const std::uint32_t first = escape.value << open;
  const std::uint32_t last = first + (1u << open) - 1;
  const std::uint32_t pairs = kFirstSupplementary + (escape.high << 10);
  switch (escape.phase) {
    case Phase::kPlain:
    case Phase::kBackslash:
      ranges.Add(0, kLastCodePoint);
      break;
    case Phase::kDigits:
      if (first < kFirstHigh) ranges.Add(first, std::min(last, kFirstHigh - 1));
      if (first < kFirstLow && last >= kFirstHigh) {
        const std::uint32_t high = std::max(first, kFirstHigh) - kFirstHigh;
        const std::uint32_t past = std::min(last, kFirstLow - 1) - kFirstHigh + 1;
        ranges.Add(kFirstSupplementary + (high << 10), kFirstSupplementary + (past << 10) - 1);
      }
      if (last >= kPastLow) ranges.Add(std::max(first, kPastLow), last);
      break;
    case Phase::kHigh:
    case Phase::kLowBackslash:
      ranges.Add(pairs, pairs + 0x3FF);
      break;
    case Phase::kLowDigits:
      if (first < kPastLow && last >= kFirstLow) {
        ranges.Add(pairs + std::max(first, kFirstLow) - kFirstLow, pairs + std::min(last, kPastLow - 1) - kFirstLow);
      }
      break;
  }
  return ranges;
}

// Two code points with UTF-8 of one length, and a search among those between them.
struct Between {
  std::string first, last;

  // Whether a text of e begins with one of them, of whose bytes `at` lie behind. A byte that is not on the border of
  // the range decides alone: what follows it in a language of UTF-8 is the rest of a character of the range.
  bool Begins(ExprPool& pool, Expr e, std::size_t at, bool on_first, bool on_last) const {
    if (at == first.size()) return true;
    const unsigned low = on_first ? static_cast<unsigned char>(first[at]) : 0x80u;
    const unsigned high = on_last ? static_cast<unsigned char>(last[at]) : 0xBFu;
    const ByteSet bytes = pool.FirstBytes(e);
    for (unsigned byte = low; byte <= high; ++byte) {
      if (!bytes.Has(static_cast<std::uint8_t>(byte))) continue;
      const Expr next = pool.Next(e, static_cast<std::uint8_t>(byte));
      if (next == kNothing) continue;
      const bool first_still = on_first && byte == low, last_still = on_last && byte == high;
      if (!first_still && !last_still) return true;
      if (Begins(pool, next, at + 1, first_still, last_still)) return true;  // at most four deep
    }
    return false;
  }
};

bool BeginsWithin(ExprPool& pool, Expr e, CodePointRange range) {
  constexpr std::array<char32_t, 4> kLastOfLength = {0x7F, 0x7FF, 0xFFFF, kLastCodePoint};
  char32_t first = range.first;
  for (const char32_t longest : kLastOfLength) {
    if (first > longest) continue;
    Between between;
    core::AppendUtf8(first, between.first);
    core::AppendUtf8(std::min(range.last, longest), between.last);
    if (between.Begins(pool, e, 0, true, true)) return true;
    if (range.last <= longest) return false;
    first = longest + 1;
  }
  return false;
}

// Whether a text of the content begins with a character that the escape may spell.
bool CanComplete(ExprPool& pool, Expr content, EscapeState state) {
  const Escape escape = Escape::Unpack(state);
  if (escape.phase == Phase::kBackslash || (escape.phase == Phase::kDigits && escape.digits == 0)) {
    // Outside of a character, a text that goes on goes on with one, and every one has such a spelling.
    const ByteSet first = pool.FirstBytes(content);
    if (first.words[2] == 0 && !pool.IsNullable(content)) return true;
    for (const char likely : {'a', 'A', '0', ' '}) {  // most languages have one of them
      if (pool.Next(content, static_cast<std::uint8_t>(likely)) != kNothing) return true;
    }
  }
  const Ranges ranges = Spellable(escape);
  return std::any_of(ranges.items.begin(), ranges.items.begin() + ranges.size,
                     [&pool, content](CodePointRange range) { return BeginsWithin(pool, content, range); });
}

}  // namespace

std::optional<DecodedByte> Decode(EscapeState state, std::uint8_t byte) {
  Escape escape = Escape::Unpack(state);
  switch (escape.phase) {
    case Phase::kPlain:
      if (byte == '\\') return DecodedByte{.escape = Escape{.phase = Phase::kBackslash}.Pack()};
      if (byte < 0x20 || byte == '"') return std::nullopt;
      return DecodedByte{.length = 1, .bytes = {static_cast<char>(byte)}};
    case Phase::kBackslash:
      return AfterBackslash(byte);
    case Phase::kDigits:
    case Phase::kLowDigits:
      return AfterDigits(escape, byte);
    case Phase::kHigh:
      if (byte != '\\') return std::nullopt;
      escape.phase = Phase::kLowBackslash;
      return DecodedByte{.escape = escape.Pack()};
    case Phase::kLowBackslash:
      if (byte != 'u') return std::nullopt;
      escape.phase = Phase::kLowDigits;
      return DecodedByte{.escape = escape.Pack()};
  }
  return std::nullopt;
}

bool CanSpell(EscapeState escape) { return Spellable(Escape::Unpack(escape)).size != 0; }

std::optional<DecodedText> DecodeText(EscapeState escape, std::string_view raw) {
  DecodedText out{.text = {}, .escape = escape};
  for (const char c : raw) {
    const std::optional<DecodedByte> decoded = Decode(out.escape, static_cast<std::uint8_t>(c));
    if (!decoded.has_value()) return std::nullopt;
    out.text += decoded->view();
    out.escape = decoded->escape;
  }
  return out;
}

std::string DecodeAll(EscapeState escape, std::string_view raw) {
  std::optional<DecodedText> decoded = DecodeText(escape, raw);
  DECANT_CHECK(decoded.has_value());
  return std::move(decoded->text);
}

StringState Step(ExprPool& pool, StringState state, std::uint8_t byte) {
  // Most bytes stand for themselves.
  if (state.escape == kNoEscape && byte >= 0x20 && byte != '"' && byte != '\\') {
    return {.content = pool.Next(state.content, byte)};
  }
  const std::optional<DecodedByte> decoded = Decode(state.escape, byte);
  if (!decoded.has_value()) return kDeadString;
  const Expr content = decoded->length == 0 ? state.content : pool.Next(state.content, decoded->view());
  if (content == kNothing) return kDeadString;
  if (decoded->escape != kNoEscape && !CanComplete(pool, content, decoded->escape)) return kDeadString;
  return {.content = content, .escape = decoded->escape};
}

StringState Step(ExprPool& pool, StringState state, std::string_view bytes) {
  for (const char c : bytes) {
    if (IsDead(state)) return kDeadString;
    state = Step(pool, state, static_cast<std::uint8_t>(c));
  }
  return state;
}

ByteSet FirstBytes(ExprPool& pool, StringState state) {
  const Phase phase = Escape::Unpack(state.escape).phase;
  if (phase != Phase::kPlain) return kBytesOfPhase[static_cast<std::size_t>(phase)];
  ByteSet bytes = pool.FirstBytes(state.content);
  bytes.words[0] &= ~std::uint64_t{0xFFFFFFFF};  // no control character
  bytes.Add('\\');
  bytes.Remove('"');
  if (CanClose(pool, state)) bytes.Add('"');
  return bytes;
}

Fingerprint FingerprintOf(ExprPool& pool, StringState state, std::size_t bytes) {
  // The end of an escape may add more bytes of text than it has: at most those of a character.
  if (state.escape != kNoEscape) bytes += 4;
  return Add(pool.ContentWithin(state.content, bytes), state.escape);
}

}  // namespace decant::grammar
