// Reads a pattern of either flavour into a syntax tree.
//
// By recursion, one level a group; groups may nest 250 deep. What each flavour takes is said in regex.h.
#ifndef DECANT_GRAMMAR_REGEX_PARSER_H_
#define DECANT_GRAMMAR_REGEX_PARSER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decant/error.h"
#include "grammar/regex/char_set.h"
#include "grammar/regex/regex.h"
#include "grammar/regex/syntax.h"

namespace decant::grammar {

class RegexParser {
 public:
  // REQUIRES: the pattern outlives the parser.
  RegexParser(std::u32string_view pattern, RegexFlavour flavour, SyntaxTree& tree);

  // Errors: kInvalidRegex, kUnsupportedRegex, kTooComplex, with a column and without an offset.
  Result<NodeId> Parse();

 private:
  struct Flags {
    bool ignore_case = false;  // i
    bool dot_all = false;      // s
    bool multi_line = false;   // m
    bool verbose = false;      // x
    bool ascii = false;        // a
  };
  struct Counts {
    std::uint64_t least = 0, most = 0;
  };
  // What an escape or a member of a class stands for: a character, or a set, which has letter case settled.
  struct Member {
    std::optional<char32_t> character = {};
    CharSet set = {};
  };
  // The items of a sequence read so far.
  struct Items {
    std::vector<NodeId> nodes = {};
    enum class Last : std::uint8_t { kNone, kRepeatable, kRepeated, kAnchor } last = Last::kNone;
    void Add(NodeId node, Last kind) {
      nodes.push_back(node);
      last = kind;
    }
  };

  // parser.cc
  Result<NodeId> ParseChoice();
  Result<NodeId> ParseSequence(bool first);
  Result<void> ParseItem(Items& items);
  Result<bool> ParseQuantifier(Items& items);
  Result<std::optional<Counts>> ParseCounts();
  Result<std::uint64_t> ParseNumber();
  NodeId Character(char32_t c);
  NodeId Dot();
  NodeId StartAnchor();
  NodeId EndAnchor();
  NodeId Boundary(bool negated);

  // group.cc
  Result<void> ParseGroup(Items& items, bool at_start);
  Result<NodeId> ParseBody(std::size_t open);
  Result<void> ParseName(char32_t end, std::string_view what);
  Result<void> ParseFlags(Items& items, std::size_t open, bool at_start);
  Result<void> SkipComment(std::size_t open);
  bool IsNameCharacter(char32_t c, bool first) const;

  // escape.cc; at the character after the backslash
  Result<void> ParseEscape(Items& items);
  Result<Member> ParseMemberEscape(bool in_class);
  Result<char32_t> ParseHex(std::size_t digits, std::size_t start);
  Result<char32_t> ParseUnicodeEscape(std::size_t start);
  Result<char32_t> ParseOctal(std::size_t start);
  Result<CharSet> ParseProperty(bool negated, std::size_t start);
  std::optional<CharSet> NamedClass(char32_t letter) const;

  // bracket.cc; after the "["
  Result<NodeId> ParseClass();
  Result<Member> ParseMember();
  std::optional<CharSet> TakePosixClass();

  bool is_python() const { return flavour_ == RegexFlavour::kPython; }
  bool AtEnd() const { return at_ >= pattern_.size(); }
  // U+FFFFFFFF past the end.
  char32_t Peek(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : ~char32_t{0};
  }
  bool Take(char32_t c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  bool Take(std::u32string_view text) {
    if (!pattern_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  std::uint32_t Column(std::size_t at) const { return static_cast<std::uint32_t>(at + 1); }
  // The pattern from there to here, as a message quotes it.
  std::string Shown(std::size_t from) const;
  std::unexpected<Error> Invalid(std::size_t at, const std::string& what) const;
  std::unexpected<Error> NotDone(std::size_t at, const std::string& what) const;
  CharSet Folded(const CharSet& set) const;
  Alphabet alphabet() const { return is_python() && !flags_.ascii ? Alphabet::kUnicode : Alphabet::kAscii; }
  CharSet Word() const;

  std::u32string_view pattern_;
  RegexFlavour flavour_;
  SyntaxTree& tree_;
  std::size_t at_ = 0;
  Flags flags_ = {};
  std::size_t depth_ = 0;         // of open groups
  std::size_t atomic_depth_ = 0;  // of those, atomic ones
  bool nested_class_ = false;     // a class before had a "[" in it, or nothing: a later "]" may be meant for it
  std::size_t assertions_ = 0;    // anchors, boundaries and look-around so far
  std::set<std::u32string> names_;
  std::unordered_map<char32_t, NodeId> characters_;                 // without letter case
  std::array<std::array<std::array<NodeId, 2>, 2>, 2> boundaries_;  // negated, of any case, ASCII; Empty: not made yet
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_REGEX_PARSER_H_
