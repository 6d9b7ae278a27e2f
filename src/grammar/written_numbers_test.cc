// Numbers by their spelling, against all short ones.
#include "grammar/written_numbers.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace decant::grammar {
namespace {

NumberPrefix PrefixOf(std::string_view text) {
  NumberPrefix prefix;
  for (const char c : text) EXPECT_TRUE(prefix.Step(static_cast<std::uint8_t>(c))) << text;
  return prefix;
}
bool Admits(const WrittenNumbers& set, std::string_view text) { return set.Admits(PrefixOf(text)); }
bool Accepts(const WrittenNumbers& set, std::string_view text) { return set.Accepts(PrefixOf(text)); }

WrittenNumbers Range(std::int64_t low, std::int64_t high) {
  const auto bound = [](std::int64_t value) { return *Decimal::Parse(std::to_string(value)); };
  return WrittenNumbers(NumberSet::AtLeast(bound(low)).Intersect(NumberSet::AtMost(bound(high))));
}

TEST(WrittenNumbersTest, PlainNumbersHaveNeitherPointNorExponent) {
  const WrittenNumbers plain = WrittenNumbers::Plain();
  for (const std::string_view text : {"0", "-0", "1", "-120", "123456789012345678901234567890"}) {
    EXPECT_TRUE(Accepts(plain, text)) << text;
    EXPECT_FALSE(Accepts(plain.Complement(), text)) << text;
    EXPECT_TRUE(Admits(plain.Complement(), text)) << text;  // a point may follow
  }
  for (const std::string_view text : {"0.", "1.", "1.0", "1e", "1e2", "-0.5"}) {
    EXPECT_FALSE(Admits(plain, text)) << text;
    EXPECT_TRUE(Admits(plain.Complement(), text)) << text;
  }
  EXPECT_TRUE(Accepts(plain.Complement(), "1.0"));
  EXPECT_TRUE(plain.Unite(plain.Complement()).IsAll());
  EXPECT_TRUE(plain.Intersect(plain.Complement()).IsEmpty());
  EXPECT_TRUE(plain.Intersect(WrittenNumbers(NumberSet::Multiples(Decimal::Of("1", 0)).Complement())).IsEmpty());
}

TEST(WrittenNumbersTest, AnExponentTakesNothingBack) {
  const WrittenNumbers some = Range(120, 125).Intersect(WrittenNumbers::Plain());
  for (const std::string_view text : {"", "1", "12", "120", "125"}) EXPECT_TRUE(Admits(some, text)) << text;
  for (const std::string_view text : {"-", "0", "13", "1200", "126", "120."}) EXPECT_FALSE(Admits(some, text)) << text;
  EXPECT_EQ(some.Count(100), 6U);
  EXPECT_EQ(some.Unite(Range(125, 130).Intersect(WrittenNumbers::Plain().Complement())).Count(1000), 1000U);
}

TEST(WrittenNumbersTest, ExamplesAreWrittenAsTheyMayBe) {
  const WrittenNumbers far(NumberSet::AtLeast(*Decimal::Parse("1e6")));
  EXPECT_EQ(far.Example(), "1e7");
  EXPECT_EQ(far.Intersect(WrittenNumbers::Plain()).Example(), "10000000");
  EXPECT_EQ(Range(5, 5).Intersect(WrittenNumbers::Plain().Complement()).Example(), "5.0");
  EXPECT_EQ(WrittenNumbers().Example(), std::nullopt);
}

// Whether some integer of the digits, up to four more of them, is in the set.
bool HasLonger(const NumberSet& set, const std::string& text) {
  std::int64_t first = std::llabs(std::stoll(text));
  std::int64_t count = 1;
  const bool is_negative = text.starts_with('-');
  for (int more = 0; more <= 4; ++more, first *= 10, count *= 10) {
    for (std::int64_t i = first; i < first + count; ++i) {
      const Decimal value = *Decimal::Parse(std::to_string(i));
      if (set.Has(is_negative ? value.Negated() : value)) return true;
    }
    if (first == 0) return false;
  }
  return false;
}

NumberSet RandomSet(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  constexpr std::array<std::string_view, 7> kMultiples = {"1", "2", "3", "7", "10", "0.5", "100"};
  const std::int64_t low = below(2000) - 1000;
  NumberSet set = NumberSet::All();
  if (below(4) > 0) set = set.Intersect(NumberSet::AtLeast(*Decimal::Parse(std::to_string(low))));
  if (below(4) > 0) set = set.Intersect(NumberSet::AtMost(*Decimal::Parse(std::to_string(low + below(500)))));
  if (below(2) > 0) {
    const NumberSet multiples = NumberSet::Multiples(*Decimal::Parse(kMultiples[random() % kMultiples.size()]));
    set = below(3) > 0 ? set.Intersect(multiples) : set.Intersect(multiples.Complement());
  }
  if (below(3) == 0) set = set.Unite(NumberSet::Only(*Decimal::Parse(std::to_string(below(400) - 200))));
  return below(5) == 0 ? set.Complement() : set;
}

TEST(WrittenNumbersTest, AgreesWithEveryShortInteger) {
  std::mt19937_64 random(3);
  // With an end that is far, and with one that is too long for the quick way.
  const std::vector<NumberSet> all = {NumberSet::All(), NumberSet::Finite(),
                                      NumberSet::AtMost(*Decimal::Parse("1234567890123456789012345678"))};
  for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) {
    const NumberSet values = RandomSet(random);
    const WrittenNumbers set = WrittenNumbers(values.Intersect(all[static_cast<std::size_t>(i) % all.size()]))
                                   .Intersect(WrittenNumbers::Plain());
    for (int j = 0; j < 20; ++j) {
      std::string text = std::to_string(random() % (j < 10 ? 10 : 2000));
      if (random() % 2 == 0) text.insert(0, 1, '-');
      EXPECT_EQ(Admits(set, text), HasLonger(values, text)) << i << " " << text;
      EXPECT_EQ(Accepts(set, text), values.Has(*Decimal::Parse(text))) << i << " " << text;
    }
  }
}

}  // namespace
}  // namespace decant::grammar
