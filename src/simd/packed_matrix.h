// A weight matrix repacked so that vector lanes are outputs: no sum over inputs is ever split between lanes, so every
// vector width gives the same bits (docs/determinism.md, "Matrix products").
//
// Outputs (the rows of the file's tensor) go in tiles of 16; missing outputs of the last tile are zeros.
//   kF32  for each input k: 16 floats.
//   kQ4   4-bit weights with scale and minimum (Q4_1). For each block of 32 inputs: 4 words of 16 u32 lanes, then 16
//         f16 scales, then 16 f16 minima. Word w of a lane holds inputs 8w...8w+7 of its output: the pair
//         (8w+2s, 8w+2s+1) in bits 4s...4s+3 and 16+4s...16+4s+3, so one shift and one mask give 16 pairs of int16.
//   kQ4Centered  the same without minima; the weight is d*(q - 8) (Q4_0).
//   kQ8   8-bit weights with scale (Q8_0), stored plus 128. For each block: 8 words; word w holds inputs 4w...4w+3 as
//         bytes in the order 0, 2, 1, 3 (again one shift and one mask for a pair). The f16 scales of all blocks follow.
#ifndef DECANT_SIMD_PACKED_MATRIX_H_
#define DECANT_SIMD_PACKED_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "simd/aligned_buffer.h"

namespace decant::simd {

inline constexpr std::size_t kTileOutputs = 16;
inline constexpr std::size_t kBlockInputs = 32;
inline constexpr std::size_t kQ4WordBytes = 256;  // of one block
inline constexpr std::size_t kQ4BlockBytes = 320;
inline constexpr std::size_t kQ4CenteredBlockBytes = 288;
inline constexpr std::size_t kQ8WordBytes = 512;  // of one block
inline constexpr std::size_t kQ8ScaleBytes = 32;  // of one block

enum class PackedType : std::uint8_t { kF32, kQ4, kQ4Centered, kQ8 };

// One block of 16 outputs by 32 inputs before packing.
struct Q4TileBlock {
  std::uint16_t scale[kTileOutputs] = {};           // f16 bits, finite
  std::uint16_t minimum[kTileOutputs] = {};         // f16 bits, finite; not read for kQ4Centered
  std::uint8_t q[kTileOutputs][kBlockInputs] = {};  // 0...15
};
struct Q8TileBlock {
  std::uint16_t scale[kTileOutputs] = {};
  std::int8_t q[kTileOutputs][kBlockInputs] = {};
};

class PackedMatrix {
 public:
  PackedMatrix() = default;
  // REQUIRES: outputs, inputs > 0; inputs a multiple of 32 unless kF32.
  PackedMatrix(PackedType type, std::size_t outputs, std::size_t inputs);
  // The same; nothing where there is no memory for it.
  static std::optional<PackedMatrix> TryMake(PackedType type, std::size_t outputs, std::size_t inputs);
  // What one would take. REQUIRES: at most 2^32 outputs and 2^32 inputs.
  static std::uint64_t BytesOf(PackedType type, std::uint64_t outputs, std::uint64_t inputs);

  PackedType type() const { return type_; }
  bool is_quantized() const { return type_ != PackedType::kF32; }
  std::size_t outputs() const { return outputs_; }
  std::size_t inputs() const { return inputs_; }
  std::size_t blocks() const { return inputs_ / kBlockInputs; }
  std::size_t tiles() const { return (outputs_ + kTileOutputs - 1) / kTileOutputs; }
  std::size_t bytes() const { return data_.size(); }
  const std::byte* tile(std::size_t index) const { return data_.data() + index * tile_bytes_; }

  // Filling. Different tiles may be filled by different threads. REQUIRES: the matrix has that type.
  void SetFloats(std::size_t output, const float* row);  // inputs() floats
  void SetBlock(std::size_t tile, std::size_t block, const Q4TileBlock& values);
  void SetBlock(std::size_t tile, std::size_t block, const Q8TileBlock& values);

  // The weights of one output in f32, d*q or d*(q - 8) (exact), then + m (rounded once): an embedding row.
  void UnpackOutput(std::size_t output, float* row) const;

 private:
  PackedMatrix(PackedType type, std::size_t outputs, std::size_t inputs, AlignedBuffer<std::byte> data);
  std::byte* mutable_tile(std::size_t index) { return data_.data() + index * tile_bytes_; }

  PackedType type_ = PackedType::kF32;
  std::size_t outputs_ = 0;
  std::size_t inputs_ = 0;
  std::size_t tile_bytes_ = 0;
  AlignedBuffer<std::byte> data_;
};

}  // namespace decant::simd

#endif  // DECANT_SIMD_PACKED_MATRIX_H_
