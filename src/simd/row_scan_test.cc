// Every kernel against a plain loop on every level this machine has: exact where it says so, within its bound
// elsewhere.
#include "simd/row_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/float16.h"
#include "core/math.h"
#include "simd/targets.h"
#include "simd/weigh.h"

namespace decant::simd {
namespace {

constexpr float kBanned = -std::numeric_limits<float>::infinity();
constexpr float kInf = std::numeric_limits<float>::infinity();
const std::size_t kSizes[] = {1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 500, 511, 512, 513, 1000, 1024, 1537};

void OnEveryLevel(const std::function<void(std::string_view)>& body) {
  for (const std::string_view level : SupportedLevels()) {
    const LevelForTest use(level);
    body(level);
  }
}

std::vector<float> RandomRow(std::size_t n, unsigned seed, float from = -20, float to = 5) {
  std::mt19937 random(seed);
  std::vector<float> row(n);
  for (float& x : row) {
    x = std::uniform_real_distribution<float>(from, to)(random);
    if (random() % 9 == 0) x = kBanned;
    if (random() % 9 == 0) x = std::floor(x);  // ties
  }
  return row;
}

TEST(RowScanTest, MaximaOfEveryBlock) {
  OnEveryLevel([](std::string_view level) {
    for (const std::size_t n : kSizes) {
      for (const std::size_t block : {std::size_t{32}, std::size_t{64}, kMaxBlock}) {
        const std::vector<float> row = RandomRow(n, static_cast<unsigned>(n));
        std::vector<float> maxima((n + block - 1) / block);
        ASSERT_TRUE(ScanMaxima(row, block, maxima.data()));
        for (std::size_t b = 0; b < maxima.size(); ++b) {
          const auto begin = row.begin() + static_cast<std::ptrdiff_t>(b * block);
          const auto end = row.begin() + static_cast<std::ptrdiff_t>(std::min(n, (b + 1) * block));
          ASSERT_EQ(maxima[b], *std::max_element(begin, end)) << level << " " << n;
        }
      }
    }
  });
}

TEST(RowScanTest, ANanOrAnInfinityAnywhereIsSeen) {
  OnEveryLevel([](std::string_view level) {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(), kInf}) {
      for (const std::size_t n : {std::size_t{1}, std::size_t{17}, std::size_t{67}, std::size_t{530}}) {
        for (std::size_t at = 0; at < n; ++at) {
          std::vector<float> row = RandomRow(n, 3);
          row[at] = bad;
          std::vector<float> maxima(9), references(9), out(n);
          std::vector<double> masses(9);
          const std::vector<std::uint32_t> none((n + 31) / 32);
          ASSERT_FALSE(ScanMaxima(row, 64, maxima.data())) << level << " " << at;
          ASSERT_FALSE(ScanMasses(row, 64, MassScaleOf(1.5, 0), maxima.data(), references.data(), masses.data()));
          ASSERT_FALSE(CopyMasked(row, none.data(), out.data())) << "under a ban too, " << level << " " << at;
        }
      }
    }
  });
}

// All 2^23 fractions, over which the reduced argument takes every value that it can.
TEST(RowScanTest, TermsAreWithinTheirBound) {
  for (const std::string_view level : SupportedLevels()) {
    if (level == "scalar" || level == "sse4") continue;  // exact there
    const LevelForTest use(level);
    for (const double temperature : {1.0, 0.8, 0.013}) {
      const double scale = GapScale(temperature);
      const MassScale mass_scale = MassScaleOf(scale, 0);
      std::vector<float> block(kMaxBlock), terms(kMaxBlock);
      double worst = 0;
      for (std::uint32_t bits = 0x40800000; bits < 0x41000000; bits += kMaxBlock) {
        for (std::size_t i = 0; i < kMaxBlock; ++i) {
          block[i] = std::bit_cast<float>(bits + static_cast<std::uint32_t>(i));
        }
        const auto reference = static_cast<float>(std::ceil(block.back() * scale));
        Terms(block, mass_scale, reference, terms.data());
        for (std::size_t i = 0; i < kMaxBlock; i += 3) {
          const double exact = core::Exp2(block[i] * scale - static_cast<double>(reference));
          worst = std::max(worst, std::abs(terms[i] / exact - 1));
        }
      }
      EXPECT_LT(worst, kTermError) << level << " " << temperature;
      RecordProperty(std::string(level) + "_term_error", std::to_string(worst * 0x1p24));
    }
  }
}

TEST(RowScanTest, MassesAreWithinTheirBoundAndSoAreFineOnes) {
  OnEveryLevel([](std::string_view level) {
    for (const std::size_t n : kSizes) {
      for (const double temperature : {1.0, 0.1, 7.0}) {
        const std::vector<float> row = RandomRow(n, 11);
        const double scale = GapScale(temperature);
        const std::size_t block = 256, count = (n + block - 1) / block;
        std::vector<float> maxima(count), references(count);
        std::vector<double> masses(count), all(count);
        ASSERT_TRUE(ScanMasses(row, block, MassScaleOf(scale, 0), maxima.data(), references.data(), masses.data()));
        const float max = MaxScore(row);
        if (max == kBanned) continue;
        const float cut = max - 1;
        FineMasses(row, block, max, scale, all.data());
        std::vector<double> part(count);
        MassesAbove(row, block, MassScaleOf(scale, 0), references.data(), cut, part.data());
        for (std::size_t b = 0; b < count; ++b) {
          double coarse = 0, coarse_above = 0, fine = 0;
          for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) {
            if (row[i] == kBanned) continue;
            const double term = core::Exp2(row[i] * scale - static_cast<double>(references[b]));
            coarse += term;
            if (row[i] >= cut) coarse_above += term;
            fine += core::Exp2(Gap(row[i], max, scale));
          }
          ASSERT_NEAR(masses[b], coarse, coarse * kMassError + 0x1p-100) << level << " " << n;
          ASSERT_NEAR(all[b], fine, fine * kFineError + 0x1p-80) << level << " " << n;
          ASSERT_NEAR(part[b], coarse_above, coarse_above * kMassError + 0x1p-100) << level << " " << n;
        }
      }
    }
  });
}

TEST(RowScanTest, FineTermsAreWithinTheirBound) {
  OnEveryLevel([](std::string_view level) {
    std::vector<float> block(kMaxBlock);
    std::vector<double> terms(kMaxBlock);
    double worst = 0;
    for (int part = 0; part < 400; ++part) {
      for (std::size_t i = 0; i < kMaxBlock; ++i) {
        block[i] = -static_cast<float>(part * static_cast<int>(kMaxBlock) + static_cast<int>(i)) * 3.1e-4f;
      }
      FineTerms(block, 0, 1.0, terms.data());
      for (std::size_t i = 0; i < kMaxBlock; ++i) {
        worst = std::max(worst, std::abs(terms[i] / core::Exp2(static_cast<double>(block[i])) - 1));
      }
    }
    EXPECT_LT(worst, kFineError) << level;
  });
}

// A temperature so low that scores are counted from the maximum, and rows of bans only.
TEST(RowScanTest, ShiftedScoresAndBannedBlocks) {
  OnEveryLevel([](std::string_view level) {
    std::vector<float> row(128, kBanned);
    row[70] = 1000.0f;
    row[71] = 999.9999f;
    const double scale = GapScale(1e-4);
    EXPECT_FALSE(FitsMassScale(scale, 0, 1000.0f));
    ASSERT_TRUE(FitsMassScale(scale, 1000.0f, 1000.0f));
    float maxima[2], references[2];
    double masses[2];
    ASSERT_TRUE(ScanMasses(row, 64, MassScaleOf(scale, 1000.0f), maxima, references, masses));
    EXPECT_EQ(maxima[0], kBanned);
    EXPECT_LT(references[0], -100000.0f);
    const double exact = 1 + core::Exp2(Gap(row[71], 1000.0f, scale));
    EXPECT_NEAR(masses[1] * std::exp2(references[1]), exact, exact * kMassError) << level;
  });
  EXPECT_FALSE(FitsMassScale(GapScale(1e-300), 0, 0));
}

TEST(RowScanTest, CollectsAndCountsWhatReachesABound) {
  OnEveryLevel([](std::string_view level) {
    for (const std::size_t n : kSizes) {
      const std::vector<float> row = RandomRow(n, static_cast<unsigned>(n + 5));
      const std::size_t block = 64;
      std::vector<float> maxima((n + block - 1) / block);
      ASSERT_TRUE(ScanMaxima(row, block, maxima.data()));
      for (const float bound : {-7.0f, 0.0f, 4.5f, 100.0f, kBanned}) {
        std::vector<TokenId> ids(n + kCollectSlack), expected;
        std::vector<float> scores(n + kCollectSlack);
        std::size_t above = 0;
        for (std::size_t i = 0; i < n; ++i) {
          if (row[i] != kBanned && row[i] >= bound) expected.push_back(static_cast<TokenId>(i + 1000));
          above += row[i] > bound;
        }
        const std::size_t found = CollectAtLeast(row, block, maxima.data(), bound, 1000, {ids.data(), scores.data()});
        ids.resize(found);
        ASSERT_EQ(ids, expected) << level << " " << n << " " << bound;
        for (std::size_t i = 0; i < found; ++i) ASSERT_EQ(scores[i], row[ids[i] - 1000]);
        if (bound != kBanned) {
          ASSERT_EQ(CountAtLeast(row, bound), expected.size()) << level;
        }
        ASSERT_EQ(CountAbove(row, bound), above) << level;
        const std::size_t first = static_cast<std::size_t>(std::ranges::find(row, bound) - row.begin());
        ASSERT_EQ(FirstWithScore(row, bound), first) << level << " " << n << " " << bound;
      }
    }
  });
}

TEST(RowScanTest, ABandAndWhatLiesAboveIt) {
  OnEveryLevel([](std::string_view level) {
    const std::vector<float> row = RandomRow(1000, 8);
    const std::size_t block = 128, count = 8;
    const double scale = GapScale(1);
    const float max = MaxScore(row);
    std::vector<double> above(count), all(count), masses(count);
    FineMasses(row, block, max, scale, masses.data());
    std::vector<TokenId> ids(row.size() + 2 * kMaxBlock);
    std::vector<float> scores(ids.size());
    const Candidates::Room room{ids.data(), scores.data()};
    const Band band{.low = -3, .high = 2};
    const std::size_t found = FineBand(row, block, max, scale, band, 0, row.size(), room, above.data(), all.data());
    std::size_t next = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] >= band.low && row[i] < band.high) {
        ASSERT_EQ(ids.at(next++), i) << level;
      }
    }
    EXPECT_EQ(found, next);
    for (std::size_t b = 0; b < count; ++b) {
      double exact = 0;
      for (std::size_t i = b * block; i < std::min(row.size(), (b + 1) * block); ++i) {
        if (row[i] >= band.high) exact += core::Exp2(Gap(row[i], max, scale));
      }
      EXPECT_NEAR(above[b], exact, exact * kFineError + 0x1p-80) << level;
      EXPECT_EQ(all[b], masses[b]) << level;
    }
    EXPECT_GT(FineBand(row, block, max, scale, band, 0, 10, room, above.data(), all.data()), 10u);
  });
}

TEST(RowScanTest, MasksBanByTheirBits) {
  OnEveryLevel([](std::string_view level) {
    std::mt19937 random(1);
    for (const std::size_t n : kSizes) {
      const std::vector<float> row = RandomRow(n, 2);
      std::vector<std::uint32_t> words((n + 31) / 32);
      for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
      std::vector<float> out(n, 7.0f);
      ASSERT_TRUE(CopyMasked(row, words.data(), out.data()));
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(out[i], (words[i / 32] >> (i % 32)) % 2 == 1 ? row[i] : kBanned) << level << " " << n << " " << i;
      }
    }
  });
}

TEST(RowScanTest, EveryHalfWidensToItself) {
  std::vector<std::uint16_t> halves(0x10000 + 3);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  OnEveryLevel([&halves](std::string_view level) {
    std::vector<float> f16(halves.size()), bf16(halves.size());
    WidenF16(halves, f16.data());
    WidenBF16(halves, bf16.data());
    for (std::size_t i = 0; i < halves.size(); ++i) {
      const float f = core::HalfToFloat(halves[i]), b = core::Bfloat16ToFloat(halves[i]);
      ASSERT_TRUE(std::isnan(f) ? std::isnan(f16[i])
                                : std::bit_cast<std::uint32_t>(f) == std::bit_cast<std::uint32_t>(f16[i]))
          << level << " " << i;
      ASSERT_TRUE(std::isnan(b) ? std::isnan(bf16[i])
                                : std::bit_cast<std::uint32_t>(b) == std::bit_cast<std::uint32_t>(bf16[i]))
          << level << " " << i;
    }
  });
}

TEST(RowScanTest, SumsOfTermsAtABound) {
  OnEveryLevel([](std::string_view level) {
    const std::vector<float> scores = RandomRow(203, 4);
    std::vector<double> terms(scores.size(), 1.0);
    const std::vector<float> rough(scores.size(), 1.0f);
    const std::size_t count = CountAtLeast(scores, 0.0f);
    EXPECT_EQ(SumAtLeast(scores, terms.data(), 0.0f), static_cast<double>(count)) << level;
    EXPECT_EQ(SumAtLeast(scores, rough.data(), 0.0f), static_cast<float>(count)) << level;
  });
}

}  // namespace
}  // namespace decant::simd
