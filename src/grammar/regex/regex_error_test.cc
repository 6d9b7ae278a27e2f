// What is refused, and where the error points.
#include <string_view>

#include "grammar/regex/regex.h"
#include "gtest/gtest.h"

namespace decant::grammar {
namespace {

struct Case {
  std::string_view pattern;
  std::uint32_t column;
  std::string_view part;  // of the message
};

void Expect(ErrorCode code, RegexFlavour flavour, std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    ExprPool pool;
    const Result<Expr> language = ParseRegex(c.pattern, flavour, RegexMatch::kSearch, pool);
    if (language.has_value()) {
      ADD_FAILURE() << c.pattern << " is taken";
      continue;
    }
    const Error& error = language.error();
    EXPECT_EQ(error.code, code) << c.pattern << ": " << error.message;
    EXPECT_TRUE(error.message.contains(c.part)) << c.pattern << ": " << error.message;
    ASSERT_TRUE(error.at.has_value()) << c.pattern;
    EXPECT_EQ(error.at->column, c.column) << c.pattern << ": " << error.message;
    EXPECT_EQ(error.at->line, 1u);
  }
}

TEST(RegexErrorTest, RefusesWhatNeitherFlavourReads) {
  for (const RegexFlavour flavour : {RegexFlavour::kEcma, RegexFlavour::kPython}) {
    Expect(ErrorCode::kInvalidRegex, flavour,
           {{"*a", 1, "nothing to repeat"},
            {"a|+", 3, "nothing to repeat"},
            {"^*", 2, "nothing to repeat"},
            {"a**", 3, "right after another"},
            {"a{2}{3}", 5, "right after another"},
            {"{2}", 1, "nothing to repeat"},
            {"ab{3,2}", 3, "\"{3,2}\""},
            {"(a", 1, "does not end"},
            {"a)", 2, "without a \"(\""},
            {"x(?:a|(b)", 2, "does not end"},
            {"[a", 1, "does not end"},
            {"[b-a]", 2, "\"b-a\""},
            {"a\\", 2, "at its end"},
            {"[[:alpha:]\\", 11, "at its end"},
            {"\\y", 1, "\"\\\\y\""},
            {"[\\y]", 2, "\"\\\\y\""},
            {"\\xG1", 1, "2 hexadecimal digits"},
            {"\\u12", 1, "4 hexadecimal digits"},
            {"\\p{Nothing}", 1, "unknown property"},
            {"\\p{L", 1, "does not end"},
            {"(?<1>a)", 4, "name of a group"},
            {"(?<>a)", 4, "no name"},
            {"(?<n", 4, "no name"},
            {"(?q)", 3, "\"q\""},
            {"(?i", 1, "does not end"}});
  }
}

TEST(RegexErrorTest, RefusesWhatOneFlavourDoesNotRead) {
  Expect(ErrorCode::kInvalidRegex, RegexFlavour::kEcma,
         {{"a++", 3, "right after another"},
          {"a{,5}", 2, "plain text to others"},
          {"(?>a)", 3, "\">\""},
          {"\\a", 1, "stands for nothing"},
          {"\\u{110000}", 1, "10FFFF"},
          {"\\c1", 1, "without a letter"},
          {"[a-z&&[^b]]", 11, "looks as if it should end here"},
          {"[]a]", 4, "looks as if it should end here"},
          {"(?x)a", 3, "\"x\""}});
  Expect(ErrorCode::kInvalidRegex, RegexFlavour::kPython,
         {{"[\\w-.]", 2, "both sides"},
          {"a(?i)b", 2, "past the start"},
          {"(?P<a>x)(?P<a>y)", 13, "second group"},
          {"(?i-i:a)", 5, "on and off"},
          {"(?au)", 1, "at once"},
          {"\\z", 1, "stands for nothing"},
          {"[\\8]", 2, "hexadecimal"},
          {"(?#a", 1, "comment"}});
}

TEST(RegexErrorTest, CountsColumnsInCodePointsAndOffsetsInBytes) {
  ExprPool pool;
  const auto language = ParseRegex("é😀\\y", RegexFlavour::kEcma, RegexMatch::kSearch, pool);
  ASSERT_FALSE(language.has_value());
  EXPECT_EQ(language.error().at, (Position{.offset = 6, .line = 1, .column = 3}));
  const auto broken = ParseRegex("a\xFF", RegexFlavour::kEcma, RegexMatch::kSearch, pool);
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().code, ErrorCode::kInvalidUtf8);
  EXPECT_EQ(broken.error().at, (Position{.offset = 1, .line = 1, .column = 2}));
}

TEST(RegexErrorTest, SaysWhatIsNoRegularLanguageOrNotDone) {
  for (const RegexFlavour flavour : {RegexFlavour::kEcma, RegexFlavour::kPython}) {
    Expect(ErrorCode::kUnsupportedRegex, flavour,
           {{"(a)\\1", 4, "back-reference"},
            {"(?P<n>a)(?P=n)", 9, "back-reference"},
            {"(?(1)a|b)", 1, "conditional"},
            {"(?:(?=ab)a|b)+a", 14, "inside a repetition"},
            {"(?=ab).*(?<=cde)", 9, "look-behind"},
            {"(?<=a(?=b))b", 1, "inside a look-behind"}});
  }
  Expect(ErrorCode::kUnsupportedRegex, RegexFlavour::kEcma, {{"(?<n>a)\\k<n>", 8, "back-reference"}});
  Expect(ErrorCode::kUnsupportedRegex, RegexFlavour::kPython,
         {{"a*+a", 2, "changes what matches"},
          {"(?>a|ab)c", 1, "changes what matches"},
          {"(?>a*?)b", 5, "lazy"},
          {"\\N{DASH}", 1, "by its name"}});
}

TEST(RegexErrorTest, BoundsCounts) {
  Expect(ErrorCode::kTooComplex, RegexFlavour::kEcma, {{"a{1000000001}", 3, "at most 1000000000"}});
}

}  // namespace
}  // namespace decant::grammar
