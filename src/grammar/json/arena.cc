// What was made last is destroyed first; blocks grow and are kept for the next use.
#include "grammar/json/arena.h"

#include <algorithm>

namespace decant::grammar {

void Arena::Clear() {
  for (; last_ != nullptr; last_ = last_->previous) last_->destroy(last_->thing);
  filled_.clear();
  used_ = 0;
  held_ = size_;
}

void* Arena::TakeFromNew(std::size_t bytes) {
  const std::size_t usual = size_ == 0 ? kFirstBlock : std::min(2 * size_, kLastBlock);
  size_ = std::max({usual, size_, bytes});
  if (block_ != nullptr) filled_.push_back(std::move(block_));
  block_ = std::make_unique_for_overwrite<std::byte[]>(size_);
  held_ += size_;
  used_ = bytes;
  return block_.get();
}

}  // namespace decant::grammar
