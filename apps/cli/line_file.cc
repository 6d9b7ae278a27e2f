// Written beside, synced, renamed: the POSIX way to replace a file at once.
#include "line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "terminal.h"

namespace decant::cli {
namespace {

std::unexpected<Error> CannotWrite(const std::string& path, int error_number) {
  return Fail(ErrorCode::kCannotWrite, path + ": " + std::strerror(error_number), {.subject = path});
}

// A new file beside the target, which no other run writes: two runs never share one. `written` becomes its path.
int OpenBeside(const std::string& target, std::string& written) {
  constexpr int kTries = 100;
  const std::string base = target + ".partial." + std::to_string(getpid());
  int descriptor = -1;
  errno = EEXIST;
  for (int i = 0; i < kTries && descriptor < 0 && errno == EEXIST; ++i) {
    written = i == 0 ? base : base + "-" + std::to_string(i);
    descriptor = open(written.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  return descriptor;
}

}  // namespace

Result<LineFile> LineFile::Create(const std::string& path) {
  if (path == "-" || path.empty()) {
    return Fail(ErrorCode::kCannotWrite, "\"" + path + "\" is no file; standard output holds the report",
                {.subject = path});
  }
  std::error_code ignored;
  // A link keeps its place: what it points at is replaced.
  const auto real = std::filesystem::canonical(path, ignored);
  const std::string target = ignored ? path : real.string();
  const auto kind = std::filesystem::status(target, ignored).type();
  if (kind == std::filesystem::file_type::directory) return CannotWrite(path, EISDIR);
  const bool in_place = kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found;
  std::string written = target;
  const int descriptor = in_place ? open(target.c_str(), O_WRONLY | O_CLOEXEC) : OpenBeside(target, written);
  if (descriptor < 0) return CannotWrite(path, errno);
  return LineFile(target, written, descriptor);
}

LineFile::LineFile(LineFile&& other) noexcept
    : path_(std::move(other.path_)),
      written_(std::move(other.written_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

LineFile::~LineFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (written_ != path_) unlink(written_.c_str());
}

Result<void> LineFile::Write(std::string_view line) { return WriteBytes(std::string(line) + "\n"); }

Result<void> LineFile::WriteBytes(std::string_view bytes) {
  if (!WriteAll(descriptor_, bytes)) return CannotWrite(written_, errno);
  return {};
}

Result<void> LineFile::Commit() {
  // Pipes and devices cannot be synced; they say EINVAL.
  if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) return CannotWrite(written_, errno);
  if (written_ != path_ && std::rename(written_.c_str(), path_.c_str()) != 0) return CannotWrite(path_, errno);
  close(std::exchange(descriptor_, -1));
  return {};
}

}  // namespace decant::cli
