// Mapping and reading files, and the messages when that fails.
#include "core/mapped_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "core/scratch_folder_for_test.h"
#include "gtest/gtest.h"

namespace decant::core {
namespace {

class FileTest : public testing::Test {
 protected:
  void Write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
  const std::string& path() const { return path_; }

 private:
  ScratchFolder folder_;
  std::string path_ = folder_ / "file";
};
using MappedFileTest = FileTest;
using ReadFileTest = FileTest;

std::string TextOf(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST_F(MappedFileTest, ShowsTheBytesOfTheFile) {
  const std::string text("GGUF\0\xff\n", 7);
  Write(text);
  const Result<MappedFile> file = MappedFile::Open(path());
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(TextOf(*file), text);
  EXPECT_EQ(file->path(), path());
}

TEST_F(MappedFileTest, MapsAnEmptyFile) {
  Write("");
  const Result<MappedFile> file = MappedFile::Open(path());
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_TRUE(file->bytes().empty());
}

TEST_F(MappedFileTest, KeepsItsBytesWhenMoved) {
  Write("one");
  MappedFile first = *MappedFile::Open(path());
  const std::byte* const address = first.bytes().data();
  MappedFile second(std::move(first));
  EXPECT_EQ(second.bytes().data(), address);
  Write("another");
  MappedFile third = *MappedFile::Open(path());
  third = std::move(second);
  EXPECT_EQ(third.bytes().data(), address);
  EXPECT_EQ(third.bytes().size(), 3u);
}

TEST_F(MappedFileTest, NamesThePathAndTheReasonWhenMissing) {
  const Result<MappedFile> file = MappedFile::Open("/no/such/file");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::kCannotRead);
  EXPECT_EQ(file.error().subject, "/no/such/file");
  EXPECT_EQ(file.error().message, "cannot read /no/such/file: No such file or directory");
}

TEST_F(MappedFileTest, RefusesADirectory) {
  const Result<MappedFile> file = MappedFile::Open(testing::TempDir());
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::kCannotRead);
  EXPECT_NE(file.error().message.find("directory"), std::string::npos) << file.error().message;
}

TEST_F(MappedFileTest, RefusesAPipeWithoutWaitingForAWriter) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  const Result<MappedFile> file = MappedFile::Open(path());
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().message, "cannot read " + path() + ": not a regular file");
}

TEST_F(ReadFileTest, ReadsTheWholeFile) {
  std::string text;
  for (int i = 0; i < 300000; ++i) text += static_cast<char>(i * 7);
  Write(text);
  const Result<std::string> read = ReadFile(path());
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, text);
  Write("");
  EXPECT_EQ(ReadFile(path()).value(), "");
}

TEST_F(ReadFileTest, ReadsStandardInputForADash) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const int saved = ::dup(STDIN_FILENO);
  ASSERT_GE(::dup2(ends[0], STDIN_FILENO), 0);
  ::close(ends[0]);
  const std::string text(200000, 'z');  // more than a pipe holds: several reads
  std::thread writer([&] {
    std::size_t at = 0;
    while (at < text.size()) {
      const ::ssize_t count = ::write(ends[1], text.data() + at, text.size() - at);
      if (count <= 0) break;
      at += static_cast<std::size_t>(count);
    }
    ::close(ends[1]);
  });
  const Result<std::string> read = ReadFile("-");
  writer.join();
  if (saved >= 0) {
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
  }
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, text);
}

TEST_F(ReadFileTest, RefusesWhatItCannotRead) {
  const Result<std::string> missing = ReadFile("/no/such/file");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().message, "cannot read /no/such/file: No such file or directory");
  const Result<std::string> directory = ReadFile(testing::TempDir());
  ASSERT_FALSE(directory.has_value());
  EXPECT_EQ(directory.error().code, ErrorCode::kCannotRead);
}

TEST_F(ReadFileTest, NamesTheBoundOfWhatIsTooLong) {
  Write("12345");
  EXPECT_EQ(ReadFile(path(), 5).value(), "12345");
  const Result<std::string> longer = ReadFile(path(), 4);
  ASSERT_FALSE(longer.has_value());
  EXPECT_EQ(longer.error().code, ErrorCode::kCannotRead);
  EXPECT_EQ(longer.error().message, path() + " has more than 4 bytes");
  const Result<std::string> endless = ReadFile("/dev/zero", std::uint64_t{1} << 40);
  ASSERT_FALSE(endless.has_value());
  EXPECT_EQ(endless.error().message, "/dev/zero has more than 268435456 bytes");
}

}  // namespace
}  // namespace decant::core
