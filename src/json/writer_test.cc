// The writer: commas, escapes, numbers.
#include "json/writer.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace decant::json {
namespace {

std::string Quoted(std::string_view text) {
  Writer writer;
  writer.String(text);
  return writer.Take();
}

TEST(WriterTest, SeparatesMembersAndElements) {
  Writer writer;
  writer.BeginObject();
  writer.Key("a");
  writer.Int(-1);
  writer.Key("b");
  writer.BeginArray();
  writer.Null();
  writer.Bool(true);
  writer.BeginObject();
  writer.EndObject();
  writer.BeginArray();
  writer.EndArray();
  writer.String("x");
  writer.EndArray();
  writer.Key("c");
  writer.BeginObject();
  writer.Key("d");
  writer.Raw("[1]");
  writer.Key("e");
  writer.Uint(std::numeric_limits<std::uint64_t>::max());
  writer.EndObject();
  writer.EndObject();
  EXPECT_EQ(writer.text(), R"({"a":-1,"b":[null,true,{},[],"x"],"c":{"d":[1],"e":18446744073709551615}})");
}

TEST(WriterTest, WritesShortestDoublesAndNullForTheRest) {
  Writer writer;
  writer.BeginArray();
  for (const double value : {0.1, -0.0, 1.0, 5e-324, 1e22, std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    writer.Double(value);
  }
  writer.EndArray();
  EXPECT_EQ(writer.text(), "[0.1,-0,1,5e-324,1e+22,null,null,null]");
}

TEST(WriterTest, WritesTheEndsOfTheIntegers) {
  Writer writer;
  writer.BeginArray();
  writer.Int(std::numeric_limits<std::int64_t>::min());
  writer.Int(std::numeric_limits<std::int64_t>::max());
  writer.EndArray();
  EXPECT_EQ(writer.text(), "[-9223372036854775808,9223372036854775807]");
}

TEST(WriterTest, EscapesWhatMustBeEscaped) {
  EXPECT_EQ(Quoted("a\"b\\c/"), R"("a\"b\\c/")");
  EXPECT_EQ(Quoted("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(Quoted(std::string("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(Quoted(""), "\"\"");
}

TEST(WriterTest, PassesUnicodeAndReplacesInvalidBytes) {
  EXPECT_EQ(Quoted("gr\xC3\xBC\xC3\x9F \xF0\x9F\x99\x82"), "\"gr\xC3\xBC\xC3\x9F \xF0\x9F\x99\x82\"");
  EXPECT_EQ(Quoted("a\xFF\n\xE2\x82"), "\"a\xEF\xBF\xBD\\n\xEF\xBF\xBD\"");
}

TEST(WriterTest, EscapesKeysToo) {
  Writer writer;
  writer.BeginObject();
  writer.Key("a\n\"\xFF");
  writer.Null();
  writer.EndObject();
  EXPECT_EQ(writer.text(), "{\"a\\n\\\"\xEF\xBF\xBD\":null}");
}

TEST(WriterTest, ReadsBackEveryControlCharacterAndAscii) {
  std::string text;
  for (int c = 0; c < 128; ++c) text += static_cast<char>(c);
  const Result<Value> value = Read(Quoted(text), {});
  ASSERT_TRUE(value.has_value()) << value.error().message;
  EXPECT_EQ(*value->if_string(), text);
}

TEST(WriterTest, WritesValuesWithTheirNumberText) {
  const Value value(
      Object{{"n", Value(Number{"1.50e+0"})},
             {"list", Value(Array{Value(), Value(false), Value(std::string("s")), Value(Array()), Value(Object())})}});
  Writer writer;
  writer.BeginArray();
  writer.Write(value);
  writer.Write(Value());
  writer.EndArray();
  EXPECT_EQ(writer.text(), R"([{"n":1.50e+0,"list":[null,false,"s",[],{}]},null])");
}

}  // namespace
}  // namespace decant::json
