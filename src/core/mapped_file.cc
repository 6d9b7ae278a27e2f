// Files through POSIX: mmap for what is large, read for what is a stream.
#include "core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace decant::core {
namespace {

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ > STDERR_FILENO) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

std::unexpected<Error> CannotRead(const std::string& path, const std::string& reason) {
  return Fail(ErrorCode::kCannotRead, "cannot read " + path + ": " + reason, {.subject = path});
}
std::unexpected<Error> CannotRead(const std::string& path, int error_number) {
  return CannotRead(path, std::generic_category().message(error_number));
}

}  // namespace

MappedFile::MappedFile(std::string path, const std::byte* data, std::size_t size)
    : path_(std::move(path)), data_(data), size_(size) {}

Result<MappedFile> MappedFile::Open(const std::string& path) {
  // O_NONBLOCK: opening a pipe that nobody writes to must not hang.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return CannotRead(path, errno);
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) return CannotRead(path, errno);
  if (S_ISDIR(status.st_mode)) return CannotRead(path, EISDIR);
  if (!S_ISREG(status.st_mode)) return CannotRead(path, "not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile(path, nullptr, 0);
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (memory == MAP_FAILED) return CannotRead(path, errno);
  return MappedFile(path, static_cast<const std::byte*>(memory), size);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  MappedFile taken(std::move(other));
  std::swap(path_, taken.path_);
  std::swap(data_, taken.data_);
  std::swap(size_, taken.size_);
  return *this;
}

Result<std::string> ReadFile(const std::string& path, std::uint64_t most) {
  const bool is_input = path == "-";
  const std::string name = is_input ? "standard input" : path;
  const Descriptor file(is_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return CannotRead(name, errno);
  const auto too_long = [&] {
    return Fail(ErrorCode::kCannotRead, name + " has more than " + std::to_string(most) + " bytes",
                {.subject = name, .allowed = "at most " + std::to_string(most) + " bytes"});
  };
  std::string text;
  struct stat status = {};
  if (::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode)) {
    if (static_cast<std::uint64_t>(status.st_size) > most) return too_long();
    text.reserve(static_cast<std::size_t>(status.st_size) + 1);
  } else {
    most = std::min(most, kMostTextBytes);
  }
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  for (std::size_t used = 0;;) {
    text.resize(used + kChunk);
    const ::ssize_t count = ::read(file.number(), text.data() + used, kChunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return CannotRead(name, errno);
    used += static_cast<std::size_t>(count);
    if (used > most) return too_long();
    if (count == 0) {
      text.resize(used);
      return text;
    }
  }
}

}  // namespace decant::core
