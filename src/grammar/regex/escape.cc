// Escapes, at the character after the backslash.
#include <array>
#include <string>

#include "core/utf8.h"
#include "grammar/regex/parser.h"

namespace decant::grammar {
namespace {

constexpr char32_t kNoCharacter = ~char32_t{0};

bool IsAsciiLetter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char32_t c) { return c >= '0' && c <= '9'; }
bool IsOctal(char32_t c) { return c >= '0' && c <= '7'; }
bool IsHighSurrogate(char32_t c) { return c >= 0xD800 && c <= 0xDBFF; }
bool IsLowSurrogate(char32_t c) { return c >= 0xDC00 && c <= 0xDFFF; }

int HexValue(char32_t c) {
  if (IsDigit(c)) return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A' + 10);
  return -1;
}

// \n and its like.
char32_t ControlOf(char32_t letter) {
  switch (letter) {
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return kNoCharacter;
  }
}

}  // namespace

Result<void> RegexParser::ParseEscape(Items& items) {
  const std::size_t start = at_ - 1;
  const char32_t c = Peek();
  const auto anchor = [&](NodeId node) -> Result<void> {
    ++at_;
    ++assertions_;
    items.Add(node, Items::Last::kAnchor);
    return {};
  };
  switch (c) {
    case 'b':
      return anchor(Boundary(false));
    case 'B':
      return anchor(Boundary(true));
    case 'A':
      return anchor(tree_.Behind({.limit = true}));
    case 'Z':
      return anchor(tree_.Ahead({.limit = true}));
    case 'z':
      if (is_python()) break;
      return anchor(tree_.Ahead({.limit = true}));
    case 'k':
      if (is_python()) break;
      return NotDone(start, "a back-reference \\k");
    default:
      break;
  }
  if (c >= '1' && c <= '9') {
    // Three octal digits are a character in Python.
    if (!is_python() || !IsOctal(c) || !IsOctal(Peek(1)) || !IsOctal(Peek(2))) {
      ++at_;
      return NotDone(start, "a back-reference " + Shown(start));
    }
  }
  DECANT_TRY(const Member member, ParseMemberEscape(false));
  items.Add(member.character.has_value() ? Character(*member.character) : tree_.Set(member.set),
            Items::Last::kRepeatable);
  return {};
}

// The sets of one letter: \d \D \w \W \s \S.
std::optional<CharSet> RegexParser::NamedClass(char32_t letter) const {
  switch (letter) {
    case 'd':
    case 'D':
      return letter == 'd' ? Digits(alphabet()) : Digits(alphabet()).Complement();
    case 'w':
    case 'W':
      return letter == 'w' ? Word() : Word().Complement();
    case 's':
    case 'S': {
      const CharSet& spaces = is_python() ? PythonSpaces(alphabet()) : EcmaSpaces();
      return letter == 's' ? spaces : spaces.Complement();
    }
    default:
      return std::nullopt;
  }
}

Result<RegexParser::Member> RegexParser::ParseMemberEscape(bool in_class) {
  const std::size_t start = at_ - 1;
  if (AtEnd()) return Invalid(start, "a \"\\\" at its end; expected a character after it");
  const char32_t c = pattern_[at_++];
  const auto character = [](char32_t value) { return Member{.character = value}; };
  if (auto set = NamedClass(c)) return Member{.set = *std::move(set)};
  if (const char32_t control = ControlOf(c); control != kNoCharacter) return character(control);
  if (is_python() && c == 'a') return character('\a');
  if (in_class && c == 'b') return character('\b');
  if (c == 'p' || c == 'P') {
    DECANT_TRY(CharSet set, ParseProperty(c == 'P', start));
    return Member{.set = std::move(set)};
  }
  if (c == 'x') {
    DECANT_TRY(const char32_t value, ParseHex(2, start));
    return character(value);
  }
  if (c == 'u') {
    DECANT_TRY(const char32_t value, ParseUnicodeEscape(start));
    return character(value);
  }
  if (c == 'U' && is_python()) {
    DECANT_TRY(const char32_t value, ParseHex(8, start));
    if (value > 0x10FFFF) return Invalid(start, Shown(start) + "; expected a code point up to U+10FFFF");
    return character(value);
  }
  if (c == 'N' && is_python()) return NotDone(start, "a character by its name, \\N{…}");
  if (c == 'c' && !is_python()) {
    if (!IsAsciiLetter(Peek())) return Invalid(start, "\"\\c\" without a letter; expected \\cA to \\cZ");
    return character(pattern_[at_++] % 32);
  }
  if (IsDigit(c)) {
    --at_;
    DECANT_TRY(const char32_t value, ParseOctal(start));
    return character(value);
  }
  if (IsAsciiLetter(c)) {
    return Invalid(start, "an escape " + Shown(start) +
                              " that stands for nothing; expected the letter alone, or \\\\ "
                              "for a backslash");
  }
  return character(c);
}

Result<char32_t> RegexParser::ParseHex(std::size_t digits, std::size_t start) {
  char32_t value = 0;
  for (std::size_t i = 0; i < digits; ++i, ++at_) {
    const int digit = HexValue(Peek());
    if (digit < 0) {
      return Invalid(
          start, "an escape " + Shown(start) + "; expected " + std::to_string(digits) + " hexadecimal digits after it");
    }
    value = value * 16 + static_cast<char32_t>(digit);
  }
  return value;
}

// After \u: four digits (two such escapes may be a pair of surrogates), or {…} but for Python.
Result<char32_t> RegexParser::ParseUnicodeEscape(std::size_t start) {
  if (is_python()) return ParseHex(4, start);
  if (Take('{')) {
    char32_t value = 0;
    const std::size_t first = at_;
    for (; HexValue(Peek()) >= 0 && value <= 0x10FFFF; ++at_) {
      value = value * 16 + static_cast<char32_t>(HexValue(Peek()));
    }
    if (at_ == first || value > 0x10FFFF || !Take('}')) {
      return Invalid(start, "an escape " + Shown(start) + "; expected \\u{…} with a code point up to 10FFFF");
    }
    return value;
  }
  DECANT_TRY(const char32_t high, ParseHex(4, start));
  if (!IsHighSurrogate(high) || Peek() != '\\' || Peek(1) != 'u') return high;
  const std::size_t before = at_;
  at_ += 2;
  const Result<char32_t> low = ParseHex(4, start);
  if (low.has_value() && IsLowSurrogate(*low)) return 0x10000 + ((high - 0xD800) << 10) + (*low - 0xDC00);
  at_ = before;
  return high;
}

// \0, or up to three octal digits; at the first digit.
Result<char32_t> RegexParser::ParseOctal(std::size_t start) {
  char32_t value = 0;
  std::size_t digits = 0;
  // Where back-references are read, \1 is one, and Python's \012 takes two digits after the 0.
  for (; digits < 3 && IsOctal(Peek()) && value * 8 + (Peek() - '0') <= 0xFF; ++digits, ++at_) {
    value = value * 8 + (Peek() - '0');
  }
  const bool too_large = is_python() && digits == 2 && IsOctal(Peek()) && pattern_[start + 1] != '0';
  if (digits == 0 || too_large || (!is_python() && pattern_[start + 1] != '0')) {
    ++at_;
    return Invalid(start, "an escape " + Shown(start) + "; expected \\x and two hexadecimal digits");
  }
  return value;
}

// After \p: {name}, {name=value}, or a single letter.
Result<CharSet> RegexParser::ParseProperty(bool negated, std::size_t start) {
  std::string name;
  if (Take('{')) {
    if (Take('^')) negated = !negated;
    while (!AtEnd() && Peek() != '}') core::AppendUtf8(pattern_[at_++], name);
    if (!Take('}')) return Invalid(start, "a \\p{ that does not end; expected \"}\"");
  } else if (IsAsciiLetter(Peek())) {
    name = static_cast<char>(pattern_[at_++]);
  } else {
    return Invalid(start, "an escape " + Shown(start) + "; expected the name of a property in { } after it");
  }
  std::optional<CharSet> set = UnicodeProperty(name);
  if (!set.has_value()) {
    return Invalid(start, "an unknown property " + Shown(start) +
                              "; expected a general category, a script or a binary property of Unicode");
  }
  return Folded(negated ? set->Complement() : *set);
}

}  // namespace decant::grammar
