// Alternatives, sequences and quantifiers.
#include "grammar/regex/parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/utf8.h"

namespace decant::grammar {
namespace {

constexpr std::uint64_t kMostCount = 1'000'000'000;
constexpr std::size_t kMostAssertions = 4000;

bool IsDigit(char32_t c) { return c >= '0' && c <= '9'; }

}  // namespace

RegexParser::RegexParser(std::u32string_view pattern, RegexFlavour flavour, SyntaxTree& tree)
    : pattern_(pattern), flavour_(flavour), tree_(tree) {
  for (auto& of_case : boundaries_) {
    for (auto& of_alphabet : of_case) of_alphabet.fill(tree.Empty());
  }
}

std::string RegexParser::Shown(std::size_t from) const {
  std::string text;
  for (std::size_t i = from; i < std::min(at_, pattern_.size()); ++i) core::AppendUtf8(pattern_[i], text);
  return core::Quoted(text);
}

std::unexpected<Error> RegexParser::Invalid(std::size_t at, const std::string& what) const {
  return Fail(ErrorCode::kInvalidRegex, "the regular expression has " + what,
              {.subject = "regex", .at = Position{.line = 1, .column = Column(at)}});
}

std::unexpected<Error> RegexParser::NotDone(std::size_t at, const std::string& what) const {
  return Fail(ErrorCode::kUnsupportedRegex, "the regular expression has " + what,
              {.subject = "regex", .at = Position{.line = 1, .column = Column(at)}});
}

CharSet RegexParser::Folded(const CharSet& set) const {
  if (!flags_.ignore_case) return set;
  if (!is_python()) return WithCases(set, CaseRule::kSimple);
  return WithCases(set, flags_.ascii ? CaseRule::kAscii : CaseRule::kPython);
}

// ECMA-262's WordCharacters: with case ignored, also those that are a word character in another case.
CharSet RegexParser::Word() const { return is_python() ? WordChars(alphabet()) : Folded(WordChars(Alphabet::kAscii)); }

Result<NodeId> RegexParser::Parse() {
  DECANT_TRY(const NodeId root, ParseChoice());
  if (!AtEnd()) return Invalid(at_, "a \")\" without a \"(\" before it");
  return root;
}

Result<NodeId> RegexParser::ParseChoice() {
  std::vector<NodeId> parts;
  do {
    DECANT_TRY(const NodeId part, ParseSequence(depth_ == 0 && parts.empty()));
    parts.push_back(part);
  } while (Take('|'));
  return parts.size() == 1 ? parts[0] : tree_.Choice(parts);
}

Result<NodeId> RegexParser::ParseSequence(bool first) {
  Items items;
  while (!AtEnd() && Peek() != '|' && Peek() != ')') {
    if (flags_.verbose) {
      const char32_t c = Peek();
      if (c == ' ' || (c >= '\t' && c <= '\r')) {
        ++at_;
        continue;
      }
      if (c == '#') {
        while (!AtEnd() && !Take('\n')) ++at_;
        continue;
      }
    }
    if (assertions_ > kMostAssertions) {
      return Fail(ErrorCode::kTooComplex, "the regular expression has more than 4000 assertions",
                  {.subject = "regex", .at = Position{.line = 1, .column = Column(at_)}});
    }
    if (Peek() == '(') {
      ++at_;
      DECANT_CHECKED(ParseGroup(items, first && items.nodes.empty()));
      continue;
    }
    DECANT_TRY(const bool quantified, ParseQuantifier(items));
    if (!quantified) DECANT_CHECKED(ParseItem(items));
  }
  return tree_.Sequence(items.nodes);
}

Result<void> RegexParser::ParseItem(Items& items) {
  const std::size_t start = at_;
  const char32_t c = pattern_[at_++];
  switch (c) {
    case '[': {
      DECANT_TRY(const NodeId set, ParseClass());
      items.Add(set, Items::Last::kRepeatable);
      return {};
    }
    case '\\':
      return ParseEscape(items);
    case '.':
      items.Add(Dot(), Items::Last::kRepeatable);
      return {};
    case '^':
      ++assertions_;
      items.Add(StartAnchor(), Items::Last::kAnchor);
      return {};
    case '$':
      ++assertions_;
      items.Add(EndAnchor(), Items::Last::kAnchor);
      return {};
    case ']':
      if (!is_python() && nested_class_) {
        return Invalid(start,
                       "a \"]\" without a \"[\", after a class that looks as if it should end here; "
                       "expected \"\\]\", or \"\\[\" and \"\\]\" inside the class");
      }
      break;
    default:
      break;
  }
  items.Add(Character(c), Items::Last::kRepeatable);
  return {};
}

NodeId RegexParser::Character(char32_t c) {
  if (flags_.ignore_case) return tree_.Set(Folded(CharSet::Of(c)));
  const auto [place, is_new] = characters_.emplace(c, tree_.Never());
  if (is_new) place->second = tree_.Set(CharSet::Of(c));
  return place->second;
}

NodeId RegexParser::Dot() {
  if (flags_.dot_all) return tree_.Set(CharSet::All());
  return tree_.Set((is_python() ? CharSet::Of('\n') : LineTerminators()).Complement());
}

NodeId RegexParser::StartAnchor() {
  if (!flags_.multi_line) return tree_.Behind({.limit = true});
  return tree_.Behind({.chars = is_python() ? CharSet::Of('\n') : LineTerminators(), .limit = true});
}

NodeId RegexParser::EndAnchor() {
  if (flags_.multi_line) {
    return tree_.Ahead({.chars = is_python() ? CharSet::Of('\n') : LineTerminators(), .limit = true});
  }
  // Python's also stands before a line's end that ends the text.
  return tree_.Ahead({.last = is_python() ? CharSet::Of('\n') : CharSet(), .limit = true});
}

NodeId RegexParser::Boundary(bool negated) {
  // The set depends on flags, and is large.
  NodeId& known = boundaries_[negated][flags_.ignore_case][flags_.ascii];
  if (known != tree_.Empty()) return known;
  const CharSet word = Word();
  const Edge in = {.chars = word}, out = {.chars = word.Complement(), .limit = true};
  const NodeId starts = tree_.Sequence(std::array{tree_.Behind(out), tree_.Ahead(negated ? out : in)});
  const NodeId ends = tree_.Sequence(std::array{tree_.Behind(in), tree_.Ahead(negated ? in : out)});
  return known = tree_.Choice(std::array{starts, ends});
}

// A quantifier, if there is one, is applied to the last item; false when there is none.
Result<bool> RegexParser::ParseQuantifier(Items& items) {
  const std::size_t start = at_;
  Counts counts;
  if (Take('*')) {
    counts = {0, kUnbounded};
  } else if (Take('+')) {
    counts = {1, kUnbounded};
  } else if (Take('?')) {
    counts = {0, 1};
  } else if (Peek() == '{') {
    DECANT_TRY(const std::optional<Counts> read, ParseCounts());
    if (!read.has_value()) return false;
    counts = *read;
  } else {
    return false;
  }
  if (items.last == Items::Last::kNone || items.last == Items::Last::kAnchor) {
    return Invalid(start, "a quantifier " + Shown(start) + " with nothing to repeat before it");
  }
  if (items.last == Items::Last::kRepeated) {
    return Invalid(start, "a quantifier " + Shown(start) + " right after another one");
  }
  const bool lazy = Take('?');
  if (lazy && atomic_depth_ > 0 && counts.least != counts.most) {
    return NotDone(start, "a lazy quantifier inside an atomic group");
  }
  NodeId& node = items.nodes.back();
  const std::uint32_t column = Column(start);
  const bool possessive = is_python() && !lazy && Take('+');
  node = tree_.Repeat(node, counts.least, counts.most, column);
  if (possessive) node = tree_.Atomic(node, column);
  items.last = Items::Last::kRepeated;
  return true;
}

// {n}, {n,}, {n,m}, and {,m} in Python. Nothing, and nothing read, when the "{" is a character like others.
Result<std::optional<RegexParser::Counts>> RegexParser::ParseCounts() {
  const std::size_t start = at_;
  std::size_t place = at_ + 1;
  const auto skip_digits = [&] {
    const std::size_t from = place;
    while (place < pattern_.size() && IsDigit(pattern_[place])) ++place;
    return place > from;
  };
  const auto is_at = [&](char32_t c) { return place < pattern_.size() && pattern_[place] == c; };
  const bool has_least = skip_digits();
  const bool has_comma = is_at(',');
  if (has_comma) ++place;
  const bool has_most = has_comma && skip_digits();
  if (!is_at('}') || !(has_least || has_comma)) return std::nullopt;
  if (!has_least && !is_python()) {
    at_ = place + 1;
    return Invalid(start, Shown(start) +
                              ", which is a repetition to some and plain text to others; expected a number "
                              "before the comma, or \"\\{\"");
  }
  ++at_;
  Counts counts{.least = 0, .most = kUnbounded};
  if (has_least) {
    DECANT_TRY(counts.least, ParseNumber());
  }
  if (!has_comma) counts.most = counts.least;
  Take(',');
  if (has_most) {
    DECANT_TRY(counts.most, ParseNumber());
  }
  ++at_;
  if (counts.least > counts.most) {
    return Invalid(start, "a repetition " + Shown(start) + " whose least count is above its most");
  }
  return counts;
}

Result<std::uint64_t> RegexParser::ParseNumber() {
  const std::size_t start = at_;
  std::uint64_t number = 0;
  for (; IsDigit(Peek()); ++at_) {
    if (number <= kMostCount) number = number * 10 + (Peek() - '0');
  }
  if (number > kMostCount) {
    return Fail(ErrorCode::kTooComplex,
                "the regular expression has a count " + Shown(start) + "; expected at most 1000000000",
                {.subject = "regex", .at = Position{.line = 1, .column = Column(start)}});
  }
  return number;
}

}  // namespace decant::grammar
