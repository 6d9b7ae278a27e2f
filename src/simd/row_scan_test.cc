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
#include <utility>
#include <vector>

#include "core/float16.h"
#include "core/math.h"
#include "simd/row_masses.h"
#include "simd/rows_for_test.h"
#include "simd/targets.h"
#include "simd/weigh.h"

namespace decant::simd {
namespace {

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

TEST(RowScanTest, RowsOfEveryTypeUnderAMask) {
  OnEveryLevel([](std::string_view level) {
    for (const std::size_t n : kSizes) {
      const std::vector<float> given = RandomRow(n, static_cast<unsigned>(n + 77));
      std::vector<std::uint16_t> f16(n), bf16(n);
      std::vector<float> of_f16(n), of_bf16(n), masked(n);
      for (std::size_t i = 0; i < n; ++i) {
        f16[i] = core::FloatToHalf(given[i]);
        bf16[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(given[i]) >> 16);
      }
      WidenF16(f16, of_f16.data());
      WidenBF16(bf16, of_bf16.data());
      std::mt19937 random(4);
      std::vector<std::uint32_t> words((n + 31) / 32);
      for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
      const std::pair<RowView, const std::vector<float>*> rows[] = {
          {RowView::F32(given), &given}, {RowView::F16(f16), &of_f16}, {RowView::BF16(bf16), &of_bf16}};
      for (auto [row, values] : rows) {
        const std::size_t block = 64, count = (n + block - 1) / block;
        std::vector<float> maxima(count), expected(count);
        ASSERT_TRUE(ScanMaxima(row, 0, n, block, maxima.data()));
        ASSERT_TRUE(ScanMaxima(*values, block, expected.data()));
        ASSERT_EQ(maxima, expected) << level << " " << n;
        row.mask = words.data();
        CopyMasked(*values, words.data(), masked.data());
        ASSERT_TRUE(ScanMaxima(row, 0, n, block, maxima.data()));
        ASSERT_TRUE(ScanMaxima(masked, block, expected.data()));
        ASSERT_EQ(maxima, expected) << level << " masked " << n;
      }
    }
  });
}

}  // namespace
}  // namespace decant::simd
