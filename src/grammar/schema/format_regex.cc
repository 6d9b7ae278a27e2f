// The format "regex": patterns of ECMA-262. Their language is not regular, so this is the part of it in which groups
// nest at most four deep, ranges of classes are of digits or of letters of one case, and nothing refers back; what it
// has is a pattern.
#include "grammar/schema/format_builder.h"

#include <string>

namespace decant::grammar {
namespace {

constexpr int kMostGroups = 4;  // within one another

// "a-a|a-b|…|b-b|…|z-z" of an alphabet, written by the first letter.
std::string Ranges(char first, char last) {
  std::string pattern;
  for (char c = first; c <= last; ++c) {
    if (!pattern.empty()) pattern += '|';
    ((((pattern += c) += "-[") += c) += '-') += last;
    pattern += ']';
  }
  return pattern;
}

Expr Escapes(FormatBuilder& b) {
  return b.Pattern(
      "\\\\(?:[dDwWsStnrvf$\\^\\\\.*+?()\\[\\]{}|/]|c[A-Za-z]|x[0-9A-Fa-f]{2}|u[0-9A-Ca-cEeFf][0-9A-Fa-f]{3}"
      "|u[Dd][0-7][0-9A-Fa-f]{2}|[pP]\\{(?:L|Lu|Ll|Lt|Lm|Lo|M|N|Nd|P|S|Z|C)\\})");
}

Expr Classes(FormatBuilder& b) {
  const Expr item = b.Any({b.Pattern(Ranges('0', '9')), b.Pattern(Ranges('a', 'z')), b.Pattern(Ranges('A', 'Z')),
                           b.Pattern("[^\\]\\\\\\[\\-&\\^\\u0000-\\u001F]"), Escapes(b)});
  return b.Row({b.Pattern("\\[\\^?-?"), b.Star(item), b.Pattern("-?\\]")});
}

Expr Quantifiers(FormatBuilder& b) {
  std::string counted = "\\{(?:[0-9]{1,4},?|[0-9],[1-9][0-9]{1,3}|[1-9][0-9],[1-9][0-9]{2,3}";
  for (char digit = '0'; digit <= '9'; ++digit) ((((counted += '|') += digit) += ",[") += digit) += "-9]";
  return b.Row({b.Any({b.Pattern("[*+?]"), b.Pattern(counted + ")\\}")}), b.Maybe(b.Text("?"))});
}

}  // namespace

Expr RegexLanguage(FormatBuilder& b) {
  const Expr atom = b.Any({b.Pattern("[^\\^$\\\\.*+?()\\[\\]{}|\\u0000-\\u001F]|\\."), Escapes(b), Classes(b)});
  const Expr quantifier = b.Maybe(Quantifiers(b));
  const Expr assertion = b.Pattern("[\\^$]|\\\\[bB]");
  Expr pattern = kNothing;
  for (int depth = 0; depth <= kMostGroups; ++depth) {
    const Expr group = b.Row({b.Pattern("\\((?:\\?:)?"), pattern, b.Text(")")});
    const Expr look = b.Row({b.Pattern("\\(\\?<?[=!]"), pattern, b.Text(")")});
    const Expr term = b.Any({b.Row({b.Any({atom, group}), quantifier}), assertion, look});
    pattern = b.List(b.Star(term), b.Text("|"));
  }
  // A name may stand once in a pattern: so may a named group here, outside the others.
  const Expr named = b.Row({b.Pattern("\\(\\?<[A-Za-z_$][A-Za-z0-9_$]*>"), pattern, b.Text(")"), quantifier});
  return b.Row({pattern, b.Maybe(b.Row({named, pattern}))});
}

}  // namespace decant::grammar
