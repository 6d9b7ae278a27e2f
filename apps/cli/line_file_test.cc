// The file appears when it is whole, and not before.
#include "line_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/scratch_folder_for_test.h"

namespace decant::cli {
namespace {

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class LineFileTest : public ::testing::Test {
 protected:
  int EntriesOfFolder() const {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

  core::ScratchFolder folder_;
};

TEST_F(LineFileTest, TakesItsPlaceAtTheEnd) {
  const std::string path = folder_ / "lines.jsonl";
  std::ofstream(path) << "old";
  auto file = LineFile::Create(path);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  ASSERT_TRUE(file->Write("one").has_value());
  EXPECT_EQ(TextOf(path), "old");
  ASSERT_TRUE(file->Write("two").has_value());
  ASSERT_TRUE(file->Commit().has_value());
  EXPECT_EQ(TextOf(path), "one\ntwo\n");
  EXPECT_EQ(EntriesOfFolder(), 1);
}

TEST_F(LineFileTest, TwoRunsAtOnceEachGiveAWholeFile) {
  const std::string path = folder_ / "shared.jsonl";
  auto first = LineFile::Create(path), second = LineFile::Create(path);
  ASSERT_TRUE(first.has_value() && second.has_value());
  ASSERT_TRUE(first->Write("one").has_value() && second->Write("two").has_value() && first->Write("three").has_value());
  ASSERT_TRUE(first->Commit().has_value());
  EXPECT_EQ(TextOf(path), "one\nthree\n");
  ASSERT_TRUE(second->Commit().has_value());
  EXPECT_EQ(TextOf(path), "two\n");
}

TEST_F(LineFileTest, LeavesNothingWithoutCommit) {
  const std::string path = folder_ / "never.jsonl";
  {
    auto file = LineFile::Create(path);
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE(file->Write("one").has_value());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(EntriesOfFolder(), 0);
}

TEST_F(LineFileTest, ALinkKeepsItsPlace) {
  const std::string path = folder_ / "real.jsonl", link = folder_ / "link.jsonl";
  std::ofstream(path) << "old";
  std::filesystem::create_symlink(path, link);
  auto file = LineFile::Create(link);
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE(file->Write("new").has_value() && file->Commit().has_value());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(TextOf(path), "new\n");
}

TEST_F(LineFileTest, DevicesAreWrittenInPlace) {
  auto file = LineFile::Create("/dev/null");
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(file->Write("one").has_value());
  EXPECT_TRUE(file->Commit().has_value());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(LineFileTest, RefusesWhatIsNoFile) {
  for (const std::string& path : {std::string("-"), std::string(), folder_.path(), std::string("/nowhere/x")}) {
    const auto file = LineFile::Create(path);
    ASSERT_FALSE(file.has_value()) << path;
    EXPECT_EQ(file.error().code, ErrorCode::kCannotWrite);
  }
}

}  // namespace
}  // namespace decant::cli
