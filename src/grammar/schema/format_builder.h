// Languages of formats, from small patterns put together by the operations of a pool.
#ifndef DECANT_GRAMMAR_SCHEMA_FORMAT_BUILDER_H_
#define DECANT_GRAMMAR_SCHEMA_FORMAT_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "grammar/expr_pool.h"

namespace decant::grammar {

class FormatBuilder {
 public:
  explicit FormatBuilder(ExprPool& pool) : pool_(pool) {}

  // A whole text, as ECMA-262 writes patterns. REQUIRES: a pattern that is regular (the formats' own are).
  Expr Pattern(std::string_view pattern);
  // One ASCII character, as in brackets: "a-z_", with "-" last for itself. Cheaper than a pattern.
  Expr One(std::string_view characters);
  Expr Digit() { return One("0-9"); }
  Expr Text(std::string_view text) { return pool_.Literal(text); }
  Expr Row(std::initializer_list<Expr> parts);  // one after the other
  Expr Any(std::initializer_list<Expr> parts) { return pool_.Union({parts.begin(), parts.size()}); }
  // The texts of at most so many characters.
  Expr AtMost(Expr a, std::uint64_t most) { return pool_.Intersect(a, Times(pool_.AnyCodePoint(), 0, most)); }
  Expr Maybe(Expr a) { return pool_.Repeat(a, 0, 1); }
  Expr Star(Expr a) { return pool_.Repeat(a, 0, kUnbounded); }
  Expr Times(Expr a, std::uint64_t least, std::uint64_t most) { return pool_.Repeat(a, least, most); }
  // Parts with a separator between them: at least one.
  Expr List(Expr part, Expr separator) { return Row({part, Star(Row({separator, part}))}); }
  ExprPool& pool() { return pool_; }

 private:
  ExprPool& pool_;
};

// format_times.cc: RFC 3339.
Expr DateLanguage(FormatBuilder& b);
Expr TimeLanguage(FormatBuilder& b);
Expr DateTimeLanguage(FormatBuilder& b);
Expr DurationLanguage(FormatBuilder& b);
// format_hosts.cc: RFC 1123, 2673, 4291, 5321, 5890, 6531.
Expr HostnameLanguage(FormatBuilder& b);
Expr IdnHostnameLanguage(FormatBuilder& b);
Expr Ipv4Language(FormatBuilder& b);
Expr Ipv6Language(FormatBuilder& b);
Expr EmailLanguage(FormatBuilder& b);
Expr IdnEmailLanguage(FormatBuilder& b);
// format_uris.cc: RFC 3986, 3987, 6570.
Expr UriLanguage(FormatBuilder& b);
Expr UriReferenceLanguage(FormatBuilder& b);
Expr IriLanguage(FormatBuilder& b);
Expr IriReferenceLanguage(FormatBuilder& b);
Expr UriTemplateLanguage(FormatBuilder& b);
// format_regex.cc.
Expr RegexLanguage(FormatBuilder& b);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_FORMAT_BUILDER_H_
