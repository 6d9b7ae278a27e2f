// Bytes aligned to a cache line, zeroed. Move only.
#ifndef DECANT_SIMD_ALIGNED_BUFFER_H_
#define DECANT_SIMD_ALIGNED_BUFFER_H_

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "core/check.h"

namespace decant::simd {

inline constexpr std::size_t kCacheLine = 64;

constexpr std::size_t RoundUp(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

template <class T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  // For sizes that are known to be modest: aborts where there is no memory.
  explicit AlignedBuffer(std::size_t size) : AlignedBuffer(Allocate(size), size) { DECANT_CHECK(data_ != nullptr); }
  // For sizes that come from outside: nothing where there is no memory.
  static std::optional<AlignedBuffer> TryMake(std::size_t size) {
    AlignedBuffer buffer(Allocate(size), size);
    if (buffer.data_ == nullptr) return std::nullopt;
    return buffer;
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  AlignedBuffer(T* data, std::size_t size) : data_(data), size_(size) {}
  static T* Allocate(std::size_t size) {
    constexpr std::size_t kMost = std::numeric_limits<std::ptrdiff_t>::max() - 2 * kCacheLine;
    if (size > kMost / sizeof(T)) return nullptr;
    const std::size_t bytes = RoundUp(size * sizeof(T) + kCacheLine, kCacheLine);
    void* const data = std::aligned_alloc(kCacheLine, bytes);
    if (data != nullptr) std::memset(data, 0, bytes);
    return static_cast<T*>(data);
  }
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace decant::simd

#endif  // DECANT_SIMD_ALIGNED_BUFFER_H_
