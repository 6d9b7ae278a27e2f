// Schemas as read: what each keyword of each draft accepts, where references lead, what is refused.
#include "grammar/schema/schema.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/schema/evaluate_for_test.h"
#include "gtest/gtest.h"

namespace decant::grammar {
namespace {

json::Value Json(std::string_view text) {
  Result<json::Value> value = json::Read(text, {.max_depth = 1'000'000});
  EXPECT_TRUE(value.has_value()) << text;
  return *std::move(value);
}

struct Case {
  std::string_view schema;
  std::vector<std::string_view> accepted;
  std::vector<std::string_view> refused;
};

void Check(const std::vector<Case>& cases, const SchemaReadOptions& options) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.schema);
    ExprPool pool;
    const Result<SchemaDocument> document = ReadSchema(Json(one.schema), options, pool);
    ASSERT_TRUE(document.has_value()) << document.error().message;
    EXPECT_TRUE(document->unenforced.empty());
    for (const std::string_view value : one.accepted) EXPECT_TRUE(Accepts(*document, Json(value), pool)) << value;
    for (const std::string_view value : one.refused) EXPECT_FALSE(Accepts(*document, Json(value), pool)) << value;
  }
}

Error ErrorOf(std::string_view schema, const SchemaReadOptions& options = {}) {
  ExprPool pool;
  const Result<SchemaDocument> document = ReadSchema(Json(schema), options, pool);
  EXPECT_FALSE(document.has_value()) << schema;
  return document.has_value() ? Error{} : document.error();
}

TEST(SchemaTest, ReadsScalars) {
  Check({{R"(true)", {"1", "null"}, {}},
         {R"(false)", {}, {"1", "null"}},
         {R"({"type":"integer"})", {"1", "1.0", "1e2", "-0"}, {"1.5", "\"1\"", "true"}},
         {R"({"type":["integer","number"]})", {"1.5"}, {"null"}},
         {R"({"type":["null","boolean"]})", {"null", "false"}, {"0"}},
         {R"({"enum":[1,"a",{"b":[1,2]}]})", {"1.0", "\"a\"", R"({"b":[1,2]})"}, {"2", R"({"b":[2,1]})"}},
         {R"({"enum":[]})", {}, {"1", "null"}},
         {R"({"const":9007199254740993})", {"9007199254740993"}, {"9007199254740992"}},
         {R"({"enum":[1,2],"const":2})", {"2"}, {"1"}},
         {R"({"minimum":1,"exclusiveMaximum":2})", {"1", "1.99", "\"\""}, {"0.99", "2"}},
         {R"({"multipleOf":0.01})", {"4.02"}, {"4.021"}},
         {R"({"minLength":2,"maxLength":3.0})", {"\"ab\"", "\"日本語\"", "1"}, {"\"a\"", "\"abcd\""}},
         {R"({"pattern":"[0-9]{2}"})", {"\"a12b\"", "12"}, {"\"1a2\""}},
         {R"({"minLength":3,"minLength":1})", {"\"a\""}, {"\"\""}}},
        {});
}

TEST(SchemaTest, CutsCountsThatNoTextReaches) {
  ExprPool pool;
  const auto read = [&pool](std::string_view schema) { return ReadSchema(Json(schema), {}, pool)->nodes.at(0); };
  EXPECT_EQ(read(R"({"minLength":18446744073709551615})").min_length, kUnbounded - 1);
  EXPECT_EQ(read(R"({"minItems":1e400})").min_items, kUnbounded - 1);
  EXPECT_EQ(read(R"({"minItems":1e99999999999})").min_items, kUnbounded - 1);
  EXPECT_EQ(read(R"({"maxItems":18446744073709551616000})").max_items, kUnbounded);
  EXPECT_EQ(read(R"({"maxProperties":1.0e1})").max_properties, 10u);
}

TEST(SchemaTest, ReadsArrays) {
  Check({{R"({"prefixItems":[{"type":"string"}],"items":{"type":"integer"}})",
          {"[]", R"(["a",1])"},
          {"[1]", R"(["a","b"])"}},
         {R"({"contains":{"const":1},"minContains":2,"maxContains":3})", {"[1,1,0]"}, {"[1]", "[1,1,1,1]"}},
         {R"({"contains":{"const":1},"minContains":0})", {"[]"}, {}},
         {R"({"minContains":5})", {"[]"}, {}},
         {R"({"uniqueItems":true})", {"[1,true,\"1\"]"}, {"[1,1.0]", R"([{"a":1,"b":2},{"b":2,"a":1}])"}},
         {R"({"contains":{"const":1},"unevaluatedItems":false})", {"[1]"}, {"[1,2]"}},
         // Forms of older drafts, where no draft is named.
         {R"({"items":[{"type":"string"}],"additionalItems":false})", {"[]", R"(["a"])"}, {"[1]", R"(["a",1])"}},
         {R"({"items":[]})", {"[1]"}, {}},
         {R"({"additionalItems":false})", {"[1]"}, {}},
         {R"({"items":{"type":"string"},"additionalItems":false})", {R"(["a","b"])"}, {"[1]"}}},
        {});
}

TEST(SchemaTest, ReadsObjects) {
  Check(
      {{R"({"properties":{"a":{"type":"integer"}},"patternProperties":{"^x_":{"type":"string"}},"additionalProperties":false})",
        {"{}", R"({"a":1,"x_b":"c"})"},
        {R"({"a":"b"})", R"({"x_b":1})", R"({"c":1})"}},
       {R"({"required":["a","a"],"maxProperties":1})", {R"({"a":1})", "[]"}, {"{}", R"({"a":1,"b":2})"}},
       {R"({"propertyNames":{"maxLength":1}})", {R"({"a":1})"}, {R"({"ab":1})"}},
       {R"({"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"required":["d"]}}})",
        {R"({"b":1})", R"({"a":1,"b":1})", R"({"c":1,"d":1})"},
        {R"({"a":1})", R"({"c":1})"}},
       {R"({"dependencies":{"a":["b"],"c":{"required":["d"]},"e":false}})",
        {R"({"a":1,"b":1})"},
        {R"({"a":1})", R"({"c":1})", R"({"e":1})"}},
       {R"({"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false})", {R"({"a":1})"}, {R"({"b":1})"}},
       {R"({"properties":{"a":{"type":"string"},"a":{"type":"integer"}}})", {R"({"a":1})"}, {R"({"a":"b"})"}}},
      {});
}

TEST(SchemaTest, ReadsCombinations) {
  Check({{R"({"anyOf":[{"type":"string"},{"minimum":2}]})", {"\"a\"", "2"}, {"1"}},
         {R"({"oneOf":[{"minimum":1},{"maximum":2}]})", {"0", "3"}, {"1.5"}},
         {R"({"not":{"type":"integer"}})", {"1.5"}, {"1"}},
         {R"({"if":{"type":"string"},"then":{"maxLength":1},"else":{"minimum":0}})", {"\"a\"", "1"}, {"\"ab\"", "-1"}},
         {R"({"then":false,"else":false})", {"1"}, {}}},
        {});
}

TEST(SchemaTest, KnowsWhichDraftHasWhat) {
  // By draft 4, 6, 7, 2019-09, 2020-12: whether the value is refused.
  const std::map<std::pair<std::string_view, std::string_view>, std::string_view> refused_by = {
      {{R"("const":1)", "2"}, ".xxxx"},
      {{R"("contains":{"type":"string"})", "[]"}, ".xxxx"},
      {{R"("contains":{"type":"string"},"maxContains":1)", R"(["a","b"])"}, "...xx"},
      {{R"("propertyNames":{"maxLength":1})", R"({"ab":1})"}, ".xxxx"},
      {{R"("if":{"type":"string"},"then":{"maxLength":1})", R"("ab")"}, "..xxx"},
      {{R"("dependentRequired":{"a":["b"]})", R"({"a":1})"}, "...xx"},
      {{R"("dependentSchemas":{"a":{"required":["b"]}})", R"({"a":1})"}, "...xx"},
      {{R"("dependencies":{"a":["b"]})", R"({"a":1})"}, "xxxxx"},
      {{R"("unevaluatedProperties":false)", R"({"a":1})"}, "...xx"},
      {{R"("unevaluatedItems":false)", "[1]"}, "...xx"},
      {{R"("contains":{"const":1},"unevaluatedItems":false)", "[1]"}, "...x."},
      {{R"("prefixItems":[false])", "[1]"}, "....x"},
      {{R"("$ref":"#/definitions/s","maxLength":1,"definitions":{"s":{"type":"string"}})", R"("ab")"}, "...xx"},
      {{R"("$ref":"#/$defs/s","$defs":{"s":{"type":"string"}})", "1"}, "xxxxx"},
      {{R"("divisibleBy":2)", "3"}, "....."},
      {{R"("type":"integer")", "1.0"}, "x...."},
      {{R"("format":"ipv4")", R"("1.2.3")"}, "xxxxx"},
  };
  const std::string_view drafts[] = {
      "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema",
      "https://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
      "https://json-schema.org/draft/2020-12/schema"};
  const std::string_view names[] = {"4", "6", "7", "2019-09", "2020-12"};
  for (const auto& [test, verdicts] : refused_by) {
    for (std::size_t draft = 0; draft < 5; ++draft) {
      const auto& [members, value] = test;
      ExprPool pool;
      const std::string named = R"({"$schema":")" + std::string(drafts[draft]) + R"(",)" + std::string(members) + "}";
      const Result<SchemaDocument> document = ReadSchema(Json(named), {}, pool);
      ASSERT_TRUE(document.has_value()) << named << ": " << document.error().message;
      EXPECT_EQ(Accepts(*document, Json(value), pool), verdicts[draft] == '.') << named << " " << value;
      const std::string unnamed = "{" + std::string(members) + "}";
      const Result<SchemaDocument> assumed = ReadSchema(Json(unnamed), {.default_draft = names[draft]}, pool);
      ASSERT_TRUE(assumed.has_value()) << unnamed << ": " << assumed.error().message;
      EXPECT_EQ(Accepts(*assumed, Json(value), pool), verdicts[draft] == '.') << unnamed << " as " << names[draft];
    }
  }
}

TEST(SchemaTest, ReadsExclusiveBoundsOfBothKinds) {
  const std::string_view draft4 =
      R"({"$schema":"http://json-schema.org/draft-04/schema#","minimum":3,"exclusiveMinimum":true})";
  Check({{draft4, {"4"}, {"3"}},
         {R"({"minimum":3,"exclusiveMinimum":true})", {"4"}, {"3"}},
         {R"({"minimum":3,"exclusiveMinimum":false})", {"3"}, {"2"}},
         {R"({"exclusiveMaximum":true})", {"3"}, {}}},
        {});
  const Error error = ErrorOf(R"({"$schema":"http://json-schema.org/draft-07/schema#","exclusiveMinimum":true})");
  EXPECT_EQ(error.message, "#: exclusiveMinimum is true; expected a number");
}

TEST(SchemaTest, FollowsReferences) {
  Check(
      {{R"({"$ref":"#/a~1b/%25c/0","a/b":{"%c":[{"type":"string"}]}})", {"\"\""}, {"1"}},
       {R"({"properties":{"n":{"$ref":"#"}},"additionalProperties":false})",
        {R"({"n":{"n":{}}})"},
        {R"({"n":{"m":1}})"}},
       {R"({"$ref":"#s","$defs":{"x":{"$anchor":"s","type":"string"}}})", {"\"\""}, {"1"}},
       {R"({"$id":"http://a.b/c/d","$ref":"e#/$defs/i","$defs":{"e":{"$id":"e","$defs":{"i":{"type":"string"}}}}})",
        {"\"\""},
        {"1"}},
       {R"({"$id":"http://a.b/c","$defs":{"e":{"$id":"http://x.y/z","$defs":{"i":{"type":"string"}},"$ref":"#/$defs/i"},
              "i":{"type":"integer"}},"$ref":"#/$defs/e"})",
        {"\"\""},
        {"1"}},
       {R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})",
        {"true", R"({"type":"string","$defs":{"a":{"minLength":1}}})"},
        {"1", R"({"type":"text"})", R"({"$defs":{"a":{"minLength":-1}}})"}},
       // What looks like a reference is none where a name or a value stands.
       {R"({"properties":{"$ref":{"type":"string"}}})", {R"({"$ref":"#/x"})"}, {R"({"$ref":1})"}},
       {R"({"enum":[{"$ref":"#/x"}]})", {R"({"$ref":"#/x"})"}, {"1"}},
       // The anchors of older drafts, where no draft is named.
       {R"({"$ref":"#s","definitions":{"x":{"id":"#s","type":"string"}}})", {"\"\""}, {"1"}}},
      {});
}

TEST(SchemaTest, IgnoresWhatStandsBesideAReferenceUpToDraft7) {
  Check({{R"({"$id":"http://a.b/c","properties":{"a":{"$id":"http://x.y/z","$ref":"#/definitions/s","maxLength":1}},
              "definitions":{"s":{"type":"string"}}})",
          {R"({"a":"bc"})"},
          {R"({"a":1})"}}},
        {.default_draft = "7"});
}

TEST(SchemaTest, SwitchesDraftWithASubschema) {
  Check({{R"({"$schema":"http://json-schema.org/draft-07/schema#","properties":{
              "a":{"$schema":"https://json-schema.org/draft/2020-12/schema","dependentRequired":{"b":["c"]}},
              "d":{"dependentRequired":{"b":["c"]}}}})",
          {R"({"d":{"b":1}})"},
          {R"({"a":{"b":1}})"}}},
        {});
}

TEST(SchemaTest, FollowsDynamicScope) {
  // A tree whose children are of the outermost kind: strict only when it is entered by the strict one.
  const std::string_view strict_tree = R"({
      "$id":"http://a.b/strict","$dynamicAnchor":"node","$ref":"tree","unevaluatedProperties":false,
      "$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","type":"object",
        "properties":{"value":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}}})";
  const std::string_view plain_tree = R"({
      "$id":"http://a.b/plain","$ref":"tree",
      "$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node","type":"object",
        "properties":{"value":true,"children":{"type":"array","items":{"$dynamicRef":"#node"}}}}}})";
  Check({{strict_tree, {R"({"children":[{"value":1}]})"}, {R"({"children":[{"extra":1}]})", R"({"children":[1]})"}},
         {plain_tree, {R"({"children":[{"extra":1}]})"}, {R"({"children":[1]})"}}},
        {});
}

TEST(SchemaTest, FollowsRecursiveReferences) {
  Check(
      {{R"({"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"http://a.b/strict","$recursiveAnchor":true,
              "$ref":"tree","unevaluatedProperties":false,"$defs":{"tree":{"$id":"tree","$recursiveAnchor":true,
              "type":"object","properties":{"child":{"$recursiveRef":"#"}}}}})",
        {R"({"child":{"child":{}}})"},
        {R"({"child":{"extra":1}})", R"({"child":1})"}},
       {R"({"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"http://a.b/strict","$ref":"tree",
              "$recursiveAnchor":true,"unevaluatedProperties":false,"$defs":{"tree":{"$id":"tree","type":"object",
              "properties":{"child":{"$recursiveRef":"#"}}}}})",
        {R"({"child":{"extra":1}})"},
        {R"({"child":1})", R"({"extra":1})"}}},
      {});
}

TEST(SchemaTest, LoadsDocuments) {
  const std::map<std::string, std::string, std::less<>> documents = {
      {"http://a.b/string.json", R"({"type":"string","$defs":{"short":{"maxLength":1,"$ref":"#"}}})"},
      {"http://a.b/old.json",
       R"({"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true})"},
      {"http://a.b/meta.json", R"({"$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{
          "https://json-schema.org/draft/2020-12/vocab/core":true,"http://a.b/own":false,
          "https://json-schema.org/draft/2020-12/vocab/applicator":true}})"},
      {"http://a.b/strange.json", R"({"$schema":"https://json-schema.org/draft/2020-12/schema","$vocabulary":{
          "https://json-schema.org/draft/2020-12/vocab/core":true,"http://a.b/own":true}})"},
  };
  SchemaReadOptions options;
  options.load = [&documents](std::string_view uri) -> std::optional<json::Value> {
    const auto document = documents.find(uri);
    return document == documents.end() ? std::nullopt : std::optional(Json(document->second));
  };
  Check({{R"({"$id":"http://a.b/c","$ref":"string.json#/$defs/short"})", {"\"a\""}, {"1", "\"ab\""}},
         {R"({"properties":{"a":{"$ref":"http://a.b/old.json"}}})", {R"({"a":2})"}, {R"({"a":1})"}},
         {R"({"$schema":"http://a.b/meta.json","properties":{"a":false,"b":{"minimum":3}}})",
          {R"({"b":1})"},
          {R"({"a":1})"}},
         {R"({"$schema":"http://a.b/absent.json","minimum":3})", {"3"}, {"2"}}},
        options);
  EXPECT_EQ(ErrorOf(R"({"$schema":"http://a.b/strange.json"})", options).code, ErrorCode::kUnenforceable);
  const Error error = ErrorOf(R"({"properties":{"a":{"$ref":"http://a.b/absent.json#/x"}}})", options);
  EXPECT_EQ(error.code, ErrorCode::kUnenforceable);
  EXPECT_EQ(error.subject, "#/properties/a: $ref");
  EXPECT_EQ(error.message,
            "#/properties/a: $ref leads to the document \"http://a.b/absent.json\", which is not at hand");
  // What is never reached is never asked for.
  Check({{R"({"$defs":{"a":{"$ref":"http://a.b/absent.json"}}})", {"1"}, {}}}, options);
}

TEST(SchemaTest, RefusesKeywordsOfTheWrongType) {
  const std::vector<std::pair<std::string_view, std::string_view>> errors = {
      {R"({"properties":{"a":{"minLength":-1}}})",
       "#/properties/a: minLength is -1; expected an integer of at least 0"},
      {R"({"minLength":1.5})", "#: minLength is 1.5; expected an integer of at least 0"},
      {R"({"maxItems":"3"})", "#: maxItems is \"3\"; expected an integer of at least 0"},
      {R"({"minimum":"3"})", "#: minimum is \"3\"; expected a number"},
      {R"({"multipleOf":0})", "#: multipleOf is 0; expected a number greater than 0"},
      {R"({"type":"text"})",
       "#: type is \"text\"; expected one or more of null, boolean, number, integer, string, array, object"},
      {R"({"enum":3})", "#: enum is 3; expected an array"},
      {R"({"required":"a"})", "#: required is \"a\"; expected an array of strings"},
      {R"({"required":[1]})", "#: required is 1; expected an array of strings"},
      {R"({"uniqueItems":1})", "#: uniqueItems is 1; expected true or false"},
      {R"({"anyOf":[]})", "#: anyOf is an array; expected an array of at least one schema"},
      {R"({"properties":[]})", "#: properties is an array; expected an object of schemas"},
      {R"({"properties":{"a/b":3}})",
       "#: properties: #/properties/a~1b is a number; expected a schema (an object or a boolean)"},
      {R"({"format":3})", "#: format is 3; expected a string"},
      {R"({"$ref":3})", "#: $ref is 3; expected a reference (a string)"},
      {R"({"$ref":"#/x"})", "#: $ref is \"#/x\", and # has no \"x\""},
      {R"({"$ref":"#x"})", "#: $ref is \"#x\", and no subschema has the anchor \"x\""},
      {R"({"$ref":"#/title","title":"t"})",
       "#: $ref leads to #/title, which is a string; expected a schema (an object or a boolean)"},
      {R"({"dependencies":{"a":"b"}})",
       "#: dependencies: #/dependencies/a is a string; expected a schema (an object or a boolean)"},
      {R"({"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]})",
       "#: items is an array; expected a schema (an object or a boolean)"},
      {R"([])", "#: the schema is an array; expected an object or a boolean"},
  };
  for (const auto& [schema, message] : errors) {
    const Error error = ErrorOf(schema);
    EXPECT_EQ(error.code, ErrorCode::kInvalidSchema) << schema;
    EXPECT_EQ(error.message, message);
    EXPECT_TRUE(error.subject.starts_with("#")) << error.subject;
  }
  const Error error = ErrorOf(R"({"items":{"pattern":"("}})");
  EXPECT_EQ(error.code, ErrorCode::kInvalidSchema);
  EXPECT_EQ(error.subject, "#/items: pattern");
  EXPECT_EQ(ErrorOf("true", {.default_draft = "8"}).subject, "default_draft");
}

TEST(SchemaTest, RefusesReferencesThatLeadBackInPlace) {
  for (const std::string_view schema :
       {R"({"$ref":"#"})", R"({"anyOf":[{"type":"string"},{"$ref":"#"}]})",
        R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}}})",
        R"({"dependentSchemas":{"a":{"$ref":"#"}}})"}) {
    EXPECT_EQ(ErrorOf(schema).code, ErrorCode::kUnsatisfiable) << schema;
  }
}

TEST(SchemaTest, LeavesOutWhatCannotBeEnforcedWhenThatIsAllowed) {
  ExprPool pool;
  const auto unenforced = [&pool](std::string_view schema) {
    const Result<SchemaDocument> document = ReadSchema(Json(schema), {.allow_unenforced = true}, pool);
    EXPECT_TRUE(document.has_value()) << document.error().message;
    return document->unenforced;
  };
  using Subjects = std::vector<std::string>;
  EXPECT_EQ(unenforced(R"({"minLength":1,"pattern":"(a)\\1"})"), Subjects{"#: pattern"});
  EXPECT_EQ(unenforced(R"({"items":{"$ref":"http://a.b/c"}})"), Subjects{"#/items: $ref"});
  EXPECT_EQ(unenforced(R"({"$schema":"http://json-schema.org/draft-03/schema#"})"), Subjects{"#: $schema"});
  EXPECT_EQ(unenforced(R"({"patternProperties":{"(a)\\1":{}},"additionalProperties":false})"),
            (Subjects{"#: patternProperties", "#: additionalProperties"}));
  // More at one place would be less at another.
  EXPECT_EQ(unenforced(R"({"not":{"pattern":"(a)\\1"}})"), (Subjects{"#/not: pattern", "#: not"}));
  EXPECT_EQ(unenforced(R"({"oneOf":[{"items":{"pattern":"(a)\\1"}},{"type":"string"}]})"),
            (Subjects{"#/oneOf/0/items: pattern", "#: oneOf"}));
  EXPECT_EQ(unenforced(R"({"$ref":"http://a.b/c","unevaluatedProperties":false})"),
            (Subjects{"#: $ref", "#: unevaluatedProperties"}));
  // A schema that is wrong stays wrong.
  EXPECT_EQ(ErrorOf(R"({"pattern":"("})", {.allow_unenforced = true}).code, ErrorCode::kInvalidSchema);
  EXPECT_EQ(ErrorOf(R"({"$ref":"#/x"})", {.allow_unenforced = true}).code, ErrorCode::kInvalidSchema);
}

TEST(SchemaTest, SharesNodes) {
  ExprPool pool;
  const SchemaDocument document =
      *ReadSchema(Json(R"({"$defs":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/s"},
                           "b":{"$ref":"#/$defs/s"},"c":{"$ref":"#/properties/a"}}})"),
                  {}, pool);
  EXPECT_EQ(document.nodes.size(), 5u);  // the root, a, b, c, s
}

TEST(SchemaTest, TakesAnyDepth) {
  constexpr int kDepth = 100'000;
  std::string text;
  for (int i = 0; i < kDepth; ++i) text += i % 2 == 0 ? R"({"items":)" : R"({"properties":{"a":)";
  text += "{}";
  for (int i = kDepth; i-- > 0;) text += i % 2 == 0 ? "}" : "}}";
  ExprPool pool;
  const Result<SchemaDocument> document = ReadSchema(Json(text), {}, pool);
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->nodes.size(), kDepth + 1u);
  EXPECT_LE(document->nodes.back().path.size(), 310u);
}

TEST(SchemaTest, BoundsWhatDynamicScopesUnfold) {
  // From each step to the next in two ways, of which one adds an anchor to the scope: 2^30 scopes.
  std::string text = R"({"$id":"http://a.b/r","$ref":"step0","$defs":{)";
  for (int i = 0; i < 30; ++i) {
    const std::string step = "step" + std::to_string(i);
    const std::string next = R"({"$ref":"step)" + std::to_string(i + 1) + R"("})";
    const std::string way = "way" + std::to_string(i);
    text += R"(")" + way + R"(":{"$id":")" + way + R"(","$dynamicAnchor":")" + way + R"(","items":)" + next + "},";
    text += R"(")" + step + R"(":{"$id":")" + step + R"(","prefixItems":[{"$ref":")" + way + R"("},)" + next + "]},";
  }
  text += R"("step30":{"$id":"step30"}}})";
  EXPECT_EQ(ErrorOf(text).code, ErrorCode::kTooComplex);
}

}  // namespace
}  // namespace decant::grammar
