// Widen, mask, then put the changed scores in place.
#include "decode/row_blocks.h"

#include <algorithm>
#include <bit>

namespace decant::decode {
namespace {

// So many blocks that the best few tokens lie in few of them, and so few that a block is worth a call.
constexpr std::size_t kWantedBlocks = 256;

}  // namespace

void RowBlocks::Start(const RowView& row) {
  row_ = row;
  mask_ = row.mask;
  changes_ = {};
  block_ = std::clamp(std::bit_floor(row.vocabulary / kWantedBlocks), simd::kMinBlock, simd::kMaxBlock);
  count_ = (row.vocabulary + block_ - 1) / block_;
}

void RowBlocks::Apply(const std::uint32_t* mask, Changes changes) {
  mask_ = mask;
  changes_ = changes;
  if (changes.empty()) return;
  starts_.resize(count_ + 1);
  std::size_t next = 0;
  for (std::size_t b = 0; b < count_; ++b) {
    starts_[b] = static_cast<std::uint32_t>(next);
    const std::size_t end = FirstOf(b) + block_;
    while (next < changes.size() && changes[next].token < end) ++next;
  }
  starts_[count_] = static_cast<std::uint32_t>(next);
}

std::span<const float> RowBlocks::At(std::size_t b, float* scratch, bool* valid) const {
  const std::size_t first = FirstOf(b), size = SizeOf(b);
  const Changes changes = ChangesIn(b);
  std::span<const float> values;
  if (row_.type == ElementType::kF32) {
    values = Plain().subspan(first, size);
    if (mask_ == nullptr && changes.empty()) return values;
  } else {
    const std::span<const std::uint16_t> halves(static_cast<const std::uint16_t*>(row_.data) + first, size);
    row_.type == ElementType::kF16 ? simd::WidenF16(halves, scratch) : simd::WidenBF16(halves, scratch);
    values = {scratch, size};
  }
  if (mask_ != nullptr) {
    if (!simd::CopyMasked(values, mask_ + first / 32, scratch)) *valid = false;
  } else if (values.data() != scratch) {
    std::ranges::copy(values, scratch);
  }
  for (const auto& change : changes) scratch[change.token - first] = change.score;
  return {scratch, size};
}

}  // namespace decant::decode
