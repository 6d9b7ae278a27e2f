// Each keyword by itself and with others: what passes and what does not, as a standard validator would say.
#include "grammar/json/rules.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grammar/json/accepts_for_test.h"

namespace decant::grammar {
namespace {

Result<std::unique_ptr<JsonRules>> RulesOf(std::string_view schema) {
  const Result<json::Value> value = json::Read(schema, {});
  if (!value.has_value()) return std::unexpected(value.error());
  auto pool = std::make_unique<ExprPool>();
  DECANT_TRY(SchemaDocument document, ReadSchema(*value, {}, *pool));
  return JsonRules::Make(std::move(document), std::move(pool), {});
}

struct Case {
  std::string schema;
  std::vector<std::string> accepted, refused;
};

void Check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    Result<std::unique_ptr<JsonRules>> rules = RulesOf(c.schema);
    ASSERT_TRUE(rules.has_value()) << c.schema << ": " << rules.error().message;
    const auto passes = [&](const std::string& text) { return Accepts(**rules, *json::Read(text, {})); };
    for (const std::string& text : c.accepted) EXPECT_TRUE(passes(text)) << c.schema << " should take " << text;
    for (const std::string& text : c.refused) EXPECT_FALSE(passes(text)) << c.schema << " should refuse " << text;
  }
}

TEST(JsonRulesTest, ScalarsOfOneKindLeaveOtherKindsAlone) {
  Check({
      {R"({"type": "integer"})", {"1", "1.0", "-2e2"}, {"1.5", "\"1\"", "true"}},
      {R"({"minimum": 3})", {"3", "\"x\"", "[]"}, {"2.999"}},
      {R"({"type": ["string", "null"], "maxLength": 2})", {"null", "\"ab\"", "\"\""}, {"\"abc\"", "0"}},
      {R"({"enum": [1, "a", [1, {"b": 2}], null]})",
       {"1.0", "\"a\"", "[1,{\"b\":2}]", "null"},
       {"2", "[1]", "[1,{}]", "{}"}},
      {R"({"const": {"a": [9007199254740993]}})",
       {R"({"a":[9007199254740993]})"},
       {R"({"a":[9007199254740992]})", "{}"}},
      {R"({"not": {"type": "string"}})", {"1", "{}"}, {"\"a\""}},
      {R"({"pattern": "^[a-z]+$", "maxLength": 3})", {"\"abc\"", "7"}, {"\"abcd\"", "\"A\""}},
      {R"({"oneOf": [{"multipleOf": 3}, {"multipleOf": 5}]})", {"3", "5"}, {"15", "1", "\"x\""}},
  });
}

TEST(JsonRulesTest, MembersByNamePatternAndTheRest) {
  Check({
      {R"({"type": "object", "required": ["a"]})", {R"({"a":1})"}, {"{}", "[]"}},
      {R"({"properties": {"a": {"type": "integer"}}})", {R"({"a":1,"b":"x"})", "{}", "3"}, {R"({"a":"x"})"}},
      {R"({"properties": {"name": {"type": "string"}}, "patternProperties": {"^x_": {"type": "integer"}},
           "additionalProperties": false})",
       {R"({"name":"J","x_1":2})"},
       {R"({"x_1":"s"})", R"({"y":1})"}},
      {R"({"propertyNames": {"maxLength": 2}})", {R"({"ab":1})"}, {R"({"abc":1})"}},
      {R"({"minProperties": 2, "properties": {"a": {}, "b": {}}, "additionalProperties": false})",
       {R"({"a":1,"b":1})"},
       {R"({"a":1})"}},
      {R"({"maxProperties": 1, "required": ["a"]})", {R"({"a":1})"}, {R"({"b":1})", R"({"a":1,"b":1})"}},
      {R"({"dependentRequired": {"a": ["b"]}})", {R"({"a":1,"b":1})", "{}", R"({"b":1,"a":2})"}, {R"({"a":1})"}},
      {R"({"dependentSchemas": {"a": {"properties": {"b": {"type": "string"}}}}})",
       {R"({"a":1,"b":"x"})", R"({"b":1})"},
       {R"({"a":1,"b":1})", R"({"b":1,"a":1})"}},
      {R"({"properties": {"a": false}})", {R"({"b":1})"}, {R"({"a":1})"}},
  });
}

TEST(JsonRulesTest, ItemsByPlaceCountAndValue) {
  Check({
      {R"({"prefixItems": [{"type": "integer"}], "items": {"type": "string"}})",
       {"[]", "[1]", R"([1,"a"])"},
       {R"(["a"])", "[1,2]"}},
      {R"({"minItems": 2, "maxItems": 3})", {"[1,2]", "[1,2,3]"}, {"[1]", "[1,2,3,4]"}},
      {R"({"contains": {"const": 1}, "minContains": 2, "maxContains": 2})", {"[1,1]", "[1,0,1]"}, {"[1]", "[1,1,1]"}},
      {R"({"uniqueItems": true})",
       {"[1,2]", R"([{"a":1},{"a":2}])", "[1,true]"},
       {"[1,1.0]", R"([{"a":1,"b":2},{"b":2,"a":1}])"}},
      {R"({"items": {"enum": [1, 2]}, "uniqueItems": true, "minItems": 2})", {"[2,1]"}, {"[1]", "[1,2,1]"}},
      {R"({"prefixItems": [{"const": 1}], "unevaluatedItems": false})", {"[1]", "[]"}, {"[1,2]"}},
      {R"({"contains": {"type": "string"}, "unevaluatedItems": {"type": "integer"}})",
       {R"(["a",1])"},
       {R"(["a",null])"}},
  });
}

TEST(JsonRulesTest, BranchesStayTogether) {
  Check({
      {R"({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]})",
       {R"({"a":1})", R"({"b":1})"},
       {"{}", R"({"a":1,"b":1})"}},
      {R"({"anyOf": [{"properties": {"t": {"const": "x"}, "v": {"type": "integer"}}, "required": ["t", "v"]},
                     {"properties": {"t": {"const": "y"}, "v": {"type": "string"}}, "required": ["t", "v"]}]})",
       {R"({"t":"x","v":1})", R"({"v":"s","t":"y"})"},
       {R"({"t":"x","v":"s"})", R"({"v":1,"t":"y"})", R"({"t":"z","v":1})"}},
      {R"({"if": {"properties": {"k": {"const": 1}}, "required": ["k"]}, "then": {"required": ["a"]},
           "else": {"required": ["b"]}})",
       {R"({"k":1,"a":0})", R"({"b":0})", R"({"a":0,"k":1})"},
       {R"({"k":1,"b":0})", R"({"a":0})"}},
      {R"({"not": {"required": ["a"]}})", {"{}", R"({"b":1})"}, {R"({"a":1})", "1"}},
      {R"({"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false})", {R"({"a":1})"}, {R"({"b":1})"}},
      {R"({"anyOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}],
           "unevaluatedProperties": false})",
       {R"({"a":1})", R"({"b":1})", R"({"a":1,"b":2})"},
       {"{}", R"({"a":2,"b":1})", R"({"c":1,"b":1})"}},
  });
}

TEST(JsonRulesTest, RecursionEndsWhereTheSchemaLetsIt) {
  Check({
      {R"({"properties": {"next": {"$ref": "#"}}, "additionalProperties": false})",
       {"{}", R"({"next":{"next":{}}})"},
       {R"({"next":{"x":1}})"}},
      {R"({"$defs": {"t": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/t"}}]}}, "$ref": "#/$defs/t"})",
       {"1", "[[1],[]]"},
       {"\"x\"", "[[true]]"}},
  });
  for (const char* const schema :
       {R"({"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]})",
        R"({"type": "string", "enum": [1]})",
        R"({"type": "array", "minItems": 3, "uniqueItems": true, "items": {"type": "boolean"}})",
        R"({"type": "integer", "minimum": 3, "exclusiveMaximum": 4, "not": {"const": 3}})"}) {
    const auto rules = RulesOf(schema);
    ASSERT_FALSE(rules.has_value()) << schema;
    EXPECT_EQ(rules.error().code, ErrorCode::kUnsatisfiable) << schema;
  }
}

// Whether an object can be none of those left out depends on how many there are, also of what is in it.
TEST(JsonRulesTest, WhatIsLeftOutMayBeAllThereIs) {
  const std::string closed = R"("type": "object", "additionalProperties": false, )";
  Check({
      {"{" + closed +
           R"("properties": {"a": {"type": "object", "required": ["b"]}}, "not": {"const": {"a": {"b": 1}}}})",
       {"{}", R"({"a":{"b":2}})", R"({"a":{"b":1,"c":1}})"},
       {R"({"a":{"b":1}})"}},
      {"{" + closed +
           R"("properties": {"a": {"items": {"const": 1}}}, "required": ["a"], "not": {"const": {"a": [1]}}})",
       {R"({"a":[]})", R"({"a":[1,1]})"},
       {R"({"a":[1]})", "{}"}},
      {R"({"items": {)" + closed + R"("properties": {"a": {"const": {"b": 1}}}}, "uniqueItems": true, "minItems": 2})",
       {R"([{},{"a":{"b":1}}])"},
       {R"([{},{}])", R"([{"a":{"b":1}},{"a":{"b":1}}])", "[{}]"}},
      {R"({"type": "array", "contains": {"enum": [1, "a"]}, "minContains": 2, "uniqueItems": true})",
       {R"([1,"a"])", R"([0,"a",2,1])"},
       {R"(["a","a"])", R"([1,2])"}},
      {R"({"type": "object", "required": ["a"], "properties": {"a": {"const": []}}, "not": {"const": {"a": []}}})",
       {R"({"a":[],"b":0})"},
       {R"({"a":[]})"}},
  });
  for (const std::string& schema : {
           "{" + closed +
               R"("properties": {"a": {"const": {"b": 1}}}, "required": ["a"], "not": {"const": {"a": {"b": 1}}}})",
           "{" + closed +
               R"("properties": {"a": {"type": "array", "items": {"const": 1}, "maxItems": 1}}, "required": ["a"],
                             "not": {"enum": [{"a": [1]}, {"a": []}]}})",
           R"({"items": {)" + closed + R"("properties": {"a": {"const": [2]}}, "required": ["a"]}, "uniqueItems": true,
               "minItems": 2, "type": "array"})",
           "{" + closed + R"("properties": {"a": {"$ref": "#"}}, "not": {"const": {}}})",
           std::string(R"({"type": "array", "contains": {"const": "a"}, "minContains": 2, "uniqueItems": true})"),
           std::string(R"({"type": "array", "contains": {"enum": ["a", 1, 2]}, "minContains": 2, "uniqueItems": true,
                           "items": {"type": "string"}})"),
           std::string(R"({"type": "array", "uniqueItems": true, "minItems": 2, "items": {"const": "ab"},
                           "contains": {"minLength": 1}})"),
           std::string(R"({"type": "array", "uniqueItems": true, "minContains": 2,
                           "contains": {"type": "object", "propertyNames": false}})"),
           std::string(R"({"type": "array", "uniqueItems": true, "minItems": 2,
                           "items": {"type": "array", "prefixItems": [{"$ref": "#"}]}})"),
           std::string(R"({"type": "array", "uniqueItems": true, "minItems": 3,
                           "prefixItems": [{"enum": [1, 2]}, {"enum": [1, 2]}, {"enum": [1, 2]}]})"),
           std::string(R"({"type": "object", "propertyNames": {"const": "e"}, "minProperties": 2,
                           "dependentRequired": {"a": ["b"]}})"),
       }) {
    const auto rules = RulesOf(schema);
    ASSERT_FALSE(rules.has_value()) << schema;
    EXPECT_EQ(rules.error().code, ErrorCode::kUnsatisfiable) << schema;
  }
}

// A tag's values of every kind, named by constants or not, each of which decides which branches are left.
TEST(JsonRulesTest, AMemberDecidesTheBranches) {
  Check({
      {R"({"type": "object", "oneOf": [
             {"properties": {"t": {"const": 1}, "v": {"type": "integer"}}, "required": ["t", "v"]},
             {"properties": {"t": {"enum": [null, "x"]}, "v": {"type": "string"}}, "required": ["t", "v"]},
             {"properties": {"t": {"enum": ["x", "y"]}, "w": {}}, "required": ["t", "w"]},
             {"properties": {"t": {"type": "string", "pattern": "^[xz]"}, "v": false}, "required": ["t"]}]})",
       {R"({"t":1.0,"v":2})", R"({"t":null,"v":""})", R"({"v":"","t":"x"})", R"({"t":"y","w":0})", R"({"t":"zz"})",
        R"({"t":"x"})"},
       {R"({"t":1})", R"({"t":1,"v":""})", R"({"t":"x","w":0})", R"({"t":"y"})", R"({"t":"zz","v":0})",
        R"({"t":2,"v":2})"}},
      {R"({"type": "object", "properties": {"t": {"enum": ["a", "b", "c"]}},
           "if": {"properties": {"t": {"const": "a"}}, "required": ["t"]}, "then": {"required": ["x"]},
           "else": {"if": {"properties": {"t": {"enum": ["a", "b"]}}}, "then": {"not": {"required": ["x"]}}}})",
       {R"({"t":"a","x":0})", R"({"x":0,"t":"a"})", R"({"t":"b"})", R"({"t":"c","x":0})", "{}"},
       {R"({"t":"a"})", R"({"t":"b","x":0})", R"({"x":0})", R"({"t":"d"})"}},
      {R"({"type": "object", "anyOf": [{"properties": {"n": {"enum": [1, 1e400]}}, "required": ["n", "a"]},
                                       {"properties": {"n": {"enum": [[2], 3]}}, "required": ["n", "b"]}]})",
       {R"({"n":1,"a":0})", R"({"n":[2],"b":0})", R"({"b":0,"n":3})"},
       {R"({"n":1,"b":0})", R"({"n":3,"a":0})", R"({"n":[3],"b":0})", R"({"n":2,"a":0,"b":0})"}},
  });
}

TEST(JsonRulesTest, ManyBranchesStayLinear) {
  std::string pairs, tags;
  for (int i = 0; i < 14; ++i) {
    const std::string a = "a" + std::to_string(i), b = "b" + std::to_string(i);
    pairs += (i == 0 ? "" : ",") + (R"({"anyOf":[{"required":[")" + a + R"("]},{"required":[")" + b + R"("]}]})");
  }
  for (int i = 0; i < 60; ++i) {
    tags += (i == 0 ? "" : ",") + (R"({"properties":{"t":{"const":"k)" + std::to_string(i) + R"("},"v":{"minimum":)" +
                                   std::to_string(i) + R"(}},"required":["t","v"]})");
  }
  std::string all = "{", twice = "{";
  for (int i = 0; i < 14; ++i) all += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + "\":1";
  for (int i = 0; i < 13; ++i) twice += (i == 0 ? "\"b" : ",\"b") + std::to_string(i) + "\":1";
  Check({
      {R"({"type":"object","allOf":[)" + pairs + "]}", {all + "}"}, {twice + "}"}},
      {R"({"oneOf":[)" + tags + "]}",
       {R"({"t":"k7","v":7})", R"({"v":80,"t":"k59"})"},
       {R"({"t":"k7","v":6})", R"({"t":"k7"})"}},
  });
}

}  // namespace
}  // namespace decant::grammar
