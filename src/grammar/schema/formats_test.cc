// The languages of formats: what each takes and what it refuses.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/schema/schema.h"
#include "gtest/gtest.h"

namespace decant::grammar {
namespace {

struct FormatCase {
  std::string_view format;
  std::vector<std::string> accepted;
  std::vector<std::string> refused;
};

std::string Repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

class FormatTest : public testing::TestWithParam<FormatCase> {};

TEST_P(FormatTest, TakesWhatItShould) {
  ExprPool pool;
  const std::optional<Expr> language = FormatLanguage(GetParam().format, pool);
  ASSERT_TRUE(language.has_value());
  for (const std::string& text : GetParam().accepted) {
    EXPECT_TRUE(pool.IsNullable(pool.Next(*language, text))) << text;
  }
  for (const std::string& text : GetParam().refused) {
    EXPECT_FALSE(pool.IsNullable(pool.Next(*language, text))) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, FormatTest,
    testing::Values(
        FormatCase{"date",
                   {"2024-02-29", "2000-02-29", "0000-01-01", "1999-12-31", "2023-02-28", "2023-04-30"},
                   {"2023-02-29", "1900-02-29", "2024-02-30", "2023-04-31", "2023-13-01", "2023-00-01", "2023-01-00",
                    "23-01-01", "2023-1-1", "2023-01-01 ",
                    "\xd9\xa2"
                    "023-01-01"}},
        FormatCase{"time",
                   {"00:00:00Z", "23:59:59.999z", "12:00:00-23:59", "23:59:60Z", "23:59:60.5+00:00", "15:59:60-08:00",
                    "01:29:60+01:30", "23:29:60+23:30", "00:29:60-23:30", "00:59:60+01:00"},
                   {"24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:00", "12:00:00.Z", "12:00:00+24:00", "12:00:00+1:00",
                    "22:59:60Z", "23:58:60Z", "23:59:60+01:00", "15:59:60-07:00", "01:29:60+02:30"}},
        FormatCase{"date-time",
                   {"2024-02-29T12:00:00Z", "1998-12-31t23:59:60z", "1998-12-31T15:59:60.123-08:00"},
                   {"2023-02-29T12:00:00Z", "2023-01-01 12:00:00Z", "2023-01-01T12:00:00", "2023-01-01"}},
        FormatCase{"duration",
                   {"P1Y2M3DT4H5M6S", "P1D", "PT1S", "P2W", "P1M", "PT1M", "P1YT1S", "P001D"},
                   {"P", "PT", "P1DT", "P1Y2D", "PT1H1S", "P1W1D", "P1.5D", "1D", "P1S", "PT1D", "p1d"}},
        FormatCase{"uuid",
                   {"2eb8aa08-AA98-11ea-b4aa-73b441d16380"},
                   {"2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
                    "2eb8aa08-aa98-11ea-b4aa-73b441d1638g"}},
        FormatCase{"ipv4", {"0.0.0.0", "255.249.199.9"}, {"256.0.0.0", "01.0.0.0", "1.2.3", "1.2.3.4.5", "1.2.3.4 "}},
        FormatCase{"ipv6",
                   {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "::ffff:1.2.3.4",
                    "1:2:3:4:5:6:1.2.3.4", "1::3:4:5:6:7:8"},
                   {"1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8", "12345::", "::1.2.3.256",
                    "fe80::1%eth0", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:"}}));

INSTANTIATE_TEST_SUITE_P(
    Names, FormatTest,
    testing::Values(
        FormatCase{"hostname",
                   {"a", "a-b.c1", "1.2.3.4", Repeated("a", 63), "a--b.com", Repeated("abcdefghi.", 25) + "abc"},
                   {"", ".", "a.", ".a", "-a", "a-", "a_b", Repeated("a", 64), "ab--cd", "xn--a", "é",
                    Repeated("abcdefghi.", 25) + "abcd"}},
        FormatCase{"email",
                   {"a@b", "a.b+c@d.e", "\"a b\\\"\"@c", "a@[1.2.3.4]", "a@[IPv6:::1]", Repeated("a", 64) + "@b"},
                   {"a", "@b", "a@", ".a@b", "a..b@c", "a@b_c", "a b@c", "a@[1.2.3.256]", Repeated("a", 65) + "@b",
                    "é@b", "a@b@c"}},
        FormatCase{"idn-email", {"é@b", "a@é.com", "日本@日本"}, {"a", "a@", "a@-é", "a@\xcc\x80"}},
        FormatCase{
            "idn-hostname", {"a.b", "é.com", "日本。jp", "שלום.com", "אב1"}, {"", "é-", "-é", "1א", "aא", "·", "a..é"}},
        FormatCase{"uri",
                   {"a:", "http://a.b/c?d=e#f", "http://u:p@[::1]:80/", "urn:x:y", "http://[v1.a]", "a:%41", "a:/b"},
                   {"", "a", "/a", "http://a b", "a:%4", "a:%zz", "http://[::1", "http://a:b/", "a:[b]", "a:#b#c",
                    "1a:b", "a:é", "http:/[::1]"}},
        FormatCase{"uri-reference", {"", "#a", "a/b:c", "//a", "?q", "a:b", "/"}, {"1a:b", "a b", "\\a", "%", ":"}},
        FormatCase{
            "iri", {"http://é/日?\xee\x80\x80#é", "a:b"}, {"é", "http://\xee\x80\x80", "a:\xe2\x80\x8e", "a: b"}},
        FormatCase{"iri-reference", {"é", "", "//é"}, {"a b", ":"}},
        FormatCase{"uri-template",
                   {"", "a{b}", "{+a,b*}", "{a:12}", "{a.b}", "é'", "{?a%41}"},
                   {"{a", "a}", "{}", "{a:0}", "{a:12345}", "{a:1*}", "{a..b}", "%", "<", "{é}"}},
        FormatCase{"json-pointer", {"", "/", "/a~0~1/b", "/é\n"}, {"a", "/~", "/~2", "#/a"}},
        FormatCase{"relative-json-pointer", {"0", "10#", "1/a"}, {"", "01", "-1", "0a", "/a", "1#/a"}},
        FormatCase{
            "regex",
            {"", "^a+(b|c)*?$", "[a-z\\d_-]{2,3}", "(?:a(?<!b))", "\\p{L}\\u0041", "(?<n>a)b", "[^]", "é"},
            {"(", ")", "*", "a**", "[", "a{", "a{2,1}", "[z-a]", "\\a", "(?i)a", "(?P<n>a)", "\\1", "^*", "]"}}));

TEST(FormatTest, KnowsNoOthers) {
  ExprPool pool;
  for (const std::string_view format : {"", "color", "host-name", "ip-address", "utc-millisec", "int32", "Date"}) {
    EXPECT_FALSE(FormatLanguage(format, pool).has_value()) << format;
  }
}

}  // namespace
}  // namespace decant::grammar
