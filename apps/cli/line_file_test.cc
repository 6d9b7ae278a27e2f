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

int PartialsOf(const std::string& path) {
  int count = 0;
  const std::string start = std::filesystem::path(path).filename().string() + ".partial";
  for (const auto& entry : std::filesystem::directory_iterator(::testing::TempDir())) {
    count += entry.path().filename().string().starts_with(start) ? 1 : 0;
  }
  return count;
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
  EXPECT_EQ(PartialsOf(path), 0);
}

TEST(LineFileTest, TwoRunsAtOnceEachGiveAWholeFile) {
  const std::string path = FreshPath("shared.jsonl");
  auto first = LineFile::Create(path), second = LineFile::Create(path);
  ASSERT_TRUE(first.has_value() && second.has_value());
  ASSERT_TRUE(first->Write("one").has_value() && second->Write("two").has_value() && first->Write("three").has_value());
  ASSERT_TRUE(first->Commit().has_value());
  EXPECT_EQ(TextOf(path), "one\nthree\n");
  ASSERT_TRUE(second->Commit().has_value());
  EXPECT_EQ(TextOf(path), "two\n");
}

TEST(LineFileTest, LeavesNothingWithoutCommit) {
  const std::string path = FreshPath("never.jsonl");
  {
    auto file = LineFile::Create(path);
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE(file->Write("one").has_value());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(PartialsOf(path), 0);
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
