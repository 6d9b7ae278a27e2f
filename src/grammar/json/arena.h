// Memory for what a piece of a text leaves behind (frames, keys, decoded characters): it goes as a whole, when that
// piece is rolled back or forgotten. What lies in it points at older pieces only.
#ifndef DECANT_GRAMMAR_JSON_ARENA_H_
#define DECANT_GRAMMAR_JSON_ARENA_H_

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace decant::grammar {

// One owner. Holds no memory until the first thing is made.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { Clear(); }

  template <class T, class... Arguments>
  T* Make(Arguments&&... arguments) {
    T* made = ::new (Take(sizeof(T), alignof(T))) T{std::forward<Arguments>(arguments)...};
    if constexpr (!std::is_trivially_destructible_v<T>) {
      last_ = ::new (Take(sizeof(Ending), alignof(Ending)))
          Ending{.previous = last_, .thing = made, .destroy = [](void* thing) { static_cast<T*>(thing)->~T(); }};
    }
    return made;
  }
  template <class T>
  std::span<T> MakeArray(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    T* first = static_cast<T*>(Take(sizeof(T) * count, alignof(T)));
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }
  std::string_view Keep(std::string_view bytes) {
    if (bytes.empty()) return {};
    char* kept = static_cast<char*>(Take(bytes.size(), 1));
    std::memcpy(kept, bytes.data(), bytes.size());
    return {kept, bytes.size()};
  }

  // Forgets everything; the largest block stays for what comes next.
  void Clear();
  std::size_t memory_bytes() const { return held_; }

 private:
  struct Ending {
    Ending* previous;
    void* thing;
    void (*destroy)(void* thing);
  };
  static constexpr std::size_t kFirstBlock = 256;
  static constexpr std::size_t kLastBlock = 65536;

  void* Take(std::size_t bytes, std::size_t alignment) {
    const std::size_t skip = (alignment - used_ % alignment) % alignment;
    if (used_ + skip + bytes > size_) return TakeFromNew(bytes);
    std::byte* taken = block_.get() + used_ + skip;
    used_ += skip + bytes;
    return taken;
  }
  void* TakeFromNew(std::size_t bytes);

  std::unique_ptr<std::byte[]> block_;                // the last and largest one
  std::vector<std::unique_ptr<std::byte[]>> filled_;  // those before
  std::size_t used_ = 0;                              // of the last block
  std::size_t size_ = 0;
  std::size_t held_ = 0;
  Ending* last_ = nullptr;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_ARENA_H_
