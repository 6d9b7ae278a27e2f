// The format of the tiny checkpoint: round trips, its layout byte by byte, and what is refused where.
#include "model/tiny_checkpoint.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/sha256.h"

namespace decant::model {
namespace {

using ::testing::HasSubstr;

constexpr TinyDimensions kSmall{.vocabulary = 3,
                                .context = 2,
                                .width = 4,
                                .layers = 2,
                                .heads = 2,
                                .kv_heads = 1,
                                .feed_forward = 3,
                                .rope_base = 500,
                                .epsilon = 1e-6F};

TinyCheckpoint Numbered() {
  TinyCheckpoint checkpoint = *MakeTinyCheckpoint(kSmall);
  checkpoint.random_state = 0x0123456789abcdefu;
  float next = 0;
  for (float& weight : checkpoint.embedding) weight = next++;
  for (float& weight : checkpoint.layers[1].down) weight = next++;
  for (float& weight : checkpoint.output) weight = next++;
  return checkpoint;
}

template <class T>
std::vector<std::byte> With(std::vector<std::byte> bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
  return bytes;
}

// The bytes with a hash that fits them again.
std::vector<std::byte> Sealed(std::vector<std::byte> bytes) {
  const std::size_t body = bytes.size() - 32;
  core::Sha256 hash;
  hash.Update(std::span<const std::byte>(bytes).first(body));
  const std::string text = hash.Finish();
  for (std::size_t i = 0; i < 32; ++i) {
    bytes[body + i] = static_cast<std::byte>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  return bytes;
}

TEST(TinyCheckpointTest, ReadsBackWhatItWrote) {
  const TinyCheckpoint checkpoint = Numbered();
  const auto bytes = WriteTinyCheckpoint(checkpoint);
  const auto read = ParseTinyCheckpoint(bytes);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, checkpoint);
}

TEST(TinyCheckpointTest, LaysTheFieldsOutAsDocumented) {
  const auto bytes = WriteTinyCheckpoint(Numbered());
  // 64 header, 12 + 12 for the vocabulary, 4 output norm, two layers of 8 + 32 + 16 + 36, and 32 of hash.
  ASSERT_EQ(bytes.size(), 64u + 4 * (12 + 2 * (8 + 32 + 16 + 36) + 4 + 12) + 32);
  EXPECT_EQ(std::memcmp(bytes.data(), "decant.tiny/1\n\0\0", 16), 0);
  const std::uint32_t sizes[] = {3, 2, 4, 2, 2, 1, 3};
  EXPECT_EQ(std::memcmp(bytes.data() + 16, sizes, sizeof(sizes)), 0);
  EXPECT_EQ(bytes[56], std::byte{0xef});
  float second = 0;
  std::memcpy(&second, bytes.data() + 68, sizeof(second));
  EXPECT_EQ(second, 1.0F);
}

TEST(TinyCheckpointTest, RefusesAnotherFile) {
  const std::string text = "GGUF, or anything else that is long enough to hold a header of sixty-four bytes.";
  const auto result = ParseTinyCheckpoint(std::as_bytes(std::span(text)));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupportedFile);
  EXPECT_FALSE(ParseTinyCheckpoint({}).has_value());
}

TEST(TinyCheckpointTest, RefusesEveryShorterFileAndALongerOne) {
  auto bytes = WriteTinyCheckpoint(Numbered());
  for (std::size_t size = kTinyMagic.size(); size < bytes.size(); ++size) {
    const auto result = ParseTinyCheckpoint(std::span<const std::byte>(bytes).first(size));
    ASSERT_FALSE(result.has_value()) << size;
    EXPECT_EQ(result.error().code, ErrorCode::kCorruptFile) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(ParseTinyCheckpoint(bytes).has_value());
}

TEST(TinyCheckpointTest, FindsAnyFlippedByte) {
  const auto bytes = WriteTinyCheckpoint(Numbered());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto flipped = bytes;
    flipped[i] ^= std::byte{0x10};
    EXPECT_FALSE(ParseTinyCheckpoint(flipped).has_value()) << i;
  }
}

TEST(TinyCheckpointTest, NamesTheSizeThatIsOutOfRangeAndItsOffset) {
  const auto bytes = WriteTinyCheckpoint(Numbered());
  for (const std::size_t offset : {16u, 20u, 24u, 28u, 32u, 36u, 40u}) {
    for (const std::uint32_t value : {0u, 0xffffffffu}) {
      const auto result = ParseTinyCheckpoint(With(bytes, offset, value));
      ASSERT_FALSE(result.has_value()) << offset;
      EXPECT_EQ(result.error().code, ErrorCode::kCorruptFile);
      ASSERT_TRUE(result.error().at.has_value());
      EXPECT_EQ(result.error().at->offset, offset) << result.error().message;
    }
  }
  EXPECT_THAT(ParseTinyCheckpoint(With(bytes, 16, 0u)).error().message,
              HasSubstr("vocabulary is 0; expected 1..65536"));
}

TEST(TinyCheckpointTest, NamesAWeightThatIsNotFinite) {
  auto bytes = WriteTinyCheckpoint(Numbered());
  bytes = Sealed(With(std::move(bytes), 64 + 4 * 5, std::numeric_limits<float>::infinity()));
  const auto result = ParseTinyCheckpoint(bytes);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kCorruptFile);
  EXPECT_THAT(result.error().message, HasSubstr("embedding[5] is not finite (byte 84)"));
}

TEST(TinyCheckpointTest, RefusesHeadsThatDoNotDivide) {
  TinyDimensions dimensions = kSmall;
  dimensions.heads = 3;
  EXPECT_EQ(MakeTinyCheckpoint(dimensions).error().subject, "heads");
  dimensions.heads = 4;  // heads of width 1 have no pairs to rotate
  EXPECT_EQ(MakeTinyCheckpoint(dimensions).error().subject, "heads");
  dimensions = kSmall;
  dimensions.kv_heads = 4;
  EXPECT_EQ(MakeTinyCheckpoint(dimensions).error().subject, "kv_heads");
  dimensions = kSmall;
  dimensions.epsilon = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(MakeTinyCheckpoint(dimensions).error().subject, "epsilon");
}

}  // namespace
}  // namespace decant::model
