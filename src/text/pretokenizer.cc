// GPT-2's expression as a hand-written scanner: each alternative starts with another class of code point.
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

// 's 't 're 've 'm 'll 'd, or 0. REQUIRES: text[0] is an apostrophe.
std::size_t Contraction(std::string_view text) {
  if (text.size() < 2) return 0;
  switch (text[1]) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return text.size() > 2 && text[2] == 'e' ? 3 : 0;
    case 'l':
      return text.size() > 2 && text[2] == 'l' ? 3 : 0;
    default:
      return 0;
  }
}

// White space that no word takes: the run, less its last code point when a word or symbol follows and something is
// left.
std::size_t SpaceRun(std::string_view text) {
  std::size_t at = 0, last = 0;
  while (at < text.size()) {
    const Scanned scanned = ScanAt(text, at);
    if (scanned.kind == CodePointClass::kNumber) return at;
    if (scanned.kind != CodePointClass::kSpace) return last > 0 ? last : at;
    last = at;
    at += scanned.length;
  }
  return at;
}

}  // namespace

std::size_t FirstPiece(std::string_view text) {
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
  return SpaceRun(text);
}

}  // namespace decant::text
