// Which texts match which patterns. What Python's re and V8 (flag u) say of the same patterns was compared when these
// were written; \B in the empty text is Python 3.14's.
#include "grammar/regex/regex.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace decant::grammar {
namespace {

struct Case {
  std::string_view pattern;
  std::initializer_list<std::string_view> accepted;
  std::initializer_list<std::string_view> rejected;
};

void Expect(RegexFlavour flavour, RegexMatch match, std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    ExprPool pool;
    const Result<Expr> language = ParseRegex(c.pattern, flavour, match, pool);
    if (!language.has_value()) {
      ADD_FAILURE() << c.pattern << ": " << language.error().message;
      continue;
    }
    for (const std::string_view text : c.accepted) {
      EXPECT_TRUE(pool.IsNullable(pool.Next(*language, text))) << c.pattern << " does not take \"" << text << "\"";
    }
    for (const std::string_view text : c.rejected) {
      EXPECT_FALSE(pool.IsNullable(pool.Next(*language, text))) << c.pattern << " takes \"" << text << "\"";
    }
  }
}
void ExpectEcma(std::initializer_list<Case> cases) { Expect(RegexFlavour::kEcma, RegexMatch::kSearch, cases); }
void ExpectEcmaWhole(std::initializer_list<Case> cases) { Expect(RegexFlavour::kEcma, RegexMatch::kWhole, cases); }
void ExpectPython(std::initializer_list<Case> cases) { Expect(RegexFlavour::kPython, RegexMatch::kSearch, cases); }
void ExpectPythonWhole(std::initializer_list<Case> cases) { Expect(RegexFlavour::kPython, RegexMatch::kWhole, cases); }

TEST(RegexTest, SearchesUnlessAnchored) {
  ExpectEcma({{"b", {"b", "abc"}, {"", "a"}},
              {"^b", {"b", "bc"}, {"ab"}},
              {"b$", {"b", "ab"}, {"bc", "b\n"}},
              {"^b$", {"b"}, {"", "bb", "b\n"}},
              {"", {"", "x"}, {}},
              {"^$", {""}, {"x"}},
              {"$^", {""}, {"x"}},
              {"^cat$|^dog$", {"cat", "dog"}, {"cats", "a dog"}},
              {"^(a|b$)", {"a", "ax", "b"}, {"bx", "xb"}},
              {"(^Hpt_|_Arm_)x", {"Hpt_x", "1_Arm_x"}, {"1Hpt_x"}},
              {"x^a|a$x", {}, {"xa", "ax", "a"}},
              {"\\S+", {"a", " a "}, {"", " "}}});
  ExpectEcmaWhole({{"b", {"b"}, {"ab", "bc"}}, {"^b|c", {"b", "c"}, {"bc"}}, {"a|", {"", "a"}, {"aa"}}});
}

TEST(RegexTest, RepeatsWithAndWithoutLazyMarks) {
  ExpectEcmaWhole({{"a{2}", {"aa"}, {"a", "aaa"}},
                   {"a{2,}", {"aa", "aaaa"}, {"a"}},
                   {"a{1,2}?b", {"ab", "aab"}, {"b", "aaab"}},
                   {"(?:ab)*?", {"", "abab"}, {"aba"}},
                   {"a??", {"", "a"}, {"aa"}},
                   {"a{0}", {""}, {"a"}},
                   {"(a*)*", {"", "aaa"}, {"b"}},
                   {"(a|b*)+c", {"c", "abbac"}, {"ab"}}});
  ExpectPythonWhole({{"a{,2}", {"", "a", "aa"}, {"aaa"}}, {"a{,}", {"", "aaaa"}, {}}});
}

TEST(RegexTest, CountsFarWithoutUnrolling) {
  ExprPool pool;
  const auto language = ParseRegex("^(?:[a-z]{2}){1000,1000000}$", RegexFlavour::kEcma, RegexMatch::kSearch, pool);
  ASSERT_TRUE(language.has_value()) << language.error().message;
  EXPECT_LT(pool.size(), 100u);
  EXPECT_FALSE(pool.IsNullable(pool.Next(*language, std::string(1998, 'x'))));
  EXPECT_FALSE(pool.IsNullable(pool.Next(*language, std::string(2001, 'x'))));
  EXPECT_TRUE(pool.IsNullable(pool.Next(*language, std::string(2002, 'x'))));
}

TEST(RegexTest, ReadsEcmaEscapes) {
  ExpectEcmaWhole({{R"(\x41\u0042\u{43}\u{1F600})", {"ABC😀"}, {}},
                   {R"(\ud83d\ude00)", {"😀"}, {}},
                   {R"([\ud83d\ude00-\ud83d\ude4f])", {"😀", "🙏"}, {"a"}},
                   {R"(\ud83d|a)", {"a"}, {"😀"}},  // a surrogate alone is in no text
                   {R"([^\ud83d])", {"a", "😀"}, {""}},
                   {R"(\cA\cj\0)", {std::string_view("\x01\n\0", 3)}, {}},
                   {R"(\t\n\v\f\r)", {"\t\n\v\f\r"}, {}},
                   {R"([\b])", {"\b"}, {"b"}},
                   {R"(\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/)", {"^$\\.*+?()[]{}|/"}, {}}});
}

TEST(RegexTest, KeepsEcmaClassesToAscii) {
  ExpectEcmaWhole({{R"(\d)", {"7"}, {"x", "٣"}},
                   {R"(\D)", {"x", "٣"}, {"7"}},
                   {R"(\w+)", {"aZ_9"}, {"é", "-"}},
                   {R"(\W)", {"é", "-"}, {"a"}},
                   {R"(\s)", {" ", "\t", "\u00A0", "\uFEFF", "\u2028", "\u3000"}, {"\u200B", "\u0085", "x"}},
                   {R"(\S)", {"\u0085", "x"}, {"\uFEFF"}},
                   {".", {"a", "é", "😀", "\u0085"}, {"\n", "\r", "\u2028", "\u2029", ""}},
                   {"[]", {}, {"", "a", "]"}},
                   {"[^]", {"a", "\n"}, {""}},
                   {R"([\w-.])", {"a", "-", "."}, {"+"}},
                   {R"([.-\w])", {"a", "-", "."}, {"/"}},
                   {R"([\d-])", {"1", "-"}, {"a"}},
                   {R"([-a])", {"-", "a"}, {"b"}},
                   {R"([^\W\d])", {"a", "_"}, {"1", "-"}}});
}

TEST(RegexTest, KnowsPropertiesOfUnicode) {
  ExpectEcmaWhole({{R"(\p{Lu})", {"A", "É", "Ж"}, {"a", "1"}},
                   {R"(\p{Uppercase_Letter})", {"Ж"}, {"ж"}},
                   {R"(\p{gc=Nd}\p{digit})", {"1٣"}, {"x1"}},
                   {R"(\P{L})", {"1", " "}, {"a"}},
                   {R"(\p{Script=Greek}\p{sc=Grek})", {"αω"}, {"ab"}},
                   {R"(\p{Script_Extensions=Hira})", {"ー", "あ"}, {"a"}},
                   {R"(\p{sc=Hira})", {"あ"}, {"ー"}},
                   {R"(\p{Emoji_Presentation})", {"😀"}, {"1"}},
                   {R"(\p{Alphabetic}\p{ASCII}\p{Any})", {"éa😀"}, {"1a1"}},
                   {R"([\p{L}\p{N}-]+)", {"é9-"}, {"_"}},
                   {R"(\p{L}cole)", {"école"}, {"1cole"}}});
  ExpectPythonWhole({{R"(\pL\p{^Lu}\p{L&}\p{Greek})", {"Aaaα"}, {"AAaα"}}});
}

TEST(RegexTest, TakesWhatIsPlainThoughEcmaForbidsIt) {
  ExpectEcmaWhole({{R"(\-\_\!\:\"\%\@\ )", {"-_!:\"%@ "}, {}},
                   {R"(\é)", {"é"}, {}},
                   {"a{b}{1", {"a{b}{1"}, {"a"}},
                   {"{}x{,", {"{}x{,"}, {}},
                   {"a]b", {"a]b"}, {}},
                   {R"(\01)", {"\x01"}, {}},
                   {R"(\Aab\Z)", {"ab"}, {}},
                   {R"(\Aab\z)", {"ab"}, {}},
                   {"(?i)ab", {"AB", "ab"}, {}},
                   {"a(?i)b|c", {"aB", "C"}, {"Ab"}},
                   {"(?i:a)b", {"Ab", "ab"}, {"aB"}},
                   {"(?P<n>a)", {"a"}, {}},
                   {"(?<n>a)", {"a"}, {}},
                   {"(?=a)*a", {"a"}, {}},
                   {R"([[:alpha:]_])", {"a", "_"}, {"1", ":", "["}},
                   {R"([[:alpha:][:digit:]-]+)", {"a1-"}, {"_"}},
                   {R"([[:^alpha:]])", {"1"}, {"a"}},
                   {R"([[:alpha:])", {"[", ":", "a"}, {"b"}}});
}

TEST(RegexTest, ReadsPythonsClassesInUnicode) {
  ExpectPythonWhole({{R"(\d)", {"7", "٣"}, {"x", "²"}},
                     {R"(\w+)", {"aé_9²中"}, {"-", "\u0301"}},
                     {R"(\s)", {" ", "\u00A0", "\u0085", "\x1c"}, {"\uFEFF", "x"}},
                     {R"((?a)\w\d\s)", {"a1 "}, {"é1 ", "a٣ "}},
                     {R"((?a:\w)\w)", {"aé"}, {"éa"}},
                     {".", {"a", "\r", "\u2028"}, {"\n"}},
                     {"(?s).", {"\n"}, {}},
                     {"(?s:.).", {"\na"}, {"a\n"}},
                     {"[]a]", {"]", "a"}, {"b"}},
                     {"[^]a]", {"b"}, {"]", "a"}},
                     {"[[:alpha:]]", {"[]", ":]", "a]"}, {"a", "b"}},
                     {"[a&&b]", {"a", "&", "b"}, {"c"}},
                     {R"(\012\x41\u0042\U0001F600\a)", {"\nAB😀\a"}, {}},
                     {R"(\101[\101])", {"AA"}, {}}});
}

TEST(RegexTest, ReadsPythonsGroupsAndFlags) {
  ExpectPythonWhole({{"(?P<n>a)(?:b)(c)", {"abc"}, {}},
                     {"a(?#no, b)c*", {"a", "acc"}, {"ab"}},
                     {"a(?#x)*", {"", "aa"}, {}},
                     {"(?x) a b # c\n [ ] \\ ", {"ab  "}, {"ab"}},
                     {"(?x: a b) c", {"ab c"}, {"abc"}},
                     {"(?i:a)b", {"Ab"}, {"aB"}},
                     {"(?i)a(?-i:b)c", {"AbC"}, {"aBc"}},
                     {"(?is).", {"\n"}, {}}});
}

TEST(RegexTest, IgnoresCaseBySimpleFolding) {
  ExpectEcmaWhole({{"(?i)k", {"k", "K", "\u212A"}, {"c"}},
                   {"(?i)ß", {"ß", "ẞ"}, {"ss"}},
                   {"(?i)[^k]", {"a"}, {"K", "\u212A"}},
                   {"(?i)[а-я]+", {"ЖЯж"}, {"z"}},
                   {"(?i)i", {"i", "I"}, {"İ", "ı"}},
                   {R"((?i)\w)", {"ſ", "\u212A"}, {"é"}},
                   {R"(\w)", {"s"}, {"ſ"}},
                   {R"((?i)\p{Lu})", {"a", "A"}, {"1"}}});
  ExpectPythonWhole({{"(?i)i", {"i", "I", "İ", "ı"}, {}},
                     {"(?ia)k", {"k", "K"}, {"\u212A"}},
                     {"(?i)ﬅ", {"ﬆ"}, {"st"}},
                     {R"((?i)\W[\W])", {"\u0345\u0345"}, {"ιι"}},
                     {R"((?i)[\Wa]{2})", {"A\u0345"}, {"aι"}}});
}

TEST(RegexTest, AnchorsLinesWhenAsked) {
  ExpectPython({{"(?m)^b$", {"b", "a\nb", "b\na", "a\nb\nc"}, {"ab", "a\nbc"}},
                {"a$", {"a", "ba", "a\n"}, {"a\n\n", "ab"}},
                {"a\\Z", {"a"}, {"a\n"}},
                {"(?m)a\\Z", {"a"}, {"a\nb"}},
                {"\\Ab", {"b"}, {"a\nb"}},
                {"(?m)\\Ab", {"b"}, {"a\nb"}},
                {"$.^", {}, {"", "a", "\n"}}});
  ExpectPythonWhole({{"a$", {"a"}, {"a\n"}}, {"a$\\n", {"a\n"}, {"a"}}, {"a$\\n*", {"a", "a\n"}, {"a\n\n"}}});
  ExpectEcma({{"(?m)^b$", {"a\rb", "b\u2028a"}, {"ab"}}});
}

TEST(RegexTest, FindsBoundariesOfWords) {
  ExpectEcma({{R"(\bfoo\b)", {"foo", "a foo!", "é foo"}, {"afoo", "foo_", "fo"}},
              {R"(foo\B)", {"foob"}, {"foo", "foo "}},
              {R"(^\b)", {"a"}, {"", " a"}},
              {R"(^\B)", {"", " a"}, {"a"}},
              {R"(a\b\b|\b )", {"a", "x "}, {"", " "}},
              {R"(^(\b\w+\b *)+$)", {"ab cd", "a"}, {"", " a", "a-b"}},
              {R"(\b)", {"a", " a"}, {"", "  "}}});
  ExpectPython({{R"(\bfoo\b)", {"foo"}, {"éfoo", "foo中"}}, {R"((?a)\bfoo\b)", {"éfoo"}, {"afoo"}}});
}

TEST(RegexTest, LooksAhead) {
  ExpectEcma({{"^(?!foo)[a-z]+$", {"bar", "fo"}, {"foobar", "foo"}},
              {R"(^(?=.*\d)(?=.*[a-z])\w{4,}$)", {"abc1"}, {"abcd", "1234", "a1"}},
              {"^(?!foo$)", {"foobar", "bar", ""}, {"foo"}},
              {"^(?!.*--)[a-z-]+$", {"a-b"}, {"a--b"}},
              {"a(?=b)", {"ab", "xab"}, {"a", "ac"}},
              {"a(?!b)", {"a", "ac", "aba"}, {"ab"}},
              {"^(?:a(?=b)|c)[a-d]$", {"ab", "cb", "cd"}, {"ac"}},
              {"^@(a(?:(?!.*--)[a-]*a)?)/(a(?:(?!.*--)[a-]*a)?)$", {"@a/a", "@a-a/a-a"}, {"@a--a/a", "@a/a--a"}},
              {"^(?=a(?=b(?!c)))[a-c]+$", {"ab", "abb"}, {"abc", "ac"}},
              {R"(^(?=.*\bfoo\b)[a-z ]+$)", {"foo", "a foo b"}, {"afoo"}},
              {"(?!)", {}, {"", "a"}},
              {"^(?=)a$", {"a"}, {}}});
}

TEST(RegexTest, LooksBehind) {
  ExpectEcma({{"^(?!-)[a-z-]{1,3}(?<!-)$", {"a", "a-b"}, {"-a", "a-", "abcd"}},
              {"(?<=ab)c", {"abc", "xabc"}, {"c", "bc"}},
              {"(?<!ab)c", {"c", "bc", "abcc"}, {"abc"}},
              {"(?<=^|,)x", {"x", "a,x"}, {"ax"}},
              {"(?<=^a.*)b", {"ab", "axxb"}, {"b", "xab"}},
              {"^(?=a.c)[a-c]+(?<!bc)$", {"aac", "abcc"}, {"abc", "acb"}},
              {"^.*(?<!foo)(?=bar)bar$", {"bar", "xbar"}, {"foobar"}}});
}

TEST(RegexTest, LooksAroundInsideRepetitions) {
  ExpectEcma({{"^((?!mode)(?!Mode).)*$", {"", "amod", "x"}, {"mode", "a Mode"}},
              {"^(?:(?!ab)[ab])+c", {"ac", "bac"}, {"abc", "c"}},
              {"^<(?:(?!-->).)*-->$", {"<-->", "<a--->", "<--x-->"}, {"<-->-->", "<a"}},
              {"^(?:(?!aba|bb)[ab])*b$", {"b", "ab", "aab", "bab"}, {"abab", "bb", "abb"}},
              {"^(?:[ab](?!bb))*c", {"abc", "bbac", "bbc"}, {"abbc"}},
              {"^(a(,|$))*$", {"", "a", "a,a", "a,"}, {"aa", ",a"}},
              {"^(?:^a|b)+$", {"a", "ab", "b"}, {"ba", "aa"}},
              {"^(?:(?<=a)b|a){3}$", {"aba", "aab"}, {"abb", "bab"}},
              {"^(?:a(?=b|$)|b)*$", {"ab", "ba", "abab"}, {"aab"}},
              {"^(?:(?=ab)a|b){0,3}$", {"", "ab", "bab"}, {"a", "aab"}}});
}

TEST(RegexTest, TakesPossessiveMarksThatChangeNothing) {
  ExpectPythonWhole({{"a*+b", {"b", "aab"}, {"a"}},
                     {"(?:ab)++c", {"abc", "ababc"}, {"c"}},
                     {"[^,]*+,", {"ab,"}, {"ab"}},
                     {"(?>ab|cd)c", {"abc", "cdc"}, {"ab"}},
                     {R"((?>\d{4})-x)", {"1234-x"}, {"123-x"}},
                     {"a++", {"a", "aa"}, {""}}});
  ExpectPython({{"(?>a|ab)", {"a", "xab"}, {"b"}}, {"a(?=b*+)", {"a"}, {"b"}}});
}

TEST(RegexTest, NestsDeepOrSaysSo) {
  for (const std::size_t depth : {200u, 100'000u}) {
    const std::string pattern = std::string(depth, '(') + "a" + std::string(depth, ')');
    ExprPool pool;
    const auto language = ParseRegex(pattern, RegexFlavour::kEcma, RegexMatch::kWhole, pool);
    if (depth < 250) {
      ASSERT_TRUE(language.has_value());
      EXPECT_TRUE(pool.IsNullable(pool.Next(*language, "a")));
    } else {
      ASSERT_FALSE(language.has_value());
      EXPECT_EQ(language.error().code, ErrorCode::kTooComplex);
      EXPECT_EQ(language.error().at->column, 251u);
    }
  }
}

TEST(RegexTest, WritesFrequentShapesWithoutIntersections) {
  for (const std::string_view pattern :
       {"^ab+$", "^ab", "ab$", "^a|b$", "^(a|b)$", R"(\bab\b)", "^(?!-)[a-z-]+(?<!-)$"}) {
    ExprPool pool;
    const auto language = ParseRegex(pattern, RegexFlavour::kEcma, RegexMatch::kSearch, pool);
    ASSERT_TRUE(language.has_value());
    EXPECT_EQ(pool.ToText(*language).find('&'), std::string::npos) << pattern << ": " << pool.ToText(*language);
  }
}

}  // namespace
}  // namespace decant::grammar
