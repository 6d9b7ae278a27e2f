// Lines of `decant sample`: the example of the docs, bans, overrides, and each fault with its code.
#include "sample_case.h"

#include <gtest/gtest.h>

#include <string>

#include "json/value.h"
#include "json/writer.h"

namespace decant::cli {
namespace {

json::Value Answer(std::string_view line, const SampleDefaults& defaults = {}) {
  const std::string text = AnswerSampleLine({.text = line}, defaults);
  auto value = json::Read(text, {});
  EXPECT_TRUE(value.has_value()) << text;
  return value.has_value() ? *std::move(value) : json::Value();
}

std::string CodeOf(std::string_view line, const SampleDefaults& defaults = {}) {
  const json::Value answer = Answer(line, defaults);
  const json::Value* const error = answer.Find("error");
  if (error == nullptr) return "no error";
  return *error->Find("code")->if_string();
}

std::string MessageOf(std::string_view line) { return *Answer(line).Find("error")->Find("message")->if_string(); }

TEST(SampleCaseTest, AnswersTheExampleOfTheDocs) {
  EXPECT_EQ(
      AnswerSampleLine(
          {.text =
               R"({"logits":[0,1,1,2],"prompt_ids":[5,6,7],"output_ids":[8,9],"params":{"top_k":3},"preset":"native","seed":7,"draws":1,"id":"a"})"},
          {}),
      R"({"id":"a","token":2,"tokens":[2],"kept":[3,1,2],"support":[1,2,3],"probs":[0.21194155761708913,0.21194155761708913,0.5761168847658217],"stages":[{"name":"top_k","kept":3,"removed":1,"removed_mass":0.07232948812850608}],"draw":{"kind":"inverse_cdf","r":"3028575622714858","t":"10267337964793","z":"30535793186424","lo":"6471803571004","hi":"12943607142008","u":0.33623943881565066,"interval":[0.21194155761708913,0.42388311523417826]}})");
}

TEST(SampleCaseTest, DrawsThePublishedSequenceInPresetReference) {
  const json::Value answer =
      Answer(R"({"logits":[0,1,1,2],"params":{"top_k":3},"preset":"reference","seed":36,"draws":8})");
  const json::Value* const tokens = answer.Find("tokens");
  ASSERT_NE(tokens, nullptr);
  json::Writer writer;
  writer.Write(*tokens);
  EXPECT_EQ(writer.text(), "[3,2,2,2,3,3,3,3]");
}

TEST(SampleCaseTest, GivesTheFirstTokenWhateverTheNumberOfDraws) {
  const auto token = [](const char* line) { return Answer(line).Find("token")->AsInt64(); };
  EXPECT_EQ(token(R"({"logits":[0,1,1,2],"seed":3})"), token(R"({"logits":[0,1,1,2],"seed":3,"draws":50})"));
}

TEST(SampleCaseTest, EchoesAnyIdAlsoWithAnError) {
  EXPECT_TRUE(
      AnswerSampleLine({.text = R"({"id":{"a":[1.50,null]}})"}, {}).starts_with(R"({"id":{"a":[1.50,null]},"error":)"));
  EXPECT_TRUE(AnswerSampleLine({.text = R"({"logits":[1]})"}, {}).starts_with(R"({"id":null,"token":0)"));
  EXPECT_TRUE(AnswerSampleLine({.text = "not json"}, {}).starts_with(R"({"id":null,"error":{"code":"InvalidJson")"));
}

TEST(SampleCaseTest, LetsTheLineOverrideTheFlags) {
  SampleDefaults defaults;
  ASSERT_TRUE(defaults.parameters.Set(**FindParameter("top_k"), std::int64_t{1}, ParameterSource::kFlag).has_value());
  EXPECT_EQ(Answer(R"({"logits":[1,2,3]})", defaults).Find("kept")->if_array()->size(), 1u);
  EXPECT_EQ(Answer(R"({"logits":[1,2,3],"params":{"top_k":2}})", defaults).Find("kept")->if_array()->size(), 2u);
}

TEST(SampleCaseTest, ReadsBansAndSpecialNumbers) {
  EXPECT_EQ(Answer(R"({"logits":[null,"-inf",-Infinity,1]})").Find("token")->AsInt64(), 3);
  EXPECT_EQ(CodeOf(R"({"logits":[null]})"), "EmptySupport");
  EXPECT_EQ(CodeOf(R"({"logits":[NaN]})"), "NonFiniteLogit");
  EXPECT_EQ(CodeOf(R"({"logits":[Infinity]})"), "NonFiniteLogit");
  EXPECT_EQ(CodeOf(R"({"logits":[1e39]})"), "NonFiniteLogit") << "infinite in f32";
  EXPECT_EQ(Answer(R"({"logits":[1,-1e39]})").Find("kept")->if_array()->size(), 1u) << "a ban in f32";
  EXPECT_EQ(CodeOf(R"({"logits":[null,1],"preset":"reference"})"), "NonFiniteLogit");
  EXPECT_EQ(CodeOf(R"({"logits":["NaN"]})"), "WrongType");
}

TEST(SampleCaseTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(CodeOf(R"({"logit":[1]})"), "UnknownParameter");
  EXPECT_NE(MessageOf(R"({"logit":[1]})").find("did you mean \"logits\"?"), std::string::npos);
  EXPECT_NE(MessageOf(R"({"logits":[1],"params":{"tempratur":1}})").find("did you mean \"temperature\"?"),
            std::string::npos);
  EXPECT_NE(MessageOf(R"({"logits":[1],"top_k":1})").find("params"), std::string::npos);
  EXPECT_EQ(CodeOf(R"({"logits":[1],"params":{"max_tokens":1}})"), "UnknownParameter");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"preset":"nobody"})"), "UnknownPreset");
}

TEST(SampleCaseTest, FindsFaultsInTheirOrder) {
  EXPECT_EQ(CodeOf(R"({"logits":[],"preset":"nobody","zzz":1,"params":{"top_p":2}})"), "UnknownParameter");
  EXPECT_EQ(CodeOf(R"({"logits":[],"preset":"nobody","params":{"top_p":2}})"), "UnknownPreset");
  EXPECT_EQ(CodeOf(R"({"logits":[],"params":{"top_p":2}})"), "OutOfRange");
  EXPECT_EQ(CodeOf(R"({"logits":[]})"), "EmptyLogits");
  EXPECT_EQ(CodeOf("{}"), "EmptyLogits");
  EXPECT_EQ(CodeOf(R"({"logits":[NaN],"params":{"logit_bias":{"5":1}}})"), "TokenOutOfRange");
}

TEST(SampleCaseTest, ChecksValues) {
  EXPECT_EQ(CodeOf(R"({"logits":[1],"params":{"top_k":-2}})"), "InvalidTopK");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"params":{"top_k":1.5}})"), "WrongType");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"params":{"temperature":NaN}})"), "InvalidTemperature");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"params":{"temperature":-1}})"), "InvalidTemperature");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"params":{"temp":1,"temperature":2}})"), "Conflict");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"params":{"temp":1,"temp":2}})"), "Conflict");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"params":{"temp":1,"temp":1}})"), "no error");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"params":{"logit_bias":{"0":1,"0":2}}})"), "Conflict");
  EXPECT_EQ(CodeOf(R"({"logits":[],"params":{"samplers":["greedy","top_k"]}})"), "Conflict");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"params":{"samplers":["top_k,top_p"]}})"), "OutOfRange");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"draws":1.5})"), "WrongType");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"seed":1,"params":{"seed":2}})"), "Conflict");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"seed":2,"params":{"seed":"2"}})"), "no error");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"seed":-1})"), "OutOfRange");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"draws":0})"), "OutOfRange");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"draws":1048577})"), "OutOfRange");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"prompt_ids":[-1]})"), "OutOfRange");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"prompt_ids":3})"), "WrongType");
  EXPECT_EQ(CodeOf(R"({"logits":[1],"params":{"top_p":0.5},"preset":"reference"})"), "UnsupportedStage");
}

TEST(SampleCaseTest, ReportsBrokenTextAsAFaultOfTheLine) {
  EXPECT_EQ(CodeOf("{\"id\":\"\xff\"}"), "InvalidJson");
  EXPECT_EQ(CodeOf("[1]"), "InvalidJson");
  EXPECT_EQ(CodeOf(std::string(100000, '[')), "InvalidJson");
}

TEST(SampleCaseTest, NamesLineAndColumnOnce) {
  const auto message = [](std::string_view text) {
    const auto answer = json::Read(AnswerSampleLine({.text = text, .number = 7}, {}), {});
    return *answer->Find("error")->Find("message")->if_string();
  };
  EXPECT_EQ(message(R"({"logits":[1,]})"), "line 7, column 14: expected a value, found ']'");
  EXPECT_TRUE(message(R"({"logits":[]})").starts_with("line 7: there are no logits")) << message(R"({"logits":[]})");
}

TEST(SampleCaseTest, KeepsTheBestAtTemperatureZeroWithoutRandomness) {
  const json::Value answer = Answer(R"({"logits":[1,3,2],"params":{"temperature":0,"top_k":1}})");
  EXPECT_EQ(answer.Find("token")->AsInt64(), 1);
  EXPECT_EQ(*answer.Find("draw")->Find("kind")->if_string(), "greedy");
  EXPECT_EQ(answer.Find("kept")->if_array()->size(), 3u) << "filters have no say";
}

}  // namespace
}  // namespace decant::cli
