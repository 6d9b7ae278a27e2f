// Models by name, in folders made for the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/scratch_folder_for_test.h"
#include "decant/model.h"

namespace decant {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FindModelTest : public ::testing::Test {
 protected:
  std::string Add(const std::string& name) {
    const fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "{}";
    return path.string();
  }
  std::string Path(const std::string& name) const { return root_ / name; }
  std::vector<std::string> folders() const { return {root_.path()}; }

  core::ScratchFolder root_;
};

TEST_F(FindModelTest, ListsFilesAndFolders) {
  Add("b.gguf");
  Add("a-1.7B/config.json");
  Add("notes.txt");
  Add("empty/readme");
  EXPECT_THAT(ListModels(folders()), ElementsAre(Path("a-1.7B"), Path("b.gguf")));
}

TEST_F(FindModelTest, FindsAFolderByItsName) {
  Add("a-1.7B/config.json");
  EXPECT_EQ(FindModel("a-1.7B", folders()).value(), Path("a-1.7B"));
  EXPECT_EQ(FindModel("", folders()).value(), Path("a-1.7B"));
  EXPECT_FALSE(FindModel("a-1", folders()).has_value());
}

TEST_F(FindModelTest, AFolderWithAModelIsAPathToo) {
  Add("a/config.json");
  EXPECT_EQ(FindModel(Path("a"), {}).value(), Path("a"));
  EXPECT_EQ(FindModel(Path("a/config.json"), {}).value(), Path("a/config.json"));
  fs::create_directory(root_ / "bare");
  EXPECT_EQ(FindModel(Path("bare"), {}).error().code, ErrorCode::kNotFound);
}

TEST_F(FindModelTest, NamesWhatItSaw) {
  Add("small.gguf");
  Add("large-2.5/config.json");
  const auto found = FindModel("large-2.6", folders());
  ASSERT_FALSE(found.has_value());
  EXPECT_THAT(found.error().message, HasSubstr("and found large-2.5, small.gguf"));
  EXPECT_EQ(found.error().hint, "did you mean \"large-2.5\"?");
}

TEST_F(FindModelTest, SaysWhatAFolderThatIsNoModelLacks) {
  Add("empty/readme");
  const auto found = FindModel(Path("empty"), folders());
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(found.error().message, "the folder " + Path("empty") + " has no config.json");
}

}  // namespace
}  // namespace decant
