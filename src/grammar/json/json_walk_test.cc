// Masks against the machine itself: a bit is set exactly when the token's bytes can be taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "decant/constraint.h"
#include "grammar/json/constraint_for_test.h"
#include "grammar/mask_words.h"

namespace decant::grammar {
namespace {

// Pieces that JSON texts are made of, and pieces that they never have.
const std::vector<std::string>& Pieces() {
  static const std::vector<std::string> pieces = {
      "{",     "}",      "[",    "]",     ":",    ",",        "\"",       " ",    "  ",   "\n",   "\t",  "\r\n",
      "a",     "b",      "ab",   "name",  "age",  "x",        "1",        "2",    "10",   "-",    ".",   "e",
      "e+3",   "0",      "true", "false", "null", "tr",       "ul",       "\\",   "\\u",  "0061", "\\n", "d83d",
      "\\ude", "\xc3",   "\xa9", "é",     "日",   "\xf0\x9f", "\x98\x80", "{\"",  "\":",  "\": ", "\",", "\"}",
      "\"]",   "\", \"", "},",   "}]",    "],",   ", ",       ": ",       "\x01", "\x7f", "/",    "9",   "99"};
  return pieces;
}

std::vector<std::string> RandomTokens(std::mt19937& random, std::size_t count) {
  std::vector<std::string> tokens = {"{", "}", "[", "]", ":", ",", "\"", "a", "b",
                                     "1", "0", "t", "r", "u", "e", "n",  "l"};
  while (tokens.size() < count) {
    std::string token;
    const std::size_t pieces = 1 + random() % 4;
    for (std::size_t i = 0; i < pieces; ++i) token += Pieces()[random() % Pieces().size()];
    tokens.push_back(std::move(token));
  }
  return tokens;
}

struct WalkCase {
  const char* name;
  std::string schema;
  JsonSchemaOptions options = {};
};

class JsonWalkTest : public testing::TestWithParam<WalkCase> {};

void CheckMask(const Constraint& constraint, const SmallVocabulary& vocabulary, const std::string& text) {
  std::vector<std::uint32_t> mask(WordsFor(vocabulary.texts.size()), ~0U);
  constraint.FillMask(mask);
  for (TokenId token = 0; token < vocabulary.texts.size(); ++token) {
    const TokenId one = token;
    ASSERT_EQ(HasToken(mask, token), constraint.Validate({&one, 1}) == 1)
        << "after " << text << ": token " << token << " '" << vocabulary.texts[token] << "'";
  }
}

// The masks along a random way, from where the constraint stands after `text`.
void CheckWalk(Constraint& constraint, const SmallVocabulary& vocabulary, std::string text, int steps,
               std::mt19937& random) {
  for (int step = 0; step < steps; ++step) {
    ASSERT_NO_FATAL_FAILURE(CheckMask(constraint, vocabulary, text));
    std::vector<TokenId> allowed;
    for (TokenId token = 0; token < vocabulary.end; ++token) {
      if (constraint.Validate({&token, 1}) == 1) allowed.push_back(token);
    }
    if (allowed.empty()) break;
    const TokenId token = allowed[random() % allowed.size()];
    ASSERT_TRUE(constraint.Accept(token).has_value());
    text += vocabulary.texts[token];
  }
}

TEST_P(JsonWalkTest, MasksAreWhatTheMachineTakes) {
  std::mt19937 random(20261130);
  for (int round = 0; round < 12; ++round) {
    const SmallVocabulary vocabulary(RandomTokens(random, 40 + 40 * static_cast<std::size_t>(round % 6)));
    const std::shared_ptr<const Grammar> grammar = MustCompile(vocabulary, GetParam().schema, GetParam().options);
    ASSERT_NE(grammar, nullptr);
    for (int walk = 0; walk < 6; ++walk) {
      ASSERT_NO_FATAL_FAILURE(CheckWalk(*grammar->Start(), vocabulary, "", 25, random));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schemas, JsonWalkTest,
    testing::Values(
        WalkCase{"Any", "{}"}, WalkCase{"AnyCompact", "{}", {.whitespace = JsonWhitespace::kCompact}},
        WalkCase{"AnySpaced", "{}", {.whitespace = JsonWhitespace::kSpaced}},
        WalkCase{"AnyTight", "{}", {.max_whitespace = 1}},
        WalkCase{"Names", R"({"properties": {"a": {"type": "integer"}, "ab": {}, "name": {"type": "string"}},
                             "required": ["a"]})"},
        WalkCase{"Closed", R"({"type": "object", "properties": {"a": {}, "ab": {"type": "boolean"}, "b": false},
                              "additionalProperties": false, "minProperties": 1})"},
        WalkCase{"InOrder",
                 R"({"type": "object", "properties": {"b": {}, "a": {}, "ab": {}}, "required": ["a"]})",
                 {.key_order = KeyOrder::kSchema}},
        WalkCase{"RequiredFirst",
                 R"({"type": "object", "properties": {"b": {}, "a": {}}, "required": ["a"]})",
                 {.key_order = KeyOrder::kRequiredFirst}},
        WalkCase{"Map", R"({"type": "object", "additionalProperties": {"type": "string", "maxLength": 3}})"},
        WalkCase{"Patterns", R"({"type": "object", "patternProperties": {"^a": {"type": "number"}, "b$": {}},
                                "additionalProperties": {"type": "null"}})"},
        WalkCase{"LimitedKeys", R"({"type": "object", "propertyNames": {"pattern": "^[ab]{1,2}$"}})"},
        WalkCase{"Numbers", R"({"items": {"type": "number", "minimum": -3, "exclusiveMaximum": 100,
                               "multipleOf": 0.5}})"},
        WalkCase{"Unique",
                 R"({"type": "array", "uniqueItems": true, "items": {"enum": ["a", "ab", 1, 10, null, [1]]}})"},
        WalkCase{"UniqueStrings", R"({"type": "array", "uniqueItems": true, "items": {"type": "string"}})"},
        WalkCase{"UniqueFew", R"({"type": "array", "uniqueItems": true, "minItems": 2, "maxItems": 3,
                                 "items": {"enum": ["a", "ab", "b", ""]}})"},
        WalkCase{"UniqueByPlace", R"({"type": "array", "uniqueItems": true, "minItems": 2,
                                     "prefixItems": [{"enum": ["a", "b"]}, {"enum": ["a", "ab"]}],
                                     "items": {"enum": ["a", "b", "ab"]}})"},
        WalkCase{"UniqueObjects", R"({"type": "array", "uniqueItems": true, "items": {"type": "object",
                                     "properties": {"a": {"type": "string", "maxLength": 2}, "b": {"enum": [1, 10]},
                                                    "name": {}}, "additionalProperties": false}})"},
        WalkCase{"UniqueWithin", R"({"type": "array", "uniqueItems": true,
                                    "items": {"type": "array", "uniqueItems": true, "items": {"type": "string"}}})"},
        WalkCase{"Words", R"({"type": "array", "items": {"type": "string", "maxLength": 60,
                             "pattern": "^(?:\\S+\\s+){0,4}\\S+$"}})"},
        WalkCase{"UniqueAny", R"({"type": "array", "uniqueItems": true})"},
        WalkCase{"Strings", R"({"items": {"type": "string", "pattern": "^(a|b|é)+$", "maxLength": 4}})"},
        WalkCase{"Enum", R"({"enum": ["a", "ab", "name", "a\"b", "\n", 10, 1, true, {"a": [1]}, "é", "😀"]})"},
        WalkCase{"Choice", R"({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})"},
        WalkCase{"Watched", R"({"type": "object", "if": {"properties": {"a": {"const": "ab"}}, "required": ["a"]},
                               "then": {"required": ["b"]}})"},
        WalkCase{"Contains", R"({"type": "array", "contains": {"type": "string", "const": "a"}, "maxContains": 1})"}),
    [](const testing::TestParamInfo<WalkCase>& walk) { return walk.param.name; });

// Walks from beginnings that a random one seldom comes to: items that have to differ.
struct BegunCase {
  const char* name;
  std::string schema;
  std::vector<std::string> beginnings;
};

class JsonWalkBegunTest : public testing::TestWithParam<BegunCase> {};

TEST_P(JsonWalkBegunTest, MasksAreWhatTheMachineTakes) {
  std::mt19937 random(4);
  for (int round = 0; round < 10; ++round) {
    std::vector<std::string> tokens = RandomTokens(random, 200);
    for (const char* text :
         {"a\"",       "b\"",   "ab\"",     "aa\"}",     "a\"}",      "b\"},",  "b\"},{\"", "a\"},{\"a\":\"",
          "\"]",       "a\"]]", "b\",\"",   "a\",\"b\"", "ab\"],[\"", "\",\"a", "a\",[",    "\"},{}]",
          "\\u0061\"", "b\",1", "\",\"\"]", "5",         "7",         "3",      "-",        ".",
          "8",         "-0",    "0.",       "1e",        "e1",        "e-",     "0e",       "e30",
          "e-1,",      "0]",    ".0,1"}) {
      tokens.emplace_back(text);
    }
    const SmallVocabulary vocabulary(tokens);
    const std::shared_ptr<const Grammar> grammar = MustCompile(vocabulary, GetParam().schema);
    ASSERT_NE(grammar, nullptr);
    for (const std::string& beginning : GetParam().beginnings) {
      std::unique_ptr<Constraint> constraint = grammar->Start();
      for (const char byte : beginning) {
        const auto token = std::ranges::find(vocabulary.texts, std::string(1, byte)) - vocabulary.texts.begin();
        ASSERT_TRUE(constraint->Accept(static_cast<TokenId>(token)).has_value()) << beginning << " at " << byte;
      }
      ASSERT_NO_FATAL_FAILURE(CheckWalk(*constraint, vocabulary, beginning, 8, random));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schemas, JsonWalkBegunTest,
    testing::Values(
        BegunCase{"Objects",
                  R"({"uniqueItems": true, "items": {"properties": {"a": {"type": "string"}}}})",
                  {R"([{"a":")", R"([{"a":"a"},{"a":")", R"([{"a":"a"},{"a":"ab"},{"a":"a)", R"(["a",{"a":"a"},")",
                   R"([{"b":{"a":"a"}},{"b":{"a":")"}},
        BegunCase{"FewObjects",
                  R"({"uniqueItems": true, "minItems": 2, "maxItems": 4, "items": {"properties": {
                     "a": {"pattern": "^(a|b|ab)$", "type": "string"}}, "required": ["a"],
                     "additionalProperties": false, "type": "object"}})",
                  {R"([{"a":")", R"([{"a":"b"},{"a":")", R"([{"a":"b"},{"a":"ab"},{"a":")", R"([{"a":"b"},{"a":"a)"}},
        BegunCase{"ObjectsOfMoreMembers",
                  R"({"uniqueItems": true, "items": {"properties": {"a": {"pattern": "^(a|b)?$", "type": "string"},
                     "b": {"enum": ["a", "", 1]}}, "additionalProperties": false, "type": "object"}})",
                  {R"([{"a":"a"},{"a":")", R"([{"a":"a","b":1},{"b":1,"a":")", R"([{"b":""},{"a":""},{"b":")"}},
        BegunCase{"Branches",
                  R"({"uniqueItems": true, "minItems": 2, "items": {"type": "object", "required": ["a"],
                     "additionalProperties": false, "properties": {"a": true, "b": true}, "anyOf": [
                     {"properties": {"a": {"const": "a"}, "b": {"const": "b"}}},
                     {"properties": {"a": {"enum": ["b", "ab"]}}, "maxProperties": 1}]}})",
                  {R"([{"a":")", R"([{"a":"a"},{"a":")", R"([{"a":"ab"},{"a":"b"},{"a":")"}},
        BegunCase{"Arrays",
                  R"({"uniqueItems": true, "items": {"type": "array", "maxItems": 2, "items": {
                     "type": "string", "maxLength": 2}}})",
                  {R"([[")", R"([["a"],[")", R"([["a","b"],["a",")", R"([["a"],["b"],["a",")"}},
        BegunCase{"ListedArrays",
                  R"({"uniqueItems": true, "items": {"enum": [["a"], ["b"], ["ab"], ["a", "b"], [1], ["b", "a"]]}})",
                  {R"([[")", R"([["a"],[")", R"([["b","a"],["a","b"],[")", R"([["a"],["ab"],["b)"}},
        BegunCase{"Contained",
                  R"({"uniqueItems": true, "contains": {"const": {"a": "b"}}, "maxItems": 3, "items": {
                     "properties": {"a": {"type": "string"}}, "type": "object"}})",
                  {R"([{"a":")", R"([{"a":"b"},{"a":")", R"([{"a":"a"},{},{"a":")"}},
        BegunCase{"ByPlace",
                  R"({"uniqueItems": true, "minItems": 2, "items": false, "prefixItems": [
                     {"type": "string", "pattern": "^[ab]*$"}, {"enum": ["a", "ab"]}]})",
                  {R"([")", R"(["a)", R"(["b",")"}},
        BegunCase{"Within",
                  R"({"uniqueItems": true, "items": {"type": "array", "uniqueItems": true, "items": {
                     "type": "string", "pattern": "^[ab]{0,2}$"}}})",
                  {R"([["a","b"],["a",")", R"([["a"],[")", R"([["a","ab"],["a","b"],["a",")"}},
        BegunCase{"Integers",
                  R"({"uniqueItems": true, "items": {"type": "integer"}})",
                  {"[1,", "[1,10,1", "[0,", "[0,-", "[0,1,-1,-", "[1,10,1e", "[1,10,100,1e", "[7,70,70", "[7,70,70e",
                   "[7,50,5e-", "[10,0.", "[10,1.0"}},
        BegunCase{"Naturals",
                  R"({"uniqueItems": true, "items": {"type": ["integer", "null"], "minimum": 0}})",
                  {"[0,", "[1,-", "[null,0,", "[1,0", "[1,0e", "[0,0", "[1,10,1"}},
        BegunCase{"AnyNumbers",
                  R"({"uniqueItems": true, "items": {"type": "number"}})",
                  {"[1,", "[0,0.", "[0,-", "[0.1,1e", "[1e308,1e30", "[1e30,1e300,1e301,1e30", "[10,1e"}},
        BegunCase{"Mixed",
                  R"({"uniqueItems": true})",
                  {"[1,", R"(["a",{"a":"a"},")", R"([{"a":"a"},["a","b"],["a",")", R"([{"a":["b"]},{"a":[")",
                   R"([true,[true],[)", "[[1],[10],[1", R"([[],{},[)", R"([{"a":{"b":1}},{"a":{"b":)"}},
        BegunCase{"Forbidden",
                  R"({"not": {"items": {"const": {"a": "a"}}, "minItems": 1, "type": "array"},
                     "uniqueItems": true, "items": {"properties": {"a": {"type": "string"}}, "type": "object"}})",
                  {R"([{"a":")", R"([{"a":"a"},{"a":")"}}),
    [](const testing::TestParamInfo<BegunCase>& begun) { return begun.param.name; });

TEST(JsonWalkStructuralTest, HasPunctuationAndNamesOfTheGrammar) {
  const SmallVocabulary vocabulary(
      {"{", "\"", "{\"", "a", "na", "me", "\":", ": ", "\": \"", "x", "\"}", "}", "1", ",", "{\"na", "\": 1"});
  const std::shared_ptr<const Grammar> grammar =
      MustCompile(vocabulary, R"({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"],
                      "additionalProperties": false})");
  const std::unique_ptr<Constraint> constraint = grammar->Start();
  const auto structural = [&] {
    std::vector<std::uint32_t> row(WordsFor(vocabulary.texts.size()));
    constraint->FillStructural(row);
    std::vector<std::string> texts;
    for (TokenId token = 0; token < vocabulary.texts.size(); ++token) {
      if (HasToken(row, token)) texts.push_back(vocabulary.texts[token]);
    }
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(structural(), (Texts{"{", "{\"", "{\"na"}));
  ASSERT_TRUE(constraint->Accept(14).has_value());
  EXPECT_EQ(structural(), (Texts{"me"}));
  ASSERT_TRUE(constraint->Accept(5).has_value());
  EXPECT_EQ(structural(), (Texts{"\"", "\":", "\": \""}));
  ASSERT_TRUE(constraint->Accept(8).has_value());
  EXPECT_EQ(structural(), (Texts{"\"", "\"}"})) << "the text is the model's";
}

}  // namespace
}  // namespace decant::grammar
