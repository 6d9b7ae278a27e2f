// NFC in parts: from a code point that nothing before it can change to the next such one. Parts that hold nothing that
// may change are copied, or not even that while the whole text is as it should be.
#include "text/normalization.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "text/normalization_tables.h"

namespace decant::text {
namespace {

// Hangul syllables: leading consonant, vowel, and trailing consonant or none (index 0).
constexpr char32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowel = 0x1161, kTrailing = 0x11A7;
constexpr char32_t kLeadings = 19, kVowels = 21, kTrailings = 28;

struct Mark {
  char32_t code_point;
  std::uint8_t combining_class;
  std::size_t place = 0;  // among the marks: those of one class keep their order
};

void Decompose(char32_t c, std::vector<Mark>& out) {
  if (c >= kSyllables && c < kSyllables + kLeadings * kVowels * kTrailings) {
    const char32_t at = c - kSyllables;
    out.push_back({kLeading + at / (kVowels * kTrailings), 0});
    out.push_back({kVowel + at / kTrailings % kVowels, 0});
    if (at % kTrailings != 0) out.push_back({kTrailing + at % kTrailings, 0});
    return;
  }
  // Only the first of a pair decomposes further, so the seconds come out in reverse order.
  char32_t seconds[8];
  std::size_t n = 0;
  for (const Decomposition* found = FindDecomposition(c); found != nullptr; found = FindDecomposition(c)) {
    c = found->first;
    if (found->second != 0) seconds[n++] = found->second;
  }
  out.push_back({c, CombiningClassOf(c)});
  while (n > 0) {
    const char32_t second = seconds[--n];
    out.push_back({second, CombiningClassOf(second)});
  }
}

char32_t Pair(char32_t first, char32_t second) {
  if (first >= kLeading && first < kLeading + kLeadings && second >= kVowel && second < kVowel + kVowels) {
    return kSyllables + ((first - kLeading) * kVowels + (second - kVowel)) * kTrailings;
  }
  if (first >= kSyllables && first < kSyllables + kLeadings * kVowels * kTrailings &&
      (first - kSyllables) % kTrailings == 0 && second > kTrailing && second < kTrailing + kTrailings) {
    return first + (second - kTrailing);
  }
  return Composed(first, second);
}

// Canonical order: marks ascending by class between code points of class 0, those of one class as they stand.
void Order(std::vector<Mark>& marks) {
  const auto is_starter = [](const Mark& mark) { return mark.combining_class == 0; };
  for (auto at = marks.begin(); at != marks.end();) {
    at = std::find_if_not(at, marks.end(), is_starter);
    const auto end = std::find_if(at, marks.end(), is_starter);
    for (auto mark = at; mark != end; ++mark) mark->place = static_cast<std::size_t>(mark - at);
    std::sort(at, end, [](const Mark& a, const Mark& b) {
      return std::pair{a.combining_class, a.place} < std::pair{b.combining_class, b.place};
    });
    at = end;
  }
}

// Joins each mark to the last starter when nothing between them has its class or a higher one.
void Compose(std::vector<Mark>& marks) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t starter = kNone, size = 0;
  for (const Mark mark : marks) {
    if (starter != kNone) {
      const bool adjacent = size == starter + 1;
      if (adjacent || marks[size - 1].combining_class < mark.combining_class) {
        if (const char32_t pair = Pair(marks[starter].code_point, mark.code_point); pair != 0) {
          marks[starter].code_point = pair;
          continue;
        }
      }
    }
    if (mark.combining_class == 0) starter = size;
    marks[size++] = mark;
  }
  marks.resize(size);
}

void AppendNormalized(std::string_view part, std::vector<Mark>& marks, std::string& out) {
  marks.clear();
  while (!part.empty()) {
    const core::Utf8Part decoded = core::DecodeUtf8(part);
    Decompose(decoded.code_point, marks);
    part.remove_prefix(decoded.length);
  }
  Order(marks);
  Compose(marks);
  for (const Mark& mark : marks) core::AppendUtf8(mark.code_point, out);
}

// The end of the part that starts at `at`: the next place that nothing before it can change. `restless`: whether the
// part holds a code point that may change.
struct Part {
  std::size_t end;
  bool restless;
};
Part PartAt(std::string_view text, std::size_t at) {
  const core::Utf8Part first = core::DecodeUtf8(text.substr(at));
  Part part{at + first.length, first.status == core::Utf8Status::kValid && MayChangeInNfc(first.code_point)};
  if (first.status != core::Utf8Status::kValid) return part;
  while (part.end < text.size()) {
    if (static_cast<unsigned char>(text[part.end]) < 0xCC) return part;  // below U+0300
    const core::Utf8Part next = core::DecodeUtf8(text.substr(part.end));
    if (next.status != core::Utf8Status::kValid || !MayChangeInNfc(next.code_point)) return part;
    part.restless = true;
    part.end += next.length;
  }
  return part;
}

// Bytes at the start of the text that stand for code points below U+0300: no such code point may change, but the last
// may be changed by what follows it.
std::size_t PlainBytes(std::string_view text) {
  const auto at = std::find_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xCC; });
  return static_cast<std::size_t>(at - text.begin());
}

// The start of the code point that ends at `end`, or `end` itself where its bytes make none.
std::size_t StartOfLast(std::string_view text, std::size_t end) {
  if (end >= 1 && static_cast<unsigned char>(text[end - 1]) < 0x80) return end - 1;
  if (end >= 2 && static_cast<unsigned char>(text[end - 2]) >= 0xC2) return end - 2;
  return end;
}

}  // namespace

std::string_view ToNfc(std::string_view text, std::string& storage) {
  std::vector<Mark> marks;
  bool changed = false;
  std::size_t copied = 0;  // of the text, once something changed
  const auto skip_plain = [text](std::size_t at) {
    const std::size_t plain = PlainBytes(text.substr(at));
    return at + plain == text.size() ? text.size() : at + StartOfLast(text.substr(at), plain);
  };
  for (std::size_t at = skip_plain(0); at < text.size();) {
    const Part part = PartAt(text, at);
    if (part.restless) {
      if (!changed) storage.clear();
      changed = true;
      storage.append(text.substr(copied, at - copied));
      AppendNormalized(text.substr(at, part.end - at), marks, storage);
      copied = part.end;
    }
    at = part.end < text.size() && static_cast<unsigned char>(text[part.end]) < 0xCC ? skip_plain(part.end) : part.end;
  }
  if (!changed) return text;
  storage.append(text.substr(copied));
  return storage;
}

}  // namespace decant::text
