// Bytes aligned to a cache line, zeroed. Move only.
#ifndef DECANT_SIMD_ALIGNED_BUFFER_H_
#define DECANT_SIMD_ALIGNED_BUFFER_H_

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
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
  explicit AlignedBuffer(std::size_t size) : size_(size) {
    const std::size_t bytes = RoundUp(size * sizeof(T) + kCacheLine, kCacheLine);
    data_.reset(static_cast<T*>(std::aligned_alloc(kCacheLine, bytes)));
    DECANT_CHECK(data_ != nullptr);
    std::memset(static_cast<void*>(data_.get()), 0, bytes);
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
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace decant::simd

#endif  // DECANT_SIMD_ALIGNED_BUFFER_H_
