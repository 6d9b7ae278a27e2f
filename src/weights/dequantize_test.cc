// Blocks with numbers that can be worked out by hand.
#include "weights/dequantize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weights/gguf_writer_for_test.h"

namespace decant::weights {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint16_t kHalfOne = 0x3c00, kHalfTwo = 0x4000, kHalfTenth = 0x2e66, kHalfInfinity = 0x7c00;

std::vector<std::byte> Q4_1Row(std::uint16_t d, std::uint16_t m) {
  ByteWriter row;
  row.Put(d).Put(m);
  for (unsigned i = 0; i < 16; ++i) row.Put(static_cast<std::uint8_t>(i | ((15 - i) << 4)));
  return row.bytes();
}

GgufFile FileWith(std::uint64_t columns, std::uint32_t type, std::vector<std::byte> data,
                  std::vector<std::byte>& storage) {
  GgufWriter writer;
  writer.AddTensor("t", {columns}, type, std::move(data));
  storage = writer.Finish();
  Result<GgufFile> file = GgufFile::Parse(storage);
  EXPECT_TRUE(file.has_value()) << file.error().message;
  return *std::move(file);
}

TEST(DequantizeTest, Q4_1IsScaleTimesNibblePlusMinimum) {
  std::vector<std::byte> storage;
  const GgufFile file = FileWith(32, 3, Q4_1Row(kHalfTwo, kHalfOne), storage);
  std::vector<float> row(32);
  DequantizeRow(**file.Tensor("t"), 0, std::span(row));
  EXPECT_EQ(row[0], 1.0f);
  EXPECT_EQ(row[5], 11.0f);
  EXPECT_EQ(row[16], 31.0f);
  EXPECT_EQ(row[31], 1.0f);
}

TEST(DequantizeTest, Q4_0IsScaleTimesNibbleLessEight) {
  ByteWriter data;
  data.Put(kHalfTwo);
  for (unsigned i = 0; i < 16; ++i) data.Put(static_cast<std::uint8_t>(i | ((15 - i) << 4)));
  std::vector<std::byte> storage;
  const GgufFile file = FileWith(32, 2, data.bytes(), storage);
  std::vector<float> row(32);
  DequantizeRow(**file.Tensor("t"), 0, std::span(row));
  EXPECT_EQ(row[0], -16.0f);
  EXPECT_EQ(row[15], 14.0f);
  EXPECT_EQ(row[16], 14.0f);
  EXPECT_EQ(row[31], -16.0f);
}

TEST(DequantizeTest, Q4_1RoundsTheSumOnceInFloatAndNotAtAllInDouble) {
  std::vector<std::byte> storage;
  const GgufFile file = FileWith(32, 3, Q4_1Row(kHalfTenth, 0x6c01), storage);  // 4100 (f16: 0x6c01)
  std::vector<float> row(32);
  std::vector<double> exact(32);
  DequantizeRow(**file.Tensor("t"), 0, std::span(row));
  DequantizeRow(**file.Tensor("t"), 0, std::span(exact));
  EXPECT_EQ(exact[3], 3 * 0.0999755859375 + 4100);
  EXPECT_EQ(row[3], static_cast<float>(exact[3]));
}

TEST(DequantizeTest, Q8_0IsScaleTimesByte) {
  ByteWriter data;
  data.Put(kHalfTwo);
  for (int i = 0; i < 32; ++i) data.Put(static_cast<std::int8_t>(i - 16));
  std::vector<std::byte> storage;
  const GgufFile file = FileWith(32, 8, data.bytes(), storage);
  std::vector<float> row(32);
  DequantizeRow(**file.Tensor("t"), 0, std::span(row));
  EXPECT_EQ(row[0], -32.0f);
  EXPECT_EQ(row[31], 30.0f);
}

TEST(DequantizeTest, FloatTypesAreExact) {
  std::vector<std::byte> storage;
  ByteWriter f32, f16, bf16;
  f32.Put(1.25f).Put(-0.1f);
  f16.Put(kHalfTenth).Put(std::uint16_t{0x0001});
  bf16.Put(std::uint16_t{0x3fa0}).Put(std::uint16_t{0xbf80});
  std::vector<float> row(2);
  DequantizeRow(**FileWith(2, 0, f32.bytes(), storage).Tensor("t"), 0, std::span(row));
  EXPECT_THAT(row, ElementsAre(1.25f, -0.1f));
  DequantizeRow(**FileWith(2, 1, f16.bytes(), storage).Tensor("t"), 0, std::span(row));
  EXPECT_THAT(row, ElementsAre(0.0999755859375f, 0x1p-24f));
  DequantizeRow(**FileWith(2, 30, bf16.bytes(), storage).Tensor("t"), 0, std::span(row));
  EXPECT_THAT(row, ElementsAre(1.25f, -1.0f));
}

TEST(DequantizeTest, RefusesAScaleThatIsNotFinite) {
  std::vector<std::byte> storage;
  const GgufFile bad = FileWith(32, 3, Q4_1Row(kHalfOne, kHalfInfinity), storage);
  const Result<void> checked = CheckFinite(**bad.Tensor("t"));
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().code, ErrorCode::kCorruptFile);
  EXPECT_THAT(checked.error().message, HasSubstr("tensor \"t\" holds an infinity or NaN"));
  const GgufFile good = FileWith(32, 3, Q4_1Row(kHalfOne, kHalfOne), storage);
  EXPECT_TRUE(CheckFinite(**good.Tensor("t")).has_value());
}

}  // namespace
}  // namespace decant::weights
