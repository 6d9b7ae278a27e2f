// A file of lines that takes its place only when it is whole.
#ifndef DECANT_CLI_LINE_FILE_H_
#define DECANT_CLI_LINE_FILE_H_

#include <string>
#include <string_view>

#include "decant/error.h"

namespace decant::cli {

// Lines go to a new file "PATH.partial.N" (N: the process, made unique), which Commit renames to PATH: of two runs that
// write PATH at once, the one that ends last gives the whole file. Whatever ends the program before that leaves PATH as
// it was. What is no regular file (/dev/null, a pipe) is written in place.
class LineFile {
 public:
  // kCannotWrite: the folder is missing or may not be written to, "-".
  static Result<LineFile> Create(const std::string& path);
  ~LineFile();  // without Commit: the partial file goes
  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&&) = delete;

  Result<void> Write(std::string_view line);  // and a newline
  Result<void> WriteBytes(std::string_view bytes);
  Result<void> Commit();  // on disk when it returns; REQUIRES: called once, last

 private:
  LineFile(std::string path, std::string written, int descriptor)
      : path_(std::move(path)), written_(std::move(written)), descriptor_(descriptor) {}
  std::string path_, written_;
  int descriptor_ = -1;
};

}  // namespace decant::cli

#endif  // DECANT_CLI_LINE_FILE_H_
