// Asking for memory before it is read: a core alone does not keep it busy.
#ifndef DECANT_SIMD_PREFETCH_AHEAD_H_
#define DECANT_SIMD_PREFETCH_AHEAD_H_

#include <cstddef>

#include "hwy/base.h"

namespace decant::simd {

// Asks for what lies kAhead bytes behind the next n values. Reading past the end of a row is no fault here, and mostly
// the next row.
template <class T>
HWY_INLINE void PrefetchAhead(const T* values, std::size_t n) {
  constexpr std::size_t kLine = 64, kAhead = 8192;
  const char* const at = reinterpret_cast<const char*>(values) + kAhead;
  for (std::size_t line = 0; line < n * sizeof(T); line += kLine) __builtin_prefetch(at + line, 0, 3);
}

}  // namespace decant::simd

#endif  // DECANT_SIMD_PREFETCH_AHEAD_H_
