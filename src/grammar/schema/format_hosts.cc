// Names and addresses of hosts (RFC 1123, 5890 to 5893, 4291), and of mailboxes (RFC 5321, 6531).
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/schema/format_builder.h"

namespace decant::grammar {
namespace {

// Letters, digits and inner hyphens, at most 63. Not with "--" in the third and fourth place: such names are encodings,
// "xn--…" ones of Unicode names that only their decoding can judge (RFC 5891, 4.2.3.1).
Expr Label(FormatBuilder& b) {
  const Expr end = b.One("A-Za-z0-9");
  const Expr inner = b.One("A-Za-z0-9-");
  const Expr no_two = b.Any({b.Row({end, inner}), b.Row({b.Text("-"), end})});
  return b.Any({end, b.Row({end, end}), b.Row({end, inner, end}), b.Row({end, inner, b.Any({inner, end}), end}),
                b.Row({end, inner, no_two, b.Times(inner, 0, 58), end})});
}

// The part of a mailbox before "@", of at most so many characters: words with dots between them, or a quoted string of
// printable ASCII with `"` and `\` escaped. `more` is what stands for itself in both beside ASCII.
Expr LocalPart(FormatBuilder& b, Expr more, std::uint64_t most) {
  const Expr atom = b.Any({b.One("A-Za-z0-9!#$%&'*+/=?^_`{|}~-"), more});
  const Expr dotted = b.List(b.Times(atom, 1, kUnbounded), b.Text("."));
  const Expr plain = b.Any({b.One(" !#-[]-~"), b.Row({b.Text("\\"), b.One(" -~")}), more});
  const Expr quoted = b.Row({b.Text("\""), b.Star(plain), b.Text("\"")});
  return b.AtMost(b.Any({dotted, quoted}), most);
}

Expr AddressLiteral(FormatBuilder& b) {
  const Expr ipv6 = b.Row({b.One("Ii"), b.One("Pp"), b.One("Vv"), b.Text("6:"), Ipv6Language(b)});
  return b.Row({b.Text("["), b.Any({Ipv4Language(b), ipv6}), b.Text("]")});
}

}  // namespace

Expr HostnameLanguage(FormatBuilder& b) { return b.AtMost(b.List(Label(b), b.Text(".")), 253); }

Expr Ipv4Language(FormatBuilder& b) {
  const Expr digit = b.Digit();
  const Expr byte = b.Any({b.Row({b.Text("25"), b.One("0-5")}), b.Row({b.Text("2"), b.One("0-4"), digit}),
                           b.Row({b.Text("1"), digit, digit}), b.Row({b.One("1-9"), digit}), digit});
  return b.Row({b.Times(b.Row({byte, b.Text(".")}), 3, 3), byte});
}

// The alternatives of RFC 3986's IPv6address, by the number of groups after "::".
Expr Ipv6Language(FormatBuilder& b) {
  const Expr group = b.Times(b.One("0-9A-Fa-f"), 1, 4);
  const Expr before = b.Row({group, b.Text(":")});
  const Expr last32 = b.Any({b.Row({before, group}), Ipv4Language(b)});
  const auto groups_up_to = [&](std::uint64_t most) { return b.Maybe(b.Row({b.Times(before, 0, most - 1), group})); };
  const Expr gap = b.Text("::");
  std::vector<Expr> forms = {b.Row({b.Times(before, 6, 6), last32}), b.Row({gap, b.Times(before, 5, 5), last32}),
                             b.Row({groups_up_to(6), gap, group}), b.Row({groups_up_to(7), gap})};
  for (std::uint64_t most = 1; most <= 5; ++most) {
    forms.push_back(b.Row({groups_up_to(most), gap, b.Times(before, 5 - most, 5 - most), last32}));
  }
  return b.pool().Union(forms);
}

Expr EmailLanguage(FormatBuilder& b) {
  return b.Row({LocalPart(b, kNothing, 64), b.Text("@"), b.Any({HostnameLanguage(b), AddressLiteral(b)})});
}

// A part of the internationalised names, none of which a validator refuses: lower-case letters of scripts that are
// written from left to right and of Hebrew and Arabic, digits and inner hyphens, without the characters that are
// allowed by their neighbours alone (RFC 5892, appendix A). A label is held to a length that its encoding never takes
// past 63 bytes.
Expr IdnHostnameLanguage(FormatBuilder& b) {
  const Expr left_to_right = b.Pattern(
      "[a-z\\u00DF-\\u00F6\\u00F8-\\u00FF\\u03AC-\\u03CE\\u0430-\\u045F\\u3041-\\u3096\\u30A1-\\u30FA\\u4E00-\\u9FA5"
      "\\uAC00-\\uD7A3]");
  const Expr right_to_left = b.Pattern("[\\u05D0-\\u05EA\\u0620-\\u063F\\u0641-\\u064A]");
  const Expr digit = b.Pattern("[0-9]");
  const Expr inner = b.Any({left_to_right, digit});
  const Expr hyphenated = b.Row({b.Maybe(b.Text("-")), inner});
  // A name with right-to-left labels has no label that starts with a digit (RFC 5893, section 2).
  const Expr wide_label = b.Row({inner, b.Times(hyphenated, 0, 5)});
  const Expr started_label = b.Row({left_to_right, b.Times(hyphenated, 0, 5)});
  const Expr bidi_label =
      b.Row({right_to_left, b.Times(b.Row({b.Maybe(b.Text("-")), b.Any({right_to_left, digit})}), 0, 5)});
  const Expr dot = b.Pattern("[.\\u3002\\uFF0E\\uFF61]");
  const auto names = [&](Expr label) { return b.Row({label, b.Times(b.Row({dot, label}), 0, 2)}); };
  return b.Any({HostnameLanguage(b), names(wide_label), names(b.Any({started_label, bidi_label}))});
}

Expr IdnEmailLanguage(FormatBuilder& b) {
  const Expr more = b.Pattern("[\\u0080-\\uD7FF\\uE000-\\u{10FFFF}]");
  // 64 bytes, of which a character of these takes up to 4.
  const Expr local = b.Any({LocalPart(b, kNothing, 64), LocalPart(b, more, 16)});
  return b.Row({local, b.Text("@"), b.Any({IdnHostnameLanguage(b), AddressLiteral(b)})});
}

}  // namespace decant::grammar
