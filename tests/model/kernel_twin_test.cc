// The kernels against their plain twins on rows of real sizes, on every instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "core/math.h"
#include "model/llama_weights.h"
#include "random_model.h"
#include "simd/attention.h"
#include "simd/product.h"
#include "simd/row_kernels.h"
#include "simd/targets.h"
#include "twin/forward.h"
#include "weights/dequantize.h"

namespace decant::simd {
namespace {

using decant::testing::Random;
using weights::GgmlType;

std::uint32_t Bits(float x) { return std::bit_cast<std::uint32_t>(x); }

// A row with a wide range of magnitudes, as activations have: most small, a few large, some zero.
std::vector<float> ActivationRow(Random& random, std::size_t n) {
  std::vector<float> row(n);
  for (float& x : row) {
    const float base = random.Uniform(1.0f);
    const std::size_t kind = random.Below(16);
    x = kind == 0 ? 0.0f : kind == 1 ? base * 300.0f : base * base * base;
  }
  return row;
}

struct PackedTensor {
  std::vector<std::byte> storage;
  weights::GgufFile file;
  PackedMatrix matrix;
  const weights::TensorView& tensor() const { return file.tensors()[0]; }
};

PackedTensor MakeTensor(Random& random, GgmlType type, std::size_t outputs, std::size_t inputs) {
  weights::GgufWriter writer;
  writer.AddTensor("w", {inputs, outputs}, static_cast<std::uint32_t>(type),
                   decant::testing::RandomTensor(random, type, inputs * outputs, 0.25f));
  auto storage = writer.Finish();
  auto file = *weights::GgufFile::Parse(storage);
  const weights::TensorView& tensor = file.tensors()[0];
  const PackedType packed = type == GgmlType::kQ4_1   ? PackedType::kQ4
                            : type == GgmlType::kQ4_0 ? PackedType::kQ4Centered
                            : type == GgmlType::kQ8_0 ? PackedType::kQ8
                                                      : PackedType::kF32;
  PackedMatrix matrix(packed, outputs, inputs);
  for (std::size_t i = 0; packed == PackedType::kF32 && i < outputs; ++i) {
    std::vector<float> row(inputs);
    weights::DequantizeRow(tensor, i, std::span(row));
    matrix.SetFloats(i, row.data());
  }
  for (std::size_t b = 0; packed != PackedType::kF32 && b < inputs / 32; ++b) {
    for (std::size_t tile = 0; tile < matrix.tiles(); ++tile) {
      Q4TileBlock q4;
      Q8TileBlock q8;
      for (std::size_t lane = 0; lane < kTileOutputs && tile * kTileOutputs + lane < outputs; ++lane) {
        const std::byte* row = tensor.bytes.data() + (tile * kTileOutputs + lane) * weights::RowBytes(tensor);
        if (packed == PackedType::kQ4) {
          const auto block = weights::UnpackQ4_1(row + b * weights::kQ4_1Bytes);
          q4.scale[lane] = block.d;
          q4.minimum[lane] = block.m;
          std::memcpy(q4.q[lane], block.q, sizeof block.q);
        } else if (packed == PackedType::kQ4Centered) {
          const auto block = weights::UnpackQ4_0(row + b * weights::kQ4_0Bytes);
          q4.scale[lane] = block.d;
          std::memcpy(q4.q[lane], block.q, sizeof block.q);
        } else {
          const auto block = weights::UnpackQ8_0(row + b * weights::kQ8_0Bytes);
          q8.scale[lane] = block.d;
          std::memcpy(q8.q[lane], block.q, sizeof block.q);
        }
      }
      packed == PackedType::kQ8 ? matrix.SetBlock(tile, b, q8) : matrix.SetBlock(tile, b, q4);
    }
  }
  return {std::move(storage), std::move(file), std::move(matrix)};
}

TEST(KernelTwinTest, ProductsOfEveryTypeAndRowCount) {
  Random random(1);
  struct Case {
    GgmlType type;
    std::size_t outputs, inputs;
  };
  for (const Case& c : {Case{GgmlType::kQ4_1, 33, 1536}, Case{GgmlType::kQ8_0, 20, 576}, Case{GgmlType::kF32, 17, 577},
                        Case{GgmlType::kQ4_1, 16, 32}, Case{GgmlType::kQ4_0, 33, 1536}, Case{GgmlType::kQ4_0, 2, 32},
                        Case{GgmlType::kQ8_0, 1, 32}, Case{GgmlType::kF32, 5, 3}}) {
    const PackedTensor w = MakeTensor(random, c.type, c.outputs, c.inputs);
    constexpr std::size_t kRows = 15;  // groups of 8, 4, 2 and 1
    std::vector<float> values;
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto row = ActivationRow(random, c.inputs);
      values.insert(values.end(), row.begin(), row.end());
    }
    std::vector<float> expected(kRows * c.outputs);
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t o = 0; o < c.outputs; ++o) {
        expected[r * c.outputs + o] =
            twin::Product(w.tensor(), o, std::span<const float>(values).subspan(r * c.inputs, c.inputs));
      }
    }
    for (const std::string_view level : SupportedLevels()) {
      const LevelForTest use(level);
      const std::size_t blocks = c.inputs / 32;
      std::vector<std::int16_t> q(kRows * c.inputs);
      std::vector<float> scales(kRows * blocks + 1);
      std::vector<std::int32_t> sums(kRows * blocks + 1);
      for (std::size_t r = 0; w.matrix.is_quantized() && r < kRows; ++r) {
        ASSERT_TRUE(QuantizeRow(values.data() + r * c.inputs, c.inputs, q.data() + r * c.inputs,
                                scales.data() + r * blocks, sums.data() + r * blocks));
      }
      for (std::size_t rows = 1; rows <= kRows; ++rows) {
        std::vector<float> out(rows * c.outputs, 1.0f);
        const Activations x{rows, c.inputs, values.data(), q.data(), scales.data(), sums.data()};
        MultiplyTiles(w.matrix, x, 0, w.matrix.tiles(), Store::kReplace, out.data(), c.outputs);
        for (std::size_t i = 0; i < out.size(); ++i) {
          ASSERT_EQ(Bits(out[i]), Bits(expected[i]))
              << level << ", " << c.outputs << " x " << c.inputs << ", " << rows << " rows, output " << i << ": "
              << out[i] << ", twin " << expected[i];
        }
        MultiplyTiles(w.matrix, x, 0, w.matrix.tiles(), Store::kAdd, out.data(), c.outputs);
        ASSERT_EQ(Bits(out[0]), Bits(expected[0] + expected[0])) << level;
      }
    }
  }
}

TEST(KernelTwinTest, QuantizesAsWritten) {
  Random random(2);
  std::vector<float> row = ActivationRow(random, 1536);
  for (std::size_t i = 64; i < 96; ++i) row[i] = 0x1p-101f;  // below the threshold
  for (std::size_t i = 96; i < 128; ++i) row[i] = random.Uniform(0x1p-99f);
  for (std::size_t i = 128; i < 160; ++i) row[i] = random.Uniform(3e38f);
  for (std::size_t i = 160; i < 192; ++i) row[i] = -16383.0f * 0.5f + static_cast<float>(i);  // ties
  row[160] = 16383.0f;
  for (const std::string_view level : SupportedLevels()) {
    const LevelForTest use(level);
    std::vector<std::int16_t> q(row.size());
    std::vector<float> scales(row.size() / 32);
    std::vector<std::int32_t> sums(row.size() / 32);
    ASSERT_TRUE(QuantizeRow(row.data(), row.size(), q.data(), scales.data(), sums.data()));
    for (std::size_t b = 0; b < scales.size(); ++b) {
      const auto expected = twin::Quantize(std::span<const float>(row).subspan(32 * b, 32));
      EXPECT_EQ(Bits(scales[b]), Bits(expected.scale)) << level << ", block " << b;
      EXPECT_EQ(sums[b], expected.sum) << level << ", block " << b;
      for (std::size_t i = 0; i < 32; ++i)
        EXPECT_EQ(q[32 * b + i], expected.q[i]) << level << ", element " << 32 * b + i;
    }
    for (const float bad : {INFINITY, -INFINITY, NAN, std::bit_cast<float>(0xffc00001u)}) {
      auto wrong = row;
      wrong[700] = bad;
      EXPECT_FALSE(QuantizeRow(wrong.data(), wrong.size(), q.data(), scales.data(), sums.data())) << level;
      EXPECT_FALSE(AllFinite(wrong.data(), wrong.size())) << level;
      EXPECT_TRUE(AllFinite(wrong.data(), 700)) << level;
    }
  }
}

TEST(KernelTwinTest, NormsAndGates) {
  Random random(3);
  for (const std::size_t n : {1u, 4u, 15u, 16u, 33u, 576u, 577u, 1536u}) {
    const auto x = ActivationRow(random, n);
    auto gate = random.Row(n, 120.0f);
    const auto up = ActivationRow(random, n);
    const auto w = random.Row(n, 2.0f);
    const auto expected = twin::RmsNorm(x, w, 1e-5f);
    for (const std::string_view level : SupportedLevels()) {
      const LevelForTest use(level);
      std::vector<float> out(n);
      RmsNorm(x.data(), w.data(), n, 1e-5f, out.data());
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(Bits(out[i]), Bits(expected[i])) << level << ", n " << n;
      SwiGlu(gate.data(), up.data(), n, out.data());
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(Bits(out[i]), Bits(twin::SwiGlu(gate[i], up[i]))) << level;
    }
  }
}

// The exp inside the gated unit, over all its range.
TEST(KernelTwinTest, SwiGluOfEveryMagnitude) {
  // Every 4099th float, infinities, and the borders of overflow, underflow and the table.
  std::vector<float> gate;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (value == value) gate.push_back(value);
  }
  for (const float border : {-88.72283f, 103.97208f, 87.33655f, 149.0f, -138.0f, 138.7f, -0.0216608f}) {
    for (int step = -40; step <= 40; ++step) {
      gate.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<int>(Bits(border)) + step)));
    }
  }
  gate.insert(gate.end(), {INFINITY, -INFINITY, 0.0f, -0.0f});
  const std::vector<float> up(gate.size(), 1.0f);
  std::vector<float> expected;
  for (const float g : gate) expected.push_back(twin::SwiGlu(g, 1.0f));
  for (const std::string_view level : SupportedLevels()) {
    const LevelForTest use(level);
    std::vector<float> out(gate.size());
    SwiGlu(gate.data(), up.data(), gate.size(), out.data());
    for (std::size_t i = 0; i < gate.size(); ++i) {
      if (expected[i] != expected[i]) {
        ASSERT_NE(out[i], out[i]) << level << ", gate " << gate[i];
        continue;
      }
      ASSERT_EQ(Bits(out[i]), Bits(expected[i])) << level << ", gate " << gate[i];
    }
  }
}

// The exp inside attention: one position with score 0 and value 0, one with every score that a half can be.
TEST(KernelTwinTest, AttentionWeighsEveryScore) {
  constexpr std::uint16_t kLargest = 0x7bff;
  AlignedBuffer<std::byte> block(KeyBytes(1) + ValueBytes(1));
  const std::byte* const blocks[] = {block.data()};
  for (const std::string_view level : SupportedLevels()) {
    const LevelForTest use(level);
    AlignedBuffer<float> scratch(ScratchFloats(1, 2));
    const float query = 1.0f;
    float out = 0;
    const std::uint16_t zero = 0;
    StoreKey(&zero, 1, 0, block.data());
    StoreValue(&zero, 1, 0, block.data() + KeyBytes(1));
    StoreValue(&kLargest, 1, 1, block.data() + KeyBytes(1));
    for (std::uint16_t key = 0x8000u; key < 0xfc00u; ++key) {
      StoreKey(&key, 1, 1, block.data());
      ASSERT_TRUE(Attend({.queries = &query,
                          .heads = 1,
                          .width = 1,
                          .blocks = blocks,
                          .key_offset = 0,
                          .value_offset = KeyBytes(1),
                          .positions = 2,
                          .scale = 1.0f,
                          .scratch = scratch.data(),
                          .out = &out}));
      const float w = core::Exp32(core::HalfToFloat(key));
      const float expected = (w * core::HalfToFloat(kLargest)) / (1.0f + w);
      ASSERT_EQ(Bits(out), Bits(expected)) << level << ", score " << core::HalfToFloat(key);
    }
  }
}

TEST(KernelTwinTest, AttentionOverBlocks) {
  Random random(4);
  struct Case {
    std::size_t heads, width, positions;
  };
  for (const Case& c : {Case{3, 64, 300}, Case{1, 64, 1}, Case{2, 64, 32}, Case{4, 128, 33}, Case{7, 80, 95},
                        Case{9, 2, 17}, Case{1, 6, 700}, Case{5, 96, 64}, Case{6, 20, 31}}) {
    const std::size_t block_bytes = KeyBytes(c.width) + ValueBytes(c.width);
    const std::size_t count = (c.positions + kAttentionBlock - 1) / kAttentionBlock;
    std::vector<AlignedBuffer<std::byte>> storage;
    std::vector<std::byte*> blocks;
    for (std::size_t b = 0; b < count; ++b) {
      storage.emplace_back(block_bytes);
      // What no position wrote must not matter, even NaN.
      std::memset(storage.back().data(), 0xff, block_bytes);
      blocks.push_back(storage.back().data());
    }
    std::vector<std::vector<float>> keys, values;
    for (std::size_t p = 0; p < c.positions; ++p) {
      std::vector<std::uint16_t> half(c.width);
      for (auto* rows : {&keys, &values}) {
        const auto row = ActivationRow(random, c.width);
        ASSERT_TRUE(ToHalves(row.data(), c.width, half.data()));
        rows->emplace_back();
        for (const std::uint16_t h : half) rows->back().push_back(core::HalfToFloat(h));
        std::byte* block = blocks[p / kAttentionBlock];
        if (rows == &keys) {
          StoreKey(half.data(), c.width, p % kAttentionBlock, block);
        } else {
          StoreValue(half.data(), c.width, p % kAttentionBlock, block + KeyBytes(c.width));
        }
      }
    }
    const auto queries = random.Row(c.heads * c.width, 2.0f);
    for (const std::string_view level : SupportedLevels()) {
      const LevelForTest use(level);
      AlignedBuffer<float> scratch(ScratchFloats(c.heads, c.positions));
      std::vector<float> out(c.heads * c.width);
      const Attention attention{.queries = queries.data(),
                                .heads = c.heads,
                                .width = c.width,
                                .blocks = blocks.data(),
                                .key_offset = 0,
                                .value_offset = KeyBytes(c.width),
                                .positions = c.positions,
                                .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(c.width))),
                                .scratch = scratch.data(),
                                .out = out.data()};
      ASSERT_TRUE(Attend(attention)) << level;
      for (std::size_t h = 0; h < c.heads; ++h) {
        std::vector<float> expected;
        ASSERT_TRUE(twin::Attend(std::span(queries).subspan(h * c.width, c.width), keys, values, expected));
        for (std::size_t i = 0; i < c.width; ++i) {
          ASSERT_EQ(Bits(out[h * c.width + i]), Bits(expected[i]))
              << level << ", width " << c.width << ", " << c.positions << " positions, head " << h << ", element " << i;
        }
      }
      auto wrong = queries;
      wrong[0] = INFINITY;
      Attention failing = attention;
      failing.queries = wrong.data();
      EXPECT_FALSE(Attend(failing)) << level;
    }
  }
}

TEST(KernelTwinTest, HalvesOfEveryBorder) {
  // Around every half and every midpoint between two: exactly there, one float below and one above, both signs.
  std::vector<float> x;
  for (std::uint32_t half = 0; half < 0x7c00u; ++half) {
    const float low = core::HalfToFloat(static_cast<std::uint16_t>(half));
    const float high = half + 1 < 0x7c00u ? core::HalfToFloat(static_cast<std::uint16_t>(half + 1)) : 65536.0f;
    for (const float v : {low, low + (high - low) * 0.5f}) {
      for (const int step : {-1, 0, 1}) {
        if (Bits(v) == 0 && step < 0) continue;
        const float near = std::bit_cast<float>(static_cast<std::uint32_t>(static_cast<int>(Bits(v)) + step));
        x.push_back(near);
        x.push_back(-near);
      }
    }
  }
  std::vector<std::uint16_t> expected;
  for (const float v : x) expected.push_back(core::FloatToHalf(v));
  for (const std::string_view level : SupportedLevels()) {
    const LevelForTest use(level);
    std::vector<std::uint16_t> out(x.size());
    EXPECT_FALSE(ToHalves(x.data(), x.size(), out.data())) << level;  // the last ones overflow
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], expected[i]) << level << ", " << x[i];
    for (const float bad : {65520.0f, -INFINITY, NAN}) {
      EXPECT_FALSE(ToHalves(&bad, 1, out.data())) << level;
      std::vector<float> row(16, bad);
      EXPECT_FALSE(ToHalves(row.data(), row.size(), out.data())) << level;
    }
    const float largest = 65519.996f;
    EXPECT_TRUE(ToHalves(&largest, 1, out.data())) << level;
  }
}

// All 2^32 floats (NaN apart), where an instruction's own conversion is used.
TEST(KernelTwinTest, HalvesOfEveryFloat) {
  constexpr std::uint32_t kBatch = 1u << 16, kInfinity = 0x7f800000u;
  constexpr std::uint32_t kAllZeroBelow = 0x32800000u;     // 2^-26
  constexpr std::uint32_t kAllInfinityFrom = 0x47800000u;  // 2^16
  std::vector<float> x(2 * kBatch);
  std::vector<std::uint16_t> expected(2 * kBatch), out(2 * kBatch);
  for (std::uint32_t base = 0; base < kInfinity; base += kBatch) {
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      x[i] = std::bit_cast<float>(base + i);
      x[kBatch + i] = std::bit_cast<float>((base + i) | 0x80000000u);
      const std::uint16_t half = base < kAllZeroBelow       ? 0
                                 : base >= kAllInfinityFrom ? 0x7c00u
                                                            : core::FloatToHalf(x[i]);
      expected[i] = half;
      expected[kBatch + i] = half | 0x8000u;
    }
    for (const std::string_view level : SupportedLevels()) {
      if (level == "sse4" || level == "scalar") continue;  // core::FloatToHalf itself
      const LevelForTest use(level);
      ToHalves(x.data(), x.size(), out.data());
      ASSERT_EQ(out, expected) << level << ", floats from bits " << base;
    }
  }
}

}  // namespace
}  // namespace decant::simd
