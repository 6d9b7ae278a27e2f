// A free list under a mutex, counts as atomics: only taking and giving back a block locks. A block is written by the
// one sequence that holds it; a shared last block is copied before it is written (Reserve).
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/check.h"
#include "decant/language_model.h"
#include "simd/aligned_buffer.h"

namespace decant {
namespace {

constexpr std::size_t BlocksFor(std::size_t tokens) { return (tokens + kKvBlockTokens - 1) / kKvBlockTokens; }

std::unexpected<Error> Exhausted(const BlockPool& pool, std::size_t more, bool full) {
  if (!full) {
    return Fail(ErrorCode::kCacheExhausted,
                "there is no memory for another KV block of " + std::to_string(pool.block_bytes()) + " bytes; " +
                    std::to_string(more) + " are needed",
                {.subject = "sequences", .hint = "end other sequences, or use a shorter context"});
  }
  return Fail(ErrorCode::kCacheExhausted,
              "the KV cache is full: " + std::to_string(pool.blocks_in_use()) + " of " +
                  std::to_string(pool.max_blocks()) + " blocks of " + std::to_string(kKvBlockTokens) +
                  " tokens are in use, " + std::to_string(more) + " more are needed",
              {.subject = "sequences", .hint = "end other sequences, or load the model with more of them"});
}

}  // namespace

struct BlockPool::Block {
  explicit Block(simd::AlignedBuffer<std::byte> bytes) : data(std::move(bytes)) {}
  simd::AlignedBuffer<std::byte> data;
  std::atomic<std::uint32_t> references{0};
};

struct BlockPool::State {
  std::size_t block_bytes;
  std::size_t max_blocks;
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Block>> blocks;  // all there are
  std::vector<Block*> free;                    // those with count 0
};

BlockPool::BlockPool(std::size_t block_bytes, std::size_t max_blocks) : state_(std::make_unique<State>()) {
  state_->block_bytes = block_bytes;
  state_->max_blocks = max_blocks;
}
BlockPool::~BlockPool() = default;

std::size_t BlockPool::block_bytes() const { return state_->block_bytes; }
std::size_t BlockPool::max_blocks() const { return state_->max_blocks; }
std::size_t BlockPool::blocks_in_use() const {
  const std::lock_guard lock(state_->mutex);
  return state_->blocks.size() - state_->free.size();
}

BlockPool::Block* BlockPool::Take() {
  const std::lock_guard lock(state_->mutex);
  if (state_->free.empty()) {
    if (state_->blocks.size() == state_->max_blocks) return nullptr;
    std::optional<simd::AlignedBuffer<std::byte>> bytes = simd::AlignedBuffer<std::byte>::TryMake(state_->block_bytes);
    if (!bytes) return nullptr;
    state_->blocks.push_back(std::make_unique<Block>(*std::move(bytes)));
    state_->free.push_back(state_->blocks.back().get());
  }
  Block* const block = state_->free.back();
  state_->free.pop_back();
  block->references.store(1, std::memory_order_relaxed);
  return block;
}

void BlockPool::AddReference(Block* block) { block->references.fetch_add(1, std::memory_order_relaxed); }

void BlockPool::Release(Block* block) {
  if (block->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::lock_guard lock(state_->mutex);
  state_->free.push_back(block);
}

std::byte* BlockPool::Data(Block* block) { return block->data.data(); }
std::uint32_t BlockPool::References(const Block* block) { return block->references.load(std::memory_order_acquire); }

KvSequence::KvSequence(std::shared_ptr<BlockPool> pool) : pool_(std::move(pool)) {}

KvSequence::~KvSequence() {
  for (BlockPool::Block* block : blocks_) pool_->Release(block);
}

KvSequence::KvSequence(KvSequence&& other) noexcept
    : pool_(std::move(other.pool_)), blocks_(std::exchange(other.blocks_, {})), size_(std::exchange(other.size_, 0)) {}

KvSequence& KvSequence::operator=(KvSequence&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(blocks_, other.blocks_);
  std::swap(size_, other.size_);
  return *this;
}

Result<KvSequence> KvSequence::Fork() const {
  KvSequence fork(pool_);
  const std::size_t whole = size_ / kKvBlockTokens;
  for (std::size_t i = 0; i < whole; ++i) {
    BlockPool::AddReference(blocks_[i]);
    fork.blocks_.push_back(blocks_[i]);
  }
  fork.size_ = whole * kKvBlockTokens;
  if (fork.size_ != size_) {
    DECANT_CHECKED(fork.Reserve(size_ - fork.size_));
    std::memcpy(fork.block(whole), block(whole), pool_->block_bytes());
    fork.size_ = size_;
  }
  return fork;
}

void KvSequence::Truncate(std::size_t size) {
  DECANT_CHECK(size <= size_);
  size_ = size;
  while (blocks_.size() > BlocksFor(size)) {
    pool_->Release(blocks_.back());
    blocks_.pop_back();
  }
}

Result<void> KvSequence::Reserve(std::size_t tokens) {
  if (tokens == 0) return {};
  const std::size_t last = size_ / kKvBlockTokens;
  const bool unshare = size_ % kKvBlockTokens != 0 && BlockPool::References(blocks_[last]) > 1;
  const std::size_t wanted = BlocksFor(size_ + tokens);
  const std::size_t more = (wanted > blocks_.size() ? wanted - blocks_.size() : 0) + (unshare ? 1 : 0);
  std::vector<BlockPool::Block*> taken;
  while (taken.size() < more) {
    BlockPool::Block* const block = pool_->Take();
    if (block == nullptr) {
      const bool full = pool_->blocks_in_use() == pool_->max_blocks();
      for (BlockPool::Block* back : taken) pool_->Release(back);
      return Exhausted(*pool_, more, full);
    }
    taken.push_back(block);
  }
  if (unshare) {
    std::memcpy(BlockPool::Data(taken.back()), BlockPool::Data(blocks_[last]), pool_->block_bytes());
    pool_->Release(std::exchange(blocks_[last], taken.back()));
    taken.pop_back();
  }
  blocks_.insert(blocks_.end(), taken.begin(), taken.end());
  return {};
}

void KvSequence::Advance(std::size_t tokens) {
  DECANT_CHECK(BlocksFor(size_ + tokens) <= blocks_.size());
  size_ += tokens;
}

std::byte* KvSequence::block(std::size_t index) const {
  DECANT_DCHECK(index < blocks_.size());
  return BlockPool::Data(blocks_[index]);
}

}  // namespace decant
