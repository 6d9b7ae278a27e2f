// Which parameters of a constraint go together.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decant/parameters.h"

namespace decant {
namespace {

struct Given {
  std::string_view name, value;
  ParameterSource source = ParameterSource::kFlag;
};

ParameterSet SetOf(const std::vector<Given>& given) {
  ParameterSet set;
  for (const Given& each : given) {
    const ParameterSpec* const spec = FindParameter(each.name).value();
    const auto value = ParseParameter(*spec, each.value);
    EXPECT_TRUE(value.has_value()) << each.name;
    const auto done = set.Set(*spec, *value, each.source);
    EXPECT_TRUE(done.has_value()) << done.error().message;
  }
  return set;
}

std::string FaultOf(const std::vector<Given>& given) {
  const auto checked = CheckConstraint(SetOf(given));
  if (checked.has_value()) return "";
  EXPECT_EQ(checked.error().code, ErrorCode::kConflict);
  return checked.error().message;
}

TEST(ConstraintParametersTest, TakesOneKindOfConstraint) {
  EXPECT_EQ(FaultOf({{"regex", "a"}}), "");
  EXPECT_EQ(FaultOf({{"choice", "a"}, {"choice", "b"}}), "");
  EXPECT_EQ(FaultOf({{"regex", "a"}, {"choice", "b"}}), "regex and choice exclude each other");
  EXPECT_EQ(FaultOf({{"json_schema", "{}"}, {"regex", "a"}}), "json_schema and regex exclude each other");
}

TEST(ConstraintParametersTest, RefusesAFlagThatActsOnNothing) {
  EXPECT_EQ(FaultOf({{"whitespace", "compact"}}), "whitespace has no effect without json_schema");
  EXPECT_EQ(FaultOf({{"regex", "a"}, {"key_order", "schema"}}), "key_order has no effect without json_schema");
  EXPECT_EQ(FaultOf({{"constrain_after", "x"}}), "constrain_after has no effect without json_schema, regex or choice");
  EXPECT_EQ(FaultOf({{"json_schema", "{}"}, {"whitespace", "spaced"}, {"max_whitespace", "3"}}),
            "max_whitespace has no effect without whitespace any");
  EXPECT_EQ(FaultOf({{"close_on_budget", "false"}}), "");
}

TEST(ConstraintParametersTest, LetsAFilesValueWaitForAConstraint) {
  EXPECT_EQ(FaultOf({{"whitespace", "compact", ParameterSource::kProjectFile}}), "");
  EXPECT_EQ(FaultOf({{"close_on_budget", "true", ParameterSource::kEnvironment}}), "");
}

TEST(ConstraintParametersTest, LetsTheConstraintAloneEndTheText) {
  EXPECT_EQ(FaultOf({{"regex", "a"}, {"ignore_eos", "true"}}),
            "ignore_eos and regex exclude each other: the constraint says where the text ends");
}

TEST(ConstraintParametersTest, KnowsWhetherThereIsOne) {
  EXPECT_FALSE(HasConstraint({}));
  EXPECT_FALSE(HasConstraint(SetOf({{"whitespace", "compact"}})));
  EXPECT_TRUE(HasConstraint(SetOf({{"choice", "a"}})));
  const auto none = CompileConstraint(nullptr, {});
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(*none, nullptr);
}

TEST(ConstraintParametersTest, RefusesDocumentsWithoutAUriOrTwice) {
  const auto fault = [](const std::vector<Given>& documents) {
    std::vector<Given> given = {{"json_schema", "{}"}};
    given.insert(given.end(), documents.begin(), documents.end());
    const auto compiled = CompileConstraint(nullptr, SetOf(given));
    return compiled.has_value() ? "" : compiled.error().message;
  };
  const std::string form = " does not begin with a URI without fragment and \"=\"";
  EXPECT_EQ(fault({{"schema_document", "{}"}}), "schema_document \"{}\"" + form);
  EXPECT_EQ(fault({{"schema_document", "={}"}}), "schema_document \"\"" + form);
  EXPECT_EQ(fault({{"schema_document", "u:a#b={}"}}), "schema_document \"u:a#b\"" + form);
  EXPECT_EQ(fault({{"schema_document", "u:a={}"}, {"schema_document", "u:a={}"}}),
            "schema_document \"u:a\" is given twice");
  EXPECT_EQ(fault({{"schema_document", "u:a={"}}).substr(0, 23), "schema_document \"u:a\": ");
  EXPECT_EQ(FaultOf({{"regex", "a"}, {"schema_document", "u:a={}"}}),
            "schema_document has no effect without json_schema");
}

TEST(ConstraintParametersTest, ChecksValuesWhereTheyAreSet) {
  const auto fault = [](std::string_view name, std::string_view text) {
    const ParameterSpec* const spec = FindParameter(name).value();
    ParameterSet set;
    const auto done = set.Set(*spec, ParseParameter(*spec, text).value(), ParameterSource::kFlag);
    return done.has_value() ? "" : done.error().message;
  };
  EXPECT_EQ(fault("max_whitespace", "0"), "max_whitespace is 0; expected 1..65535");
  EXPECT_EQ(fault("max_whitespace", "65535"), "");
  EXPECT_EQ(fault("whitespace", "compat"), "whitespace is \"compat\"; expected any, compact, spaced");
  EXPECT_EQ(fault("key_order", "required-first"), "");
  EXPECT_EQ(fault("constrain_after", ""), "constrain_after is an empty text; expected a text of at least one byte");
  EXPECT_EQ(fault("regex", ""), "");
}

}  // namespace
}  // namespace decant
