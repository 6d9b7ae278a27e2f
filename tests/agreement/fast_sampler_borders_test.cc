// Choose equals the twin where one unit decides: weights equal to a threshold and beside it, nuclei whose sum is the
// bound exactly, and random numbers that fall next to a token's border.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "agreement/sampler_rows.h"
#include "agreement/twin_answer.h"
#include "core/math.h"
#include "core/wide.h"
#include "decant/sampler.h"

namespace decant {
namespace {

using enum StageId;

constexpr std::uint64_t kTop = std::uint64_t{1} << 53;

// Seeds by the random number that they give at one address, to find one on either side of a border.
class SeedTable {
 public:
  explicit SeedTable(std::size_t seeds) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) by_bits_.emplace_back(BitsFor({}, seed), seed);
    std::ranges::sort(by_bits_);
  }

  // The seeds whose draws fall nearest to borders of the row, on both sides of the nearest `count` borders.
  std::vector<std::uint64_t> Beside(const TwinAnswer& twin, std::size_t count) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> near;  // distance in random bits, seed
    for (const std::uint64_t border : twin.borders()) {
      // The first r whose t = floor(r * Z / 2^53) reaches the border.
      const auto first = static_cast<std::uint64_t>(((core::Uint128{border} << 53) + twin.total() - 1) / twin.total());
      const auto after = std::ranges::lower_bound(by_bits_, std::pair{first, std::uint64_t{0}});
      if (after != by_bits_.end()) near.emplace_back(after->first - first, after->second);
      if (after != by_bits_.begin()) near.emplace_back(first - std::prev(after)->first, std::prev(after)->second);
    }
    const std::size_t kept = std::min(count, near.size());
    std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(kept));
    std::vector<std::uint64_t> seeds = {0};
    for (std::size_t i = 0; i < kept; ++i) seeds.push_back(near[i].second);
    return seeds;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_bits_;
};

const SeedTable& Seeds() {
  static const SeedTable table(std::size_t{1} << 20);
  return table;
}

// Compares at draws beside the borders of the twin's own answer.
void CompareBesideBorders(const Chain& chain, std::span<const float> logits, std::size_t draws, std::string_view what) {
  const auto sampler = MakeSampler(chain, logits.size(), {});
  ASSERT_TRUE(sampler.has_value()) << sampler.error().message;
  const twin::StepInput input{.logits = logits};
  const TwinAnswer twin(chain, input);
  ASSERT_TRUE(twin.record().has_value());
  ASSERT_EQ(Differs(**sampler, input, Seeds().Beside(twin, draws)), "") << what;
}

TEST(FastSamplerBordersTest, DrawsBesideTheBordersOfTokens) {
  Random random(1);
  const std::vector<Chain> chains = {
      {},
      MakeBenchChain(BenchChain::kTopK),
      MakeBenchChain(BenchChain::kMinP),
      MakeBenchChain(BenchChain::kTemperature),
      MakeBenchChain(BenchChain::kTopP),
      {{kTemperature, TemperatureParams{1e6}}},
      {{kTopP, TopPParams{0.9}}, {kTopK, TopKParams{500}}, {kTemperature, TemperatureParams{4}}},
  };
  for (const std::size_t size : {2u, 3u, 17u, 300u, 4097u, 20'000u}) {
    for (const Family family : Families()) {
      const std::vector<float> logits = MakeRow(family, size, random);
      for (const Chain& chain : chains) {
        CompareBesideBorders(chain, logits, size > 1000 ? 12 : 40, NameOf(family));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(FastSamplerBordersTest, DrawsBesideTheBordersOfLargeRows) {
  Random random(2);
  for (const Family family : {Family::kFlat, Family::kAllEqual, Family::kModelLike, Family::kLongTail}) {
    const std::vector<float> logits = MakeRow(family, 128'256, random);
    for (const BenchChain chain : {BenchChain::kTemperature, BenchChain::kTopP, BenchChain::kMinP}) {
      CompareBesideBorders(MakeBenchChain(chain), logits, 10, NameOf(family));
      if (HasFatalFailure()) return;
    }
  }
}

// At position 0 these draw below 2^30, and within 2^30 of 2^53; found by trying.
constexpr std::uint64_t kLowSeeds[] = {1953073,  10710051, 13066912, 17191968, 20047379, 23680678,
                                       34318256, 37845604, 51071528, 52944439, 65416562, 68582187};
constexpr std::uint64_t kHighSeeds[] = {7624765,  9261883,  17845651, 23466003, 27484447, 34408659,
                                        59114168, 64906152, 66011939, 82641741, 86272848, 103290903};

// Many tokens of a few units each beside one of 2^44: a draw among them is within units of a border, where nothing but
// exact sums can tell.
TEST(FastSamplerBordersTest, TokensOfAFewUnits) {
  constexpr std::size_t kSize = 135'000;
  std::vector<std::uint64_t> seeds = {0};
  for (const std::uint64_t seed : kLowSeeds) {
    ASSERT_LT(BitsFor({}, seed), std::uint64_t{1} << 30);
    seeds.push_back(seed);
  }
  for (const std::uint64_t seed : kHighSeeds) {
    ASSERT_GE(BitsFor({}, seed), kTop - (std::uint64_t{1} << 30));
    seeds.push_back(seed);
  }
  for (const std::size_t top : {std::size_t{0}, kSize / 2, kSize - 1}) {
    std::vector<float> logits(kSize, -40.0f);
    logits[top] = 0;
    for (const Chain& chain : {Chain{{kTemperature, TemperatureParams{core::kLog2E}}},  // 16 units each
                               Chain{{kTemperature, TemperatureParams{1.4}}},           // 7
                               Chain{{kTopP, TopPParams{1 - 0x1p-53}}, {kTemperature, TemperatureParams{1.5}}}}) {
      const auto sampler = MakeSampler(chain, kSize, {});
      ASSERT_TRUE(sampler.has_value());
      ASSERT_EQ(Differs(**sampler, {.logits = logits}, seeds), "") << "the heavy token is " << top;
    }
  }
}

// p = P * 2^-53 with P = w * 2^9 keeps the token of weight w; one unit more does not.
TEST(FastSamplerBordersTest, WeightsAtTheThresholdOfMinP) {
  Random random(3);
  for (const std::size_t size : {2u, 5u, 16u, 100u, 1025u, 5000u}) {
    for (const Family family : {Family::kModelLike, Family::kFlat, Family::kTies, Family::kPowersOfTwo}) {
      const std::vector<float> logits = MakeRow(family, size, random);
      const StageSpec temperature{kTemperature, TemperatureParams{size % 2 == 0 ? core::kLog2E : 0.8}};
      const TwinAnswer before({temperature}, {.logits = logits});
      const std::vector<std::uint64_t>& weights = before.record()->weights;
      for (int pick = 0; pick < 6; ++pick) {
        const std::uint64_t threshold = weights[random.Below(weights.size())] << 9;
        for (const std::uint64_t bound : {threshold - 1, threshold, threshold + 1}) {
          if (bound > kTop) continue;
          const StageSpec min_p{kMinP, MinPParams{std::ldexp(static_cast<double>(bound), -53)}};
          CompareBesideBorders({temperature, min_p}, logits, 8, NameOf(family));
          CompareBesideBorders({min_p, temperature, {kTopK, TopKParams{20}}}, logits, 4, NameOf(family));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// The chain with top_p at the bound S * 2^53 = P * Z of each prefix, where that P is a whole number, and one unit
// beside.
void CompareNuclei(const StageSpec& temperature, const std::vector<float>& logits, std::string_view what) {
  const TwinAnswer whole({temperature}, {.logits = logits});
  std::vector<std::uint64_t> weights = whole.record()->weights;
  std::ranges::sort(weights, std::greater<>());
  std::uint64_t sum = 0;
  int exact = 0;
  for (std::size_t i = 0; i < weights.size(); i += 1 + i / 8) {
    sum = 0;
    for (std::size_t j = 0; j <= i; ++j) sum += weights[j];
    const core::Uint128 scaled = core::Uint128{sum} << 53;
    exact += scaled % whole.total() == 0 ? 1 : 0;
    const auto bound = static_cast<std::uint64_t>(scaled / whole.total());
    for (const std::uint64_t p : {bound - 1, bound, bound + 1}) {
      if (p == 0 || p > kTop) continue;
      CompareBesideBorders({temperature, {kTopP, TopPParams{std::ldexp(static_cast<double>(p), -53)}}}, logits, 6,
                           what);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(exact, 0) << what;
}

TEST(FastSamplerBordersTest, NucleiWhoseSumIsTheBoundExactly) {
  const StageSpec powers{kTemperature, TemperatureParams{core::kLog2E}};
  // 1/2, 1/4, … and the last twice: Z = 2^45.
  std::vector<float> halves;
  for (int i = 0; i <= 44; ++i) halves.push_back(-static_cast<float>(i));
  halves.push_back(-44);
  CompareNuclei(powers, halves, "halves");
  std::ranges::reverse(halves);
  CompareNuclei(powers, halves, "halves, ascending");
  for (const std::size_t size : {2u, 16u, 64u, 1024u, 4096u}) {  // equal weights: each prefix is a bound
    CompareNuclei(powers, std::vector<float>(size, 0.5f), "equal");
    std::vector<float> two(size, -1.0f);  // halves of the mass
    for (std::size_t i = 0; i < size; i += 2) two[i] = 0;
    CompareNuclei(powers, two, "two values");
    if (HasFatalFailure()) return;
  }
}

// The greedy drawer's probability shows a kept set that is wrong by one token, however light.
TEST(FastSamplerBordersTest, TheSharesOfAGreedyDrawerAreExact) {
  Random random(5);
  for (int run = 0; run < 300; ++run) {
    const std::size_t size = 2 + random.Below(400);
    const std::vector<float> logits = MakeRow(Families()[random.Below(Families().size())], size, random);
    Chain chain = MakeRandomFilters(random);
    if (chain.empty() || chain.back().id != kGreedy) chain.push_back({kGreedy, {}});
    const auto sampler = MakeSampler(chain, size, {});
    ASSERT_TRUE(sampler.has_value());
    const std::uint64_t seeds[] = {0};
    ASSERT_EQ(Differs(**sampler, {.logits = logits}, seeds), "") << "run " << run;
  }
}

}  // namespace
}  // namespace decant
