// Groups: capturing or not, named, atomic, look-around, flags and comments.
#include <algorithm>
#include <string>
#include <utility>

#include "core/utf8.h"
#include "grammar/regex/parser.h"
#include "text/unicode_properties.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kMostNesting = 250;

}  // namespace

// After the "(". `at_start`: nothing of the pattern stands before it but flags.
Result<void> RegexParser::ParseGroup(Items& items, bool at_start) {
  const std::size_t open = at_ - 1;
  if (depth_ >= kMostNesting) {
    return Fail(ErrorCode::kTooComplex, "the regular expression has groups nested more than 250 deep",
                {.subject = "regex", .at = Position{.line = 1, .column = Column(open)}});
  }
  const std::uint32_t column = Column(open);
  const auto look = [&](LookKind kind) -> Result<void> {
    DECANT_TRY(const NodeId body, ParseBody(open));
    ++assertions_;
    items.Add(tree_.Look(kind, body, column), Items::Last::kRepeatable);
    return {};
  };
  if (!Take('?') || Take(':')) {
    DECANT_TRY(const NodeId body, ParseBody(open));
    items.Add(body, Items::Last::kRepeatable);
    return {};
  }
  if (Take('=')) return look(LookKind::kAhead);
  if (Take('!')) return look(LookKind::kNotAhead);
  if (Take(U"<=")) return look(LookKind::kBehind);
  if (Take(U"<!")) return look(LookKind::kNotBehind);
  if (Take(U"P<") || Take('<')) {
    DECANT_CHECKED(ParseName('>', "name of a group"));
    DECANT_TRY(const NodeId body, ParseBody(open));
    items.Add(body, Items::Last::kRepeatable);
    return {};
  }
  if (Take(U"P=")) return NotDone(open, "a back-reference (?P=…)");
  if (is_python() && Take('>')) {
    ++atomic_depth_;
    DECANT_TRY(const NodeId body, ParseBody(open));
    --atomic_depth_;
    items.Add(tree_.Atomic(body, column), Items::Last::kRepeatable);
    return {};
  }
  if (is_python() && Take('#')) return SkipComment(open);
  if (Peek() == '(') return NotDone(open, "a conditional group (?(…)…)");
  return ParseFlags(items, open, at_start);
}

// The alternatives up to the ")", with flags set inside forgotten after it.
Result<NodeId> RegexParser::ParseBody(std::size_t open) {
  const Flags before = flags_;
  ++depth_;
  DECANT_TRY(const NodeId body, ParseChoice());
  --depth_;
  flags_ = before;
  if (!Take(')')) return Invalid(open, "a group that begins here and does not end; expected \")\"");
  return body;
}

bool RegexParser::IsNameCharacter(char32_t c, bool first) const {
  if (c == '_' || (c == '$' && !is_python())) return true;
  if (!is_python() && !first && (c == 0x200C || c == 0x200D)) return true;
  static const auto kStart = text::CodePointsOf(text::PropertyKind::kBinary, "XID_Start").value();
  static const auto kContinue = text::CodePointsOf(text::PropertyKind::kBinary, "XID_Continue").value();
  for (const text::UnicodeRange& range : first ? kStart : kContinue) {
    if (range.first <= c && c <= range.last) return true;
  }
  return false;
}

Result<void> RegexParser::ParseName(char32_t end, std::string_view what) {
  const std::size_t start = at_;
  std::u32string name;
  while (!AtEnd() && Peek() != end) {
    char32_t c = Peek();
    const std::size_t place = at_++;
    if (c == '\\' && !is_python() && Take('u')) {
      DECANT_TRY(c, ParseUnicodeEscape(place));
    }
    if (!IsNameCharacter(c, name.empty())) {
      return Invalid(place, Shown(place) + " in the " + std::string(what) + "; expected a letter, a digit or \"_\"");
    }
    name += c;
  }
  if (name.empty() || !Take(end)) {
    return Invalid(start,
                   "no " + std::string(what) + " here; expected one that ends in \"" + static_cast<char>(end) + "\"");
  }
  if (!names_.insert(name).second && is_python()) {
    return Invalid(start, "a second group of the name " + Shown(start));
  }
  return {};
}

Result<void> RegexParser::SkipComment(std::size_t open) {
  while (!AtEnd()) {
    if (Take(')')) return {};
    ++at_;
  }
  return Invalid(open, "a comment that begins here and does not end; expected \")\"");
}

// (?ims), (?ims-ims:…) and their like, at the first letter.
Result<void> RegexParser::ParseFlags(Items& items, std::size_t open, bool at_start) {
  const Flags before = flags_;
  Flags flags = flags_;
  bool on = true, any = false, ascii = false, unicode = false, off_any = false;
  std::u32string seen;
  while (true) {
    const std::size_t place = at_;
    if (AtEnd()) return Invalid(open, "a group that begins here and does not end; expected \")\"");
    const char32_t c = pattern_[at_++];
    if (c == ')' || c == ':') {
      if (!any || (!on && !off_any) || (c == ')' && !on && is_python())) {
        return Invalid(open, Shown(open) +
                                 "; expected flags, or one of \"?:\", \"?=\", \"?!\", \"?<=\", \"?<!\", "
                                 "\"?<name>\" after \"(\"");
      }
      if (c == ')') {
        if (is_python() && !at_start) {
          return Invalid(open, "flags " + Shown(open) + " past the start of the pattern; expected (?flags:…)");
        }
        flags_ = flags;
        return {};
      }
      break;
    }
    if (c == '-') {
      if (!on) return Invalid(place, "a second \"-\" among flags");
      on = false;
      any = true;
      continue;
    }
    bool* flag = c == 'i' ? &flags.ignore_case : c == 's' ? &flags.dot_all : c == 'm' ? &flags.multi_line : nullptr;
    if (is_python() && c == 'x') flag = &flags.verbose;
    if (is_python() && (c == 'a' || c == 'u') && on) {
      (c == 'a' ? ascii : unicode) = true;
      flags.ascii = c == 'a';
      any = true;
      if (ascii && unicode) return Invalid(open, "flags \"a\" and \"u\" at once");
      continue;
    }
    if (flag == nullptr) {
      at_ = std::min(at_, pattern_.size());
      return Invalid(place, Shown(place) + " after \"(?\"; expected " +
                                (is_python() ? "flags of \"aimsux\"" : "flags of \"ims\"") +
                                ", \":\", \"=\", \"!\", \"<=\", \"<!\" or \"<name>\"");
    }
    if (!on && seen.contains(c)) return Invalid(place, "a flag " + Shown(place) + " turned on and off");
    if (on) seen += c;
    *flag = on;
    any = true;
    off_any |= !on;
  }
  flags_ = flags;
  DECANT_TRY(const NodeId body, ParseBody(open));
  flags_ = before;
  items.Add(body, Items::Last::kRepeatable);
  return {};
}

}  // namespace decant::grammar
