// Set algebra on sorted ranges; names come from src/text's Unicode tables.
#include "grammar/regex/char_set.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "text/unicode_properties.h"

namespace decant::grammar {
namespace {

constexpr char32_t kLastCodePoint = 0x10FFFF, kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

CharSet FromTables(text::PropertyKind kind, std::string_view name) {
  std::vector<CodePointRange> ranges;
  const auto found = text::CodePointsOf(kind, name);
  for (const text::UnicodeRange& range : found.value()) {
    ranges.push_back({range.first, range.last});
  }
  return CharSet(std::move(ranges));
}

// The groups of a rule, each with its members; a character's groups are found by the character.
using Groups = std::multimap<char32_t, std::span<const char32_t>>;

Groups ByMember(CaseRule rule) {
  static constexpr std::array<char32_t, 4> kI = {'i', 'I', 0x130, 0x131};
  static constexpr std::array<std::array<char32_t, 2>, 3> kPairs = {
      {{0x390, 0x1FD3}, {0x3B0, 0x1FE3}, {0xFB05, 0xFB06}}};
  static const std::array<std::array<char32_t, 2>, 26> kLetters = [] {
    std::array<std::array<char32_t, 2>, 26> letters;
    for (char32_t i = 0; i < 26; ++i) letters[i] = {'A' + i, 'a' + i};
    return letters;
  }();
  Groups groups;
  const auto add = [&groups](std::span<const char32_t> members) {
    for (const char32_t c : members) groups.emplace(c, members);
  };
  if (rule == CaseRule::kAscii) {
    for (const auto& pair : kLetters) add(pair);
    return groups;
  }
  for (const text::CaseGroup& group : text::CaseGroups()) {
    add(std::span(group).first(static_cast<std::size_t>(std::ranges::find(group, U'\0') - group.begin())));
  }
  if (rule == CaseRule::kPython) {
    add(kI);
    for (const auto& pair : kPairs) add(pair);
  }
  return groups;
}

const Groups& GroupsOf(CaseRule rule) {
  static const std::array<Groups, 3> kGroups = {ByMember(CaseRule::kSimple), ByMember(CaseRule::kPython),
                                                ByMember(CaseRule::kAscii)};
  return kGroups[static_cast<std::size_t>(rule)];
}

}  // namespace

CharSet::CharSet(std::vector<CodePointRange> ranges) {
  std::ranges::sort(ranges, {}, &CodePointRange::first);
  const auto add = [this](char32_t first, char32_t last) {
    if (first > last) return;
    if (!ranges_.empty() && first <= ranges_.back().last + 1) {
      ranges_.back().last = std::max(ranges_.back().last, last);
    } else {
      ranges_.push_back({first, last});
    }
  };
  for (const CodePointRange& range : ranges) {
    add(range.first, std::min<char32_t>(range.last, kFirstSurrogate - 1));
    add(std::max<char32_t>(range.first, kLastSurrogate + 1), std::min(range.last, kLastCodePoint));
  }
}

CharSet CharSet::Range(char32_t first, char32_t last) { return CharSet({{first, last}}); }

const CharSet& CharSet::All() {
  static const CharSet kAll({{0, kLastCodePoint}});
  return kAll;
}

bool CharSet::Has(char32_t c) const {
  const auto after = std::ranges::upper_bound(ranges_, c, {}, &CodePointRange::first);
  return after != ranges_.begin() && c <= std::prev(after)->last;
}

std::uint32_t CharSet::size() const {
  std::uint32_t size = 0;
  for (const CodePointRange& range : ranges_) size += range.last - range.first + 1;
  return size;
}

std::optional<char32_t> CharSet::Only() const {
  if (ranges_.size() != 1 || ranges_[0].first != ranges_[0].last) return std::nullopt;
  return ranges_[0].first;
}

CharSet CharSet::Unite(const CharSet& other) const {
  std::vector<CodePointRange> ranges = ranges_;
  ranges.insert(ranges.end(), other.ranges_.begin(), other.ranges_.end());
  return CharSet(std::move(ranges));
}

CharSet CharSet::Intersect(const CharSet& other) const {
  CharSet both;
  for (std::size_t i = 0, j = 0; i < ranges_.size() && j < other.ranges_.size();) {
    const CodePointRange a = ranges_[i], b = other.ranges_[j];
    const char32_t first = std::max(a.first, b.first), last = std::min(a.last, b.last);
    if (first <= last) both.ranges_.push_back({first, last});
    a.last < b.last ? ++i : ++j;
  }
  return both;
}

CharSet CharSet::Complement() const {
  std::vector<CodePointRange> gaps;
  char32_t next = 0;
  for (const CodePointRange& range : ranges_) {
    if (next < range.first) gaps.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLastCodePoint) gaps.push_back({next, kLastCodePoint});
  return CharSet(std::move(gaps));
}

bool CharSet::operator==(const CharSet& other) const {
  return std::ranges::equal(ranges_, other.ranges_, [](const CodePointRange& a, const CodePointRange& b) {
    return a.first == b.first && a.last == b.last;
  });
}

bool CharSet::operator<(const CharSet& other) const {
  return std::ranges::lexicographical_compare(ranges_, other.ranges_,
                                              [](const CodePointRange& a, const CodePointRange& b) {
                                                return std::pair(a.first, a.last) < std::pair(b.first, b.last);
                                              });
}

CharSet WithCases(const CharSet& set, CaseRule rule) {
  const Groups& groups = GroupsOf(rule);
  std::vector<CodePointRange> ranges(set.ranges().begin(), set.ranges().end());
  for (const CodePointRange& range : set.ranges()) {
    const auto end = groups.upper_bound(range.last);
    for (auto group = groups.lower_bound(range.first); group != end; ++group) {
      for (const char32_t c : group->second) ranges.push_back({c, c});
    }
  }
  return CharSet(std::move(ranges));
}

const CharSet& Digits(Alphabet alphabet) {
  static const CharSet kAscii = CharSet::Range('0', '9');
  static const CharSet kUnicode = FromTables(text::PropertyKind::kGeneralCategory, "Nd");
  return alphabet == Alphabet::kAscii ? kAscii : kUnicode;
}

const CharSet& WordChars(Alphabet alphabet) {
  static const CharSet kAscii({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}});
  static const CharSet kUnicode = FromTables(text::PropertyKind::kGeneralCategory, "L")
                                      .Unite(FromTables(text::PropertyKind::kGeneralCategory, "N"))
                                      .Unite(CharSet::Of('_'));
  return alphabet == Alphabet::kAscii ? kAscii : kUnicode;
}

const CharSet& PythonSpaces(Alphabet alphabet) {
  static const CharSet kAscii({{'\t', '\r'}, {' ', ' '}});
  static const CharSet kUnicode =
      FromTables(text::PropertyKind::kBinary, "White_Space").Unite(CharSet::Range(0x1C, 0x1F));
  return alphabet == Alphabet::kAscii ? kAscii : kUnicode;
}

const CharSet& EcmaSpaces() {
  static const CharSet kSpaces = FromTables(text::PropertyKind::kGeneralCategory, "Zs")
                                     .Unite(CharSet({{'\t', '\r'}, {0xFEFF, 0xFEFF}}))
                                     .Unite(LineTerminators());
  return kSpaces;
}

const CharSet& LineTerminators() {
  static const CharSet kTerminators({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}});
  return kTerminators;
}

std::optional<CharSet> PosixClass(std::string_view name) {
  static const std::map<std::string_view, CharSet> kClasses = {
      {"alnum", CharSet({{'0', '9'}, {'A', 'Z'}, {'a', 'z'}})},
      {"alpha", CharSet({{'A', 'Z'}, {'a', 'z'}})},
      {"ascii", CharSet({{0, 0x7F}})},
      {"blank", CharSet({{'\t', '\t'}, {' ', ' '}})},
      {"cntrl", CharSet({{0, 0x1F}, {0x7F, 0x7F}})},
      {"digit", CharSet({{'0', '9'}})},
      {"graph", CharSet({{'!', '~'}})},
      {"lower", CharSet({{'a', 'z'}})},
      {"print", CharSet({{' ', '~'}})},
      {"punct", CharSet({{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}})},
      {"space", CharSet({{'\t', '\r'}, {' ', ' '}})},
      {"upper", CharSet({{'A', 'Z'}})},
      {"word", CharSet({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}})},
      {"xdigit", CharSet({{'0', '9'}, {'A', 'F'}, {'a', 'f'}})},
  };
  const auto found = kClasses.find(name);
  return found == kClasses.end() ? std::nullopt : std::optional(found->second);
}

std::optional<CharSet> UnicodeProperty(std::string_view name) {
  using enum text::PropertyKind;
  struct Prefix {
    std::string_view name;
    text::PropertyKind kind;
  };
  static constexpr Prefix kPrefixes[] = {
      {"gc", kGeneralCategory},   {"General_Category", kGeneralCategory},  {"sc", kScript}, {"Script", kScript},
      {"scx", kScriptExtensions}, {"Script_Extensions", kScriptExtensions}};
  std::vector<text::PropertyKind> wanted;
  if (const std::size_t equals = name.find('='); equals != std::string_view::npos) {
    for (const Prefix& prefix : kPrefixes) {
      if (prefix.name == name.substr(0, equals)) wanted.push_back(prefix.kind);
    }
    name.remove_prefix(equals + 1);
  } else {
    wanted.assign({kGeneralCategory, kBinary, kScript});
    if (name == "L&") name = "LC";  // PCRE's spelling
  }
  for (const text::PropertyKind kind : wanted) {
    if (text::CodePointsOf(kind, name).has_value()) return FromTables(kind, name);
  }
  return std::nullopt;
}

}  // namespace decant::grammar
