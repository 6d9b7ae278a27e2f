// A step of a batch allocates nothing once the largest row was seen. This program counts every operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "agreement/sampler_rows.h"
#include "decant/runtime.h"
#include "decant/sampler.h"

// g++ takes an inlined operator new for another allocator's.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace {

std::atomic<std::uint64_t> allocations = 0;

void* AllocateOrNull(std::size_t size) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}

void* Allocate(std::size_t size) {
  if (void* place = AllocateOrNull(size)) return place;
  throw std::bad_alloc();
}

void* AllocateAligned(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto step = static_cast<std::size_t>(alignment);
  if (void* place = std::aligned_alloc(step, (size + step) / step * step)) return place;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return AllocateAligned(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return AllocateAligned(size, alignment); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return AllocateOrNull(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return AllocateOrNull(size); }
void operator delete(void* place) noexcept { std::free(place); }
void operator delete[](void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
void operator delete[](void* place, std::size_t) noexcept { std::free(place); }
void operator delete(void* place, std::align_val_t) noexcept { std::free(place); }
void operator delete[](void* place, std::align_val_t) noexcept { std::free(place); }
void operator delete(void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }
void operator delete[](void* place, std::size_t, std::align_val_t) noexcept { std::free(place); }

namespace decant {
namespace {

constexpr std::size_t kVocabulary = 32'000;
constexpr std::size_t kRows = 8;

// Rows of one chain, step after step: the first ones warm the work areas up, the later ones are of other families.
class Steps {
 public:
  Steps(BenchChain chain, std::shared_ptr<Runtime> runtime) : batch_(std::move(runtime)) {
    auto sampler = MakeSampler(MakeBenchChain(chain), kVocabulary, {});
    EXPECT_TRUE(sampler.has_value());
    sampler_ = *sampler;
    mask_ = MakeMask(kVocabulary, 0.7, random_);
    const std::vector<TokenId> prompt = MakeHistory(kVocabulary, 1000, random_);
    for (std::uint32_t i = 0; i < kRows; ++i) states_.push_back(SamplerState({.sequence = i, .prompt = prompt}));
    masked_ = chain == BenchChain::kAll;
  }

  // Allocations of one step over rows of the family; its tokens are accepted afterwards.
  std::uint64_t Count(Family family) {
    std::vector<std::vector<float>> rows;
    std::vector<SampleRequest> requests;
    std::vector<Result<Choice>> out(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
      rows.push_back(MakeRow(family, kVocabulary, random_));
      RowView row = RowView::F32(rows.back());
      if (masked_) row.mask = mask_.data();
      requests.push_back({.sampler = sampler_.get(), .row = row, .state = &states_[i]});
    }
    const std::uint64_t before = allocations;
    batch_.Sample(requests, Detail::kToken, out);
    const std::uint64_t count = allocations - before;
    for (std::size_t i = 0; i < kRows; ++i) {
      EXPECT_TRUE(out[i].has_value()) << out[i].error().message;
      states_[i].Accept(out[i].value_or(Choice{}).token);
    }
    return count;
  }

 private:
  Random random_{1};
  BatchSampler batch_;
  std::shared_ptr<const Sampler> sampler_;
  std::vector<std::uint32_t> mask_;
  std::vector<SamplerState> states_;
  bool masked_ = false;
};

TEST(SamplerAllocationsTest, TheCounterCounts) {
  const std::uint64_t before = allocations;
  const auto number = std::make_unique<std::vector<int>>(100);
  EXPECT_EQ(allocations - before, 2u) << number->size();
}

TEST(SamplerAllocationsTest, AStepAllocatesNothingAfterTheFirst) {
  for (const int threads : {0, 1, 2}) {
    for (const BenchChain chain : kBenchChains) {
      Steps steps(chain, threads == 0 ? nullptr : *Runtime::Make({.threads = threads}));
      for (int warm = 0; warm < 2; ++warm) steps.Count(Family::kModelLike);
      for (const Family family : {Family::kModelLike, Family::kFlat, Family::kModelLike, Family::kAllEqual,
                                  Family::kTies, Family::kLongTail, Family::kF16Grid, Family::kFlat}) {
        EXPECT_EQ(steps.Count(family), 0u)
            << "chain " << static_cast<int>(chain) << ", " << NameOf(family) << " rows, " << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace decant
