// The twin against numbers that can be checked by hand: it is what the fast paths are compared with.
#include "twin/forward.h"

#include <gtest/gtest.h>

#include "weights/gguf_writer_for_test.h"

namespace decant::twin {
namespace {

TEST(TwinForwardTest, LaneSumAddsInItsOwnOrder) {
  // 2^24 + 1 rounds to 2^24. Elements 0 and 16 share an accumulator, so the 1 is lost; 8 is another lane, and meets
  // the accumulator of 0 in the tree.
  std::vector<float> terms(17, 0.0f);
  terms[0] = 0x1p24f;
  terms[16] = 1.0f;
  EXPECT_EQ(LaneSum(terms), 0x1p24f);
  terms[8] = 1.0f;
  EXPECT_EQ(LaneSum(terms), 0x1p24f);
  terms[9] = 1.0f;
  terms[1] = 1.0f;  // 1 + 9 make 2 before they meet lane 0
  EXPECT_EQ(LaneSum(terms), 0x1p24f + 2.0f);
}

TEST(TwinForwardTest, QuantizesTo15BitsHalvesToEven) {
  std::vector<float> x(32, 0.0f);
  x[0] = -16383.0f;
  x[1] = 2.5f;
  x[2] = 3.5f;
  x[3] = 0.4f;
  const QuantizedBlock block = Quantize(x);
  EXPECT_EQ(block.scale, 1.0f);
  EXPECT_EQ(block.q[0], -16383);
  EXPECT_EQ(block.q[1], 2);
  EXPECT_EQ(block.q[2], 4);
  EXPECT_EQ(block.q[3], 0);
  EXPECT_EQ(block.sum, -16377);
}

TEST(TwinForwardTest, TinyBlocksAreZero) {
  const std::vector<float> x(32, 0x1p-101f);
  const QuantizedBlock block = Quantize(x);
  EXPECT_EQ(block.scale, 0.0f);
  EXPECT_EQ(block.sum, 0);
  EXPECT_EQ(Quantize(std::vector<float>(32, 0x1p-100f)).q[5], 16383);
}

TEST(TwinForwardTest, ProductAddsTheMinimumAfterTheBlock) {
  weights::ByteWriter row;
  row.Put(std::uint16_t{0x4000}).Put(std::uint16_t{0xbc00});  // d = 2, m = -1
  for (int i = 0; i < 16; ++i) row.Put(std::uint8_t{0x53});   // 3 in the first half, 5 in the second
  weights::GgufWriter writer;
  writer.AddTensor("w", {32, 1}, 3, row.bytes());
  const auto bytes = writer.Finish();
  const auto file = weights::GgufFile::Parse(bytes);
  ASSERT_TRUE(file.has_value());
  std::vector<float> x(32, 0.0f);
  x[0] = 16383.0f;  // weight 2*3 - 1 = 5
  x[16] = 1.0f;     // weight 2*5 - 1 = 9
  EXPECT_EQ(Product(file->tensors()[0], 0, x), 5.0f * 16383.0f + 9.0f);
}

TEST(TwinForwardTest, RmsNormHasUnitMeanSquare) {
  const std::vector<float> x = {3.0f, -3.0f, 3.0f, -3.0f}, w = {1.0f, 1.0f, 2.0f, 0.0f};
  EXPECT_EQ(RmsNorm(x, w, 0.0f), (std::vector<float>{1.0f, -1.0f, 2.0f, -0.0f}));
}

TEST(TwinForwardTest, SwiGluOfZeroAndOfLargeGates) {
  EXPECT_EQ(SwiGlu(0.0f, 5.0f), 0.0f);
  EXPECT_EQ(SwiGlu(200.0f, 0.5f), 100.0f);
  EXPECT_EQ(SwiGlu(-200.0f, 0.5f), 0.0f);
}

TEST(TwinForwardTest, AttentionToOnePositionIsItsValue) {
  std::vector<float> out;
  ASSERT_TRUE(Attend(std::vector<float>{1, 2}, {{3, 4}}, {{0.25f, -8}}, out));
  EXPECT_EQ(out, (std::vector<float>{0.25f, -8}));
  // Two equal keys: the mean of the values.
  ASSERT_TRUE(Attend(std::vector<float>{1, 2}, {{3, 4}, {3, 4}}, {{0, -8}, {2, 8}}, out));
  EXPECT_EQ(out, (std::vector<float>{1, 0}));
}

}  // namespace
}  // namespace decant::twin
