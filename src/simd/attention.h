// Attention of one token over the cached keys and values of one KV head (docs/determinism.md, "Attention").
//
// s_j = (q.k_j) * scale with q.k a lane sum over the head's elements; m = max s_j; w_j = exp32(s_j - m);
// out = (sum of w_j * v_j, j ascending) / (lane sum of w_j by absolute position). Pages, tiles and threads cannot
// change a bit: nothing is rescaled on the way.
//
// A block holds 32 positions. Keys lie transposed, element by element: key_offset + (element * 32 + position) halves;
// so vector lanes are positions, and a lane sum is a plain sum of vectors. Values lie position by position, in rows of
// PaddedWidth(width) halves.
#ifndef DECANT_SIMD_ATTENTION_H_
#define DECANT_SIMD_ATTENTION_H_

#include <cstddef>
#include <cstdint>

namespace decant::simd {

inline constexpr std::size_t kAttentionBlock = 32;  // positions in a block

constexpr std::size_t PaddedWidth(std::size_t width) { return (width + 15) / 16 * 16; }
// Bytes of the keys and of the values of one KV head in one block.
constexpr std::size_t KeyBytes(std::size_t width) { return width * kAttentionBlock * sizeof(std::uint16_t); }
constexpr std::size_t ValueBytes(std::size_t width) {
  return PaddedWidth(width) * kAttentionBlock * sizeof(std::uint16_t);
}
// Floats of scratch that Attend needs.
constexpr std::size_t ScratchFloats(std::size_t heads, std::size_t positions) {
  return heads * ((positions + kAttentionBlock - 1) / kAttentionBlock * kAttentionBlock);
}

struct Attention {
  const float* queries = nullptr;  // heads x width, rotated
  std::size_t heads = 0;           // query heads that read this KV head
  std::size_t width = 0;
  const std::byte* const* blocks = nullptr;
  std::size_t key_offset = 0;  // bytes into a block
  std::size_t value_offset = 0;
  std::size_t positions = 0;  // at least 1
  float scale = 0;
  float* scratch = nullptr;  // ScratchFloats(heads, positions)
  float* out = nullptr;      // heads x width
};

// False if a score is not finite; `out` is then zeros.
bool Attend(const Attention& attention);

// Writes one position's key (width halves) and value into a block's place for one KV head.
void StoreKey(const std::uint16_t* key, std::size_t width, std::size_t position, std::byte* keys);
void StoreValue(const std::uint16_t* value, std::size_t width, std::size_t position, std::byte* values);

}  // namespace decant::simd

#endif  // DECANT_SIMD_ATTENTION_H_
