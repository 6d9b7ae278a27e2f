// JSON values: exact numbers, lookup, and trees of any depth.
#include "json/value.h"

#include <cmath>
#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace decant::json {
namespace {

Value NumberValue(std::string text) { return Value(Number{std::move(text)}); }

Value Nested(std::size_t depth) {
  Value value(true);
  for (std::size_t i = 0; i < depth; ++i) {
    if (i % 2 == 0) {
      Array array;
      array.push_back(std::move(value));
      value = Value(std::move(array));
    } else {
      Object object;
      object.emplace_back("k", std::move(value));
      value = Value(std::move(object));
    }
  }
  return value;
}

TEST(ValueTest, NamesItsKind) {
  EXPECT_EQ(Value().kind(), "null");
  EXPECT_EQ(Value(false).kind(), "a boolean");
  EXPECT_EQ(NumberValue("1").kind(), "a number");
  EXPECT_EQ(Value(std::string("x")).kind(), "a string");
  EXPECT_EQ(Value(Array()).kind(), "an array");
  EXPECT_EQ(Value(Object()).kind(), "an object");
}

TEST(ValueTest, FindsTheLastOfEqualKeys) {
  const Value value(Object{{"a", NumberValue("1")}, {"b", NumberValue("2")}, {"a", NumberValue("3")}});
  ASSERT_NE(value.Find("a"), nullptr);
  EXPECT_EQ(value.Find("a")->if_number()->text, "3");
  EXPECT_EQ(value.Find("b")->if_number()->text, "2");
  EXPECT_EQ(value.Find("c"), nullptr);
  EXPECT_EQ(Value(Array()).Find("a"), nullptr);
}

TEST(ValueTest, ReadsDoublesCorrectlyRounded) {
  EXPECT_EQ(NumberValue("0.1").AsDouble(), 0.1);
  EXPECT_EQ(NumberValue("1e400").AsDouble(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(NumberValue("-1e400").AsDouble(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(NumberValue("9007199254740993").AsDouble(), 9007199254740992.0);
  EXPECT_TRUE(std::signbit(NumberValue("-0").AsDouble().value()));
  for (const char* name : {"Infinity", "Inf"}) {
    EXPECT_EQ(NumberValue(name).AsDouble(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(NumberValue(std::string("-") + name).AsDouble(), -std::numeric_limits<double>::infinity());
  }
  EXPECT_TRUE(std::isnan(NumberValue("NaN").AsDouble().value()));
  EXPECT_FALSE(Value(std::string("1")).AsDouble().has_value());
  EXPECT_FALSE(Value().AsDouble().has_value());
}

TEST(ValueTest, ReadsExactIntegersInAnySpelling) {
  for (const char* text : {"300", "300.0", "3e2", "3E+2", "0.3e3", "30.0e1", "3000e-1", "300.000e0"}) {
    EXPECT_EQ(NumberValue(text).AsInt64(), 300) << text;
    EXPECT_EQ(NumberValue(text).AsUint64(), 300u) << text;
  }
  for (const char* text : {"0", "-0", "0.0", "0e999", "-0.000e-99999999999999999999"}) {
    EXPECT_EQ(NumberValue(text).AsInt64(), 0) << text;
    EXPECT_EQ(NumberValue(text).AsUint64(), 0u) << text;
  }
  for (const char* text : {"3.5", "1e-1", "1e30", "1e99999999999999999999", "1e-99999999999999999999", "NaN",
                           "Infinity", "-Infinity", "18446744073709551616", "0.1e-5"}) {
    EXPECT_FALSE(NumberValue(text).AsInt64().has_value()) << text;
    EXPECT_FALSE(NumberValue(text).AsUint64().has_value()) << text;
  }
}

TEST(ValueTest, ReadsIntegersToTheEndsOfTheirTypes) {
  EXPECT_EQ(NumberValue("9223372036854775807").AsInt64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(NumberValue("9223372036854775808").AsInt64().has_value());
  EXPECT_EQ(NumberValue("-9223372036854775808").AsInt64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(NumberValue("-9223372036854775809").AsInt64().has_value());
  EXPECT_EQ(NumberValue("18446744073709551615").AsUint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(NumberValue("1844674407370955161.5e1").AsUint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(NumberValue("1e19").AsUint64(), 10000000000000000000u);
  EXPECT_FALSE(NumberValue("-1").AsUint64().has_value());
  EXPECT_EQ(NumberValue("-1.0").AsInt64(), -1);
}

TEST(ValueTest, ComparesKindTextAndOrder) {
  EXPECT_EQ(Value(), Value());
  EXPECT_NE(Value(), Value(false));
  EXPECT_NE(NumberValue("1"), NumberValue("1.0"));
  EXPECT_EQ(Nested(5), Nested(5));
  EXPECT_NE(Nested(5), Nested(6));
  EXPECT_NE(Value(Object{{"a", Value()}, {"b", Value()}}), Value(Object{{"b", Value()}, {"a", Value()}}));
  EXPECT_NE(Value(Array{Value()}), Value(Array{Value(), Value()}));
}

TEST(ValueTest, CopiesAreIndependent) {
  const Value original(Object{{"a", Value(Array{NumberValue("1"), Value(std::string("x"))})}, {"b", Value()}});
  Value copy = original;
  EXPECT_EQ(copy, original);
  copy.if_object()->front().second = Value(true);
  EXPECT_NE(copy, original);
  copy = original;
  EXPECT_EQ(copy, original);
  const Value& same = copy;
  copy = same;
  EXPECT_EQ(copy, original);
}

TEST(ValueTest, CopiesComparesAndDestroysAtAnyDepth) {
  Value deep = Nested(300000);
  Value copy = deep;
  EXPECT_TRUE(copy == deep);
  copy = Value();
  deep = Nested(100000);
  const Value moved = std::move(deep);
  EXPECT_NE(moved.if_object(), nullptr);
}

TEST(ValueTest, NamesAKeyThatAnObjectHasTwice) {
  EXPECT_EQ(RepeatedKey(*Read(R"({"b":1,"a":2,"b":3})", {})->if_object()), "b");
  EXPECT_EQ(RepeatedKey(*Read(R"({"b":1,"a":2})", {})->if_object()), std::nullopt);
}

}  // namespace
}  // namespace decant::json
