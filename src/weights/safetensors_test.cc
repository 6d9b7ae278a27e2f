// safetensors files, correct ones and ones that are broken in one place each.
#include "weights/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weights/dequantize.h"
#include "weights/ggml_type.h"
#include "weights/safetensors_writer_for_test.h"

namespace decant::weights {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::byte> Zeros(std::size_t size) { return std::vector<std::byte>(size); }

template <class T>
std::vector<std::byte> BytesOf(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

// A file that starts with this length and ends with this text.
std::vector<std::byte> WithLength(std::uint64_t length, std::string_view text) {
  std::vector<std::byte> bytes = BytesOf(std::vector<std::uint64_t>{length});
  const auto rest = std::as_bytes(std::span(text));
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

Error ErrorOf(std::string_view header, std::size_t data = 8) {
  const auto bytes = SafetensorsOf(header, Zeros(data));
  const auto file = SafetensorsFile::Parse(bytes);
  EXPECT_FALSE(file.has_value()) << header << " was accepted";
  return file.has_value() ? Error{} : file.error();
}

TEST(SafetensorsTest, ReadsTensorsWhereTheyLie) {
  SafetensorsWriter writer;
  writer.Add("wide", "F32", {2, 3}, BytesOf<float>({1, 2, 3, 4, 5, 6}));
  writer.Add("short", "BF16", {2}, BytesOf<std::uint16_t>({0x3f80, 0xc000}));
  writer.Add("one", "F16", {}, BytesOf<std::uint16_t>({0x3c00}));
  const auto bytes = writer.Finish();
  const auto file = SafetensorsFile::Parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  ASSERT_EQ(file->tensors().size(), 3u);
  const TensorView& wide = file->tensors()[0];
  EXPECT_EQ(wide.name, "wide");
  EXPECT_THAT(wide.dims, ElementsAre(3, 2));
  EXPECT_EQ(wide.rows(), 2u);
  std::vector<float> row(3);
  DequantizeRow(wide, 1, std::span(row));
  EXPECT_THAT(row, ElementsAre(4.f, 5.f, 6.f));
  std::vector<float> pair(2);
  DequantizeRow(file->tensors()[1], 0, std::span(pair));
  EXPECT_THAT(pair, ElementsAre(1.f, -2.f));
  EXPECT_EQ(static_cast<GgmlType>(file->tensors()[2].type), GgmlType::kF16);
  EXPECT_EQ(file->tensors()[2].elements, 1u);
}

TEST(SafetensorsTest, TheOrderOfTheHeaderDoesNotMatter) {
  const auto bytes =
      SafetensorsOf(R"({"b":{"data_offsets":[4,8],"shape":[1],"dtype":"F32"},"__metadata__":{"format":"pt"},)"
                    R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}   )",
                    Zeros(8));
  const auto file = SafetensorsFile::Parse(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->tensors()[0].name, "a");
  EXPECT_EQ(file->tensors()[1].offset, bytes.size() - 4);
}

TEST(SafetensorsTest, NoTensorsAreFine) { EXPECT_TRUE(SafetensorsFile::Parse(SafetensorsOf("{}", {})).has_value()); }

TEST(SafetensorsTest, NamesWhatIsWrongWithTheHeader) {
  EXPECT_EQ(SafetensorsFile::Parse(Zeros(7)).error().message, "the file has 7 bytes: not a safetensors file");
  EXPECT_EQ(SafetensorsFile::Parse(WithLength(100'000'001, "")).error().message,
            "the header has 100000001 bytes; expected at most 100000000: not a safetensors file?");
  EXPECT_EQ(SafetensorsFile::Parse(WithLength(9, "{}")).error().message,
            "the header needs 9 bytes at byte 8, the file has 10: download incomplete?");
  EXPECT_EQ(ErrorOf(" {}").message, "the header does not start with \"{\"");
  const Error json = ErrorOf(R"({"a":})");
  EXPECT_EQ(json.code, ErrorCode::kCorruptFile);
  EXPECT_THAT(json.message, HasSubstr("the header is no JSON"));
  EXPECT_EQ(json.at->offset, 8u + 5u);
  EXPECT_THAT(ErrorOf(std::string("{").append(200, '[')).message, HasSubstr("the header is no JSON"));
  EXPECT_EQ(ErrorOf(std::string("{").append((std::size_t{1} << 22) + 1, ',')).message,
            "the header has more than 4194304 commas");
}

TEST(SafetensorsTest, NamesTheTensorThatIsWrong) {
  struct Case {
    std::string entry;
    std::string message;
  };
  const Case cases[] = {
      {R"(3)", "tensor \"t\" is a number; expected an object"},
      {R"({"shape":[2],"data_offsets":[0,8]})", "tensor \"t\" has no \"dtype\"; expected a string"},
      {R"({"dtype":"F32","data_offsets":[0,8]})", "tensor \"t\" has no \"shape\"; expected an array"},
      {R"({"dtype":"F32","shape":[2]})", "tensor \"t\" has no \"data_offsets\"; expected two numbers"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1})",
       "tensor \"t\" has \"x\"; expected dtype, shape and data_offsets"},
      {R"({"dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8]})", "tensor \"t\" has \"shape\" twice"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})",
       "tensor \"t\" has \"data_offsets\" that are no begin and end"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[-1,8]})",
       "tensor \"t\" has \"data_offsets\" that are no begin and end"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,12]})",
       "tensor \"t\" ends at byte 12 of the tensors' part, which has 8: download incomplete?"},
      {R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})", "tensor \"t\" has 8 bytes for 3 elements of 4"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[2,6]})",
       "tensor \"t\" starts at byte 2 of the tensors' part, not a multiple of 4"},
      {R"({"dtype":"F32","shape":[0],"data_offsets":[0,0]})",
       "tensor \"t\" has a dimension that is not a whole number of at least 1, or 2^63 elements or more in all"},
      {R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})",
       "tensor \"t\" has a dimension that is not a whole number of at least 1, or 2^63 elements or more in all"},
      {R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]})",
       "tensor \"t\" has 9 dimensions; expected at most 8"},
  };
  for (const Case& c : cases) {
    const Error error = ErrorOf("{\"t\":" + c.entry + "}");
    EXPECT_EQ(error.message, c.message);
    EXPECT_EQ(error.code, ErrorCode::kCorruptFile) << c.message;
    EXPECT_EQ(error.at->offset, 9u) << c.message;
  }
}

TEST(SafetensorsTest, NamesATypeThatItDoesNotRead) {
  const Error error = ErrorOf(R"({"t":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})");
  EXPECT_EQ(error.code, ErrorCode::kUnsupportedFile);
  EXPECT_EQ(error.message, "tensor \"t\" is of type \"F8_E4M3\"; expected F32, F16 or BF16");
}

TEST(SafetensorsTest, RefusesTensorsThatRepeatOverlapOrLeaveGaps) {
  const auto two = [](std::string_view second, std::string_view begin, std::string_view end) {
    return R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},")" + std::string(second) +
           R"(":{"dtype":"F32","shape":[1],"data_offsets":[)" + std::string(begin) + "," + std::string(end) + "]}}";
  };
  EXPECT_EQ(ErrorOf(two("a", "4", "8")).message, "tensor \"a\" appears twice");
  EXPECT_THAT(ErrorOf(two("b", "0", "4"), 4).message, HasSubstr("tensor \"b\" starts at byte"));
  EXPECT_THAT(ErrorOf(two("b", "8", "12"), 12).message, HasSubstr("where the one before ends"));
  EXPECT_THAT(ErrorOf(two("b", "4", "8"), 9).message, HasSubstr("the tensors end at byte"));
  EXPECT_THAT(ErrorOf("{}", 1).message, HasSubstr("the tensors end at byte 10, the file at 11"));
}

TEST(SafetensorsTest, MetadataIsStrings) {
  EXPECT_EQ(ErrorOf(R"({"__metadata__":{"a":1}})", 0).message, "\"__metadata__\" is not an object of strings");
  EXPECT_EQ(ErrorOf(R"({"__metadata__":"pt"})", 0).message, "\"__metadata__\" is not an object of strings");
}

TEST(ShardIndexTest, ListsTensorsAndFiles) {
  const auto index = ParseShardIndex(
      R"({"metadata":{"total_size":8},"weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors"}})");
  ASSERT_TRUE(index.has_value()) << index.error().message;
  EXPECT_EQ(index->at(1), std::make_pair(std::string("b"), std::string("model-2.safetensors")));
}

TEST(ShardIndexTest, RefusesNamesThatLeaveTheFolder) {
  for (const char* name : {"../x.safetensors", "/etc/x.safetensors", "a/b.safetensors", "a\\\\b.safetensors", "x.bin",
                           "..safetensors", "x\\u0000.safetensors"}) {
    const auto index = ParseShardIndex(R"({"weight_map":{"a":")" + std::string(name) + R"("}})");
    ASSERT_FALSE(index.has_value()) << name;
    EXPECT_EQ(index.error().code, ErrorCode::kCorruptFile);
    EXPECT_THAT(index.error().message, HasSubstr("expected the name of a .safetensors file in the same folder"));
  }
  EXPECT_EQ(ParseShardIndex(R"({"weight_map":{"a":1}})").error().message,
            "the index puts tensor \"a\" into a number; expected the name of a .safetensors file in the same folder");
}

TEST(ShardIndexTest, RefusesWhatIsNoIndex) {
  EXPECT_EQ(ParseShardIndex("{}").error().message, "the index has no \"weight_map\"; expected an object");
  EXPECT_EQ(ParseShardIndex("[]").error().message, "the index has no \"weight_map\"; expected an object");
  EXPECT_THAT(ParseShardIndex("{").error().message, HasSubstr("the index is no JSON"));
  EXPECT_EQ(ParseShardIndex(R"({"weight_map":{"a":"x.safetensors","a":"y.safetensors"}})").error().message,
            "the index names tensor \"a\" twice");
}

}  // namespace
}  // namespace decant::weights
