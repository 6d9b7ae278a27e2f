// A file, mapped read-only into memory.
#ifndef DECANT_CORE_MAPPED_FILE_H_
#define DECANT_CORE_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "decant/error.h"

namespace decant::core {

// Owns the mapping; the bytes stay valid for its lifetime. Move only.
class MappedFile {
 public:
  // kCannotRead names the path and the system's reason; a directory or a pipe is refused. An empty file is fine.
  static Result<MappedFile> Open(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

 private:
  MappedFile(std::string path, const std::byte* data, std::size_t size);
  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

inline constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 28;  // of a prompt, a list, a conversation

// The whole of a file or, for "-", of standard input, as text. kCannotRead: also when it has more bytes than `most`; a
// pipe or a device, whose length is not known before, never has more than kMostTextBytes.
Result<std::string> ReadFile(const std::string& path, std::uint64_t most = kMostTextBytes);

}  // namespace decant::core

#endif  // DECANT_CORE_MAPPED_FILE_H_
