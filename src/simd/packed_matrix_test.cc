// Packed weights come back as they went in, and take the memory they say.
#include "simd/packed_matrix.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace decant::simd {
namespace {

constexpr std::uint16_t kHalfOne = 0x3c00, kHalfTwo = 0x4000;

TEST(PackedMatrixTest, SaysWhatItTakes) {
  EXPECT_EQ(PackedMatrix::BytesOf(PackedType::kF32, 17, 3), 2u * 16 * 3 * 4);
  EXPECT_EQ(PackedMatrix::BytesOf(PackedType::kQ4, 17, 64), 2u * 2 * kQ4BlockBytes);
  EXPECT_EQ(PackedMatrix::BytesOf(PackedType::kQ4Centered, 17, 64), 2u * 2 * kQ4CenteredBlockBytes);
  EXPECT_EQ(PackedMatrix(PackedType::kQ8, 17, 64).bytes(), PackedMatrix::BytesOf(PackedType::kQ8, 17, 64));
}

TEST(PackedMatrixTest, IsNothingWhereThereIsNoMemory) {
  EXPECT_FALSE(PackedMatrix::TryMake(PackedType::kF32, std::size_t{1} << 31, std::size_t{1} << 30).has_value());
  const auto small = PackedMatrix::TryMake(PackedType::kF32, 1, 1);
  ASSERT_TRUE(small.has_value());
  EXPECT_EQ(small->bytes(), 64u);
  EXPECT_FALSE(AlignedBuffer<float>::TryMake(std::numeric_limits<std::size_t>::max() / 2).has_value());
}

TEST(PackedMatrixTest, Q4GivesBackEveryWeight) {
  PackedMatrix matrix(PackedType::kQ4, 20, 64);
  EXPECT_EQ(matrix.tiles(), 2u);
  for (std::size_t tile = 0; tile < 2; ++tile) {
    for (std::size_t b = 0; b < 2; ++b) {
      Q4TileBlock block;
      for (std::size_t lane = 0; lane < kTileOutputs; ++lane) {
        block.scale[lane] = kHalfTwo;
        block.minimum[lane] = kHalfOne;
        for (std::size_t k = 0; k < 32; ++k)
          block.q[lane][k] = static_cast<std::uint8_t>((tile + b + lane + 3 * k) % 16);
      }
      matrix.SetBlock(tile, b, block);
    }
  }
  std::vector<float> row(64);
  for (std::size_t output = 0; output < 20; ++output) {
    matrix.UnpackOutput(output, row.data());
    for (std::size_t k = 0; k < 64; ++k) {
      const std::size_t q = (output / 16 + k / 32 + output % 16 + 3 * (k % 32)) % 16;
      EXPECT_EQ(row[k], 2.0f * static_cast<float>(q) + 1.0f) << "output " << output << ", input " << k;
    }
  }
}

TEST(PackedMatrixTest, CenteredQ4GivesBackEveryWeight) {
  PackedMatrix matrix(PackedType::kQ4Centered, 17, 32);
  for (std::size_t tile = 0; tile < 2; ++tile) {
    Q4TileBlock block;
    for (std::size_t lane = 0; lane < kTileOutputs; ++lane) {
      block.scale[lane] = kHalfTwo;
      block.minimum[lane] = kHalfOne;  // does not count
      for (std::size_t k = 0; k < 32; ++k) block.q[lane][k] = static_cast<std::uint8_t>((tile + lane + 3 * k) % 16);
    }
    matrix.SetBlock(tile, 0, block);
  }
  std::vector<float> row(32);
  for (std::size_t output = 0; output < 17; ++output) {
    matrix.UnpackOutput(output, row.data());
    for (std::size_t k = 0; k < 32; ++k) {
      const auto q = static_cast<float>((output / 16 + output % 16 + 3 * k) % 16);
      EXPECT_EQ(row[k], 2.0f * (q - 8.0f)) << "output " << output << ", input " << k;
    }
  }
}

TEST(PackedMatrixTest, Q8GivesBackEveryWeight) {
  PackedMatrix matrix(PackedType::kQ8, 3, 64);
  for (std::size_t b = 0; b < 2; ++b) {
    Q8TileBlock block;
    for (std::size_t lane = 0; lane < 3; ++lane) {
      block.scale[lane] = kHalfTwo;
      for (std::size_t k = 0; k < 32; ++k) block.q[lane][k] = static_cast<std::int8_t>(b * 32 + k + lane * 64 - 128);
    }
    matrix.SetBlock(0, b, block);
  }
  std::vector<float> row(64);
  for (std::size_t output = 0; output < 3; ++output) {
    matrix.UnpackOutput(output, row.data());
    for (std::size_t k = 0; k < 64; ++k) EXPECT_EQ(row[k], 2.0f * (static_cast<float>(k + output * 64) - 128.0f));
  }
}

TEST(PackedMatrixTest, FloatsGiveBackTheRow) {
  PackedMatrix matrix(PackedType::kF32, 17, 5);
  const std::vector<float> row = {1, -2, 3.5f, 0, 1e30f};
  matrix.SetFloats(16, row.data());
  std::vector<float> back(5);
  matrix.UnpackOutput(16, back.data());
  EXPECT_EQ(back, row);
}

}  // namespace
}  // namespace decant::simd
