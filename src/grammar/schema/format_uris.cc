// URIs and IRIs by the grammars of RFC 3986 (appendix A) and RFC 3987 (section 2.2), templates by RFC 6570 (section 2).
#include <cstdint>
#include <string>
#include <string_view>

#include "grammar/schema/format_builder.h"

namespace decant::grammar {
namespace {

// RFC 3987: ucschar, less the marks of writing direction that section 4.1 keeps out.
constexpr std::string_view kUcsChar =
    "\\u00A0-\\u200D\\u2010-\\u2029\\u202F-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF"
    "\\u{10000}-\\u{1FFFD}\\u{20000}-\\u{2FFFD}\\u{30000}-\\u{3FFFD}\\u{40000}-\\u{4FFFD}\\u{50000}-\\u{5FFFD}"
    "\\u{60000}-\\u{6FFFD}\\u{70000}-\\u{7FFFD}\\u{80000}-\\u{8FFFD}\\u{90000}-\\u{9FFFD}\\u{A0000}-\\u{AFFFD}"
    "\\u{B0000}-\\u{BFFFD}\\u{C0000}-\\u{CFFFD}\\u{D0000}-\\u{DFFFD}\\u{E1000}-\\u{EFFFD}";
constexpr std::string_view kPrivate = "\\uE000-\\uF8FF\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}";
constexpr std::string_view kPlain = "A-Za-z0-9\\-._~!$&'()*+,;=";  // unreserved and sub-delims

enum class Alphabet : std::uint8_t { kAscii, kUnicode };

// The rules of the two grammars differ in their characters alone.
class UriRules {
 public:
  UriRules(FormatBuilder& b, Alphabet alphabet) : b_(b), more_(alphabet == Alphabet::kUnicode ? kUcsChar : "") {
    escape_ = b.Pattern("%[0-9A-Fa-f]{2}");
    segment_ = b.Star(Characters(":@"));
    segments_ = b.Star(b.Row({b.Text("/"), segment_}));
    query_ = b.Row({b.Text("?"), b.Star(Characters(":@/?", alphabet == Alphabet::kUnicode ? kPrivate : ""))});
    fragment_ = b.Row({b.Text("#"), b.Star(Characters(":@/?"))});
  }

  Expr Absolute() {
    const Expr scheme = b_.Pattern("[A-Za-z][A-Za-z0-9+.\\-]*:");
    const Expr rootless = b_.Row({b_.Times(Characters(":@"), 1, kUnbounded), segments_});
    return b_.Row({scheme, Hierarchy(rootless), b_.Maybe(query_), b_.Maybe(fragment_)});
  }
  Expr Relative() {
    const Expr no_scheme = b_.Row({b_.Times(Characters("@"), 1, kUnbounded), segments_});
    return b_.Row({Hierarchy(no_scheme), b_.Maybe(query_), b_.Maybe(fragment_)});
  }

 private:
  // One character of those that always count and of those named, or an escape.
  Expr Characters(std::string_view others, std::string_view more = "") {
    std::string pattern = "[";
    (((pattern += kPlain) += others) += more_) += more;
    return b_.Any({b_.Pattern(pattern + "]"), escape_});
  }
  // "//" with an authority, or a path: from the root, `first` as it is, or none.
  Expr Hierarchy(Expr first) {
    const Expr absolute =
        b_.Row({b_.Text("/"), b_.Maybe(b_.Row({b_.Times(Characters(":@"), 1, kUnbounded), segments_}))});
    return b_.Any({b_.Row({b_.Text("//"), Authority(), segments_}), absolute, first, kEmptyText});
  }
  Expr Authority() {
    const Expr user = b_.Row({b_.Star(Characters(":")), b_.Text("@")});
    const Expr future = b_.Pattern("[Vv][0-9A-Fa-f]+\\.[A-Za-z0-9\\-._~!$&'()*+,;=:]+");
    const Expr literal = b_.Row({b_.Text("["), b_.Any({Ipv6Language(b_), future}), b_.Text("]")});
    return b_.Row({b_.Maybe(user), b_.Any({literal, b_.Star(Characters(""))}), b_.Pattern("(?::[0-9]*)?")});
  }

  FormatBuilder& b_;
  std::string_view more_;
  Expr escape_, segment_, segments_, query_, fragment_;
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
  std::string literal = "[!#$&'()*+,\\-./0-9:;=?@A-Z\\[\\]_a-z~";
  ((literal += kUcsChar) += kPrivate) += "]|%[0-9A-Fa-f]{2}";
  const Expr character = b.Pattern("[A-Za-z0-9_]|%[0-9A-Fa-f]{2}");
  const Expr name = b.List(b.Times(character, 1, kUnbounded), b.Text("."));
  const Expr variable = b.Row({name, b.Pattern("(?:\\*|:[1-9][0-9]{0,3})?")});
  const Expr expression =
      b.Row({b.Text("{"), b.Pattern("[+#./;?&=,!@|]?"), b.List(variable, b.Text(",")), b.Text("}")});
  return b.Star(b.Any({b.Pattern(literal), expression}));
}

}  // namespace decant::grammar
