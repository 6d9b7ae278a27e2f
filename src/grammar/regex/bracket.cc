// Classes in brackets.
#include <algorithm>
#include <string>
#include <utility>

#include "core/utf8.h"
#include "grammar/regex/parser.h"

namespace decant::grammar {

// After the "[".
Result<NodeId> RegexParser::ParseClass() {
  const std::size_t open = at_ - 1;
  const bool negated = Take('^');
  const std::size_t first = at_;
  CharSet sets;
  std::vector<CodePointRange> ranges;
  const auto add = [&](const Member& member) {
    if (member.character.has_value()) {
      ranges.push_back({*member.character, *member.character});
    } else {
      sets = sets.Unite(member.set);
    }
  };
  while (true) {
    if (AtEnd()) return Invalid(open, "a class that begins here and does not end; expected \"]\"");
    // In Python a "]" that comes first is a member.
    if (Peek() == ']' && (!is_python() || at_ != first)) break;
    const std::size_t start = at_;
    DECANT_TRY(const Member from, ParseMember());
    if (Peek() != '-' || Peek(1) == ']' || at_ + 1 >= pattern_.size()) {
      add(from);
      continue;
    }
    if (!is_python() && !from.character.has_value()) {
      add(from);  // then the "-" is a member as well: [\w-.]
      continue;
    }
    const std::size_t hyphen = at_++;
    DECANT_TRY(const Member to, ParseMember());
    if (from.character.has_value() && to.character.has_value()) {
      if (*from.character > *to.character) {
        return Invalid(start, "a range " + Shown(start) + " whose first character is past its last");
      }
      ranges.push_back({*from.character, *to.character});
    } else if (is_python()) {
      return Invalid(start, "a range " + Shown(start) + " of a class; expected a character on both sides of \"-\"");
    } else {
      add(from);
      at_ = hyphen;  // [a-\w]: the "-" is a member
      DECANT_TRY(const Member plain, ParseMember());
      add(plain);
    }
  }
  nested_class_ |= at_ == first;
  ++at_;
  const CharSet set = sets.Unite(Folded(CharSet(std::move(ranges))));
  return tree_.Set(negated ? set.Complement() : set);
}

Result<RegexParser::Member> RegexParser::ParseMember() {
  if (Take('\\')) return ParseMemberEscape(true);
  if (Peek() == '[' && !is_python()) {
    if (auto set = TakePosixClass()) return Member{.set = Folded(*set)};
    nested_class_ = true;
  }
  return Member{.character = pattern_[at_++]};
}

// [:alpha:] and [:^alpha:], if they stand here and the class that they would be in ends after them.
std::optional<CharSet> RegexParser::TakePosixClass() {
  std::size_t place = at_;
  std::optional<CharSet> first;
  while (pattern_.substr(place).starts_with(U"[:")) {
    const std::size_t end = pattern_.find(U":]", place + 2);
    if (end == std::u32string_view::npos || end - place > 10) return std::nullopt;
    std::string name;
    for (std::size_t i = place + 2; i < end; ++i) core::AppendUtf8(pattern_[i], name);
    const bool negated = name.starts_with('^');
    std::optional<CharSet> set = PosixClass(std::string_view(name).substr(negated ? 1 : 0));
    if (!set.has_value()) return std::nullopt;
    if (!first.has_value()) first = negated ? set->Complement() : *std::move(set);
    place = end + 2;
    // What else is in the class, up to its end or one more such name.
    while (place < pattern_.size() && pattern_[place] != ']' && pattern_[place] != '[') {
      place += pattern_[place] == '\\' ? 2u : 1u;
    }
    place = std::min(place, pattern_.size());  // a backslash may end the pattern
  }
  if (place >= pattern_.size() || pattern_[place] != ']') return std::nullopt;
  at_ = pattern_.find(U":]", at_) + 2;
  return first;
}

}  // namespace decant::grammar
