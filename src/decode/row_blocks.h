// A row of logits as blocks of f32: of any element type, under its mask, with what the processors changed.
#ifndef DECANT_DECODE_ROW_BLOCKS_H_
#define DECANT_DECODE_ROW_BLOCKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decant/sampler.h"
#include "process/row_scores.h"
#include "simd/row_scan.h"

namespace decant::decode {

// Rows that are f32 and unchanged are read where they lie; of others, a block at a time is made, which stays in the
// first-level cache. Memory is kept from row to row.
class RowBlocks {
 public:
  using Changes = std::span<const process::RowScores::Change>;

  void Reserve(std::size_t blocks) { starts_.reserve(blocks + 1); }
  // The row as given, under its own mask.
  void Start(const RowView& row);
  // The same row under this mask, with these scores in place of its own: ids ascending, and they outlive the use.
  void Apply(const std::uint32_t* mask, Changes changes);

  std::size_t tokens() const { return row_.vocabulary; }
  std::size_t block() const { return block_; }  // tokens a block
  std::size_t count() const { return count_; }
  std::size_t FirstOf(std::size_t b) const { return b * block_; }
  std::size_t SizeOf(std::size_t b) const { return std::min(block_, tokens() - FirstOf(b)); }

  // The row without the changes, under the mask.
  RowView Unchanged() const {
    RowView row = row_;
    row.mask = mask_;
    return row;
  }
  bool HasChanges() const { return !changes_.empty(); }
  // Whether the row itself is what there is to read; then Plain() is it.
  bool IsPlain() const { return row_.type == ElementType::kF32 && mask_ == nullptr && changes_.empty(); }
  std::span<const float> Plain() const { return {static_cast<const float*>(row_.data), row_.vocabulary}; }
  std::span<const float> Plain(std::size_t first_block, std::size_t blocks) const {
    return Plain().subspan(FirstOf(first_block), std::min(blocks * block_, tokens() - FirstOf(first_block)));
  }

  // Block b; in `scratch` (simd::kMaxBlock floats) or where it lies. *valid becomes false if the row holds a NaN or
  // +inf there and the block had to be made; one that lies there is not looked at.
  std::span<const float> At(std::size_t b, float* scratch, bool* valid) const;
  std::span<const float> At(std::size_t b, float* scratch) const {
    bool valid = true;
    return At(b, scratch, &valid);
  }
  Changes ChangesIn(std::size_t b) const {
    return changes_.empty() ? Changes() : changes_.subspan(starts_[b], starts_[b + 1] - starts_[b]);
  }

 private:
  RowView row_ = {};
  const std::uint32_t* mask_ = nullptr;
  Changes changes_;
  std::vector<std::uint32_t> starts_;  // of each block's changes, and their end
  std::size_t block_ = 1, count_ = 0;
};

}  // namespace decant::decode

#endif  // DECANT_DECODE_ROW_BLOCKS_H_
