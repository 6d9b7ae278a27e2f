// The history file, and what completion has in common. Editing itself is tested on a terminal, in tests/e2e.
#include "line_editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/scratch_folder_for_test.h"

namespace decant::cli {
namespace {

using testing::ElementsAre;

class HistoryFileTest : public testing::Test {
 protected:
  core::ScratchFolder folder_;
  std::string path_ = folder_ / "state/decant/history";
};

TEST_F(HistoryFileTest, KeepsEntriesOfSeveralLinesForTheOwnerAlone) {
  HistoryFile file(path_);
  EXPECT_TRUE(file.Load().empty());
  ASSERT_TRUE(file.Append("one"));
  ASSERT_TRUE(file.Append("two\nlines \"é\""));
  EXPECT_THAT(HistoryFile(path_).Load(), ElementsAre("one", "two\nlines \"é\""));
  struct stat about{};
  ASSERT_EQ(stat(path_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(HistoryFileTest, MakesAReadableFilePrivate) {
  std::filesystem::create_directories(folder_ / "state/decant");
  std::ofstream(path_) << "\"old\"\nnot an entry\n";
  chmod(path_.c_str(), 0644);
  ASSERT_TRUE(HistoryFile(path_).Append("new"));
  EXPECT_THAT(HistoryFile(path_).Load(), ElementsAre("old", "new"));
  struct stat about{};
  ASSERT_EQ(stat(path_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(HistoryFileTest, KeepsTheNewest) {
  std::filesystem::create_directories(folder_ / "state/decant");
  std::ofstream out(path_);
  for (int i = 0; i < 2500; ++i) out << "\"" << i << "\"\n";
  out.close();
  const auto entries = HistoryFile(path_).Load();
  ASSERT_EQ(entries.size(), 1000u);
  EXPECT_EQ(entries.front(), "1500");
  EXPECT_EQ(HistoryFile(path_).Load().size(), 1000u);
}

TEST_F(HistoryFileTest, GivesUpAFileThatCannotBeWrittenAfterSayingSo) {
  HistoryFile file("/proc/nowhere/decant/history");
  EXPECT_FALSE(file.Append("x"));
  EXPECT_TRUE(file.Append("x"));
  EXPECT_TRUE(HistoryFile("").Append("x"));
}

TEST(CommonStartTest, CutsAtWholeCodePoints) {
  EXPECT_EQ(CommonStart({}), "");
  EXPECT_EQ(CommonStart({"/set "}), "/set ");
  EXPECT_EQ(CommonStart({"/set ", "/seed "}), "/se");
  EXPECT_EQ(CommonStart({"a\xC3\xA9", "a\xC3\xA8"}), "a");
}

}  // namespace
}  // namespace decant::cli
