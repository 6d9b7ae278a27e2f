// The table of error codes: complete, ordered, unambiguous.
#include "decant/error.h"

#include <cctype>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace decant {
namespace {

TEST(ErrorCodesTest, FollowTheEnum) {
  ASSERT_EQ(ErrorCodes().size(), static_cast<std::size_t>(ErrorCode::kInternal) + 1);
  for (std::size_t i = 0; i < ErrorCodes().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(ErrorCodes()[i].code), i) << ErrorCodes()[i].name;
    EXPECT_EQ(&RowOf(static_cast<ErrorCode>(i)), &ErrorCodes()[i]);
  }
}

TEST(ErrorCodesTest, NamesAreCamelCaseAndUnique) {
  std::set<std::string_view> names;
  for (const ErrorCodeRow& info : ErrorCodes()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " is there twice";
    ASSERT_FALSE(info.name.empty());
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(info.name[0]))) << info.name;
    for (const char c : info.name) EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(c))) << info.name;
  }
}

TEST(ErrorCodesTest, CStatusesAreNegativeAndUnique) {
  std::set<int> statuses;
  for (const ErrorCodeRow& info : ErrorCodes()) {
    EXPECT_LT(info.c_status, 0) << info.name;
    EXPECT_TRUE(statuses.insert(info.c_status).second) << info.name;
  }
}

TEST(ErrorCodesTest, ExitCodesAndHttpStatusesAreDocumentedOnes) {
  const std::set<int> exits = {1, 2, 3, 4, 5, 130};
  const std::set<int> statuses = {400, 404, 499, 500, 503};
  for (const ErrorCodeRow& info : ErrorCodes()) {
    EXPECT_TRUE(exits.contains(info.exit_code)) << info.name << " " << info.exit_code;
    EXPECT_TRUE(statuses.contains(info.http_status)) << info.name << " " << info.http_status;
  }
  EXPECT_EQ(RowOf(ErrorCode::kCancelled).exit_code, 130);
  EXPECT_EQ(RowOf(ErrorCode::kUnknownParameter).exit_code, 2);
  EXPECT_EQ(RowOf(ErrorCode::kInvalidJson).exit_code, 3);
  EXPECT_EQ(RowOf(ErrorCode::kCannotRead).exit_code, 4);
  EXPECT_EQ(RowOf(ErrorCode::kTraceDiffers).exit_code, 5);
  EXPECT_EQ(RowOf(ErrorCode::kNonFiniteLogit).exit_code, 1);
  EXPECT_EQ(RowOf(ErrorCode::kNonFiniteLogit).http_status, 400);
  EXPECT_EQ(RowOf(ErrorCode::kNotFound).http_status, 404);
  EXPECT_EQ(RowOf(ErrorCode::kCacheExhausted).http_status, 503);
}

Result<int> Half(int value) {
  if (value % 2 != 0) return Fail(ErrorCode::kOutOfRange, "odd", {.subject = "value", .allowed = "even numbers"});
  return value / 2;
}
Result<int> Quarter(int value) {
  DECANT_TRY(const int half, Half(value));
  DECANT_TRY(const int quarter, Half(half));
  return quarter;
}
Result<void> CheckHalf(int value) {
  DECANT_CHECKED(Half(value));
  return {};
}

TEST(ErrorTest, TryGivesTheValueOrReturnsTheError) {
  EXPECT_EQ(Quarter(12), 3);
  const Result<int> failed = Quarter(6);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, ErrorCode::kOutOfRange);
  EXPECT_EQ(failed.error().subject, "value");
  EXPECT_EQ(failed.error().allowed, "even numbers");
  EXPECT_TRUE(CheckHalf(2).has_value());
  EXPECT_EQ(CheckHalf(3).error().message, "odd");
}

}  // namespace
}  // namespace decant
