// URIs and IRIs by the grammars of RFC 3986 (appendix A) and RFC 3987 (section 2.2), templates by RFC 6570 (section 2).
#include <cstdint>
#include <string>
#include <string_view>

#include "grammar/schema/format_builder.h"

namespace decant::grammar {
namespace {

// RFC 3987: ucschar, less the marks of writing direction that section 4.1 keeps out.
constexpr std::string_view kUcsChar =
    "[\\u00A0-\\u200D\\u2010-\\u2029\\u202F-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF"
    "\\u{10000}-\\u{1FFFD}\\u{20000}-\\u{2FFFD}\\u{30000}-\\u{3FFFD}\\u{40000}-\\u{4FFFD}\\u{50000}-\\u{5FFFD}"
    "\\u{60000}-\\u{6FFFD}\\u{70000}-\\u{7FFFD}\\u{80000}-\\u{8FFFD}\\u{90000}-\\u{9FFFD}\\u{A0000}-\\u{AFFFD}"
    "\\u{B0000}-\\u{BFFFD}\\u{C0000}-\\u{CFFFD}\\u{D0000}-\\u{DFFFD}\\u{E1000}-\\u{EFFFD}]";
constexpr std::string_view kPrivate = "[\\uE000-\\uF8FF\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}]";
// unreserved and sub-delims; "---" is the range of "-" alone.
constexpr std::string_view kPlain = "A-Za-z0-9---._~!$&'()*+,;=";

enum class Alphabet : std::uint8_t { kAscii, kUnicode };

// The rules of the two grammars differ in their characters alone.
class UriRules {
 public:
  UriRules(FormatBuilder& b, Alphabet alphabet)
      : b_(b),
        more_(More(b, alphabet)),
        segments_(b.Star(b.Row({b.Text("/"), b.Star(Character(":@"))}))),
        query_(b.Row({b.Text("?"), b.Star(InQuery(alphabet))})),
        fragment_(b.Row({b.Text("#"), b.Star(Character(":@/?"))})) {}

  Expr Absolute() {
    const Expr scheme = b_.Row({b_.One("A-Za-z"), b_.Star(b_.One("A-Za-z0-9+.-")), b_.Text(":")});
    const Expr rootless = b_.Row({b_.Times(Character(":@"), 1, kUnbounded), segments_});
    return b_.Row({scheme, Hierarchy(rootless), b_.Maybe(query_), b_.Maybe(fragment_)});
  }
  Expr Relative() {
    const Expr no_scheme = b_.Row({b_.Times(Character("@"), 1, kUnbounded), segments_});
    return b_.Row({Hierarchy(no_scheme), b_.Maybe(query_), b_.Maybe(fragment_)});
  }

 private:
  static Expr More(FormatBuilder& b, Alphabet alphabet) {
    const Expr escape = b.Row({b.Text("%"), b.Times(b.One("0-9A-Fa-f"), 2, 2)});
    return alphabet == Alphabet::kUnicode ? b.Any({escape, b.Pattern(kUcsChar)}) : escape;
  }
  Expr InQuery(Alphabet alphabet) {
    const Expr character = Character(":@/?");
    return alphabet == Alphabet::kUnicode ? b_.Any({character, b_.Pattern(kPrivate)}) : character;
  }
  // One character of those that always count and of those named, or an escape.
  Expr Character(std::string_view others) { return b_.Any({b_.One(std::string(kPlain).append(others)), more_}); }
  // "//" with an authority, or a path: from the root, `first` as it is, or none.
  Expr Hierarchy(Expr first) {
    const Expr absolute =
        b_.Row({b_.Text("/"), b_.Maybe(b_.Row({b_.Times(Character(":@"), 1, kUnbounded), segments_}))});
    return b_.Any({b_.Row({b_.Text("//"), Authority(), segments_}), absolute, first, kEmptyText});
  }
  Expr Authority() {
    const Expr user = b_.Row({b_.Star(Character(":")), b_.Text("@")});
    const Expr future = b_.Row({b_.One("Vv"), b_.Times(b_.One("0-9A-Fa-f"), 1, kUnbounded), b_.Text("."),
                                b_.Times(b_.One(std::string(kPlain).append(":")), 1, kUnbounded)});
    const Expr literal = b_.Row({b_.Text("["), b_.Any({Ipv6Language(b_), future}), b_.Text("]")});
    const Expr port = b_.Maybe(b_.Row({b_.Text(":"), b_.Star(b_.Digit())}));
    return b_.Row({b_.Maybe(user), b_.Any({literal, b_.Star(Character(""))}), port});
  }

  FormatBuilder& b_;
  Expr more_;  // escapes, and what Unicode adds
  Expr segments_, query_, fragment_;
};

}  // namespace

Expr UriLanguage(FormatBuilder& b) { return UriRules(b, Alphabet::kAscii).Absolute(); }

Expr UriReferenceLanguage(FormatBuilder& b) {
  UriRules rules(b, Alphabet::kAscii);
  return b.Any({rules.Absolute(), rules.Relative()});
}

Expr IriLanguage(FormatBuilder& b) { return UriRules(b, Alphabet::kUnicode).Absolute(); }

Expr IriReferenceLanguage(FormatBuilder& b) {
  UriRules rules(b, Alphabet::kUnicode);
  return b.Any({rules.Absolute(), rules.Relative()});
}

Expr UriTemplateLanguage(FormatBuilder& b) {
  const Expr escape = b.Row({b.Text("%"), b.Times(b.One("0-9A-Fa-f"), 2, 2)});
  const Expr literal =
      b.Any({b.One("!#$&'()*+,./0-9:;=?@A-Z[]_a-z~-"), b.Pattern(kUcsChar), b.Pattern(kPrivate), escape});
  const Expr character = b.Any({b.One("A-Za-z0-9_"), escape});
  const Expr name = b.List(b.Times(character, 1, kUnbounded), b.Text("."));
  const Expr modifier = b.Any({b.Text("*"), b.Row({b.Text(":"), b.One("1-9"), b.Times(b.Digit(), 0, 3)})});
  const Expr variable = b.Row({name, b.Maybe(modifier)});
  const Expr expression =
      b.Row({b.Text("{"), b.Maybe(b.One("+#./;?&=,!@|")), b.List(variable, b.Text(",")), b.Text("}")});
  return b.Star(b.Any({literal, expression}));
}

}  // namespace decant::grammar
