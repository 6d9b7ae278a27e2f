// The cache of masks: identity, budget, order of eviction, threads.
#include "grammar/mask_cache.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "grammar/fingerprint.h"

namespace decant::grammar {
namespace {

class Number final : public CacheEntry {
 public:
  static constexpr std::uint64_t kKind = 1;
  explicit Number(std::uint64_t number, std::size_t bytes = 1000) : number_(number), bytes_(bytes) {}
  std::size_t memory_bytes() const override { return bytes_; }
  std::uint64_t number() const { return number_; }

 private:
  std::uint64_t number_;
  std::size_t bytes_;
};

class Other final : public CacheEntry {
 public:
  static constexpr std::uint64_t kKind = 2;
  std::size_t memory_bytes() const override { return 8; }
};

Fingerprint Key(std::uint64_t number) { return Add(Fingerprint{}, number); }

TEST(MaskCacheTest, KeepsTheFirstOfAKey) {
  const MaskCache cache(1 << 20);
  EXPECT_EQ(cache.Find<Number>(Key(7)), nullptr);
  const auto first = cache.Insert(Key(7), std::make_shared<const Number>(7));
  EXPECT_EQ(cache.Insert(Key(7), std::make_shared<const Number>(8)), first);
  EXPECT_EQ(cache.Find<Number>(Key(7)), first);
  EXPECT_EQ(cache.entries(), 1u);
}

TEST(MaskCacheTest, KindsOfEntriesDoNotMeet) {
  const MaskCache cache(1 << 20);
  cache.Insert(Key(7), std::make_shared<const Number>(7));
  EXPECT_EQ(cache.Find<Other>(Key(7)), nullptr);
}

TEST(MaskCacheTest, DropsTheLeastRecentlyUsed) {
  const MaskCache cache(5000);
  for (std::uint64_t i = 0; i < 4; ++i) cache.Insert(Key(i), std::make_shared<const Number>(i));
  ASSERT_EQ(cache.entries(), 4u);
  EXPECT_NE(cache.Find<Number>(Key(0)), nullptr);
  cache.Insert(Key(4), std::make_shared<const Number>(4));
  EXPECT_LE(cache.bytes(), 5000u);
  EXPECT_NE(cache.Find<Number>(Key(0)), nullptr);
  EXPECT_EQ(cache.Find<Number>(Key(1)), nullptr);
  EXPECT_NE(cache.Find<Number>(Key(4)), nullptr);
}

TEST(MaskCacheTest, AnEntryInUseOutlivesItsPlace) {
  const MaskCache cache(1500);
  const auto held = cache.Insert(Key(1), std::make_shared<const Number>(1));
  cache.Insert(Key(2), std::make_shared<const Number>(2));
  EXPECT_EQ(cache.Find<Number>(Key(1)), nullptr);
  EXPECT_EQ(held->number(), 1u);
}

TEST(MaskCacheTest, WhatIsLargerThanTheBudgetIsNotKept) {
  const MaskCache cache(500);
  EXPECT_EQ(cache.Insert(Key(1), std::make_shared<const Number>(1))->number(), 1u);
  EXPECT_EQ(cache.entries(), 0u);
  const MaskCache none(0);
  none.Insert(Key(1), std::make_shared<const Number>(1, 0));
  EXPECT_EQ(none.bytes(), 0u);
}

TEST(MaskCacheTest, ThreadsSeeOneEntryAKeyWithinTheBudget) {
  constexpr std::size_t kBudget = std::size_t{16} << 20;
  const MaskCache cache(kBudget);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache] {
      for (std::uint64_t i = 0; i < 4000; ++i) {
        const std::uint64_t number = i * 7 % 1000;
        auto entry = cache.Find<Number>(Key(number));
        if (entry == nullptr) entry = cache.Insert(Key(number), std::make_shared<const Number>(number, 60000));
        ASSERT_EQ(entry->number(), number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(cache.bytes(), kBudget);
  EXPECT_GT(cache.entries(), 100u);
}

}  // namespace
}  // namespace decant::grammar
