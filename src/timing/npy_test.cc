// .npy files that are read, and every kind that is refused with the name of its field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "decant/bench.h"

namespace decant {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Values(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values) {
    char four[4];
    std::memcpy(four, &value, sizeof four);
    bytes.append(four, sizeof four);
  }
  return bytes;
}

// A file of a version with a header as it stands.
std::string File(int version, const std::string& header, const std::string& values) {
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(version), '\0'};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) file += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  return file + header + values;
}

std::string Dictionary(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

Result<FloatTable> Parse(const std::string& file) {
  return ParseNpy(std::as_bytes(std::span(file.data(), file.size())), "x.npy");
}

std::string ErrorOf(const std::string& file) {
  const auto table = Parse(file);
  return table.has_value() ? "no error" : table.error().message;
}

TEST(NpyTest, ReadsEachVersion) {
  for (const int version : {1, 2, 3}) {
    const auto table = Parse(File(version, Dictionary("'<f4'", "False", "(2, 3)"), Values({0, 1, 2, 3, 4, 5})));
    ASSERT_TRUE(table.has_value()) << table.error().message;
    EXPECT_EQ(table->rows, 2u);
    EXPECT_EQ(table->columns, 3u);
    EXPECT_THAT(table->values, ElementsAre(0, 1, 2, 3, 4, 5));
  }
}

TEST(NpyTest, OneDimensionIsOneRow) {
  const auto table = Parse(File(1, Dictionary("\"<f4\"", "False", "(2,)"), Values({1, -2})));
  ASSERT_TRUE(table.has_value()) << table.error().message;
  EXPECT_EQ(table->rows, 1u);
  EXPECT_EQ(table->columns, 2u);
}

TEST(NpyTest, ReadsHalves) {
  const auto table = Parse(File(1, Dictionary("'<f2'", "False", "(1, 2)"), std::string("\x00\x3c\x00\xc0", 4)));
  ASSERT_TRUE(table.has_value()) << table.error().message;
  EXPECT_THAT(table->values, ElementsAre(1.0f, -2.0f));
}

TEST(NpyTest, ReadsWhatItWrites) {
  for (const std::size_t columns : {1u, 9u, 10'000u, 262'144u}) {
    const std::string header = NpyHeader(1, columns);
    EXPECT_EQ(header.size() % 64, 0u);
    const auto table = Parse(header + std::string(4 * columns, '\0'));
    ASSERT_TRUE(table.has_value()) << table.error().message;
    EXPECT_EQ(table->columns, columns);
  }
}

TEST(NpyTest, EveryPrefixIsAnError) {
  const std::string file = File(1, Dictionary("'<f4'", "False", "(2, 3)"), Values({0, 1, 2, 3, 4, 5}));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_THAT(ErrorOf(file.substr(0, size)), HasSubstr("x.npy")) << size;
  }
}

TEST(NpyTest, NamesWhatItDoesNotRead) {
  const std::string values = Values({0, 1});
  EXPECT_THAT(ErrorOf("PK\x03\x04 an archive"), HasSubstr("does not start as an .npy file"));
  EXPECT_THAT(ErrorOf(File(4, "", "")), HasSubstr("the version is 4.0; expected 1.0, 2.0 or 3.0"));
  EXPECT_THAT(ErrorOf(File(1, Dictionary("'<f8'", "False", "(2,)"), values)),
              HasSubstr("descr is \"<f8\"; expected '<f4'"));
  EXPECT_THAT(ErrorOf(File(1, Dictionary("'>f4'", "False", "(2,)"), values)), HasSubstr("descr is \">f4\""));
  EXPECT_THAT(ErrorOf(File(1, Dictionary("[('a', '<f4')]", "False", "(2,)"), values)),
              HasSubstr("descr is that of records"));
  EXPECT_THAT(ErrorOf(File(1, Dictionary("'<f4'", "True", "(2,)"), values)), HasSubstr("fortran_order is True"));
  EXPECT_THAT(ErrorOf(File(1, Dictionary("'<f4'", "False", "(1, 1, 2)"), values)), HasSubstr("shape is (1, 1, 2)"));
  EXPECT_THAT(ErrorOf(File(1, Dictionary("'<f4'", "False", "()"), values)), HasSubstr("shape is ()"));
  EXPECT_THAT(ErrorOf(File(1, Dictionary("'<f4'", "False", "(0, 2)"), "")), HasSubstr("none of them 0"));
  EXPECT_THAT(ErrorOf(File(1, Dictionary("'<f4'", "False", "(4294967295, 4294967295)"), values)),
              HasSubstr("asks for"));
  EXPECT_THAT(ErrorOf(File(1, Dictionary("'<f4'", "False", "(3,)"), values)),
              HasSubstr("asks for 3 values of 4 bytes; the file has 8"));
  EXPECT_THAT(ErrorOf(File(1, Dictionary("'<f4'", "False", "(1,)"), values)), HasSubstr("the file has 8"));
}

TEST(NpyTest, NamesTheFieldThatIsBroken) {
  const std::string values = Values({0, 1});
  const auto broken = [&](const std::string& header) { return ErrorOf(File(1, header, values)); };
  EXPECT_THAT(broken("no dictionary"), HasSubstr("the header is broken at byte 10; expected a dictionary"));
  EXPECT_THAT(broken("{'descr': '<f4', 'fortran_order': False}"), HasSubstr("expected the key 'shape'"));
  EXPECT_THAT(broken("{'shape': (2,), 'fortran_order': False}"), HasSubstr("expected the key 'descr'"));
  EXPECT_THAT(broken("{'descr': '<f4', 'descr': '<f4'}"), HasSubstr("each key once"));
  EXPECT_THAT(broken("{'order': 1}"), HasSubstr("key \"order\""));
  EXPECT_THAT(broken("{'descr' '<f4'}"), HasSubstr("a colon"));
  EXPECT_THAT(broken("{'descr': '<f4' 'shape': (2,)}"), HasSubstr("a comma or }"));
  EXPECT_THAT(broken("{'descr': <f4}"), HasSubstr("a text in quotes"));
  EXPECT_THAT(broken("{'fortran_order': maybe}"), HasSubstr("True or False"));
  EXPECT_THAT(broken("{'shape': (2)}"), HasSubstr("a comma after the only number"));
  EXPECT_THAT(broken("{'shape': (-2,)}"), HasSubstr("whole numbers"));
  EXPECT_THAT(broken("{'shape': (99999999999999999999,)}"), HasSubstr("whole numbers"));
  EXPECT_THAT(broken("{'shape': 2}"), HasSubstr("a tuple"));
  EXPECT_THAT(broken(Dictionary("'<f4'", "False", "(2,)") + "more"), HasSubstr("spaces and a newline after }"));
}

TEST(NpyTest, AMissingFileIsNamed) {
  const auto table = ReadNpy("/nowhere/x.npy");
  ASSERT_FALSE(table.has_value());
  EXPECT_EQ(table.error().code, ErrorCode::kCannotRead);
  EXPECT_THAT(table.error().message, HasSubstr("/nowhere/x.npy"));
}

}  // namespace
}  // namespace decant
