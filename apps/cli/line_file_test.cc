// The file appears when it is whole, and not before.
#include "line_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace decant::cli {
namespace {

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string FreshPath(const std::string& name) {
  const std::string path = ::testing::TempDir() + name;
  std::filesystem::remove(path);
  return path;
}

TEST(LineFileTest, TakesItsPlaceAtTheEnd) {
  const std::string path = FreshPath("lines.jsonl");
  std::ofstream(path) << "old";
  auto file = LineFile::Create(path);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  ASSERT_TRUE(file->Write("one").has_value());
  EXPECT_EQ(TextOf(path), "old");
  ASSERT_TRUE(file->Write("two").has_value());
  ASSERT_TRUE(file->Commit().has_value());
  EXPECT_EQ(TextOf(path), "one\ntwo\n");
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST(LineFileTest, LeavesNothingWithoutCommit) {
  const std::string path = FreshPath("never.jsonl");
  {
    auto file = LineFile::Create(path);
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE(file->Write("one").has_value());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST(LineFileTest, ALinkKeepsItsPlace) {
  const std::string path = FreshPath("real.jsonl"), link = FreshPath("link.jsonl");
  std::ofstream(path) << "old";
  std::filesystem::create_symlink(path, link);
  auto file = LineFile::Create(link);
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE(file->Write("new").has_value() && file->Commit().has_value());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(TextOf(path), "new\n");
}

TEST(LineFileTest, DevicesAreWrittenInPlace) {
  auto file = LineFile::Create("/dev/null");
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(file->Write("one").has_value());
  EXPECT_TRUE(file->Commit().has_value());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(LineFileTest, RefusesWhatIsNoFile) {
  for (const std::string& path : {std::string("-"), std::string(), ::testing::TempDir(), std::string("/nowhere/x")}) {
    const auto file = LineFile::Create(path);
    ASSERT_FALSE(file.has_value()) << path;
    EXPECT_EQ(file.error().code, ErrorCode::kCannotWrite);
  }
}

}  // namespace
}  // namespace decant::cli
