// Masses against sums of the exact exp2 on every level this machine has, within their bounds.
#include "simd/row_masses.h"

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
#include "simd/rows_for_test.h"
#include "simd/targets.h"
#include "simd/weigh.h"

namespace decant::simd {
namespace {

// All 2^23 fractions, over which the reduced argument takes every value that it can.
TEST(RowMassesTest, TermsAreWithinTheirBound) {
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

TEST(RowMassesTest, MassesAreWithinTheirBoundAndSoAreFineOnes) {
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
        std::vector<double> part(count), again(count), part_of_scan(count);
        MassesAbove(row, block, MassScaleOf(scale, 0), references.data(), cut, part.data());
        ASSERT_TRUE(ScanMasses(row, block, MassScaleOf(scale, 0), maxima.data(), references.data(), again.data(),
                               {cut, part_of_scan.data()}));
        ASSERT_EQ(again, masses) << level << " " << n;
        ASSERT_EQ(part_of_scan, part) << level << " " << n;
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

TEST(RowMassesTest, FineTermsAreWithinTheirBound) {
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
TEST(RowMassesTest, ShiftedScoresAndBannedBlocks) {
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
    EXPECT_EQ(maxima[0], kBanned) << level;
    EXPECT_LT(references[0], -100000.0f) << level;
    const double exact = 1 + core::Exp2(Gap(row[71], 1000.0f, scale));
    EXPECT_NEAR(masses[1] * std::exp2(references[1]), exact, exact * kMassError) << level;
  });
  EXPECT_FALSE(FitsMassScale(GapScale(1e-300), 0, 0));
}

TEST(RowMassesTest, ABandAndWhatLiesAboveIt) {
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

}  // namespace
}  // namespace decant::simd
