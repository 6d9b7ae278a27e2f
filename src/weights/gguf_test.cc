// GGUF files, correct ones and ones that are broken in one place each, built in memory.
#include "weights/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/scratch_folder_for_test.h"
#include "weights/ggml_type.h"
#include "weights/gguf_writer_for_test.h"

namespace decant::weights {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::byte> Zeros(std::size_t size) { return std::vector<std::byte>(size); }

GgufWriter SmallFile() {
  GgufWriter writer;
  writer.AddString("general.architecture", "llama");
  writer.AddU32("n", 7);
  writer.AddF32("eps", 0.5f);
  writer.AddTensor("a", {32, 2}, 3, Zeros(40));
  writer.AddTensor("b", {3}, 0, Zeros(12));
  return writer;
}

Error ErrorOf(const std::vector<std::byte>& bytes) {
  const Result<GgufFile> file = GgufFile::Parse(bytes);
  EXPECT_FALSE(file.has_value()) << "the file was accepted";
  return file.has_value() ? Error{} : file.error();
}

TEST(GgufTest, ReadsScalarsOfEveryType) {
  GgufWriter writer;
  writer.Add("u8", GgufType::kU8, std::uint8_t{200});
  writer.Add("i8", GgufType::kI8, std::int8_t{-3});
  writer.Add("u16", GgufType::kU16, std::uint16_t{60000});
  writer.Add("i16", GgufType::kI16, std::int16_t{-300});
  writer.Add("u32", GgufType::kU32, std::uint32_t{4000000000u});
  writer.Add("i32", GgufType::kI32, std::int32_t{-5});
  writer.Add("u64", GgufType::kU64, ~std::uint64_t{0});
  writer.Add("i64", GgufType::kI64, std::int64_t{-9});
  writer.Add("f32", GgufType::kF32, 1.5f);
  writer.Add("f64", GgufType::kF64, 2.25);
  writer.Add("bool", GgufType::kBool, std::uint8_t{1});
  writer.AddString("string", "text");
  const auto bytes = writer.Finish();
  const Result<GgufFile> file = GgufFile::Parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->Unsigned("u8"), 200u);
  EXPECT_EQ(file->Signed("i8"), -3);
  EXPECT_EQ(file->Unsigned("u16"), 60000u);
  EXPECT_EQ(file->Signed("i16"), -300);
  EXPECT_EQ(file->Unsigned("u32"), 4000000000u);
  EXPECT_EQ(file->Signed("i32"), -5);
  EXPECT_EQ(file->Unsigned("u64"), ~std::uint64_t{0});
  EXPECT_FALSE(file->Signed("u64").has_value());
  EXPECT_EQ(file->Signed("i64"), -9);
  EXPECT_EQ(file->Float("f32"), 1.5);
  EXPECT_EQ(file->Float("f64"), 2.25);
  EXPECT_EQ(file->Bool("bool"), true);
  EXPECT_EQ(file->String("string"), "text");
  EXPECT_EQ(file->UnsignedOr("absent", 4), 4u);
  EXPECT_EQ(file->Unsigned("i32").error().message, "metadata \"i32\" is -5; expected a whole number, 0 or more");
}

TEST(GgufTest, ReadsArraysAndArraysOfArrays) {
  GgufWriter writer;
  writer.AddStrings("words", std::vector<std::string>{"a", "", "bcd"});
  writer.AddArray<std::int32_t>("kinds", GgufType::kI32, std::vector<std::int32_t>{1, -2, 3});
  writer.AddArray<float>("scores", GgufType::kF32, std::vector<float>{0.5f, -1.0f});
  ByteWriter& nested = writer.Key("nested", GgufType::kArray).Put(GgufType::kArray).Put(std::uint64_t{2});
  nested.Put(GgufType::kU8).Put(std::uint64_t{1}).Put(std::uint8_t{9});
  nested.Put(GgufType::kString).Put(std::uint64_t{1}).PutString("x");
  writer.AddU32("after", 1);
  const auto bytes = writer.Finish();
  const Result<GgufFile> file = GgufFile::Parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_THAT(*file->Strings("words"), ElementsAre("a", "", "bcd"));
  EXPECT_THAT(*file->Integers("kinds"), ElementsAre(1, -2, 3));
  EXPECT_THAT(*file->Floats("scores"), ElementsAre(0.5f, -1.0f));
  EXPECT_EQ(file->Find("nested")->count, 2u);
  EXPECT_EQ(file->Find("nested")->bytes.size(), 12u + 1 + 12 + 9);
  EXPECT_EQ(file->Unsigned("after"), 1u);
  EXPECT_EQ(file->Strings("kinds").error().message,
            "metadata \"kinds\" is array of int32; expected an array of strings");
}

TEST(GgufTest, NamesKeyFoundAndExpectedType) {
  const auto bytes = SmallFile().Finish();
  const Result<GgufFile> file = GgufFile::Parse(bytes);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->Unsigned("eps").error().message, "metadata \"eps\" is float32; expected a whole number, 0 or more");
  EXPECT_EQ(file->Unsigned("eps").error().code, ErrorCode::kCorruptFile);
  EXPECT_EQ(file->String("absent").error().message, "metadata \"absent\" is missing; expected a string");
}

TEST(GgufTest, FindsTensorsByName) {
  const auto bytes = SmallFile().Finish();
  const Result<GgufFile> file = GgufFile::Parse(bytes);
  ASSERT_TRUE(file.has_value());
  const TensorView* tensor = file->FindTensor("a");
  ASSERT_NE(tensor, nullptr);
  EXPECT_THAT(tensor->dims, ElementsAre(32, 2));
  EXPECT_EQ(tensor->columns(), 32u);
  EXPECT_EQ(tensor->rows(), 2u);
  EXPECT_EQ(tensor->bytes.size(), 40u);
  EXPECT_EQ(tensor->offset % 32, 0u);
  EXPECT_EQ(file->FindTensor("c"), nullptr);
  EXPECT_EQ(file->Tensor("c").error().message, "tensor \"c\" is missing");
}

TEST(GgufTest, NamesATensorTypeThatItDoesNotRead) {
  GgufWriter writer;
  writer.AddTensor("k", {256}, 12, Zeros(144));
  writer.AddTensor("future", {256}, 99, Zeros(32));
  const auto bytes = writer.Finish();
  const Result<GgufFile> file = GgufFile::Parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->Tensor("k").error().code, ErrorCode::kUnsupportedFile);
  EXPECT_EQ(file->Tensor("k").error().message, "tensor \"k\" is Q4_K; expected F32, F16, BF16, Q8_0, Q4_1, Q4_0");
  EXPECT_THAT(file->Tensor("future").error().message, HasSubstr("type 99"));
}

TEST(GgufTest, SaysThatADownloadIsIncomplete) {
  auto bytes = SmallFile().Finish();
  bytes.erase(bytes.end() - 32, bytes.end());
  const Error error = ErrorOf(bytes);
  EXPECT_EQ(error.code, ErrorCode::kCorruptFile);
  EXPECT_EQ(error.message, "tensor \"b\" ends at byte " + std::to_string(bytes.size() + 12) + ", the file has " +
                               std::to_string(bytes.size()) + ": download incomplete?");
  EXPECT_EQ(error.at->offset, bytes.size());
}

TEST(GgufTest, RefusesEveryTruncation) {
  const auto bytes = SmallFile().Finish();
  for (std::size_t size = 0; size + 32 - 12 < bytes.size(); ++size) {
    const std::span<const std::byte> head(bytes.data(), size);
    EXPECT_FALSE(GgufFile::Parse(head).has_value()) << size << " of " << bytes.size() << " bytes were accepted";
  }
}

TEST(GgufTest, NeverFailsBadlyOnAFlippedByte) {
  const auto bytes = SmallFile().Finish();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const unsigned flip : {1u, 0x80u, 0xffu}) {
      auto changed = bytes;
      changed[at] ^= static_cast<std::byte>(flip);
      const Result<GgufFile> file = GgufFile::Parse(changed);
      EXPECT_TRUE(file.has_value() || !file.error().message.empty()) << "byte " << at;
    }
  }
}

TEST(GgufTest, RefusesBigEndianByName) {
  auto bytes = SmallFile().Finish();
  bytes[4] = std::byte{0};
  bytes[7] = std::byte{3};
  EXPECT_EQ(ErrorOf(bytes).code, ErrorCode::kUnsupportedFile);
  EXPECT_THAT(ErrorOf(bytes).message, HasSubstr("big-endian"));
}

TEST(GgufTest, RefusesOtherVersionsAndOtherFiles) {
  GgufWriter writer = SmallFile();
  writer.version = 1;
  EXPECT_EQ(ErrorOf(writer.Finish()).message, "GGUF version 1; expected 2 or 3");
  writer.version = 2;
  EXPECT_TRUE(GgufFile::Parse(writer.Finish()).has_value());
  EXPECT_THAT(ErrorOf(Zeros(64)).message, HasSubstr("not a GGUF file"));
  EXPECT_THAT(ErrorOf({}).message, HasSubstr("not a GGUF file"));
}

TEST(GgufTest, BoundsHostileCounts) {
  auto bytes = SmallFile().Finish();
  for (const std::size_t at : {std::size_t{8}, std::size_t{16}}) {
    auto changed = bytes;
    std::memset(changed.data() + at, 0xff, 8);
    EXPECT_EQ(ErrorOf(changed).code, ErrorCode::kCorruptFile);
    EXPECT_EQ(ErrorOf(changed).at->offset, at);
  }
  GgufWriter writer;
  writer.Key("huge", GgufType::kArray).Put(GgufType::kU64).Put(std::uint64_t{1} << 61);
  EXPECT_THAT(ErrorOf(writer.Finish()).message, HasSubstr("claims 2305843009213693952 elements"));
}

TEST(GgufTest, RefusesCountsThatNoFileNeeds) {
  auto bytes = SmallFile().Finish();
  const std::uint64_t count = (std::uint64_t{1} << 24) + 1;
  std::memcpy(bytes.data() + 8, &count, sizeof count);
  EXPECT_EQ(ErrorOf(bytes).code, ErrorCode::kCorruptFile);
  EXPECT_EQ(ErrorOf(bytes).message, "the header counts 16777217 tensors; expected at most 16777216");
  bytes = SmallFile().Finish();
  std::memcpy(bytes.data() + 16, &count, sizeof count);
  EXPECT_EQ(ErrorOf(bytes).message, "the header counts 16777217 metadata entries; expected at most 16777216");
}

TEST(GgufTest, RefusesAnEmptyKey) {
  GgufWriter writer;
  writer.AddU32("", 1);
  EXPECT_EQ(ErrorOf(writer.Finish()).message, "a metadata key is empty");
}

// A terabyte that takes a page on the disk: its length vouches for no count.
class SparseGgufTest : public ::testing::Test {
 protected:
  // The error of a file that starts with these bytes; nothing where the file system refuses.
  std::optional<Error> ErrorOfSparse(std::span<const std::byte> start) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(start.data()), static_cast<std::streamsize>(start.size()));
    std::error_code failed;
    std::filesystem::resize_file(path_, std::uintmax_t{1} << 40, failed);
    if (failed) return std::nullopt;
    const Result<GgufFile> file = GgufFile::Open(path_);
    EXPECT_FALSE(file.has_value()) << "the file was accepted";
    return file.has_value() ? Error{} : file.error();
  }

  static std::vector<std::byte> Header(std::uint64_t tensors, std::uint64_t entries) {
    ByteWriter out;
    out.PutText("GGUF").Put(std::uint32_t{3}).Put(tensors).Put(entries);
    return out.bytes();
  }

  core::ScratchFolder folder_;
  std::string path_ = folder_ / "sparse.gguf";
};

TEST_F(SparseGgufTest, TakesNoMemoryForCounts) {
  for (const std::uint64_t count : {std::uint64_t{1} << 24, std::uint64_t{1} << 34}) {
    for (const bool tensors : {false, true}) {
      const auto error = ErrorOfSparse(tensors ? Header(count, 0) : Header(0, count));
      if (!error) GTEST_SKIP() << "the file system has no sparse files of 1 TB";
      EXPECT_EQ(error->code, ErrorCode::kCorruptFile) << error->message;
    }
  }
}

TEST_F(SparseGgufTest, TakesNoMemoryForElements) {
  for (const GgufType element : {GgufType::kString, GgufType::kU64}) {
    ByteWriter out;
    out.PutRaw(Header(0, 1));
    out.PutString("tokenizer.ggml.tokens").Put(GgufType::kArray).Put(element).Put(std::uint64_t{1} << 36);
    const auto error = ErrorOfSparse(out.bytes());
    if (!error) GTEST_SKIP() << "the file system has no sparse files of 1 TB";
    EXPECT_THAT(error->message, HasSubstr("claims 68719476736 elements at byte 69; expected at most 16777216"));
  }
}

TEST(GgufTest, BoundsNesting) {
  GgufWriter writer;
  ByteWriter& out = writer.Key("deep", GgufType::kArray);
  for (int depth = 0; depth < 100; ++depth) out.Put(GgufType::kArray).Put(std::uint64_t{1});
  out.Put(GgufType::kU8).Put(std::uint64_t{0});
  const Error error = ErrorOf(writer.Finish());
  EXPECT_EQ(error.code, ErrorCode::kUnsupportedFile);
  EXPECT_THAT(error.message, HasSubstr("nests arrays deeper than 16"));
}

TEST(GgufTest, RefusesDuplicates) {
  GgufWriter keys = SmallFile();
  keys.AddU32("n", 8);
  EXPECT_EQ(ErrorOf(keys.Finish()).message, "metadata \"n\" appears twice");
  GgufWriter tensors = SmallFile();
  tensors.AddTensor("a", {3}, 0, Zeros(12));
  EXPECT_EQ(ErrorOf(tensors.Finish()).message, "tensor \"a\" appears twice");
}

TEST(GgufTest, RefusesBadAlignment) {
  for (const std::uint32_t alignment : {0u, 3u, 0x80000000u}) {
    GgufWriter writer;
    writer.AddU32("general.alignment", alignment);
    EXPECT_THAT(ErrorOf(writer.Finish()).message, HasSubstr("expected a power of two"));
  }
  GgufWriter writer;
  writer.AddU32("general.alignment", 64);
  writer.AddTensor("a", {3}, 0, Zeros(12));
  writer.AddTensor("b", {3}, 0, Zeros(12));  // at 32
  EXPECT_THAT(ErrorOf(writer.Finish()).message, HasSubstr("not a multiple of the alignment 64"));
}

TEST(GgufTest, RefusesOverlappingTensors) {
  GgufWriter writer;
  writer.AddTensor("a", {16}, 0, Zeros(64));
  writer.AddTensor("b", {16}, 0, Zeros(64));
  auto bytes = writer.Finish();
  const std::size_t table_end = 24 + 2 * (8 + 1 + 4 + 8 + 4 + 8);
  const std::uint64_t offset = 32;
  std::memcpy(bytes.data() + table_end - 8, &offset, 8);
  EXPECT_THAT(ErrorOf(bytes).message, HasSubstr("inside tensor \"a\""));
}

TEST(GgufTest, RefusesImpossibleDimensions) {
  GgufWriter zero;
  zero.AddTensor("a", {0}, 0, {});
  EXPECT_THAT(ErrorOf(zero.Finish()).message, HasSubstr("has dimension 0"));
  GgufWriter huge;
  huge.AddTensor("a", {std::uint64_t{1} << 40, std::uint64_t{1} << 40}, 0, {});
  EXPECT_THAT(ErrorOf(huge.Finish()).message, HasSubstr("fewer than 2^63 elements"));
  GgufWriter many;
  many.AddTensor("a", {1, 1, 1, 1, 1}, 0, Zeros(4));
  EXPECT_THAT(ErrorOf(many.Finish()).message, HasSubstr("has 5 dimensions"));
  GgufWriter ragged;
  ragged.AddTensor("a", {33}, 3, Zeros(40));
  EXPECT_THAT(ErrorOf(ragged.Finish()).message, HasSubstr("not a multiple of Q4_1's 32"));
}

TEST(GgufTest, NamesTheFileThatCannotBeOpened) {
  const Result<GgufFile> file = GgufFile::Open("/nonexistent/model.gguf");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::kCannotRead);
  EXPECT_THAT(file.error().message, HasSubstr("/nonexistent/model.gguf"));
}

TEST(GgufTest, EndsWithTheLastTensorOrItsPadding) {
  std::vector<std::byte> bytes = SmallFile().Finish();  // the last tensor has 12 bytes of 32
  const std::size_t padded = bytes.size();
  EXPECT_TRUE(GgufFile::Parse(bytes).has_value());
  bytes.resize(padded - 20);
  EXPECT_TRUE(GgufFile::Parse(bytes).has_value());
  for (const std::size_t size : {padded - 19, padded - 1, padded + 1, padded + 32}) {
    bytes.resize(size);
    const Error error = ErrorOf(bytes);
    EXPECT_EQ(error.code, ErrorCode::kCorruptFile);
    EXPECT_THAT(error.message, HasSubstr("the contents end at byte " + std::to_string(padded - 20) + ", the file has " +
                                         std::to_string(size)));
    EXPECT_THAT(error.message, HasSubstr(std::to_string(padded)));
  }
}

}  // namespace
}  // namespace decant::weights
