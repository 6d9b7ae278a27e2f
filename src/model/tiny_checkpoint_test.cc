// The format of the tiny checkpoint: round trips, its layout byte by byte, and what is refused where.
#include "model/tiny_checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

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

// A few thousand bytes of weights without a pattern.
TinyCheckpoint Large() {
  TinyCheckpoint checkpoint = *MakeTinyCheckpoint({.vocabulary = 20,
                                                   .context = 8,
                                                   .width = 8,
                                                   .layers = 1,
                                                   .heads = 2,
                                                   .kv_heads = 1,
                                                   .feed_forward = 12,
                                                   .rope_base = 10000,
                                                   .epsilon = 1e-5F});
  std::uint32_t state = 1;
  const auto fill = [&state](std::vector<float>& weights) {
    for (float& weight : weights) {
      state = state * 1664525u + 1013904223u;
      weight = static_cast<float>(state >> 8) * 0x1p-23F - 1;
    }
  };
  fill(checkpoint.embedding);
  TinyLayer& layer = checkpoint.layers[0];
  for (auto* tensor : {&layer.attention_norm, &layer.query, &layer.key, &layer.value, &layer.attention_output,
                       &layer.feed_forward_norm, &layer.gate, &layer.up, &layer.down}) {
    fill(*tensor);
  }
  fill(checkpoint.output_norm);
  fill(checkpoint.output);
  return checkpoint;
}

// The example that docs/formats/tiny.md shows byte by byte.
TinyCheckpoint Documented() {
  TinyCheckpoint checkpoint = *MakeTinyCheckpoint({.vocabulary = 2,
                                                   .context = 4,
                                                   .width = 2,
                                                   .layers = 1,
                                                   .heads = 1,
                                                   .kv_heads = 1,
                                                   .feed_forward = 1,
                                                   .rope_base = 10000,
                                                   .epsilon = 0x1p-17F});
  checkpoint.random_state = 0x0123456789abcdefu;
  checkpoint.embedding = {1, -1, 0.5F, 2};
  TinyLayer& layer = checkpoint.layers[0];
  layer.attention_norm = layer.feed_forward_norm = checkpoint.output_norm = {1, 1};
  layer.query = layer.key = layer.value = layer.attention_output = {1, 0, 0, 1};
  layer.gate = {1, 0};
  layer.up = {0, 1};
  layer.down = {-0.5F, 0.5F};
  checkpoint.output = {1, 1, -1, 1};
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

TEST(TinyCheckpointTest, WritesTheSameBytesAgain) {
  for (const TinyCheckpoint& checkpoint : {Numbered(), Large(), Documented()}) {
    const auto bytes = WriteTinyCheckpoint(checkpoint);
    EXPECT_EQ(WriteTinyCheckpoint(*ParseTinyCheckpoint(bytes)), bytes);
  }
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

TEST(TinyCheckpointTest, NamesAnotherVersion) {
  const auto bytes = WriteTinyCheckpoint(Numbered());
  const auto second = ParseTinyCheckpoint(With(bytes, 12, '2'));
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kUnsupportedFile);
  EXPECT_EQ(second.error().message, "the tiny checkpoint is decant.tiny/2; this program reads decant.tiny/1");
  EXPECT_EQ(second.error().at->offset, 12u);
  EXPECT_TRUE(IsTinyCheckpoint(With(bytes, 12, '2')));
  EXPECT_THAT(ParseTinyCheckpoint(With(bytes, 13, '7')).error().message, HasSubstr("is decant.tiny/17; "));
  const auto none = ParseTinyCheckpoint(With(bytes, 12, '\x1b'));
  EXPECT_EQ(none.error().code, ErrorCode::kUnsupportedFile);
  EXPECT_THAT(none.error().message, HasSubstr("has no version that can be read"));
  EXPECT_FALSE(ParseTinyCheckpoint(std::span(bytes).first(13)).has_value());  // the line has no end
}

TEST(TinyCheckpointTest, RefusesEveryShorterFileAndALongerOne) {
  auto bytes = WriteTinyCheckpoint(Large());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto result = ParseTinyCheckpoint(std::span<const std::byte>(bytes).first(size));
    ASSERT_FALSE(result.has_value()) << size;
    EXPECT_EQ(result.error().code, size < kTinyMagic.size() ? ErrorCode::kUnsupportedFile : ErrorCode::kCorruptFile)
        << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(ParseTinyCheckpoint(bytes).error().code, ErrorCode::kCorruptFile);
}

// In the header, the weights and the hash alike.
TEST(TinyCheckpointTest, FindsAnyFlippedBit) {
  const auto bytes = WriteTinyCheckpoint(Large());
  ASSERT_GT(bytes.size(), 3000u);
  ASSERT_TRUE(ParseTinyCheckpoint(bytes).has_value());
  auto flipped = bytes;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const std::byte mask{static_cast<unsigned char>(1u << bit % 8)};
    flipped[bit / 8] ^= mask;
    const auto result = ParseTinyCheckpoint(flipped);
    ASSERT_FALSE(result.has_value()) << "bit " << bit % 8 << " of byte " << bit / 8;
    ASSERT_EQ(result.error().code, bit / 8 < kTinyMagic.size() ? ErrorCode::kUnsupportedFile : ErrorCode::kCorruptFile);
    flipped[bit / 8] ^= mask;
  }
}

// Sixteen bytes a line: "00000010  02 00 …  |text|".
std::string HexDump(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string dump;
  for (std::size_t line = 0; line < bytes.size(); line += 16) {
    for (int shift = 28; shift >= 0; shift -= 4) dump += kDigits[line >> shift & 15];
    dump += ' ';
    std::string text;
    for (std::size_t i = line; i < std::min(line + 16, bytes.size()); ++i) {
      const auto byte = std::to_integer<unsigned char>(bytes[i]);
      dump += std::string(i % 16 == 8 ? 2 : 1, ' ') + kDigits[byte >> 4] + kDigits[byte & 15];
      text += byte >= 32 && byte < 127 ? static_cast<char>(byte) : '.';
    }
    dump += "  |" + text + "|\n";
  }
  return dump;
}

TEST(TinyCheckpointTest, TheDocumentedExampleIsWhatIsWritten) {
  const auto bytes = WriteTinyCheckpoint(Documented());
  std::ifstream page(std::string(DECANT_SOURCE_DIR) + "/docs/formats/tiny.md");
  std::string shown;
  for (std::string line; std::getline(page, line);) {
    const bool is_dump = line.size() > 10 && line.find_first_not_of("0123456789abcdef") == 8 && line[8] == ' ';
    if (is_dump) shown += line + "\n";
  }
  EXPECT_EQ(shown, HexDump(bytes)) << "docs/formats/tiny.md shows another file";
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
