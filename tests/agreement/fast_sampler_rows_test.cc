// Choose equals the twin on rows made to break it: sizes around every block's border, families of hostile values,
// masks, histories, and rows that are no logits at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "agreement/sampler_rows.h"
#include "agreement/twin_answer.h"
#include "core/float16.h"
#include "decant/sampler.h"

namespace decant {
namespace {

using enum StageId;

constexpr float kBanned = -std::numeric_limits<float>::infinity();
constexpr std::size_t kSmallSizes[] = {1,  2,  3,   7,   8,   9,   15,  16,  17,  31,   32,   33,  63,
                                       64, 65, 127, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025};
constexpr std::size_t kMiddleSizes[] = {4095, 4096, 4097};
constexpr std::size_t kLargeSizes[] = {32'000, 128'256};
constexpr std::uint64_t kSeeds[] = {1, 2, 3, 4};

// Every filter at values that cut in the middle of ties and at the borders of blocks; temperatures at both ends.
std::vector<Chain> Chains() {
  std::vector<Chain> chains;
  for (const BenchChain chain :
       {BenchChain::kGreedy, BenchChain::kTopK, BenchChain::kMinP, BenchChain::kTemperature, BenchChain::kTopP}) {
    chains.push_back(MakeBenchChain(chain));
  }
  chains.push_back({{kTemperature, TemperatureParams{0}}});
  for (const double t : {1e-300, 0.01, 3.0, 1e6}) chains.push_back({{kTemperature, TemperatureParams{t}}});
  for (const std::int64_t k : {1, 2, 16, 17, 512, 1024}) chains.push_back({{kTopK, TopKParams{k}}});
  for (const double p : {1e-300, 0.3, 0.5, 0.49999999999999994, 0.999, 0x1.fffffffffffffp-1}) {
    chains.push_back({{kTopP, TopPParams{p}}});
  }
  for (const double p : {0x1p-30, 0.5, 1.0}) chains.push_back({{kMinP, MinPParams{p}}});
  chains.push_back({{kTopK, TopKParams{40}}, {kTopP, TopPParams{0.9}}, {kMinP, MinPParams{0.02}}});
  chains.push_back({{kMinP, MinPParams{0.02}}, {kTopP, TopPParams{0.9}}, {kTopK, TopKParams{40}}});
  chains.push_back({{kTopP, TopPParams{0.9}}, {kTemperature, TemperatureParams{2}}, {kTopP, TopPParams{0.6}}});
  chains.push_back({{kTemperature, TemperatureParams{30}}, {kTopP, TopPParams{0.8}}, {kGreedy, {}}});
  return chains;
}

void Compare(const Chain& chain, const twin::StepInput& input, std::string_view what) {
  const auto sampler = MakeSampler(chain, input.logits.size(), {});
  ASSERT_TRUE(sampler.has_value()) << sampler.error().message;
  ASSERT_EQ(Differs(**sampler, input, kSeeds), "") << what;
}

void CompareEach(std::span<const std::size_t> sizes, const std::vector<Chain>& chains, std::uint64_t seed) {
  Random random(seed);
  for (const std::size_t size : sizes) {
    for (const Family family : Families()) {
      const std::vector<float> logits = MakeRow(family, size, random);
      for (const Chain& chain : chains) {
        Compare(chain, {.logits = logits, .address = {.position = size}}, NameOf(family));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(FastSamplerRowsTest, EveryFamilyAtSizesAroundTheBordersOfBlocks) { CompareEach(kSmallSizes, Chains(), 1); }

TEST(FastSamplerRowsTest, EveryFamilyAtMiddleSizes) { CompareEach(kMiddleSizes, Chains(), 2); }

TEST(FastSamplerRowsTest, EveryFamilyAtTheSizesOfModels) {
  std::vector<Chain> chains;
  for (const BenchChain chain : {BenchChain::kGreedy, BenchChain::kTopK, BenchChain::kMinP, BenchChain::kTopP}) {
    chains.push_back(MakeBenchChain(chain));
  }
  chains.push_back({{kTemperature, TemperatureParams{2}}, {kTopK, TopKParams{1000}}, {kTopP, TopPParams{0.99}}});
  CompareEach(kLargeSizes, chains, 3);
}

// k at, before and after the end of a run of ties, in rows where the ties lie apart.
TEST(FastSamplerRowsTest, TiesThatStraddleTopK) {
  Random random(4);
  for (const std::size_t size : {20u, 100u, 1000u, 5000u}) {
    for (const double share : {0.01, 0.2, 0.9}) {
      std::vector<float> logits(size);
      std::int64_t best = 0;
      for (float& logit : logits) {
        logit = random.Chance(share) ? 2.0f : (random.Chance(0.5) ? 1.0f : -0.0f);
        best += logit == 2 ? 1 : 0;
      }
      for (const std::int64_t k : {best - 1, best, best + 1, best / 2, best + 3}) {
        if (k < 1) continue;
        for (const Chain& chain :
             {Chain{{kTopK, TopKParams{k}}}, Chain{{kTopK, TopKParams{k}}, {kTopP, TopPParams{0.7}}},
              Chain{{kTemperature, TemperatureParams{5}}, {kTopK, TopKParams{k}}}}) {
          Compare(chain, {.logits = logits}, "ties");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(FastSamplerRowsTest, MasksAtTheBordersOfTheirWords) {
  Random random(5);
  const std::vector<Chain> chains = Chains();
  for (const std::size_t size : {1u, 31u, 32u, 33u, 64u, 65u, 511u, 513u, 4097u}) {
    for (const Family family : {Family::kModelLike, Family::kTies, Family::kMostlyBanned, Family::kHugeRange}) {
      const std::vector<float> logits = MakeRow(family, size, random);
      std::vector<std::vector<std::uint32_t>> masks;
      for (const double p : {0.01, 0.5, 0.99, 1.0}) masks.push_back(MakeMask(size, p, random));
      masks.emplace_back((size + 31) / 32, 0u);  // nothing allowed but padding
      for (std::size_t bit = size; bit < masks.back().size() * 32; ++bit) masks.back()[bit / 32] |= 1u << (bit % 32);
      for (const std::size_t only : {std::size_t{0}, size / 2, size - 1}) {  // all but one banned
        masks.push_back(masks[4]);
        masks.back()[only / 32] |= 1u << (only % 32);
      }
      for (const auto& mask : masks) {
        for (std::size_t i = 0; i < chains.size(); i += 3) {
          Compare(chains[(i + size) % chains.size()], {.logits = logits, .mask = mask.data()}, NameOf(family));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Processors look back, skip what the grammar holds, and write on what the fast path reads; filters follow.
TEST(FastSamplerRowsTest, HistoriesWithMasksAndStructuralTokens) {
  Random random(6);
  for (int run = 0; run < 3000; ++run) {
    const std::size_t size = 1 + random.Below(run % 50 == 0 ? 3000 : 80);
    const std::vector<float> logits = MakeRow(Families()[random.Below(Families().size())], size, random);
    const std::vector<std::uint32_t> mask = MakeMask(size, random.Uniform(), random);
    const std::vector<std::uint32_t> structural = MakeMask(size, 0.2, random);
    const std::vector<TokenId> tokens = MakeHistory(size, random.Below(80), random);
    const std::size_t prompt = random.Below(tokens.size() + 1);
    Chain chain = MakeRandomProcessors(size, random);
    const Chain filters = MakeRandomFilters(random);
    chain.insert(random.Chance(0.2) ? chain.begin() : chain.end(), filters.begin(), filters.end());
    // A drawer belongs to the end.
    const auto drawer =
        std::ranges::find_if(chain, [](const StageSpec& stage) { return KindOf(stage.id) == StageKind::kDrawer; });
    if (drawer != chain.end()) std::rotate(drawer, drawer + 1, chain.end());
    const std::span<const TokenId> all(tokens);
    Compare(chain,
            {.logits = logits,
             .mask = random.Chance(0.4) ? mask.data() : nullptr,
             .structural = random.Chance(0.4) ? structural.data() : nullptr,
             .prompt = all.first(prompt),
             .output = all.subspan(prompt),
             .address = {.position = tokens.size(), .sequence = static_cast<std::uint32_t>(run)}},
            "run " + std::to_string(run));
    if (HasFatalFailure()) return;
  }
}

TEST(FastSamplerRowsTest, TheBenchmarksWholeChain) {
  Random random(7);
  for (const std::size_t size : {1u, 100u, 1025u, 4096u, 32'000u, 128'256u}) {
    for (const Family family : {Family::kModelLike, Family::kFlat, Family::kF16Grid, Family::kAllEqual}) {
      const std::vector<float> logits = MakeRow(family, size, random);
      const std::vector<std::uint32_t> mask = MakeMask(size, 0.5, random);
      const std::vector<TokenId> tokens = MakeHistory(size, size > 10'000 ? 100 : 1000, random);
      Compare(MakeBenchChain(BenchChain::kAll),
              {.logits = logits,
               .mask = mask.data(),
               .prompt = std::span(tokens).first(tokens.size() / 2),
               .output = std::span(tokens).subspan(tokens.size() / 2),
               .address = {.position = tokens.size()}},
              NameOf(family));
      if (HasFatalFailure()) return;
    }
  }
}

// What a row was like decides how the next one is looked at first, and never which token it gives.
TEST(FastSamplerRowsTest, LargeNucleiAfterSmallOnesAndTheOtherWayRound) {
  Random random(12);
  for (const std::size_t size : {300u, 4096u, 32'000u, 128'256u}) {
    Family family = Family::kFlat;
    for (int run = 0; run < (size > 10'000 ? 20 : 60); ++run) {
      if (random.Chance(0.5)) family = Families()[random.Below(Families().size())];
      const std::vector<float> logits = MakeRow(random.Chance(0.3) ? Family::kFlat : family, size, random);
      const Chain chain = {{kTemperature, TemperatureParams{0.4 + random.Uniform()}},
                           {kTopP, TopPParams{0.5 + random.Uniform() / 2}}};
      Compare(chain, {.logits = logits, .address = {.sequence = static_cast<std::uint32_t>(run)}},
              std::string(NameOf(family)) + " after others, " + std::to_string(run));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(FastSamplerRowsTest, RandomChainsOnRandomRows) {
  Random random(8);
  for (int run = 0; run < 4000; ++run) {
    const std::size_t size = 1 + random.Below(run % 100 == 0 ? 20'000 : 600);
    const std::vector<float> logits = MakeRow(Families()[random.Below(Families().size())], size, random);
    Compare(MakeRandomFilters(random), {.logits = logits, .address = {.sequence = static_cast<std::uint32_t>(run)}},
            "run " + std::to_string(run));
    if (HasFatalFailure()) return;
  }
}

// Choose's error on the row, which must be Sample's own and must have moved nothing.
Error ErrorOf(const Chain& chain, const RowView& row, Detail detail) {
  const auto sampler = MakeSampler(chain, row.vocabulary, {});
  if (!sampler.has_value()) return sampler.error();
  SamplerState state({.seed = 5, .position = 9}), other = state;
  const auto choice = (*sampler)->Choose(row, state, detail);
  const auto slow = (*sampler)->Sample(row, other, nullptr);
  EXPECT_EQ(state.position(), 9u);
  EXPECT_FALSE(slow.has_value());
  if (choice.has_value()) return {.message = "none"};
  EXPECT_EQ(choice.error().message, slow.error().message);
  return choice.error();
}

TEST(FastSamplerRowsTest, ABadLogitIsNamedByItsPlace) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float negative_nan = std::bit_cast<float>(0xffc00001u), signalling = std::bit_cast<float>(0x7f800001u);
  Random random(9);
  std::vector<Chain> chains = Chains();
  chains.push_back({{kLogitBias, LogitBiasParams{{{0, 1.0}}}}});
  for (const std::size_t size : {1u, 2u, 16u, 17u, 33u, 513u, 1025u, 4097u, 40'000u}) {
    const std::vector<float> good = MakeRow(size % 2 == 0 ? Family::kModelLike : Family::kOneLive, size, random);
    for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
      for (const float bad : {kNaN, kInf, negative_nan, signalling}) {
        std::vector<float> logits = good;
        logits[place] = bad;
        const Chain& chain = chains[(place + size) % chains.size()];
        for (const Detail detail : {Detail::kToken, Detail::kFull}) {
          const Error error = ErrorOf(chain, RowView::F32(logits), detail);
          ASSERT_EQ(error.code, ErrorCode::kNonFiniteLogit) << Describe(chain) << " " << error.message;
          ASSERT_THAT(error.message, ::testing::StartsWith("logit of token " + std::to_string(place) + " is "));
        }
        if (place + 1 < size) {  // the first of two is named
          logits[size - 1] = kNaN;
          ASSERT_EQ(ErrorOf(chain, RowView::F32(logits), Detail::kToken).message.find(std::to_string(place)), 15u);
        }
      }
    }
  }
}

TEST(FastSamplerRowsTest, ABadLogitUnderAMaskIsStillOne) {
  std::vector<float> logits(100, 0.0f);
  logits[70] = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::uint32_t> mask(4, 0u);
  mask[0] = 1;
  RowView row = RowView::F32(logits);
  row.mask = mask.data();
  EXPECT_EQ(ErrorOf({}, row, Detail::kToken).code, ErrorCode::kNonFiniteLogit);
}

TEST(FastSamplerRowsTest, NothingLeftIsAnError) {
  for (const std::size_t size : {1u, 17u, 5000u}) {
    const std::vector<float> logits(size, kBanned);
    for (const Chain& chain : Chains()) {
      EXPECT_EQ(ErrorOf(chain, RowView::F32(logits), Detail::kToken).code, ErrorCode::kEmptySupport);
    }
  }
}

enum class Half : std::uint8_t { kF16, kBF16 };

RowView HalfRow(Half half, std::span<const std::uint16_t> values) {
  return half == Half::kF16 ? RowView::F16(values) : RowView::BF16(values);
}
float Widened(Half half, std::uint16_t bits) {
  return half == Half::kF16 ? core::HalfToFloat(bits) : core::Bfloat16ToFloat(bits);
}

TEST(FastSamplerRowsTest, HalvesAreTheSingleNumbersThatTheyAre) {
  Random random(10);
  const std::vector<Chain> chains = Chains();
  for (const Half half : {Half::kF16, Half::kBF16}) {
    for (const std::size_t size : {1u, 8u, 15u, 17u, 33u, 513u, 1025u, 4097u, 32'000u}) {
      for (int kind = 0; kind < 3; ++kind) {
        std::vector<std::uint16_t> values(size);
        std::vector<float> wide(size);
        const std::vector<std::uint32_t> mask = MakeMask(size, 0.8, random);
        for (std::size_t i = 0; i < size; ++i) {
          std::uint16_t bits = static_cast<std::uint16_t>(random.Bits());          // any exponent
          if (kind == 1) bits = static_cast<std::uint16_t>(bits & 0x83ffu);        // subnormals of either, and zeros
          if (kind == 2) bits = static_cast<std::uint16_t>(0x3c00u + bits % 300);  // close together
          if (!std::isfinite(Widened(half, bits))) bits = half == Half::kF16 ? 0xfc00u : 0xff80u;  // a ban
          values[i] = bits;
          wide[i] = Widened(half, bits);
        }
        for (std::size_t i = 0; i < chains.size(); i += size > 2000 ? 4 : 1) {
          const auto sampler = MakeSampler(chains[i], size, {});
          ASSERT_TRUE(sampler.has_value());
          RowView row = HalfRow(half, values);
          row.mask = i % 3 == 0 ? mask.data() : nullptr;
          ASSERT_EQ(Differs(**sampler, {.logits = wide, .mask = row.mask}, row, kSeeds), "") << "kind " << kind;
        }
      }
    }
  }
}

TEST(FastSamplerRowsTest, BadHalvesAreNamedByTheirPlace) {
  for (const Half half : {Half::kF16, Half::kBF16}) {
    const std::vector<std::uint16_t> bads = half == Half::kF16
                                                ? std::vector<std::uint16_t>{0x7c00, 0x7c01, 0x7e00, 0xfc01, 0xffff}
                                                : std::vector<std::uint16_t>{0x7f80, 0x7f81, 0x7fc0, 0xff81, 0xffff};
    for (const std::size_t size : {1u, 9u, 17u, 513u, 4097u}) {
      for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
        for (const std::uint16_t bad : bads) {
          std::vector<std::uint16_t> values(size, 0x3c00);
          values[place] = bad;
          const Error error = ErrorOf(MakeBenchChain(BenchChain::kTopK), HalfRow(half, values), Detail::kToken);
          ASSERT_EQ(error.code, ErrorCode::kNonFiniteLogit);
          ASSERT_THAT(error.message, ::testing::StartsWith("logit of token " + std::to_string(place) + " is "));
        }
      }
    }
  }
}

}  // namespace
}  // namespace decant
