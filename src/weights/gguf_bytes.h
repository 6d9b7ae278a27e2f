// What the two halves of the GGUF reader share: sizes of values, errors with their place, lookup by name.
#ifndef DECANT_WEIGHTS_GGUF_BYTES_H_
#define DECANT_WEIGHTS_GGUF_BYTES_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "decant/error.h"
#include "weights/gguf.h"

namespace decant::weights {

static_assert(std::endian::native == std::endian::little, "payloads are read where they lie");

inline std::unexpected<Error> Corrupt(std::uint64_t offset, std::string message, std::string_view subject = {}) {
  return Fail(ErrorCode::kCorruptFile, std::move(message),
              {.subject = core::ToValidUtf8(subject.substr(0, 80)), .at = Position{.offset = offset}});
}

template <class T>
T LoadAs(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Bytes of a value of fixed size; 0 for strings and arrays.
std::uint64_t FixedSize(GgufType type);

// The order of a range by name; equal names keep their order.
template <class Range, class Name>
std::vector<std::uint32_t> SortedIndices(const Range& range, Name name) {
  std::vector<std::uint32_t> order(range.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int compared = name(range[a]).compare(name(range[b]));
    return compared < 0 || (compared == 0 && a < b);
  });
  return order;
}

// Null when no element has the name.
template <class Range, class Name>
auto FindSorted(const Range& range, const std::vector<std::uint32_t>& order, std::string_view wanted, Name name)
    -> decltype(range.data()) {
  const auto it = std::lower_bound(order.begin(), order.end(), wanted,
                                   [&](std::uint32_t i, std::string_view key) { return name(range[i]) < key; });
  if (it == order.end() || name(range[*it]) != wanted) return nullptr;
  return &range[*it];
}

inline std::string_view KeyOf(const GgufEntry& entry) { return entry.key; }
inline std::string_view NameOf(const TensorView& tensor) { return tensor.name; }

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_GGUF_BYTES_H_
