// The registry, and sets of values filled from several sources.
#include "decant/parameters.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "decode/parameter_json.h"

namespace decant {
namespace {

Result<void> SetText(ParameterSet& set, std::string_view name, std::string_view text,
                     ParameterSource source = ParameterSource::kFlag) {
  DECANT_TRY(const ParameterSpec* spec, FindParameter(name));
  DECANT_TRY(ParameterValue value, ParseParameter(*spec, text));
  return set.Set(*spec, std::move(value), source);
}

TEST(ParametersTest, NamesAndAliasesAreUniqueAndEveryRowIsFilled) {
  std::set<std::string_view> names;
  for (const ParameterSpec& spec : Parameters()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    for (const std::string_view alias : spec.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;
    EXPECT_FALSE(spec.help.empty()) << spec.name;
    EXPECT_EQ(spec.presets.size(), 3u) << spec.name;
    EXPECT_EQ(spec.type == ParameterType::kChoice, !spec.choices.empty()) << spec.name;
  }
}

TEST(ParametersTest, FindsAliasesAndSuggestsCloseNames) {
  EXPECT_EQ((*FindParameter("temp"))->name, "temperature");
  EXPECT_EQ((*FindParameter("top-k"))->name, "top_k");
  const auto unknown = FindParameter("temperatur");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUnknownParameter);
  EXPECT_EQ(unknown.error().hint, "did you mean \"temperature\"?");
}

// The error of a native chain with one parameter.
Error ChainError(std::string_view name, std::string_view text) {
  ParameterSet set;
  EXPECT_TRUE(SetText(set, name, text).has_value()) << name;
  return BuildChain(set, {.preset = Preset::kNative}).error();
}

TEST(ParametersTest, RefusesValuesOutOfRangeByName) {
  EXPECT_EQ(ChainError("top_p", "1.3").message, "top_p is 1.3; expected a number in (0, 1]");
  EXPECT_EQ(ChainError("top_p", "0").hint, "use temperature 0 for greedy");
  EXPECT_EQ(ChainError("top_k", "-3").code, ErrorCode::kInvalidTopK);
  EXPECT_EQ(ChainError("temperature", "NaN").code, ErrorCode::kInvalidTemperature);
  EXPECT_EQ(ChainError("temperature", "1e7").code, ErrorCode::kInvalidTemperature);
  EXPECT_EQ(ChainError("logit_bias", "1=Infinity").code, ErrorCode::kOutOfRange);
  ParameterSet set;
  EXPECT_EQ(SetText(set, "top_k", "2.5").error().code, ErrorCode::kWrongType);
  EXPECT_EQ(SetText(set, "temperature", "warm").error().code, ErrorCode::kWrongType);
  EXPECT_EQ(SetText(set, "max_tokens", "-1").error().code, ErrorCode::kOutOfRange);
  EXPECT_EQ(SetText(set, "max_time", "0").error().code, ErrorCode::kOutOfRange);
  EXPECT_EQ(SetText(set, "stop", "").error().code, ErrorCode::kOutOfRange);
  for (const std::string_view list : {"allowed_token_ids", "stop_token_ids", "logit_bias", "bad_words_ids"}) {
    EXPECT_EQ(SetText(set, list, "").error().code, ErrorCode::kWrongType) << list;
    EXPECT_EQ(SetText(set, list, "1=1,").error().code, ErrorCode::kWrongType) << list;
  }
  EXPECT_EQ(SetText(set, "penalty_scope", "outptu").error().hint, "did you mean \"output\"?");
  EXPECT_EQ(SetText(set, "bad_words_ids", "1,2;;3").error().code, ErrorCode::kWrongType);
  EXPECT_TRUE(set.entries().empty());
}

TEST(ParametersTest, IntegersMayBeSpeltAsWholeNumbers) {
  ParameterSet set;
  ASSERT_TRUE(SetText(set, "top_k", "3.0").has_value());
  EXPECT_EQ(set.Get<std::int64_t>("top_k"), 3);
  EXPECT_EQ(ParseParameter(**FindParameter("top_k"), "4e1").value(), ParameterValue(std::int64_t{40}));
  EXPECT_FALSE(ParseParameter(**FindParameter("top_k"), "1e300").has_value());
}

TEST(ParametersTest, AListDoesNotEndInASeparator) {
  for (const auto& [name, text] :
       {std::pair("stop_token_ids", "1,"), {"logit_bias", "1=2,"}, {"samplers", "top_k,"}, {"bad_words_ids", "1,;2"}}) {
    EXPECT_FALSE(ParseParameter(**FindParameter(name), text).has_value()) << name;
  }
  EXPECT_EQ(ParseParameter(**FindParameter("bad_words_ids"), "1,2;3").value(),
            ParameterValue(std::vector<TokenSequence>{{1, 2}, {3}}));
}

TEST(ParametersTest, APresetOfItsOwnRangeIsNotHeldToTheNativeOne) {
  ParameterSet set;
  ASSERT_TRUE(SetText(set, "temperature", "1e7").has_value());
  EXPECT_TRUE(BuildChain(set, {.preset = Preset::kReference}).has_value());
}

TEST(ParametersTest, SeedsAreUnsignedWithTwosComplementAndNoMinusOne) {
  ParameterSet set;
  const auto refused = SetText(set, "seed", "-1");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().hint, "leave the seed out: run draws one and prints it, the other commands use 0");
  ASSERT_TRUE(SetText(set, "seed", "-2").has_value());
  EXPECT_EQ(set.Get<std::uint64_t>("seed"), UINT64_MAX - 1);
  ParameterSet other;
  ASSERT_TRUE(SetText(other, "seed", "18446744073709551615").has_value());
  EXPECT_EQ(other.Get<std::uint64_t>("seed"), UINT64_MAX);
}

TEST(ParametersTest, HigherSourcesWinInAnyOrder) {
  ParameterSet set;
  ASSERT_TRUE(SetText(set, "top_k", "40", ParameterSource::kFlag).has_value());
  ASSERT_TRUE(SetText(set, "top_k", "7", ParameterSource::kBuiltIn).has_value());
  EXPECT_EQ(set.Get<std::int64_t>("top_k"), 40);
  ASSERT_TRUE(SetText(set, "top_k", "3", ParameterSource::kRequest).has_value());
  EXPECT_EQ(set.Get<std::int64_t>("top_k"), 3);
  EXPECT_EQ(set.Find("top_k")->source, ParameterSource::kRequest);
}

TEST(ParametersTest, TwoValuesFromOneSourceConflictUnlessEqualOrLists) {
  ParameterSet set;
  ASSERT_TRUE(SetText(set, "temperature", "0.5").has_value());
  ASSERT_TRUE(SetText(set, "temp", "0.5").has_value());
  EXPECT_EQ(SetText(set, "temp", "0.6").error().code, ErrorCode::kConflict);
  ASSERT_TRUE(SetText(set, "stop", "a").has_value());
  ASSERT_TRUE(SetText(set, "until", "b,c").has_value());
  EXPECT_EQ(set.Get<std::vector<std::string>>("stop"), (std::vector<std::string>{"a", "b,c"}));
  ASSERT_TRUE(SetText(set, "logit_bias", "1=2,3=-Infinity").has_value());
  EXPECT_EQ(set.Get<std::vector<TokenBias>>("logit_bias")->size(), 2u);
}

TEST(ParametersTest, TheOrderOfSettingDoesNotChangeTheChain) {
  ParameterSet set;
  ASSERT_TRUE(SetText(set, "min_p", "0.1").has_value());
  ASSERT_TRUE(SetText(set, "top_k", "5").has_value());
  ASSERT_TRUE(SetText(set, "temperature", "0.7").has_value());
  const Chain expected = {{StageId::kTemperature, TemperatureParams{0.7}},
                          {StageId::kTopK, TopKParams{5}},
                          {StageId::kMinP, MinPParams{0.1}}};
  EXPECT_EQ(BuildChain(set, {.preset = Preset::kNative}).value(), expected);
}

TEST(ParametersTest, SamplersSetsTheOrderAndMustNameEveryGivenStage) {
  ParameterSet set;
  ASSERT_TRUE(SetText(set, "top_k", "5").has_value());
  ASSERT_TRUE(SetText(set, "temperature", "0.7").has_value());
  ASSERT_TRUE(SetText(set, "samplers", "top_k,temperature,greedy").has_value());
  const Chain chain = BuildChain(set, {.preset = Preset::kNative}).value();
  ASSERT_EQ(chain.size(), 3u);
  EXPECT_EQ(chain[0].id, StageId::kTopK);
  EXPECT_EQ(chain[2].id, StageId::kGreedy);
  ASSERT_TRUE(SetText(set, "min_p", "0.1").has_value());
  EXPECT_EQ(BuildChain(set, {.preset = Preset::kNative}).error().code, ErrorCode::kConflict);
  EXPECT_EQ(SetText(set, "samplers", "topk").error().hint, "did you mean \"top_k\"?");
  EXPECT_EQ(SetText(set, "samplers", "top_k,top_k").error().code, ErrorCode::kOutOfRange);
}

TEST(ParametersTest, ValuesGoThroughJsonUnchanged) {
  const std::pair<const char*, const char*> cases[] = {{"temperature", "0.1"},
                                                       {"top_k", "-1"},
                                                       {"seed", "18446744073709551615"},
                                                       {"ignore_eos", "true"},
                                                       {"stop", "a\nb"},
                                                       {"stop_token_ids", "1,2,3"},
                                                       {"logit_bias", "5=-Infinity,6=0.25"},
                                                       {"samplers", "top_p,temperature"}};
  for (const auto& [name, text] : cases) {
    const ParameterSpec& spec = **FindParameter(name);
    const ParameterValue value = ParseParameter(spec, text).value();
    json::Writer writer;
    decode::WriteParameterValue(value, writer);
    const auto read = decode::ReadParameterValue(spec, json::Read(writer.text(), {}).value());
    ASSERT_TRUE(read.has_value()) << name << ": " << read.error().message;
    EXPECT_EQ(*read, value) << name;
  }
}

}  // namespace
}  // namespace decant
