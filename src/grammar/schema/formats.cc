// The table of formats: which drafts have them, and how their languages are made.
#include "grammar/schema/formats.h"

#include <optional>

#include "core/check.h"
#include "grammar/regex/regex.h"
#include "grammar/schema/format_builder.h"
#include "grammar/schema/schema.h"

namespace decant::grammar {
namespace {

Expr JsonPointerLanguage(FormatBuilder& b) { return b.Pattern("(?:/(?:[^/~]|~[01])*)*"); }  // RFC 6901

Expr RelativeJsonPointerLanguage(FormatBuilder& b) {
  return b.Row({b.Pattern("0|[1-9][0-9]*"), b.Any({b.Text("#"), JsonPointerLanguage(b)})});
}

Expr UuidLanguage(FormatBuilder& b) {  // RFC 4122
  return b.Pattern("[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}");
}

struct FormatRow {
  std::string_view name;
  Draft first;
  Expr (*make)(FormatBuilder&);
};

// Draft 3's color, host-name, ip-address, phone, style and utc-millisec are annotations: no later draft names them.
constexpr FormatRow kFormats[] = {
    {"date", Draft::k4, DateLanguage},
    {"date-time", Draft::k4, DateTimeLanguage},
    {"duration", Draft::k2019, DurationLanguage},
    {"email", Draft::k4, EmailLanguage},
    {"hostname", Draft::k4, HostnameLanguage},
    {"idn-email", Draft::k4, IdnEmailLanguage},
    {"idn-hostname", Draft::k7, IdnHostnameLanguage},
    {"ipv4", Draft::k4, Ipv4Language},
    {"ipv6", Draft::k4, Ipv6Language},
    {"iri", Draft::k7, IriLanguage},
    {"iri-reference", Draft::k7, IriReferenceLanguage},
    {"json-pointer", Draft::k6, JsonPointerLanguage},
    {"regex", Draft::k4, RegexLanguage},
    {"relative-json-pointer", Draft::k7, RelativeJsonPointerLanguage},
    {"time", Draft::k4, TimeLanguage},
    {"uri", Draft::k4, UriLanguage},
    {"uri-reference", Draft::k6, UriReferenceLanguage},
    {"uri-template", Draft::k6, UriTemplateLanguage},
    {"uuid", Draft::k2019, UuidLanguage},
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

Expr FormatBuilder::Row(std::initializer_list<Expr> parts) {
  Expr row = kEmptyText;
  for (const Expr* part = parts.end(); part != parts.begin();) row = pool_.Concat(*--part, row);
  return row;
}

bool DraftHasFormat(Draft draft, std::string_view format) {
  const FormatRow* const row = FindFormat(format);
  return row != nullptr && row->first <= draft;
}

std::optional<Expr> FormatLanguage(std::string_view format, ExprPool& pool) {
  const FormatRow* const row = FindFormat(format);
  if (row == nullptr) return std::nullopt;
  FormatBuilder builder(pool);
  return row->make(builder);
}

}  // namespace decant::grammar
