// The expressions as hand-written scanners: the class of the first code point, and sometimes of the second, decides the
// alternative.
#include "text/pretokenizer.h"

#include <array>
#include <cstdint>

#include "core/utf8.h"
#include "text/unicode_tables.h"

namespace decant::text {
namespace {

struct Scanned {
  CodePointClass kind;
  std::size_t length;  // bytes
};

constexpr CodePointClass AsciiClass(unsigned byte) {
  if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')) return CodePointClass::kLetter;
  if (byte >= '0' && byte <= '9') return CodePointClass::kNumber;
  if (byte == ' ' || (byte >= '\t' && byte <= '\r')) return CodePointClass::kSpace;
  return CodePointClass::kOther;
}

constexpr std::array<CodePointClass, 128> MakeAsciiClasses() {
  std::array<CodePointClass, 128> classes{};
  for (unsigned byte = 0; byte < 128; ++byte) classes[byte] = AsciiClass(byte);
  return classes;
}
constexpr std::array<CodePointClass, 128> kAsciiClasses = MakeAsciiClasses();

// The code point at `at`. REQUIRES: at < text.size().
inline Scanned ScanAt(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 128) return {kAsciiClasses[byte], 1};
  const core::Utf8Part part = core::DecodeUtf8(text.substr(at));
  if (part.status != core::Utf8Status::kValid) return {CodePointClass::kOther, part.length};
  return {ClassOf(part.code_point), part.length};
}

// The end of the run of one class that goes on at `at`.
std::size_t EndOfRun(std::string_view text, std::size_t at, CodePointClass kind) {
  while (at < text.size()) {
    const Scanned scanned = ScanAt(text, at);
    if (scanned.kind != kind) break;
    at += scanned.length;
  }
  return at;
}

// The length of 's 't 're 've 'm 'll 'd by what follows the apostrophe; 0 = none of them.
constexpr std::size_t ContractionLength(char first, char second) {
  switch (first) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return second == 'e' ? 3 : 0;
    case 'l':
      return second == 'l' ? 3 : 0;
    default:
      return 0;
  }
}

char CharAt(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

// REQUIRES: text[0] is an apostrophe.
std::size_t Contraction(std::string_view text) { return ContractionLength(CharAt(text, 1), CharAt(text, 2)); }

// In any case; U+017F (long s) is an s too, as case folding has it. REQUIRES: text[0] is an apostrophe.
std::size_t AnyCaseContraction(std::string_view text) {
  if (text.substr(1).starts_with("\u017F")) return 3;
  const auto lower = [text](std::size_t at) {
    const char c = CharAt(text, at);
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return ContractionLength(lower(1), lower(2));
}

bool IsBreak(char c) { return c == '\r' || c == '\n'; }

// \s+(?!\S)|\s+, where `ends` may end the white space like the end of the text: the run, less its last code point when
// something follows and something is left.
template <class Ends>
std::size_t SpaceRun(std::string_view text, Ends ends) {
  std::size_t at = 0, last = 0;
  while (at < text.size()) {
    const Scanned scanned = ScanAt(text, at);
    if (scanned.kind != CodePointClass::kSpace) return last > 0 && !ends(scanned.kind) ? last : at;
    last = at;
    at += scanned.length;
  }
  return at;
}

// \s*[\r\n]+|\s+(?!\S)|\s+: up to the last line break of the run if it has one.
std::size_t SpaceRunToBreak(std::string_view text) {
  std::size_t at = 0, last = 0, after_break = 0;
  while (at < text.size()) {
    const Scanned scanned = ScanAt(text, at);
    if (scanned.kind != CodePointClass::kSpace) break;
    last = at;
    at += scanned.length;
    if (IsBreak(text[last])) after_break = at;
  }
  if (after_break > 0) return after_break;
  return at < text.size() && last > 0 ? last : at;
}

// \p{N}{1,most}. REQUIRES: a number starts the text.
std::size_t Digits(std::string_view text, unsigned most) {
  std::size_t at = 0;
  for (unsigned n = 0; n < most && at < text.size(); ++n) {
    const Scanned scanned = ScanAt(text, at);
    if (scanned.kind != CodePointClass::kNumber) break;
    at += scanned.length;
  }
  return at;
}

std::size_t FirstGpt2Piece(std::string_view text) {
  const Scanned first = ScanAt(text, 0);
  if (text[0] == '\'') {
    if (const std::size_t length = Contraction(text); length > 0) return length;
  }
  if (first.kind != CodePointClass::kSpace) return EndOfRun(text, first.length, first.kind);
  if (text[0] == ' ' && text.size() > 1) {
    const Scanned next = ScanAt(text, 1);
    if (next.kind != CodePointClass::kSpace) return EndOfRun(text, 1 + next.length, next.kind);
  }
  return SpaceRun(text, [](CodePointClass) { return false; });
}

std::size_t FirstSmollmPiece(std::string_view text) {
  const Scanned first = ScanAt(text, 0);
  switch (first.kind) {
    case CodePointClass::kNumber:
      return first.length;
    case CodePointClass::kLetter:
      return EndOfRun(text, first.length, CodePointClass::kLetter);
    case CodePointClass::kOther:
      if (text[0] == '\'') {
        if (const std::size_t length = Contraction(text); length > 0) return length;
      }
      return EndOfRun(text, first.length, CodePointClass::kOther);
    case CodePointClass::kSpace:
      break;
  }
  if (text[0] == ' ' && text.size() > 1) {
    const Scanned next = ScanAt(text, 1);
    if (next.kind == CodePointClass::kLetter || next.kind == CodePointClass::kOther) {
      return EndOfRun(text, 1 + next.length, next.kind);
    }
  }
  return SpaceRun(text, [](CodePointClass next) { return next == CodePointClass::kNumber; });
}

// [^\s\p{L}\p{N}]+[\r\n]* from inside the run of symbols at `at`.
std::size_t EndOfSymbols(std::string_view text, std::size_t at) {
  at = EndOfRun(text, at, CodePointClass::kOther);
  while (at < text.size() && IsBreak(text[at])) ++at;
  return at;
}

std::size_t FirstLlama3Piece(std::string_view text, unsigned most_digits) {
  const Scanned first = ScanAt(text, 0);
  if (first.kind == CodePointClass::kLetter) return EndOfRun(text, first.length, CodePointClass::kLetter);
  if (first.kind == CodePointClass::kNumber) return Digits(text, most_digits);
  if (text[0] == '\'') {
    if (const std::size_t length = AnyCaseContraction(text); length > 0) return length;
  }
  if (first.length < text.size() && !IsBreak(text[0])) {
    const Scanned next = ScanAt(text, first.length);
    const std::size_t after = first.length + next.length;
    if (next.kind == CodePointClass::kLetter) return EndOfRun(text, after, CodePointClass::kLetter);
    if (text[0] == ' ' && next.kind == CodePointClass::kOther) return EndOfSymbols(text, after);
  }
  return first.kind == CodePointClass::kOther ? EndOfSymbols(text, first.length) : SpaceRunToBreak(text);
}

struct ScannedPart {
  WordPart part;
  std::size_t length;
};
ScannedPart PartAt(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 128) {
    if (byte >= 'a' && byte <= 'z') return {WordPart::kLower, 1};
    return {byte >= 'A' && byte <= 'Z' ? WordPart::kUpper : WordPart::kNone, 1};
  }
  const core::Utf8Part decoded = core::DecodeUtf8(text.substr(at));
  if (decoded.status != core::Utf8Status::kValid) return {WordPart::kNone, decoded.length};
  return {WordPartOf(decoded.code_point), decoded.length};
}

// Where U*L+ ends from `start`, and else U+, and else 0; U = upper and L = lower case, caseless letters and marks both.
// U* takes all it can, so when no lower case follows, it gives back to the last code point that is both.
std::size_t EndOfCapitalizedWord(std::string_view text, std::size_t start) {
  std::size_t at = start, after_both = 0;
  while (at < text.size()) {
    const ScannedPart scanned = PartAt(text, at);
    if (scanned.part == WordPart::kNone) break;
    if (scanned.part == WordPart::kLower) {
      do {
        const ScannedPart lower = PartAt(text, at);
        if (lower.part != WordPart::kLower && lower.part != WordPart::kBoth) break;
        at += lower.length;
      } while (at < text.size());
      return at;
    }
    at += scanned.length;
    if (scanned.part == WordPart::kBoth) after_both = at;
  }
  return after_both;
}

std::size_t EndOfUpper(std::string_view text, std::size_t start) {
  std::size_t at = start;
  while (at < text.size()) {
    const ScannedPart scanned = PartAt(text, at);
    if (scanned.part != WordPart::kUpper) break;
    at += scanned.length;
  }
  return at > start ? at : 0;
}

// [^\r\n\p{L}\p{N}]?U*L+(?i:'s|…)?|[^\r\n\p{L}\p{N}]?U+L*(?i:'s|…)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|
// \s+(?!\S)|\s+
std::size_t FirstGpt4oPiece(std::string_view text) {
  const Scanned first = ScanAt(text, 0);
  if (first.kind == CodePointClass::kNumber) return Digits(text, 3);
  if (!IsBreak(text[0])) {
    const std::size_t start = first.kind == CodePointClass::kLetter ? 0 : first.length;
    std::size_t end = EndOfCapitalizedWord(text, start);
    // A mark may be the first character, or belong to the word.
    if (end == 0 && start > 0) end = EndOfCapitalizedWord(text.substr(0, start), 0);
    if (end == 0) end = EndOfUpper(text, start);
    if (end > 0) {
      const std::string_view rest = text.substr(end);
      return rest.starts_with('\'') ? end + AnyCaseContraction(rest) : end;
    }
  }
  std::size_t at = first.length;
  if (text[0] == ' ' && text.size() > 1) {
    const Scanned next = ScanAt(text, 1);
    if (next.kind != CodePointClass::kOther) return SpaceRunToBreak(text);
    at += next.length;
  } else if (first.kind == CodePointClass::kSpace) {
    return SpaceRunToBreak(text);
  }
  at = EndOfRun(text, at, CodePointClass::kOther);
  while (at < text.size() && (IsBreak(text[at]) || text[at] == '/')) ++at;
  return at;
}

struct Row {
  PreTokenizer pre;
  std::array<std::string_view, 3> names;  // decant's own first
  std::string_view expression;
};
constexpr std::string_view kGpt4oExpression =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3Expression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2Expression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr Row kRows[] = {
    {PreTokenizer::kGpt2,
     {"gpt2", "gpt-2"},
     R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"},
    {PreTokenizer::kSmollm, {"smollm"}, ""},
    {PreTokenizer::kLlama3, {"llama3", "llama-bpe", "llama-v3"}, kLlama3Expression},
    {PreTokenizer::kQwen2, {"qwen2"}, kQwen2Expression},
    {PreTokenizer::kGpt4o, {"gpt4o", "gpt-4o"}, kGpt4oExpression},
};

}  // namespace

std::string_view NameOf(PreTokenizer pre) { return kRows[static_cast<std::size_t>(pre)].names[0]; }

std::optional<PreTokenizer> FindPreTokenizer(std::string_view name) {
  for (const Row& row : kRows) {
    for (const std::string_view known : row.names) {
      if (!known.empty() && known == name) return row.pre;
    }
  }
  return std::nullopt;
}

std::optional<PreTokenizer> FindPreTokenizerByExpression(std::string_view expression) {
  for (const Row& row : kRows) {
    if (!row.expression.empty() && row.expression == expression) return row.pre;
  }
  return std::nullopt;
}

std::string PreTokenizerNames() {
  std::string names;
  for (const Row& row : kRows) {
    for (const std::string_view name : row.names) {
      if (!name.empty()) names.append(names.empty() ? "" : ", ").append(name);
    }
  }
  return names;
}

std::size_t FirstPiece(PreTokenizer pre, std::string_view text) {
  switch (pre) {
    case PreTokenizer::kGpt2:
      return FirstGpt2Piece(text);
    case PreTokenizer::kSmollm:
      return FirstSmollmPiece(text);
    case PreTokenizer::kLlama3:
      return FirstLlama3Piece(text, 3);
    case PreTokenizer::kQwen2:
      return FirstLlama3Piece(text, 1);
    case PreTokenizer::kGpt4o:
      return FirstGpt4oPiece(text);
  }
  return text.size();
}

}  // namespace decant::text
