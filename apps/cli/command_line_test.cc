// Values of options: switches, bounded counts, lists.
#include "command_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace decant::cli {
namespace {

constexpr CommandText kText = {.name = "try", .summary = "", .usage = "", .details = "", .example = ""};

Result<bool> Quiet(const std::vector<std::string>& arguments) {
  CommandLine line(kText);
  const CLI::Option* const quiet = line.Flag("output", "-q,--quiet", "");
  DECANT_TRY([[maybe_unused]] const bool go, line.Parse(arguments));
  return IsOn(quiet);
}

Result<std::optional<std::uint64_t>> Skip(const std::string& text, Bounds bounds) {
  CommandLine line(kText);
  const CLI::Option* const skip = line.Value("sequence", "--skip", "N", "");
  const std::vector<std::string> arguments = {"--skip", text};
  DECANT_TRY([[maybe_unused]] const bool go, line.Parse(arguments));
  return CountOf(skip, bounds);
}

TEST(IsOnTest, ReadsASwitchWithAndWithoutItsValue) {
  EXPECT_EQ(Quiet({}), false);
  for (const char* const text : {"-q", "--quiet", "--quiet=true", "--quiet=1"}) EXPECT_EQ(Quiet({text}), true) << text;
  for (const char* const text : {"--quiet=false", "--quiet=0"}) EXPECT_EQ(Quiet({text}), false) << text;
  EXPECT_EQ(Quiet({"-q", "--quiet"}), true);
}

TEST(IsOnTest, RefusesAnythingElse) {
  const auto no = Quiet({"--quiet=no"});
  ASSERT_FALSE(no.has_value());
  EXPECT_EQ(no.error().message, "option --quiet is \"no\"; expected true or false");
  const auto both = Quiet({"--quiet", "--quiet=false"});
  ASSERT_FALSE(both.has_value());
  EXPECT_EQ(both.error().code, ErrorCode::kConflict);
}

TEST(IsOnTest, HoldsForHelpToo) {
  CommandLine line(kText);
  const std::vector<std::string> off = {"--help=false"}, on = {"--help"};
  EXPECT_EQ(line.Parse(off), true);
  EXPECT_EQ(CommandLine(kText).Parse(on), false);
}

TEST(CountOfTest, KeepsToBothBounds) {
  EXPECT_EQ(*Skip("0", {}), 0u);
  EXPECT_EQ(*Skip("4294967295", {}), 4294967295u);
  EXPECT_EQ(Skip("0", {.least = 1, .most = 9}).error().message,
            "option --skip is \"0\"; expected a whole number in 1..9");
  EXPECT_EQ(Skip("18446744073709551615", {}).error().message,
            "option --skip is \"18446744073709551615\"; expected a whole number in 0..4294967295");
  EXPECT_FALSE(Skip("-1", {}).has_value());
}

TEST(ParseIdsTest, RefusesAnEmptyId) {
  EXPECT_EQ(*ParseIds("--prompt-ids", "1,2"), (std::vector<std::uint32_t>{1, 2}));
  const auto ids = ParseIds("--prompt-ids", "1,2,");
  ASSERT_FALSE(ids.has_value());
  EXPECT_EQ(ids.error().message, "option --prompt-ids: \"\" is not a token id");
}

}  // namespace
}  // namespace decant::cli
