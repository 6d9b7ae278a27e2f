// Constraints of schemas as a user has them: accept, roll back, fork, ends, what is expected.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decant/constraint.h"
#include "grammar/json/constraint_for_test.h"
#include "grammar/mask_words.h"

namespace decant::grammar {
namespace {

struct LanguageCase {
  std::string schema;
  std::vector<std::string> texts;
  std::vector<std::string> others;  // not of the language
};

void Check(const LanguageCase& language, const JsonSchemaOptions& options = {}) {
  const std::shared_ptr<const Grammar> grammar = MustCompile(ByteVocabulary(), language.schema, options);
  ASSERT_NE(grammar, nullptr);
  for (const std::string& text : language.texts) {
    EXPECT_TRUE(Accepts(*grammar, text)) << language.schema << " should have " << text;
  }
  for (const std::string& text : language.others) {
    EXPECT_FALSE(Accepts(*grammar, text)) << language.schema << " should not have " << text;
  }
}

TEST(JsonConstraintTest, TakesAnyJson) {
  Check({.schema = "{}",
         .texts = {"null", "true", "false", "0", "-0.5e+3", "\"\"", "\"a\\u00e9\\n\"", "[]", "{}", "[1,[2,{}]]",
                   "{\"a\": [1, 2.5e3, \"x\"], \"b\": {\"a\": null}}"},
         .others = {"",        "01",          "1.",       "+1",    ".5",         "tru", "[1,]",
                    "[,1]",    "{\"a\"}",     "{\"a\":}", "{,}",   "{\"a\":1,}", "\"a", "\"\t\"",
                    "\"\\x\"", "\"\\ud83d\"", "[1 2]",    "nul l", "{1:2}",      "1 2", "[1]]"}});
}

TEST(JsonConstraintTest, ComparesKeysAsDecoded) {
  Check({.schema = R"({"properties": {"a": {"type": "integer"}}})",
         .texts = {R"({"a": 1})", R"({"\u0061": 1})", R"({"b": "x"})", R"({"aa": "x", "A": "y"})"},
         .others = {R"({"a": "x"})", R"({"\u0061": "x"})", R"({"a": 1, "\u0061": 1})", R"({"b": 1, "\u0062": 2})"}});
}

TEST(JsonConstraintTest, LeavesOutKeysOfALimitedLanguageThatAreThere) {
  Check({.schema = R"({"propertyNames": {"enum": ["a", "b", "ab"]}, "type": "object"})",
         .texts = {"{}", R"({"a":1,"b":2,"ab":3})", R"({"ab":1,"a":2})"},
         .others = {R"({"a":1,"a":2})", R"({"c":1})", R"({"a":1,"b":2,"ab":3,"a":4})"}});
  const std::shared_ptr<const Grammar> grammar =
      MustCompile(ByteVocabulary(), R"({"propertyNames": {"enum": ["a", "b"]}, "type": "object", "maxProperties": 5})");
  const std::unique_ptr<Constraint> constraint = grammar->Start();
  EXPECT_EQ(TakeBytes(*constraint, R"({"a":1,"b":2,)"), 12U) << "no further key is left for the comma";
}

TEST(JsonConstraintTest, WhiteSpaceIsBounded) {
  const JsonSchemaOptions options = {.max_whitespace = 2};
  Check({.schema = "{}",
         .texts = {"[ \n1\t ,  2]", "{  }", "{ \"a\"  :\n\n1 }"},
         .others = {" 1", "1 ", "[1] ", "[   1]", "{\"a\":1   }", "{\"a\"   :1}"}},
        options);
}

TEST(JsonConstraintTest, CompactHasNoWhiteSpace) {
  Check({.schema = "{}", .texts = {"[1,2]", "{\"a\":[]}"}, .others = {"[1, 2]", "{ }", "{\"a\": 1}"}},
        {.whitespace = JsonWhitespace::kCompact});
}

TEST(JsonConstraintTest, SpacedHasOneSpaceAfterCommasAndColons) {
  Check(
      {.schema = "{}",
       .texts = {"[1, 2]", "{\"a\": [], \"b\": {}}", "[]", "{}"},
       .others = {"[1,2]", "{\"a\":1}", "[ 1]", "[1,  2]", "[1 , 2]", "[1,\n2]", "{\"a\" : 1}", "{\"a\": 1,\"b\": 2}"}},
      {.whitespace = JsonWhitespace::kSpaced});
}

TEST(JsonConstraintTest, KeysFollowTheOrderOfTheSchema) {
  const std::string schema = R"({"properties": {"c": {}, "a": {}, "b": {}}, "required": ["a"]})";
  Check({.schema = schema,
         .texts = {R"({"a":1})", R"({"c":1,"a":1})", R"({"c":1,"a":1,"b":1,"z":1})", R"({"a":1,"z":1,"y":1})"},
         .others = {R"({"a":1,"c":1})", R"({"b":1,"a":1})", R"({"z":1,"a":1})", R"({"a":1,"z":1,"b":1})"}},
        {.key_order = KeyOrder::kSchema});
  Check({.schema = schema,
         .texts = {R"({"a":1})", R"({"a":1,"c":1,"b":1})", R"({"a":1,"b":1,"z":1})"},
         .others = {R"({"c":1,"a":1})", R"({"a":1,"b":1,"c":1})", R"({"z":1,"a":1})"}},
        {.key_order = KeyOrder::kRequiredFirst});
}

TEST(JsonConstraintTest, TheOrderGivesWayBeforeADeadEnd) {
  Check({.schema = R"({"properties": {"a": {}, "b": {}}, "minProperties": 2, "additionalProperties": false})",
         .texts = {R"({"a":1,"b":1})"},
         .others = {R"({"a":1})"}},
        {.key_order = KeyOrder::kSchema});
}

TEST(JsonConstraintTest, AKeyThatLosesItsRulesDoesNotComeAgain) {
  Check({.schema = R"({"if": {"required": ["ab"]}, "else": {"properties": {"b": {"type": "null"}}}})",
         .texts = {R"({"ab":1,"b":2})"},
         .others = {R"({"ab":1,"ab":2})", R"({"ab":1,"c":2,"a\u0062":3})"}});
  Check({.schema = R"({"contains": {"not": {"required": ["a", "b"]}}})",
         .texts = {R"([{"b":1}])"},
         .others = {R"([{"b":1,"b":2}])", R"([{"a":1,"c":1,"a":2}])"}});
  Check({.schema =
             R"({"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "patternProperties": {"^x": {"type": "null"}}})",
         .texts = {R"({"a":1,"x":null})"},
         .others = {R"({"a":1,"x":null,"a":2})"}});
}

TEST(JsonConstraintTest, NumbersAreComparedByValue) {
  Check({.schema = R"({"type": "integer", "minimum": 3, "maximum": 120})",
         .texts = {"3", "3.0", "12e1", "1.2e2", "300e-2", "5.000"},
         .others = {"2", "121", "3.5", "-3", "1.21e2", "1e3"}});
  Check({.schema = R"({"enum": [9007199254740993, -0.0]})",
         .texts = {"9007199254740993", "0", "-0", "0.0e5", "9.007199254740993e15"},
         .others = {"9007199254740992", "9007199254740994", "1"}});
}

TEST(JsonConstraintTest, NumbersAreFinite) {
  Check({.schema = R"({"type": "number"})",
         .texts = {"1e308", "-1.7976931348623157e308", "5e-324", "1e-9999", "0e9999999999", "17976931348623157e292"},
         .others = {"1e309", "1.8e308", "-2e308", "62e402529521", "1" + std::string(309, '0'), "1e-9999999999"}});
  Check({.schema = R"({"not": {"type": "string"}})", .texts = {"1e308"}, .others = {"1e309", "[1, 1e309]"}});
  EXPECT_FALSE(CompileJsonSchema(ByteVocabulary().vocabulary, R"({"const": 1e400})", {}).has_value());
}

TEST(JsonConstraintTest, IntegersOfDraft4ArePlain) {
  const std::string head = R"({"$schema": "http://json-schema.org/draft-04/schema#", )";
  const std::string integer = R"("type": "integer")";
  Check({.schema = head + integer + "}",
         .texts = {"0", "-0", "1", "-120", "9007199254740993"},
         .others = {"1.0", "1e2", "1e0", "0.0", "1.5", "-0.0"}});
  Check({.schema = head + integer + R"(, "minimum": 3, "maximum": 120, "multipleOf": 2})",
         .texts = {"4", "120"},
         .others = {"3", "2", "122", "4.0", "12e1", "1200e-1"}});
  Check({.schema = head + R"("not": {"type": "integer"}})",
         .texts = {"1.0", "1e2", "1.5", "-0.0", "true", "[1]"},
         .others = {"1", "0", "-120"}});
  Check({.schema = head + R"("oneOf": [{"type": "integer"}, {"type": "number", "minimum": 5}]})",
         .texts = {"1", "-3", "5.0", "7e0", "5.5"},
         .others = {"5", "7", "1.0", "-3.0"}});
  Check({.schema = head + R"("type": ["integer", "number"]})", .texts = {"1", "1.0", "1e2"}, .others = {"true"}});
  Check({.schema = head + R"("enum": [1, 2.0]})", .texts = {"1", "1.0", "2", "2e0"}, .others = {"3"}});
  Check({.schema = head + R"("items": {"type": "integer"}, "uniqueItems": true, "type": "array"})",
         .texts = {"[1, 2]"},
         .others = {"[1.0]", "[1, 1]"}});
  Check({.schema = head + R"("type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"],
             "anyOf": [{"properties": {"a": {"type": "integer"}}}, {"required": ["b"]}]})",
         .texts = {R"({"a": 1})", R"({"a": 1.0, "b": 0})"},
         .others = {R"({"a": 1.0})"}});
}

TEST(JsonConstraintTest, UniqueItemsCompareValues) {
  Check({.schema = R"({"uniqueItems": true})",
         .texts = {R"([1,2,"1",true,null,[1],[1,1],{"a":1},{"a":1,"b":2}])", "[[],{}]"},
         .others = {"[1,1.0]", R"(["a","\u0061"])", R"([{"a":1,"b":[2]},{"b":[2.0],"a":1e0}])", "[null,null]",
                    "[[1,2],[1,2]]"}});
}

TEST(JsonConstraintTest, UniqueStringsCompareDecoded) {
  for (const char* item :
       {R"({"type": "string"})", R"({"type": "string", "pattern": "e"})", R"({"type": "string", "minLength": 1})"}) {
    Check({.schema = R"({"type": "array", "uniqueItems": true, "items": )" + std::string(item) + "}",
           .texts = {R"(["e","ee","eee"])", R"(["e","\u0065e"])", R"(["ée","e\u00e9"])", "[]"},
           .others = {R"(["e","e"])", R"(["e","\u0065"])", R"(["ea","e","e\u0061"])", R"(["\u00e9e","ée"])"}});
  }
  Check({.schema =
             R"({"uniqueItems": true, "items": {"uniqueItems": true, "items": {"type": "string"}, "type": "array"}})",
         .texts = {R"([["a","b"],["b","a"],[]])"},
         .others = {R"([["a","b"],["a","b"]])", R"([["a","a"]])", "[[],[]]"}});
}

TEST(JsonConstraintTest, ShortestEndsOfUniqueStringsAreNew) {
  const std::shared_ptr<const Grammar> grammar = MustCompile(
      ByteVocabulary(), R"({"type": "array", "uniqueItems": true, "minItems": 5, "items": {"type": "string"}})");
  for (const std::string text :
       {"[", R"([")", R"(["")", R"(["",)", R"(["",")", R"(["ab","","a",)", R"(["ab","","a","a)",
        R"(["ab","","a","abc","ab)", R"(["a","b","c","d","\u006)", R"(["a","b","c","d","a)"}) {
    const std::unique_ptr<Constraint> constraint = grammar->Start();
    ASSERT_EQ(TakeBytes(*constraint, text), text.size()) << text;
    const std::optional<std::string> end = constraint->ShortestEnd();
    ASSERT_TRUE(end.has_value()) << text;
    EXPECT_TRUE(Accepts(*grammar, text + *end)) << text << " and " << *end;
  }
}

TEST(JsonConstraintTest, ManyUniqueStringsForkAndRollBack) {
  const std::shared_ptr<const Grammar> grammar =
      MustCompile(ByteVocabulary(), R"({"type": "array", "uniqueItems": true, "items": {"type": "string"}})");
  const std::unique_ptr<Constraint> constraint = grammar->Start();
  std::string text = "[\"0\"";
  for (int i = 1; i < 2000; ++i) text += ",\"" + std::to_string(i) + "\"";
  ASSERT_EQ(TakeBytes(*constraint, text), text.size());
  const std::unique_ptr<Constraint> fork = constraint->Fork();
  EXPECT_EQ(TakeBytes(*fork, ",\"1234\""), 6U);  // not its closing quote
  constraint->RollBack(7);
  EXPECT_EQ(TakeBytes(*constraint, ",\"1999\",\"1998\""), 13U);
  std::vector<std::uint32_t> mask(WordsFor(257));
  constraint->FillMask(mask);
  EXPECT_FALSE(HasToken(mask, '"'));
  EXPECT_TRUE(HasToken(mask, '0'));
}

// A place with few values to choose from keeps one of them from the items before.
TEST(JsonConstraintTest, UniqueItemsLeaveWhatALaterPlaceNeeds) {
  const std::string unique = R"({"type": "array", "uniqueItems": true, )";
  struct Case {
    const char* rules;
    const char* text;
    std::size_t taken;
  };
  for (const Case& one : {
           Case{R"("prefixItems": [{"enum": ["", "x"]}], "items": {"const": ""}, "minItems": 2})", R"(["")", 2},
           Case{R"("prefixItems": [{"enum": ["a", "b"]}, {"const": "a"}], "minItems": 2})", R"(["a")", 2},
           Case{R"("prefixItems": [{"type": "boolean"}, {"const": true}], "minItems": 2})", "[true", 1},
           Case{R"("prefixItems": [{"type": "integer", "minimum": 1, "maximum": 2}, {"const": 1}], "minItems": 2})",
                "[1", 1},
           Case{R"("prefixItems": [{}, {"const": [1]}], "minItems": 2})", "[[1]", 3},
           Case{R"("prefixItems": [{}, {"type": "null", "maxItems": 1}], "minItems": 2})", "[null", 1},
           Case{R"("prefixItems": [{}, {"type": ["string", "boolean"], "pattern": "^[ab]$", "enum": ["a", 1]}],
                   "minItems": 2})",
                R"(["a")", 3},
           Case{R"("prefixItems": [{"enum": [1, 2, 3]}, {"enum": [1, 2]}, {"enum": [1, 2]}], "minItems": 3})", "[1,",
                1},
           Case{R"("prefixItems": [{"enum": [1, 2, 3]}, {"enum": [1, 2]}, {"enum": [1, 2]}]})", "[1,2]", 5},
           Case{R"("prefixItems": [{}, {"const": null}], "items": {"const": ""}, "contains": {"enum": [-1, ""]},
                   "minContains": 2})",
                R"([-1,null,""])", 12},
           Case{R"("prefixItems": [{}, {"const": null}], "items": {"const": ""}, "contains": {"enum": [-1, ""]},
                   "minContains": 2})",
                R"(["",)", 1},
       }) {
    const std::unique_ptr<Constraint> constraint = MustCompile(ByteVocabulary(), unique + one.rules)->Start();
    EXPECT_EQ(TakeBytes(*constraint, one.text), one.taken) << one.rules << " " << one.text;
    EXPECT_TRUE(constraint->IsProven());
    EXPECT_TRUE(constraint->ShortestEnd().has_value()) << one.rules << " " << one.text;
  }
}

// What an array remembers of its items decides only where an item ends, but for numbers of which few are left.
TEST(JsonConstraintTest, UniqueItemsThatAreRemembered) {
  const std::string unique = R"({"type": "array", "uniqueItems": true, "items": )";
  Check({.schema = unique + R"({"type": "integer"}})",
         .texts = {"[1,10,100,-1]", "[0]", "[7,70,7e2]", "[100,1e1,1]", "[5,50e-0]"},
         .others = {"[1,1]", "[10,1e1]", "[0,-0]", "[0,0.0e5]", "[70,7.0e1]", "[1,2,3,20e-1]"}});
  Check({.schema = unique + R"({"type": ["boolean", "number", "array"], "minimum": 0}})",
         .texts = {"[true,false,0,0.5,[],[0],[[]]]", "[1.5,15,[1.5]]"},
         .others = {"[true,true]", "[0,[],0.0]", "[1.5,15e-1]", "[[1],[1.0]]", "[-1]"}});
  Check({.schema = unique + R"({"type": "object", "properties": {"n": {"type": "integer"}}}})",
         .texts = {R"([{},{"n":1},{"n":2},{"n":1,"m":null}])"},
         .others = {"[{},{}]", R"([{"n":1},{"n":1e0}])", R"([{"a":1,"b":2},{"b":2,"a":1}])"}});
  struct Ends {
    std::string schema, text;
    std::size_t taken;
  };
  const std::string most = "1" + std::string(308, '0');
  for (const Ends& one : {
           Ends{R"({"type": "integer"}})", "[7,70,70e-", 9},
           Ends{R"({"type": "integer"}})", "[7,70e-1", 7},
           Ends{R"({"type": "integer"}})", "[7,71e-1", 7},
           Ends{R"({"type": "integer", "minimum": 0}})", "[0,-", 3},
           Ends{R"({"type": "integer", "minimum": 0}})", "[1,-0", 5},
           Ends{R"({"type": "number"}})", "[1e308,1e308", 11},
           Ends{R"({"type": "integer"}})", "[" + most + "," + most + "e0", 2 * most.size() + 3},
       }) {
    const std::shared_ptr<const Grammar> grammar = MustCompile(ByteVocabulary(), unique + one.schema);
    const std::unique_ptr<Constraint> constraint = grammar->Start();
    EXPECT_EQ(TakeBytes(*constraint, one.text), one.taken) << one.schema << one.text;
    const std::optional<std::string> end = constraint->ShortestEnd();
    ASSERT_TRUE(end.has_value()) << one.schema << one.text;
    EXPECT_EQ(TakeBytes(*constraint, *end), end->size()) << one.schema << one.text << *end;
    EXPECT_TRUE(IsComplete(*constraint)) << one.schema << one.text << *end;
  }
}

TEST(JsonConstraintTest, ShortestEndsOfRememberedItemsAreNew) {
  const std::string unique = R"({"type": "array", "uniqueItems": true, "minItems": 4, "items": )";
  std::string many = "[0";
  for (int i = 1; i < 1200; ++i) many += "," + std::to_string(i);
  struct Case {
    const char* item;
    std::string text;
  };
  for (const Case& one : {
           Case{R"({"type": "integer"}})", "["},
           Case{R"({"type": "integer"}})", "[1,10,11,1"},
           Case{R"({"type": "integer"}})", many + ",1"},
           Case{R"({"type": "integer"}})", many + ",12e"},
           Case{R"({"type": "integer"}})", many + ",-"},
           Case{R"({"type": "number"}})", many + ",0."},
           Case{R"({"type": "array"}})", "[[],[[]],[0],["},
           Case{R"({"type": "array"}})", "[[1],[1"},
           Case{R"({"type": "object"}})", "[{"},
           Case{R"({"type": "object"}})", R"([{},{"":0},{"a":1},{"a":1)"},
           Case{R"({"type": "object", "required": ["a"], "properties": {"a": {"const": 1}}}})", R"([{"a":1},{)"},
       }) {
    const std::shared_ptr<const Grammar> grammar = MustCompile(ByteVocabulary(), unique + one.item);
    const std::unique_ptr<Constraint> constraint = grammar->Start();
    ASSERT_EQ(TakeBytes(*constraint, one.text), one.text.size()) << one.text.substr(0, 40);
    const std::optional<std::string> end = constraint->ShortestEnd();
    ASSERT_TRUE(end.has_value()) << one.item << " " << one.text.substr(0, 40);
    EXPECT_TRUE(Accepts(*grammar, one.text + *end)) << one.text.substr(0, 40) << " and " << *end;
  }
}

TEST(JsonConstraintTest, MasksOfUniqueStringsAreOfTheirOwnArray) {
  for (const bool refused_first : {false, true}) {
    const std::shared_ptr<const Grammar> grammar =
        MustCompile(ByteVocabulary(), R"({"type": "array", "uniqueItems": true, "items": {"type": "string"}})");
    std::vector<std::uint32_t> mask(WordsFor(257));
    for (const bool is_refused : {refused_first, !refused_first, refused_first}) {
      const std::unique_ptr<Constraint> constraint = grammar->Start();
      const std::string text = is_refused ? R"(["xy","x)" : R"(["xz","x)";
      ASSERT_EQ(TakeBytes(*constraint, text), text.size());
      constraint->FillMask(mask);
      EXPECT_TRUE(HasToken(mask, '"'));
      ASSERT_EQ(TakeBytes(*constraint, "y"), 1U);
      constraint->FillMask(mask);
      EXPECT_EQ(HasToken(mask, '"'), !is_refused);
    }
  }
}

TEST(JsonConstraintTest, WatchedMembersDecideWhatFollows) {
  Check({.schema = R"({"if": {"properties": {"k": {"const": "a"}}, "required": ["k"]},
                      "then": {"required": ["x"]}, "else": {"required": ["y"]}, "type": "object"})",
         .texts = {R"({"k":"a","x":1})", R"({"k":"b","y":1})", R"({"y":1})", R"({"y":1,"x":1,"k":"a"})"},
         .others = {R"({"k":"a","y":1})", R"({"k":"b","x":1})", R"({})", R"({"x":1})"}});
  Check({.schema = R"({"type": "array", "contains": {"type": "number", "minimum": 5}, "minContains": 2})",
         .texts = {"[5,6]", "[1,5,2,7]", R"(["a",50,5.5])"},
         .others = {"[]", "[5]", "[1,2,3]", "[5,4]"}});
}

TEST(JsonConstraintTest, DeepNestingCostsNoStack) {
  const std::shared_ptr<const Grammar> grammar = MustCompile(ByteVocabulary(), "{}");
  const std::unique_ptr<Constraint> constraint = grammar->Start();
  constexpr std::size_t kDeep = 100'000;
  ASSERT_EQ(TakeBytes(*constraint, std::string(kDeep, '[')), kDeep);
  const std::unique_ptr<Constraint> fork = constraint->Fork();
  ASSERT_EQ(TakeBytes(*constraint, std::string(kDeep, ']')), kDeep);
  EXPECT_EQ(constraint->state(), ConstraintState::kMustEnd);
  EXPECT_EQ(fork->state(), ConstraintState::kOpen);
  EXPECT_EQ(fork->ShortestEnd(), std::string(kDeep, ']'));
}

TEST(JsonConstraintTest, ForksAndRollsBack) {
  const SmallVocabulary& bytes = ByteVocabulary();
  const std::shared_ptr<const Grammar> grammar = MustCompile(bytes, R"({"enum": [12, "ab"]})");
  const std::unique_ptr<Constraint> constraint = grammar->Start();
  ASSERT_EQ(TakeBytes(*constraint, "\"a"), 2U);
  const std::unique_ptr<Constraint> fork = constraint->Fork();
  ASSERT_EQ(TakeBytes(*constraint, "b\""), 2U);
  ASSERT_TRUE(constraint->Accept(bytes.end).has_value());
  EXPECT_EQ(constraint->state(), ConstraintState::kDead);
  EXPECT_FALSE(constraint->Accept(bytes.end).has_value());
  constraint->RollBack(1);
  EXPECT_EQ(constraint->state(), ConstraintState::kMustEnd);
  constraint->RollBack(4);
  EXPECT_EQ(TakeBytes(*constraint, "12"), 2U);
  EXPECT_EQ(TakeBytes(*fork, "b\""), 2U);
  EXPECT_EQ(fork->state(), ConstraintState::kMustEnd);
}

TEST(JsonConstraintTest, ValidatesWithoutMoving) {
  const SmallVocabulary& bytes = ByteVocabulary();
  const std::shared_ptr<const Grammar> grammar = MustCompile(bytes, R"({"enum": ["ab"]})");
  const std::unique_ptr<Constraint> constraint = grammar->Start();
  const std::vector<TokenId> good = {'"', 'a', 'b', '"', bytes.end}, bad = {'"', 'b', 'a'};
  EXPECT_EQ(constraint->Validate(good), 5U);
  EXPECT_EQ(constraint->Validate(bad), 1U);
  EXPECT_EQ(TakeBytes(*constraint, "\"ab\""), 4U);
}

TEST(JsonConstraintTest, SaysWhatIsForced) {
  const SmallVocabulary vocabulary({"{", "\"", "{\"", "\\", "a", "\":", ":", "}", "1", "x"});
  const JsonSchemaOptions compact = {.whitespace = JsonWhitespace::kCompact};
  const std::shared_ptr<const Grammar> grammar =
      MustCompile(vocabulary, R"({"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]})", compact);
  const std::unique_ptr<Constraint> constraint = grammar->Start();
  EXPECT_EQ(constraint->ForcedBytes(), "{\"") << "a key may begin with an escape";
  EXPECT_EQ(constraint->ForcedTokens(), std::vector<TokenId>{2});
}

TEST(JsonConstraintTest, FindsAShortEnd) {
  const std::shared_ptr<const Grammar> grammar =
      MustCompile(ByteVocabulary(),
                  R"({"type": "object", "properties": {"name": {"type": "string", "minLength": 3},
          "n": {"type": "integer", "multipleOf": 7, "minimum": 1000}, "list": {"type": "array", "minItems": 2}},
          "required": ["name", "n", "list"]})");
  const std::string text = R"({"n": 1001, "\u006eame": "a\n\ud83d\ude00b", "list": [[1], {"x": "y"}], "more": nul)";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::unique_ptr<Constraint> constraint = grammar->Start();
    ASSERT_EQ(TakeBytes(*constraint, text.substr(0, size)), size);
    const std::optional<std::string> end = constraint->ShortestEnd();
    ASSERT_TRUE(end.has_value()) << text.substr(0, size);
    EXPECT_EQ(TakeBytes(*constraint, *end), end->size()) << text.substr(0, size) << "|" << *end;
    EXPECT_TRUE(IsComplete(*constraint)) << text.substr(0, size) << "|" << *end;
  }
}

// Every digit of a fraction has to be taken back by the exponent, and a multiple has to be met.
TEST(JsonConstraintTest, EndsWithTheMembersThatHaveToCome) {
  struct Case {
    const char* schema;
    const char* text;
    std::size_t longest;
  };
  for (const Case& one :
       {Case{R"({"type": "array", "contains": {"type": "integer", "minimum": 1.5, "maximum": 3}})", "[null", 6},
        Case{R"({"type": "array", "contains": {"type": "string"}, "minContains": 2, "uniqueItems": true})", "[0", 20},
        Case{R"({"type": "array", "not": {"items": {"type": ["number", "null"]}}})", "[", 6},
        Case{R"({"type": "object", "not": {"additionalProperties": {"type": "number"}}})", R"({"a":3)", 12}}) {
    const std::unique_ptr<Constraint> constraint = MustCompile(ByteVocabulary(), one.schema)->Start();
    TakeBytes(*constraint, one.text);
    const std::optional<std::string> end = constraint->ShortestEnd();
    ASSERT_TRUE(end.has_value()) << one.schema;
    EXPECT_LE(end->size(), one.longest) << one.schema << " " << *end;
    EXPECT_EQ(TakeBytes(*constraint, *end), end->size()) << one.schema << " " << *end;
    EXPECT_TRUE(IsComplete(*constraint)) << one.schema << " " << *end;
  }
}

TEST(JsonConstraintTest, EndsAKeyAsOneThatHasToCome) {
  const std::unique_ptr<Constraint> constraint =
      MustCompile(ByteVocabulary(), R"({"required": ["name", "nation"]})")->Start();
  ASSERT_EQ(TakeBytes(*constraint, R"({"na)"), 4U);
  EXPECT_EQ(constraint->ShortestEnd(), R"(me":0,"nation":0})");
}

TEST(JsonConstraintTest, EndsAZeroThatNeedsAFractionAndAnExponent) {
  const std::unique_ptr<Constraint> constraint =
      MustCompile(ByteVocabulary(), R"({"minimum": 1, "multipleOf": 1.5})")->Start();
  ASSERT_EQ(TakeBytes(*constraint, "0"), 1U);
  EXPECT_EQ(constraint->ShortestEnd(), ".3e1");
}

TEST(JsonConstraintTest, EndsNumbersWithLongFractions) {
  for (const char* schema : {R"({"type": "integer"})", R"({"multipleOf": 7})", R"({"multipleOf": 64})",
                             R"({"multipleOf": 0.25})", R"({"minimum": 1e60})", R"({"minimum": 0, "maximum": 9})"}) {
    const std::shared_ptr<const Grammar> grammar = MustCompile(ByteVocabulary(), schema);
    std::string text = "4.";
    for (std::size_t digit = 0; digit < 60; ++digit) {
      text += static_cast<char>('1' + (digit * digit + digit) % 9);
      const std::unique_ptr<Constraint> constraint = grammar->Start();
      ASSERT_EQ(TakeBytes(*constraint, text), text.size()) << schema << " " << text;
      const std::optional<std::string> end = constraint->ShortestEnd();
      ASSERT_TRUE(end.has_value()) << schema << " " << text;
      EXPECT_LE(end->size(), 7U) << schema << " " << text;
      EXPECT_EQ(TakeBytes(*constraint, *end), end->size()) << schema << " " << text;
      EXPECT_TRUE(IsComplete(*constraint)) << schema << " " << text << "|" << *end;
    }
  }
}

TEST(JsonConstraintTest, DescribesWhatIsExpected) {
  const std::shared_ptr<const Grammar> grammar =
      MustCompile(ByteVocabulary(),
                  R"({"type": "object", "additionalProperties": false, "required": ["age"],
          "properties": {"age": {"type": "string"}, "name": {"items": {"type": ["null", "boolean"]}}}})");
  const std::unique_ptr<Constraint> constraint = grammar->Start();
  EXPECT_EQ(constraint->Expected(), "an object at $");
  TakeBytes(*constraint, "{");
  EXPECT_EQ(constraint->Expected(), R"(a key of the object at $: "age" or "name")");
  TakeBytes(*constraint, R"("age": "abc)");
  EXPECT_EQ(constraint->Expected(), "a string, after 3 characters, at $.age");
  TakeBytes(*constraint, R"(", "name": [null)");
  EXPECT_EQ(constraint->Expected(), "',' or ']'");
  TakeBytes(*constraint, ",");
  EXPECT_EQ(constraint->Expected(), "true, false or null at $.name[1]");
}

TEST(JsonConstraintTest, RefusesOptionsOutOfRange) {
  const auto grammar = CompileJsonSchema(ByteVocabulary().vocabulary, "{}", {.max_whitespace = 0});
  ASSERT_FALSE(grammar.has_value());
  EXPECT_EQ(grammar.error().code, ErrorCode::kOutOfRange);
}

}  // namespace
}  // namespace decant::grammar
