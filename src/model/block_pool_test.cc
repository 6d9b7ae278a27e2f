// Blocks are counted, shared by forks, copied before a shared one is written, and never half taken.
#include <gtest/gtest.h>

#include <limits>

#include "decant/language_model.h"

namespace decant {
namespace {

std::shared_ptr<BlockPool> Pool(std::size_t blocks) { return std::make_shared<BlockPool>(256, blocks); }

void Grow(KvSequence& sequence, std::size_t tokens) {
  const Result<void> reserved = sequence.Reserve(tokens);
  ASSERT_TRUE(reserved.has_value()) << reserved.error().message;
  sequence.Advance(tokens);
}

TEST(BlockPoolTest, SaysWhenThereIsNoMemoryForABlock) {
  const auto pool = std::make_shared<BlockPool>(std::numeric_limits<std::size_t>::max() / 2, 4);
  EXPECT_EQ(pool->Take(), nullptr);
  KvSequence sequence(pool);
  const Result<void> reserved = sequence.Reserve(1);
  ASSERT_FALSE(reserved.has_value());
  EXPECT_EQ(reserved.error().code, ErrorCode::kCacheExhausted);
  EXPECT_EQ(reserved.error().message,
            "there is no memory for another KV block of 9223372036854775807 bytes; 1 are needed");
}

TEST(BlockPoolTest, CountsBlocksAndReusesThem) {
  BlockPool pool(100, 2);
  BlockPool::Block* const a = pool.Take();
  BlockPool::Block* const b = pool.Take();
  EXPECT_EQ(pool.blocks_in_use(), 2u);
  EXPECT_EQ(pool.Take(), nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(BlockPool::Data(a)) % 64, 0u);
  BlockPool::AddReference(a);
  EXPECT_EQ(BlockPool::References(a), 2u);
  pool.Release(a);
  EXPECT_EQ(pool.blocks_in_use(), 2u);
  pool.Release(a);
  EXPECT_EQ(pool.blocks_in_use(), 1u);
  EXPECT_EQ(pool.Take(), a);
  pool.Release(a);
  pool.Release(b);
}

TEST(KvSequenceTest, TakesABlockFor32Tokens) {
  const auto pool = Pool(8);
  KvSequence sequence(pool);
  EXPECT_EQ(sequence.block_count(), 0u);
  Grow(sequence, 32);
  EXPECT_EQ(sequence.block_count(), 1u);
  Grow(sequence, 1);
  EXPECT_EQ(sequence.block_count(), 2u);
  EXPECT_EQ(sequence.size(), 33u);
}

TEST(KvSequenceTest, GivesItsBlocksBack) {
  const auto pool = Pool(8);
  {
    KvSequence sequence(pool);
    Grow(sequence, 65);
    EXPECT_EQ(pool->blocks_in_use(), 3u);
    sequence.Truncate(64);
    EXPECT_EQ(pool->blocks_in_use(), 2u);
    KvSequence moved = std::move(sequence);
    EXPECT_EQ(moved.size(), 64u);
    EXPECT_EQ(pool->blocks_in_use(), 2u);
  }
  EXPECT_EQ(pool->blocks_in_use(), 0u);
}

TEST(KvSequenceTest, ForkSharesWholeBlocksAndCopiesThePartialOne) {
  const auto pool = Pool(8);
  KvSequence sequence(pool);
  Grow(sequence, 40);
  sequence.block(1)[5] = std::byte{7};
  const Result<KvSequence> fork = sequence.Fork();
  ASSERT_TRUE(fork.has_value());
  EXPECT_EQ(fork->size(), 40u);
  EXPECT_EQ(fork->block(0), sequence.block(0));
  EXPECT_NE(fork->block(1), sequence.block(1));
  EXPECT_EQ(fork->block(1)[5], std::byte{7});
  EXPECT_EQ(pool->blocks_in_use(), 3u);
}

TEST(KvSequenceTest, AForkAtABlockBoundaryNeedsNoBlock) {
  const auto pool = Pool(1);
  KvSequence sequence(pool);
  Grow(sequence, 32);
  const Result<KvSequence> fork = sequence.Fork();
  ASSERT_TRUE(fork.has_value());
  EXPECT_EQ(fork->block(0), sequence.block(0));
}

TEST(KvSequenceTest, AForkThatFindsNoRoomLeavesTheCountsAlone) {
  const auto pool = Pool(2);
  KvSequence sequence(pool);
  Grow(sequence, 40);
  EXPECT_EQ(sequence.Fork().error().code, ErrorCode::kCacheExhausted);
  EXPECT_EQ(pool->blocks_in_use(), 2u);
}

TEST(KvSequenceTest, UnsharesABlockThatBecamePartial) {
  const auto pool = Pool(4);
  KvSequence sequence(pool);
  Grow(sequence, 64);
  sequence.block(1)[9] = std::byte{3};
  Result<KvSequence> fork = sequence.Fork();
  ASSERT_TRUE(fork.has_value());
  fork->Truncate(40);
  EXPECT_EQ(fork->block(1), sequence.block(1));
  Grow(*fork, 1);
  EXPECT_NE(fork->block(1), sequence.block(1));
  EXPECT_EQ(fork->block(1)[9], std::byte{3});
  EXPECT_EQ(sequence.block(1)[9], std::byte{3});
}

TEST(KvSequenceTest, ReserveTakesAllOrNothing) {
  const auto pool = Pool(3);
  KvSequence sequence(pool);
  Grow(sequence, 10);
  const Result<void> reserved = sequence.Reserve(200);
  ASSERT_FALSE(reserved.has_value());
  EXPECT_EQ(reserved.error().code, ErrorCode::kCacheExhausted);
  EXPECT_EQ(reserved.error().message, "the KV cache is full: 1 of 3 blocks of 32 tokens are in use, 6 more are needed");
  EXPECT_EQ(pool->blocks_in_use(), 1u);
  EXPECT_EQ(sequence.size(), 10u);
  Grow(sequence, 86);
}

}  // namespace
}  // namespace decant
