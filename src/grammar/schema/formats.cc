// The table of formats, and how their languages are made.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/check.h"
#include "grammar/regex/regex.h"
#include "grammar/schema/format_builder.h"
#include "grammar/schema/schema.h"

namespace decant::grammar {
namespace {

Expr JsonPointerLanguage(FormatBuilder& b) {  // RFC 6901
  const Expr character = b.Any({b.Pattern("[^/~]"), b.Text("~0"), b.Text("~1")});
  return b.Star(b.Row({b.Text("/"), b.Star(character)}));
}

Expr RelativeJsonPointerLanguage(FormatBuilder& b) {
  const Expr up = b.Any({b.Text("0"), b.Row({b.One("1-9"), b.Star(b.Digit())})});
  return b.Row({up, b.Any({b.Text("#"), JsonPointerLanguage(b)})});
}

Expr UuidLanguage(FormatBuilder& b) {  // RFC 4122
  const Expr digit = b.One("0-9A-Fa-f");
  const Expr four = b.Row({b.Times(digit, 4, 4), b.Text("-")});
  return b.Row({b.Times(digit, 8, 8), b.Text("-"), b.Times(four, 3, 3), b.Times(digit, 12, 12)});
}

struct FormatRow {
  std::string_view name;
  Expr (*make)(FormatBuilder&);
};

// Every format that drafts 4 to 2020-12 name, for schemas of all of them: validators agree to. Draft 3's color,
// host-name, ip-address, phone, style and utc-millisec are annotations.
constexpr FormatRow kFormats[] = {
    {"date", DateLanguage},
    {"date-time", DateTimeLanguage},
    {"duration", DurationLanguage},
    {"email", EmailLanguage},
    {"hostname", HostnameLanguage},
    {"idn-email", IdnEmailLanguage},
    {"idn-hostname", IdnHostnameLanguage},
    {"ipv4", Ipv4Language},
    {"ipv6", Ipv6Language},
    {"iri", IriLanguage},
    {"iri-reference", IriReferenceLanguage},
    {"json-pointer", JsonPointerLanguage},
    {"regex", RegexLanguage},
    {"relative-json-pointer", RelativeJsonPointerLanguage},
    {"time", TimeLanguage},
    {"uri", UriLanguage},
    {"uri-reference", UriReferenceLanguage},
    {"uri-template", UriTemplateLanguage},
    {"uuid", UuidLanguage},
};

const FormatRow* FindFormat(std::string_view name) {
  for (const FormatRow& row : kFormats) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

Expr FormatBuilder::Pattern(std::string_view pattern) {
  const Result<Expr> language = ParseRegex(pattern, RegexFlavour::kEcma, RegexMatch::kWhole, pool_);
  DECANT_CHECK(language.has_value());
  return *language;
}

Expr FormatBuilder::One(std::string_view characters) {
  ByteSet set;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const auto first = static_cast<unsigned char>(characters[i]);
    auto last = first;
    if (i + 2 < characters.size() && characters[i + 1] == '-') last = static_cast<unsigned char>(characters[i += 2]);
    for (unsigned byte = first; byte <= last; ++byte) set.Add(static_cast<std::uint8_t>(byte));
  }
  return pool_.Bytes(set);
}

Expr FormatBuilder::Row(std::initializer_list<Expr> parts) {
  Expr row = kEmptyText;
  for (const Expr* part = parts.end(); part != parts.begin();) row = pool_.Concat(*--part, row);
  return row;
}

std::optional<Expr> FormatLanguage(std::string_view format, ExprPool& pool) {
  const FormatRow* const row = FindFormat(format);
  if (row == nullptr) return std::nullopt;
  FormatBuilder builder(pool);
  return row->make(builder);
}

}  // namespace decant::grammar
