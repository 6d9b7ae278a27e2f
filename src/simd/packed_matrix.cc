// Packing moves single values, as it runs once a load; only the layout is made for speed.
#include "simd/packed_matrix.h"

#include <cstring>
#include <utility>

#include "core/check.h"
#include "core/float16.h"

namespace decant::simd {
namespace {

// Where input 0...3 of a Q8 word lies among its bytes.
constexpr std::size_t kQ8ByteOf[4] = {0, 2, 1, 3};

std::uint64_t TileBytes(PackedType type, std::uint64_t inputs) {
  const std::uint64_t blocks = inputs / kBlockInputs;
  switch (type) {
    case PackedType::kF32:
      return inputs * kTileOutputs * sizeof(float);
    case PackedType::kQ4:
      return blocks * kQ4BlockBytes;
    case PackedType::kQ4Centered:
      return RoundUp(blocks * kQ4CenteredBlockBytes, kCacheLine);
    case PackedType::kQ8:
      return RoundUp(blocks * (kQ8WordBytes + kQ8ScaleBytes), kCacheLine);
  }
  return 0;
}

float HalfAt(const std::byte* bytes, std::size_t index) {
  std::uint16_t half;
  std::memcpy(&half, bytes + index * sizeof half, sizeof half);
  return core::HalfToFloat(half);
}

std::uint32_t WordAt(const std::byte* words, std::size_t word, std::size_t lane) {
  std::uint32_t value;
  std::memcpy(&value, words + (word * kTileOutputs + lane) * sizeof value, sizeof value);
  return value;
}

// Input k of a Q4 block.
int NibbleAt(const std::byte* block, std::size_t k, std::size_t lane) {
  return static_cast<int>(WordAt(block, k / 8, lane) >> (k % 8 / 2 * 4 + k % 2 * 16) & 15u);
}

}  // namespace

std::uint64_t PackedMatrix::BytesOf(PackedType type, std::uint64_t outputs, std::uint64_t inputs) {
  return (outputs + kTileOutputs - 1) / kTileOutputs * TileBytes(type, inputs);
}

PackedMatrix::PackedMatrix(PackedType type, std::size_t outputs, std::size_t inputs, AlignedBuffer<std::byte> data)
    : type_(type), outputs_(outputs), inputs_(inputs), tile_bytes_(TileBytes(type, inputs)), data_(std::move(data)) {
  DECANT_CHECK(outputs > 0 && inputs > 0 && (type == PackedType::kF32 || inputs % kBlockInputs == 0));
}

PackedMatrix::PackedMatrix(PackedType type, std::size_t outputs, std::size_t inputs)
    : PackedMatrix(type, outputs, inputs, AlignedBuffer<std::byte>(BytesOf(type, outputs, inputs))) {}

std::optional<PackedMatrix> PackedMatrix::TryMake(PackedType type, std::size_t outputs, std::size_t inputs) {
  std::optional<AlignedBuffer<std::byte>> data = AlignedBuffer<std::byte>::TryMake(BytesOf(type, outputs, inputs));
  if (!data) return std::nullopt;
  return PackedMatrix(type, outputs, inputs, *std::move(data));
}

void PackedMatrix::SetFloats(std::size_t output, const float* row) {
  DECANT_CHECK(type_ == PackedType::kF32 && output < outputs_);
  std::byte* column = mutable_tile(output / kTileOutputs) + output % kTileOutputs * sizeof(float);
  for (std::size_t k = 0; k < inputs_; ++k) {
    std::memcpy(column + k * kTileOutputs * sizeof(float), row + k, sizeof(float));
  }
}

void PackedMatrix::SetBlock(std::size_t tile, std::size_t block, const Q4TileBlock& values) {
  const bool centered = type_ == PackedType::kQ4Centered;
  DECANT_CHECK((type_ == PackedType::kQ4 || centered) && tile < tiles() && block < blocks());
  std::uint32_t words[4][kTileOutputs] = {};
  for (std::size_t lane = 0; lane < kTileOutputs; ++lane) {
    for (std::size_t k = 0; k < kBlockInputs; ++k) {
      const std::size_t shift = k % 8 / 2 * 4 + k % 2 * 16;
      words[k / 8][lane] |= std::uint32_t{values.q[lane][k]} << shift;
    }
  }
  std::byte* out = mutable_tile(tile) + block * (centered ? kQ4CenteredBlockBytes : kQ4BlockBytes);
  std::memcpy(out, words, sizeof words);
  std::memcpy(out + sizeof words, values.scale, sizeof values.scale);
  if (!centered) std::memcpy(out + sizeof words + sizeof values.scale, values.minimum, sizeof values.minimum);
}

void PackedMatrix::SetBlock(std::size_t tile, std::size_t block, const Q8TileBlock& values) {
  DECANT_CHECK(type_ == PackedType::kQ8 && tile < tiles() && block < blocks());
  std::uint8_t bytes[8][kTileOutputs][4] = {};
  for (std::size_t lane = 0; lane < kTileOutputs; ++lane) {
    for (std::size_t k = 0; k < kBlockInputs; ++k) {
      bytes[k / 4][lane][kQ8ByteOf[k % 4]] = static_cast<std::uint8_t>(values.q[lane][k] + 128);
    }
  }
  std::memcpy(mutable_tile(tile) + block * kQ8WordBytes, bytes, sizeof bytes);
  std::memcpy(mutable_tile(tile) + blocks() * kQ8WordBytes + block * kQ8ScaleBytes, values.scale, sizeof values.scale);
}

void PackedMatrix::UnpackOutput(std::size_t output, float* row) const {
  DECANT_CHECK(output < outputs_);
  const std::byte* const start = tile(output / kTileOutputs);
  const std::size_t lane = output % kTileOutputs;
  if (type_ == PackedType::kF32) {
    for (std::size_t k = 0; k < inputs_; ++k) {
      std::memcpy(row + k, start + (k * kTileOutputs + lane) * sizeof(float), sizeof(float));
    }
    return;
  }
  for (std::size_t b = 0; b < blocks(); ++b) {
    float* const out = row + b * kBlockInputs;
    if (type_ == PackedType::kQ4) {
      const std::byte* const block = start + b * kQ4BlockBytes;
      const float d = HalfAt(block + kQ4WordBytes, lane);
      const float m = HalfAt(block + kQ4WordBytes + kTileOutputs * sizeof(std::uint16_t), lane);
      for (std::size_t k = 0; k < kBlockInputs; ++k) out[k] = d * static_cast<float>(NibbleAt(block, k, lane)) + m;
    } else if (type_ == PackedType::kQ4Centered) {
      const std::byte* const block = start + b * kQ4CenteredBlockBytes;
      const float d = HalfAt(block + kQ4WordBytes, lane);
      for (std::size_t k = 0; k < kBlockInputs; ++k) out[k] = d * static_cast<float>(NibbleAt(block, k, lane) - 8);
    } else {
      const float d = HalfAt(start + blocks() * kQ8WordBytes + b * kQ8ScaleBytes, lane);
      for (std::size_t k = 0; k < kBlockInputs; ++k) {
        const std::uint32_t biased = WordAt(start + b * kQ8WordBytes, k / 4, lane) >> (8 * kQ8ByteOf[k % 4]) & 255u;
        out[k] = d * static_cast<float>(static_cast<int>(biased) - 128);
      }
    }
  }
}

}  // namespace decant::simd
