// The reader: what RFC 8259 allows, what it does not, and where a fault is.
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "core/utf8.h"
#include "gtest/gtest.h"
#include "json/value.h"
#include "json/writer.h"

namespace decant::json {
namespace {

Value ReadOrDie(std::string_view text) {
  Result<Value> value = Read(text, {});
  EXPECT_TRUE(value.has_value()) << text << "\n" << value.error().message;
  return value.has_value() ? *std::move(value) : Value();
}

std::string Rewritten(std::string_view text) {
  Writer writer;
  writer.Write(ReadOrDie(text));
  return writer.Take();
}

std::string MessageOf(std::string_view text, ReadOptions options = {}) {
  const Result<Value> value = Read(text, options);
  if (value.has_value()) return "was accepted";
  EXPECT_EQ(value.error().code, ErrorCode::kInvalidJson);
  EXPECT_TRUE(value.error().at.has_value());
  return value.error().message;
}

TEST(ReadTest, ReadsEveryKind) {
  EXPECT_TRUE(ReadOrDie("null").is_null());
  EXPECT_EQ(*ReadOrDie("true").if_bool(), true);
  EXPECT_EQ(*ReadOrDie(" false ").if_bool(), false);
  EXPECT_EQ(ReadOrDie("12").if_number()->text, "12");
  EXPECT_EQ(*ReadOrDie("\"a b\"").if_string(), "a b");
  EXPECT_TRUE(ReadOrDie("[]").if_array()->empty());
  EXPECT_TRUE(ReadOrDie("\t{ }\r\n").if_object()->empty());
  EXPECT_EQ(ReadOrDie("[1, [2, {\"a\": [3]}], 4]").if_array()->size(), 3u);
}

TEST(ReadTest, KeepsTheTextOfNumbers) {
  for (const char* text :
       {"0", "-0", "-0.0", "1", "10", "123456789012345678901234567890", "1.50", "1E5", "1e+05", "1e400", "-1e-400",
        "0.1000000000000000055511151231257827", "NaN", "-NaN", "Infinity", "-Infinity", "Inf", "-Inf"}) {
    EXPECT_EQ(ReadOrDie(text).if_number()->text, text);
    const std::string inside = std::string("[").append(text).append(",{\"a\":").append(text).append("}]");
    EXPECT_EQ(Rewritten(inside), inside);
  }
}

TEST(ReadTest, ReadsNumbersBesideStringsThatLookLikeThem) {
  const std::string text = R"({"1":"2","-3":4,"NaN":NaN,"a\"5":"\\6","I":["N",7,"\\"],"8":-9})";
  EXPECT_EQ(Rewritten(text), text);
}

TEST(ReadTest, GivesNamedNumbersTheirValues) {
  const Value value = ReadOrDie("[NaN,Infinity,-Infinity,Inf,-Inf]");
  const Array& array = *value.if_array();
  EXPECT_TRUE(std::isnan(array[0].AsDouble().value()));
  for (const std::size_t i : {1u, 3u}) EXPECT_EQ(array[i].AsDouble(), std::numeric_limits<double>::infinity());
  for (const std::size_t i : {2u, 4u}) EXPECT_EQ(array[i].AsDouble(), -std::numeric_limits<double>::infinity());
}

TEST(ReadTest, KeepsKeyOrderAndDuplicates) {
  const Value value = ReadOrDie(R"({"b":1,"a":2,"b":3,"":4})");
  const Object& object = *value.if_object();
  ASSERT_EQ(object.size(), 4u);
  EXPECT_EQ(object[0].first, "b");
  EXPECT_EQ(object[1].first, "a");
  EXPECT_EQ(object[2].first, "b");
  EXPECT_EQ(object[3].first, "");
  EXPECT_EQ(value.Find("b")->if_number()->text, "3");
}

TEST(ReadTest, DecodesEscapes) {
  EXPECT_EQ(*ReadOrDie(R"("\"\\\/\b\f\n\r\t")").if_string(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(*ReadOrDie(R"("\u0041\u00e9\u20AC\ud83d\ude42")").if_string(), "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82");
  EXPECT_EQ(*ReadOrDie("\"a\\u0000b\"").if_string(), std::string("a\0b", 3));
  EXPECT_EQ(*ReadOrDie("\"gr\xC3\xBC\xC3\x9F\x7F\"").if_string(), "gr\xC3\xBC\xC3\x9F\x7F");
}

TEST(ReadTest, SkipsAByteOrderMark) {
  EXPECT_EQ(ReadOrDie("\xEF\xBB\xBF 7").if_number()->text, "7");
  EXPECT_EQ(Read("\xEF\xBB\xBFx", {}).error().at->offset, 3u);
}

TEST(ReadTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(MessageOf(""), "JSON, line 1, column 1: expected a value, found the end of the text");
  EXPECT_EQ(MessageOf("  \n "), "JSON, line 2, column 2: expected a value, found the end of the text");
  EXPECT_EQ(MessageOf("[1 2]"), "JSON, line 1, column 4: expected ',' or ']', found '2'");
  EXPECT_EQ(MessageOf("[1,]"), "JSON, line 1, column 4: expected a value, found ']'");
  EXPECT_EQ(MessageOf("[1"), "JSON, line 1, column 3: expected ',' or ']', found the end of the text");
  EXPECT_EQ(MessageOf("{\n  \"a\" 1}"), "JSON, line 2, column 7: expected ':' after the key, found '1'");
  EXPECT_EQ(MessageOf("{\"a\":1 \"b\":2}"), "JSON, line 1, column 8: expected ',' or '}', found '\"'");
  EXPECT_EQ(MessageOf("{a:1}"), "JSON, line 1, column 2: expected a key in double quotes, found 'a'");
  EXPECT_EQ(MessageOf("{\"a\":1,}"), "JSON, line 1, column 8: expected a key in double quotes, found '}'");
  EXPECT_EQ(MessageOf("1 x"), "JSON, line 1, column 3: expected nothing after the value, found 'x'");
  EXPECT_EQ(MessageOf("{}{}"), "JSON, line 1, column 3: expected nothing after the value, found '{'");
  EXPECT_EQ(MessageOf("'a'"), "JSON, line 1, column 1: expected a value, found '''");
  EXPECT_EQ(MessageOf("]"), "JSON, line 1, column 1: expected a value, found ']'");
}

TEST(ReadTest, RefusesWhatIsAlmostANumber) {
  EXPECT_EQ(MessageOf("-"), "JSON, line 1, column 2: expected a digit after the minus, found the end of the text");
  EXPECT_EQ(MessageOf("[-x]"), "JSON, line 1, column 3: expected a digit after the minus, found 'x'");
  EXPECT_EQ(MessageOf("01"), "JSON, line 1, column 2: expected no digit after a leading zero, found '1'");
  EXPECT_EQ(MessageOf("1."),
            "JSON, line 1, column 3: expected a digit after the decimal point, found the end of the text");
  EXPECT_EQ(MessageOf("[1.e5]"), "JSON, line 1, column 4: expected a digit after the decimal point, found 'e'");
  EXPECT_EQ(MessageOf("1e"), "JSON, line 1, column 3: expected a digit in the exponent, found the end of the text");
  EXPECT_EQ(MessageOf("1e+"), "JSON, line 1, column 4: expected a digit in the exponent, found the end of the text");
  EXPECT_EQ(MessageOf("Nan"), "JSON, line 1, column 1: expected a value, found 'N'");
  for (const char* text : {"+1", ".5", "0x1", "1_000", "--1", "1-2", "nan", "inf", "Infinit", "NaN1", "1NaN", "1.2.3",
                           "1e5.0", "[1 .5]", "{1:2}", "{NaN:2}", "-Infinity1", "InfNaN"}) {
    EXPECT_NE(MessageOf(text), "was accepted") << text;
  }
}

TEST(ReadTest, RefusesBrokenLiterals) {
  for (const char* text : {"nul", "nulL", "tru", "truee", "fals", "True", "n", "[nul]", "[true false]", "undefined"}) {
    EXPECT_NE(MessageOf(text), "was accepted") << text;
  }
}

TEST(ReadTest, RefusesBrokenStrings) {
  EXPECT_EQ(MessageOf("\"abc"),
            "JSON, line 1, column 5: expected '\"' at the end of the string, found the end of the text");
  EXPECT_EQ(MessageOf(R"("\x41")"), "JSON, line 1, column 3: expected an escape that JSON knows, found 'x'");
  EXPECT_EQ(MessageOf(R"("\)"),
            "JSON, line 1, column 3: expected an escape that JSON knows, found the end of the text");
  EXPECT_EQ(MessageOf(R"("\u12g4")"), "JSON, line 1, column 2: \\u needs four hexadecimal digits");
  for (const char* text :
       {R"("\ud800")", R"("\ud800x")", R"("\ud800\u0041")", R"("\udc00")", R"(["\udfff\ud800"])", R"({"\udc00":1})"}) {
    EXPECT_NE(MessageOf(text).find("unpaired surrogate"), std::string::npos) << text << ": " << MessageOf(text);
  }
  for (const char* text : {"\"a\nb\"", "\"a\tb\"", "\"\x01\""}) {
    EXPECT_NE(MessageOf(text).find("control character"), std::string::npos) << MessageOf(text);
  }
}

TEST(ReadTest, RefusesANulAnywhere) {
  for (const std::string_view text :
       {std::string_view("1\0", 2), std::string_view("1 \0garbage", 10), std::string_view("\0", 1),
        std::string_view("[\0]", 3), std::string_view("\"\0\"", 3), std::string_view("{\"a\":1\0}", 8)}) {
    EXPECT_NE(MessageOf(text), "was accepted") << testing::PrintToString(std::string(text));
  }
}

TEST(ReadTest, AcceptsExactlyValidUtf8InStrings) {
  std::mt19937 random(9);
  for (int i = 0; i < 300000; ++i) {
    std::string bytes(1 + random() % 4, '\0');
    for (char& byte : bytes) byte = static_cast<char>(128 + random() % 128);
    const Result<Value> value = Read(std::string(1, '"') + bytes + '"', {});
    ASSERT_EQ(value.has_value(), core::IsValidUtf8(bytes)) << testing::PrintToString(bytes);
    if (value.has_value()) {
      ASSERT_EQ(*value->if_string(), bytes);
    }
  }
  EXPECT_EQ(MessageOf("\"ab\xFF\""), "JSON, line 1, column 4: expected UTF-8 in the string, found byte 0xff");
  EXPECT_NE(MessageOf("[\xC3\xA9]"), "was accepted");
}

TEST(ReadTest, CountsColumnsInCodePointsAndOffsetsInBytes) {
  const Result<Value> value = Read("[\n\"\xC3\xA9\xF0\x9F\x99\x82\" x]", {});
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error().at, (Position{.offset = 11, .line = 2, .column = 6}));
}

TEST(ReadTest, RefusesNestingPastTheBound) {
  EXPECT_TRUE(Read("[[[1]]]", {.max_depth = 3}).has_value());
  EXPECT_TRUE(Read("[[[1]],{\"a\":[]}]", {.max_depth = 3}).has_value());
  EXPECT_EQ(MessageOf("[[[1]]]", {.max_depth = 2}), "JSON, line 1, column 3: nested deeper than 2");
  EXPECT_EQ(MessageOf("[\n{\"a\":{}}]", {.max_depth = 2}), "JSON, line 2, column 6: nested deeper than 2");
  EXPECT_TRUE(Read("1", {.max_depth = 0}).has_value());
  EXPECT_NE(MessageOf("[]", {.max_depth = 0}), "was accepted");
  EXPECT_TRUE(Read(std::string(1000, '[') + std::string(1000, ']'), {}).has_value());
  EXPECT_FALSE(Read(std::string(1001, '[') + std::string(1001, ']'), {}).has_value());
}

TEST(ReadTest, ReadsAndForgetsAnyDepth) {
  constexpr std::size_t kDepth = 100000;
  std::string text;
  for (std::size_t i = 0; i < kDepth / 2; ++i) text += "[{\"a\":";
  text += "1";
  for (std::size_t i = 0; i < kDepth / 2; ++i) text += "}]";
  const Result<Value> value = Read(text, {.max_depth = kDepth});
  ASSERT_TRUE(value.has_value()) << value.error().message;
  Writer writer;
  writer.Write(*value);
  EXPECT_EQ(writer.text(), text);
  EXPECT_NE(MessageOf(std::string(kDepth, '['), {.max_depth = kDepth}), "was accepted");
}

TEST(ReadTest, RefusesEveryTruncation) {
  const std::string text = R"({"a":[1,-2.5e3,null,true,"x\u00e9"],"b":{}})";
  ReadOrDie(text);
  for (std::size_t n = 0; n < text.size(); ++n) {
    EXPECT_NE(MessageOf(std::string_view(text).substr(0, n)), "was accepted") << n;
  }
}

TEST(ReadTest, WithstandsDamagedText) {
  const std::string text = R"({"a":[1,-2.5e3,null,true,"x\u00e9\\"],"b":{"c":[[],{}]},"d":NaN,"e":-Infinity})";
  std::mt19937 random(10);
  int accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string damaged = text;
    for (std::size_t n = 1 + random() % 3; n > 0; --n) damaged[random() % text.size()] = text[random() % text.size()];
    const Result<Value> value = Read(damaged, {});
    if (!value.has_value()) {
      ASSERT_LE(value.error().at->offset, damaged.size());
      continue;
    }
    ++accepted;
    Writer writer;
    writer.Write(*value);
    ASSERT_TRUE(Read(writer.text(), {}).value() == *value) << damaged;
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace decant::json
