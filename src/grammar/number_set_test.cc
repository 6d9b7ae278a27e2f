// Sets of numbers: their algebra, and what they let the first characters of a number become, against every short
// spelling.
#include "grammar/number_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace decant::grammar {
namespace {

Decimal D(std::string_view text) {
  const std::optional<Decimal> value = Decimal::Parse(text);
  EXPECT_TRUE(value) << text;
  return value.value_or(Decimal());
}

NumberSet Range(std::string_view low, std::string_view high) {
  return NumberSet::AtLeast(D(low)).Intersect(NumberSet::AtMost(D(high)));
}
NumberSet Integers() { return NumberSet::Multiples(D("1")); }

bool StepAll(NumberPrefix& prefix, std::string_view text) {
  for (const char c : text) {
    if (!prefix.Step(static_cast<std::uint8_t>(c))) return false;
  }
  return true;
}

bool Admits(const NumberSet& set, std::string_view text) {
  NumberPrefix prefix;
  return StepAll(prefix, text) && set.Admits(prefix);
}

TEST(NumberSetTest, IntegersGoOnAfterPointsAndExponents) {
  const NumberSet set = Integers();
  for (const std::string_view text : {"", "-", "0", "1.", "1.0", "1.5", "1.5e", "1.5e1", "15e-0", "150e-1", "0.001",
                                      "1e1000000000", "1.5e+00000", "0e-5", "-0.0", "15e-", "15e-00", "1.5e0"}) {
    EXPECT_TRUE(Admits(set, text)) << text;
  }
  for (const std::string_view text : {"1.5e-", "15e-1", "1.20e-0", "1e1000000001", "150e-2"}) {
    EXPECT_FALSE(Admits(set, text)) << text;
  }
}

TEST(NumberSetTest, NarrowRangesFixTheDigits) {
  const NumberSet set = Range("120", "125");
  for (const std::string_view text : {"1", "12", "1.2", "0.", "0.0", "0.0012", "12000", "124.99", "1.2e", "1.2e+",
                                      "1.2e0", "1.2e002", "1250000e-4", "12e1", "125.000"}) {
    EXPECT_TRUE(Admits(set, text)) << text;
  }
  for (const std::string_view text : {"-", "2", "13", "1.3", "0e", "1250001", "1.2e-", "1.2e3", "11", "0.0e", "12e2"}) {
    EXPECT_FALSE(Admits(set, text)) << text;
  }
}

TEST(NumberSetTest, KeepsSignsApart) {
  const NumberSet positive = NumberSet::Above(D("0"));
  EXPECT_FALSE(Admits(positive, "-"));
  EXPECT_FALSE(Admits(positive, "0e"));
  EXPECT_TRUE(Admits(positive, "0.0000"));
  EXPECT_TRUE(Admits(positive, "1e-9"));
  const NumberSet not_negative = NumberSet::AtLeast(D("0"));
  EXPECT_TRUE(Admits(not_negative, "-0.00e5"));
  EXPECT_FALSE(Admits(not_negative, "-0.001"));
  EXPECT_FALSE(Admits(not_negative, "-1"));
}

TEST(NumberSetTest, BigNumbersAreExact) {
  for (const std::string_view number : {"9007199254740993", "18446744073709551617", "12345678901234567890123",
                                        "1000000000000000000000000000000000000000001"}) {
    const NumberSet set = NumberSet::Only(D(number));
    const std::string text(number);
    for (std::size_t i = 0; i <= text.size(); ++i) EXPECT_TRUE(Admits(set, text.substr(0, i))) << text << " " << i;
    EXPECT_TRUE(Admits(set, text + ".000"));
    EXPECT_TRUE(Admits(set, text + "000"));
    EXPECT_TRUE(Admits(set, text + "000e-3"));
    EXPECT_FALSE(Admits(set, text + "000e-2"));
    EXPECT_FALSE(Admits(set, text + "1"));
    std::string next = text;
    ++next.back();
    EXPECT_FALSE(Admits(set, next));
    EXPECT_FALSE(set.Has(D(next)));
    EXPECT_TRUE(set.Has(D(text)));
  }
  const NumberSet huge = NumberSet::AtLeast(D("1e400")).Intersect(NumberSet::Multiples(D("7")));
  EXPECT_FALSE(Admits(huge, "1e399"));
  EXPECT_FALSE(Admits(huge, "1e400"));  // no multiple of 7
  EXPECT_TRUE(Admits(huge, "7e4"));
  EXPECT_TRUE(Admits(huge, "7e400"));
  EXPECT_FALSE(Admits(huge, "7e00000000000398e"));
  EXPECT_TRUE(Admits(huge, "7e398"));  // 7e3980;
  EXPECT_TRUE(Admits(huge, "1.0000001"));
}

TEST(NumberSetTest, FarApartExponentsCostNothing) {
  const NumberSet set = NumberSet::AtLeast(D("1e-1000000000"))
                            .Intersect(NumberSet::AtMost(D("1e1000000000")))
                            .Intersect(NumberSet::Multiples(D("3e-999999999")));
  EXPECT_TRUE(set.Has(D("3e-999999999")));
  EXPECT_FALSE(set.Has(D("1e-999999999")));
  EXPECT_TRUE(set.Has(D("12")));
  EXPECT_FALSE(set.Has(D("13")));
  EXPECT_TRUE(Admits(set, "13"));
  EXPECT_FALSE(Admits(set, "13e"));
  EXPECT_TRUE(Admits(set, "12e"));
  EXPECT_TRUE(Admits(set, "12e-9"));
  EXPECT_TRUE(Admits(set, "12e-99999999"));
  EXPECT_FALSE(Admits(set, "12e-1000000000"));
  EXPECT_TRUE(set.Unite(set.Complement()).IsAll());
  EXPECT_TRUE(set.Intersect(set.Complement()).IsEmpty());
  EXPECT_EQ(set.Count(1000), 1000u);
  EXPECT_TRUE(set.Example());
}

TEST(NumberSetTest, MultiplesMeet) {
  EXPECT_EQ(NumberSet::Multiples(D("0.3")).Intersect(NumberSet::Multiples(D("0.5"))), NumberSet::Multiples(D("1.5")));
  EXPECT_TRUE(Integers().Intersect(NumberSet::Multiples(D("0.01")).Complement()).IsEmpty());
  const NumberSet odd = Integers().Intersect(NumberSet::Multiples(D("2")).Complement());
  EXPECT_TRUE(odd.Has(D("-3")));
  EXPECT_FALSE(odd.Has(D("0")));
  EXPECT_FALSE(odd.Has(D("0.5")));
  EXPECT_TRUE(odd.Intersect(Range("1.5", "2.5")).IsEmpty());
  EXPECT_EQ(odd.Intersect(Range("1.5", "3.5")), NumberSet::Only(D("3")));
  EXPECT_TRUE(Admits(odd, "2"));
  EXPECT_FALSE(Admits(odd, "2e"));
  EXPECT_TRUE(Admits(odd, "30e-"));
  EXPECT_FALSE(Admits(odd, "30e-2"));
  EXPECT_FALSE(Admits(odd, "30e0"));
  EXPECT_TRUE(odd.Unite(NumberSet::Multiples(D("2"))).Unite(Integers().Complement()).IsAll());
}

TEST(NumberSetTest, Counts) {
  EXPECT_EQ(NumberSet::None().Count(10), 0u);
  EXPECT_EQ(NumberSet::All().Count(10), 10u);
  EXPECT_EQ(Range("-3", "3").Intersect(Integers()).Count(100), 7u);
  EXPECT_EQ(Range("-3", "3").Intersect(Integers()).Count(5), 5u);
  EXPECT_EQ(Range("0", "1").Intersect(NumberSet::Multiples(D("0.01"))).Count(1000), 101u);
  EXPECT_EQ(Range("0", "1").Count(1000), 1000u);
  EXPECT_EQ(NumberSet::OneOf({D("1"), D("1.0"), D("2"), D("10e-1")}).Count(1000), 2u);
  const NumberSet threes = NumberSet::Multiples(D("3"));
  const NumberSet twos = NumberSet::Multiples(D("2"));
  const NumberSet range = Range("-10", "10");
  EXPECT_EQ(twos.Unite(threes).Intersect(range).Count(1000), 15u);
  EXPECT_EQ(Integers().Intersect(twos.Unite(threes).Complement()).Intersect(range).Count(1000), 6u);
  EXPECT_EQ(Range("1", "1e15").Intersect(Integers()).Count(~std::uint64_t{0}), 1000000000000000u);
  EXPECT_EQ(Range("1", "1e50").Intersect(Integers()).Count(~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(Range("1", "1e15").Intersect(Integers()).Intersect(twos.Complement()).Count(~std::uint64_t{0}),
            500000000000000u);
}

TEST(NumberSetTest, GivesShortExamples) {
  struct Case {
    NumberSet set;
    std::string_view example;
  };
  for (const Case& c : std::vector<Case>{{NumberSet::All(), "0"},
                                         {NumberSet::Above(D("0")), "1"},
                                         {NumberSet::Below(D("0")), "-1"},
                                         {Range("17.5", "18.25").Intersect(Integers()), "18"},
                                         {Range("0.123", "0.456"), "0.2"},
                                         {Range("1e400", "2e400"), "1e400"},
                                         {Integers().Complement(), "0.1"}}) {
    const std::optional<std::string> example = c.set.Example();
    ASSERT_TRUE(example);
    EXPECT_TRUE(c.set.Has(D(*example)));
    EXPECT_EQ(*example, c.example);
  }
  EXPECT_FALSE(NumberSet::None().Example());
}

TEST(NumberSetTest, WideRowsReachFarEnds) {
  const NumberSet set = Range("15e30", "16e30").Intersect(Integers());
  EXPECT_TRUE(Admits(set, "1"));
  EXPECT_TRUE(Admits(set, "15.0000000001"));
  EXPECT_TRUE(Admits(set, "159"));
  EXPECT_FALSE(Admits(set, "14"));
  EXPECT_FALSE(Admits(set, "1.7"));
}

TEST(NumberSetTest, FiniteNumbersAreDoubles) {
  const NumberSet set = NumberSet::Finite();
  EXPECT_TRUE(set.Has(D("1.7976931348623157e308")));
  EXPECT_TRUE(set.Has(D("-1.7976931348623158e308")));
  EXPECT_FALSE(set.Has(D("1.7976931348623159e308")));
  for (const std::string_view text : {"9e307", "1e30", "1.79e308", "1e-999999", "0e999999999", "180e-999", "1e+"}) {
    EXPECT_TRUE(Admits(set, text)) << text;
  }
  for (const std::string_view text : {"1e309", "-1.8e308", "18e307", "1e9999", "1e9999999999", "1e402529521"}) {
    EXPECT_FALSE(Admits(set, text)) << text;
  }
  const std::string zeros(309, '0');
  EXPECT_TRUE(Admits(set, "1" + zeros));  // e-1
  NumberPrefix prefix;
  EXPECT_TRUE(StepAll(prefix, "1" + zeros));
  EXPECT_FALSE(set.Accepts(prefix));
  EXPECT_TRUE(Admits(set.Intersect(Integers()), "123"));
  EXPECT_FALSE(Admits(set.Intersect(NumberSet::Multiples(D("7"))), "7e309"));
  EXPECT_TRUE(Admits(set.Intersect(NumberSet::Multiples(D("7"))), "7e307"));
  EXPECT_FALSE(Admits(set.Intersect(NumberSet::AtLeast(D("1e50"))), "1e40"));  // neither 40 nor 400
  EXPECT_TRUE(set.Intersect(NumberSet::AtLeast(D("1e400"))).IsEmpty());
}

TEST(NumberSetTest, AllTakesEverySpelling) {
  EXPECT_TRUE(Admits(NumberSet::All(), "1e99999999999"));
  EXPECT_TRUE(Range("-5", "5").Unite(Range("-5", "5").Complement()).IsAll());
  EXPECT_TRUE(Admits(Range("-5", "5").Unite(Range("-5", "5").Complement()), "1e99999999999"));
  EXPECT_FALSE(Admits(NumberSet::AtLeast(D("0")), "1e99999999999"));
  EXPECT_TRUE(Admits(NumberSet::AtLeast(D("0")), "0e99999999999"));
}

// A number as it is spelled, with its value in integers: what the tests compare with is computed from these alone.
struct Spelled {
  bool negative = false;
  std::int64_t digits = 0;
  std::int64_t exponent = 0;
};

__extension__ using Int128 = __int128;

Int128 PowerOfTen(std::int64_t exponent) {
  Int128 power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

// The sign of number - tenths / 10.
int Compare(const Spelled& number, std::int64_t tenths) {
  Int128 left = (number.negative ? -number.digits : number.digits) * Int128{10};
  Int128 right = tenths;
  if (left == 0 || number.exponent > 20 || (number.exponent < -20 && right == 0)) {
    return left == 0 ? (0 > right) - (0 < right) : left > 0 ? 1 : -1;
  }
  if (number.exponent < -20) return right > 0 ? -1 : 1;
  (number.exponent >= 0 ? left : right) *= PowerOfTen(std::abs(number.exponent));
  return (left > right) - (left < right);
}

bool IsMultiple(const Spelled& number, std::int64_t hundredths) {
  const std::int64_t exponent = number.exponent + 2;
  if (number.digits == 0) return true;
  if (exponent >= 0) return number.digits * PowerOfTen(std::min<std::int64_t>(exponent, 15)) % hundredths == 0;
  if (exponent < -15) return false;
  const Int128 power = PowerOfTen(-exponent);
  return number.digits % power == 0 && number.digits / power % hundredths == 0;
}

struct Judged {
  NumberSet set;
  std::function<bool(const Spelled&)> has;
  std::string text;
};

Judged RandomSet(std::mt19937_64& random, int depth) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  if (depth > 0 && below(4) > 0) {
    Judged a = RandomSet(random, depth - 1);
    if (below(5) == 0) {
      return {a.set.Complement(), [has = a.has](const Spelled& n) { return !has(n); }, "~" + a.text};
    }
    Judged b = RandomSet(random, depth - 1);
    if (below(3) > 0) {
      return {a.set.Intersect(b.set), [l = a.has, r = b.has](const Spelled& n) { return l(n) && r(n); },
              "(" + a.text + " & " + b.text + ")"};
    }
    return {a.set.Unite(b.set), [l = a.has, r = b.has](const Spelled& n) { return l(n) || r(n); },
            "(" + a.text + " | " + b.text + ")"};
  }
  if (below(2) == 0) {
    constexpr std::array<std::int64_t, 8> kHundredths = {100, 200, 300, 50, 1, 30, 10, 1000};
    const std::int64_t m = kHundredths[below(kHundredths.size())];
    return {NumberSet::Multiples(Decimal::Of(std::to_string(m), -2)),
            [m](const Spelled& n) { return IsMultiple(n, m); }, std::to_string(m) + "e-2Z"};
  }
  const std::int64_t tenths =
      below(2) == 0 ? static_cast<std::int64_t>(below(61)) * 10 - 300 : static_cast<std::int64_t>(below(601)) - 300;
  const Decimal size = Decimal::Of(std::to_string(std::abs(tenths)), -1);
  const Decimal bound = tenths < 0 ? size.Negated() : size;
  const std::string text = bound.ToText();
  switch (below(5)) {
    case 0:
      return {NumberSet::AtLeast(bound), [=](const Spelled& n) { return Compare(n, tenths) >= 0; }, ">=" + text};
    case 1:
      return {NumberSet::Above(bound), [=](const Spelled& n) { return Compare(n, tenths) > 0; }, ">" + text};
    case 2:
      return {NumberSet::AtMost(bound), [=](const Spelled& n) { return Compare(n, tenths) <= 0; }, "<=" + text};
    case 3:
      return {NumberSet::Below(bound), [=](const Spelled& n) { return Compare(n, tenths) < 0; }, "<" + text};
    default:
      return {NumberSet::Only(bound), [=](const Spelled& n) { return Compare(n, tenths) == 0; }, "=" + text};
  }
}

Spelled Read(std::string_view text) {
  Spelled number{.negative = text.starts_with('-')};
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  bool is_fraction = false;
  for (const char c : text.substr(0, e)) {
    if (c == '.') is_fraction = true;
    if (c < '0' || c > '9') continue;
    number.digits = number.digits * 10 + (c - '0');
    if (is_fraction) --number.exponent;
  }
  if (e < text.size()) number.exponent += std::stoll(std::string(text.substr(e + 1)));
  return number;
}

// Goes through all spellings that follow the prefix, up to a length; whether one of them is in the set.
class Enumeration {
 public:
  Enumeration(const Judged& judged, std::size_t length) : judged_(judged), length_(length) {}

  bool Visit(const NumberPrefix& prefix) {
    const std::string text(prefix.text());
    bool found = false;
    if (prefix.IsComplete()) {
      found = judged_.has(Read(text));
      EXPECT_EQ(judged_.set.Has(*prefix.Value()), found) << judged_.text << " of " << text;
      EXPECT_EQ(judged_.set.Accepts(prefix), found) << judged_.text << " of " << text;
    }
    if (text.size() < length_) {
      for (const char c : std::string_view("-012359.e+")) {
        NumberPrefix next = prefix;
        if (next.Step(static_cast<std::uint8_t>(c))) found = Visit(next) || found;
      }
    }
    const bool admits = judged_.set.Admits(prefix);
    if (found) {
      EXPECT_TRUE(admits) << judged_.text << " dead at " << text;
    } else if (admits && text.size() + 2 <= length_) {
      EXPECT_TRUE(HasWitness(prefix)) << judged_.text << " alive at " << text;
    }
    return found || admits;
  }

 private:
  // Longer spellings than are gone through: some digits, then an exponent.
  bool HasWitness(const NumberPrefix& prefix) {
    if (witnesses_++ > 60) return true;
    const std::string text(prefix.text());
    const auto has = [&](const std::string& longer) {
      NumberPrefix whole;
      return StepAll(whole, longer) && whole.IsComplete() && judged_.has(Read(longer));
    };
    if (prefix.has_exponent()) {
      for (int i = 0; i < 1000; ++i) {
        if (has(text + std::to_string(i))) return true;
      }
      return false;
    }
    for (int size = 0; size <= 4; ++size) {
      for (std::int64_t i = 0; i < PowerOfTen(size); ++i) {
        const std::string digits = std::to_string(static_cast<std::int64_t>(PowerOfTen(size)) + i).substr(1);
        for (const std::string_view start : {"", "0", ".", "0."}) {
          for (int exponent = -9; exponent <= 6; ++exponent) {
            if (has(text + std::string(start) + digits + "e" + std::to_string(exponent))) return true;
          }
        }
      }
    }
    return false;
  }

  const Judged& judged_;
  std::size_t length_;
  int witnesses_ = 0;
};

TEST(NumberSetTest, AgreesWithEveryShortSpelling) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 150 && !testing::Test::HasFailure(); ++i) {
    const Judged judged = RandomSet(random, 3);
    Enumeration(judged, i == 0 ? 7 : 5).Visit({});
  }
}

// What may follow a prefix within the horizon, as text; as many characters as digits.
std::string Continuations(const NumberSet& set, const NumberPrefix& prefix, NumberHorizon horizon) {
  std::string result = set.Accepts(prefix) ? "!" : "";
  if (horizon.digits-- == 0) return result;
  for (const char c : std::string_view("-01259.eE+")) {
    NumberPrefix next = prefix;
    if (!next.Step(static_cast<std::uint8_t>(c)) || !set.Admits(next)) continue;
    NumberHorizon further = horizon;
    // The mark of an exponent, and a sign, but no digit.
    if (!horizon.has_exponents && next.phase() == NumberPrefix::Phase::kE) further.digits = 0;
    result.append(1, c).append("(").append(Continuations(set, next, further)).append(")");
  }
  return result;
}

class KeyCheck {
 public:
  KeyCheck(const Judged& judged, bool has_exponents)
      : judged_(judged), horizon_{.digits = 3, .has_exponents = has_exponents} {}

  void Visit(const NumberPrefix& prefix, int more) {
    if (!judged_.set.Admits(prefix)) return;
    const Fingerprint key = judged_.set.KeyOf(prefix, horizon_);
    const auto [seen, is_new] = seen_.try_emplace(key);
    const std::string text = Continuations(judged_.set, prefix, horizon_);
    if (is_new) {
      seen->second = {std::string(prefix.text()), text};
    } else {
      EXPECT_EQ(text, seen->second.second) << judged_.text << ": " << prefix.text() << " and " << seen->second.first;
    }
    ++visited_;
    if (more == 0) return;
    for (const char c : std::string_view("-0123579.eE+")) {
      NumberPrefix next = prefix;
      if (next.Step(static_cast<std::uint8_t>(c))) Visit(next, more - 1);
    }
  }
  std::size_t visited() const { return visited_; }
  std::size_t keys() const { return seen_.size(); }

 private:
  const Judged& judged_;
  NumberHorizon horizon_;
  std::map<Fingerprint, std::pair<std::string, std::string>> seen_;
  std::size_t visited_ = 0;
};

TEST(NumberSetTest, EqualKeysMeanEqualContinuations) {
  std::mt19937_64 random(5);
  std::size_t visited = 0;
  std::size_t keys = 0;
  for (int i = 0; i < 60 && !testing::Test::HasFailure(); ++i) {
    Judged judged = RandomSet(random, 3);
    if (i % 2 == 1) judged.set = judged.set.Intersect(NumberSet::Finite());
    KeyCheck check(judged, i % 4 < 2);
    check.Visit({}, i % 20 == 0 ? 4 : 3);
    visited += check.visited();
    keys += check.keys();
  }
  EXPECT_LT(keys * 2, visited);  // and they are shared
}

TEST(NumberSetTest, KeysForgetDigitsThatDecideNothing) {
  const auto key = [](const NumberSet& set, std::string_view text) {
    NumberPrefix prefix;
    EXPECT_TRUE(StepAll(prefix, text));
    return set.KeyOf(prefix, {.digits = 16});
  };
  EXPECT_EQ(key(NumberSet::All(), "12.5"), key(NumberSet::All(), "-0.75"));
  EXPECT_NE(key(NumberSet::All(), "12.5"), key(NumberSet::All(), "12."));
  EXPECT_EQ(key(Range("0", "1"), "0.91"), key(Range("0", "1"), "0.9537"));
  EXPECT_NE(key(Range("0", "1"), "0.91"), key(Range("0", "1"), "0.091"));
  EXPECT_EQ(key(Integers(), "123"), key(Integers(), "-7"));
  EXPECT_NE(key(Integers(), "123"), key(Integers(), "120"));
  const NumberSet age = Integers().Intersect(Range("0", "150"));
  EXPECT_EQ(key(age, "23"), key(age, "98"));
  EXPECT_NE(key(age, "12"), key(age, "23"));
  EXPECT_EQ(key(NumberSet::AtLeast(D("0")).Intersect(Integers()), "7"), key(Integers(), "7"));
  const auto near = [](const NumberSet& set, std::string_view text) {
    NumberPrefix prefix;
    EXPECT_TRUE(StepAll(prefix, text));
    return set.KeyOf(prefix, {.digits = 16, .has_exponents = false});
  };
  EXPECT_EQ(near(NumberSet::Finite(), "12.5"), near(NumberSet::Finite(), "98765.432"));
  EXPECT_EQ(near(NumberSet::Finite().Intersect(Integers()), "12"),
            near(NumberSet::Finite().Intersect(Integers()), "7"));
  EXPECT_NE(near(NumberSet::Finite(), "12.5e"), near(NumberSet::Finite(), "98765.432e"));
}

TEST(NumberSetTest, ShortAndLongNumbersGoTheSameWay) {
  // The same sets with an end or a multiple too long for the quick way, and digits too long for it.
  std::mt19937_64 random(3);
  const NumberSet far = NumberSet::Only(D("123456789012345678901234567890"));
  for (int i = 0; i < 400; ++i) {
    const Judged judged = RandomSet(random, 2);
    for (int j = 0; j < 40; ++j) {
      std::string text = std::to_string(random() % 400) + "." + std::to_string(random() % 100);
      std::string padded = text + "000000000000000000000000";
      const std::string exponent = random() % 2 == 0 ? "" : "e-" + std::to_string(random() % 3);
      text += "0" + exponent;
      padded += exponent;
      EXPECT_EQ(Admits(judged.set, text), Admits(judged.set, padded)) << judged.text << " " << text;
      NumberPrefix a;
      NumberPrefix b;
      EXPECT_TRUE(StepAll(a, text) && StepAll(b, padded));
      EXPECT_EQ(judged.set.Accepts(a), judged.set.Accepts(b)) << judged.text << " " << text;
      EXPECT_EQ(judged.set.Accepts(a), judged.set.Unite(far).Accepts(a)) << judged.text << " " << text;
    }
  }
}

TEST(NumberSetTest, ObeysTheLawsOfSets) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 1000; ++i) {
    const Judged a = RandomSet(random, 3);
    const Judged b = RandomSet(random, 2);
    const NumberSet rest = a.set.Complement();
    EXPECT_TRUE(a.set.Unite(rest).IsAll()) << a.text;
    EXPECT_TRUE(a.set.Intersect(rest).IsEmpty()) << a.text;
    const NumberSet both = a.set.Intersect(b.set);
    EXPECT_TRUE(both.Intersect(a.set.Complement()).IsEmpty()) << a.text << " " << b.text;
    EXPECT_TRUE(a.set.Unite(b.set).Complement().Intersect(b.set).IsEmpty()) << a.text << " " << b.text;
    EXPECT_EQ(a.set.IsEmpty(), a.set.Count(1) == 0) << a.text;
    const std::uint64_t most = 1000;
    EXPECT_EQ(std::min(most, a.set.Unite(b.set).Count(most) + both.Count(most)),
              std::min(most, a.set.Count(most) + b.set.Count(most)))
        << a.text << " " << b.text;
    if (const std::optional<std::string> example = a.set.Example()) {
      EXPECT_TRUE(a.has(Read(*example))) << a.text << " " << *example;
    } else {
      EXPECT_TRUE(a.set.IsEmpty()) << a.text;
    }
  }
}

TEST(NumberSetTest, KeysTellZeroSoFarFromDigits) {
  const NumberSet set = NumberSet::Only(*Decimal::Parse("0")).Complement();
  const auto key = [&](std::string_view text) {
    NumberPrefix prefix;
    for (const char c : text) EXPECT_TRUE(prefix.Step(static_cast<std::uint8_t>(c)));
    return set.KeyOf(prefix, {.digits = 16});
  };
  EXPECT_NE(key("-0.0"), key("-0.02"));  // only the second may go on with an exponent
  EXPECT_EQ(key("-0.2"), key("-0.02"));
}

}  // namespace
}  // namespace decant::grammar
