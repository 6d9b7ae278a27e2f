#include "grammar/json/arena.h"

#include <algorithm>

namespace decant::grammar {

void Arena::Clear() {
  for (; last_ != nullptr; last_ = last_->previous) last_->destroy(last_->thing);
  if (blocks_.size() > 1) blocks_.erase(blocks_.begin(), blocks_.end() - 1);
  used_ = 0;
  held_ = size_;
}

void* Arena::TakeFromNew(std::size_t bytes) {
  const std::size_t usual = size_ == 0 ? kFirstBlock : std::min(2 * size_, kLastBlock);
  size_ = std::max({usual, size_, bytes});
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size_));
  held_ += size_;
  used_ = bytes;
  return blocks_.back().get();
}

}  // namespace decant::grammar
