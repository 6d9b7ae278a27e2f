// Assertions: DECANT_CHECK for what decant promised itself, DECANT_DCHECK (debug builds) for what a caller promised.
// Bytes from outside reach neither: wrong input is an Error.
#ifndef DECANT_CORE_CHECK_H_
#define DECANT_CORE_CHECK_H_

namespace decant::core {
// Prints the place and the broken condition, then aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}  // namespace decant::core

#define DECANT_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::decant::core::CheckFailed(__FILE__, __LINE__, #condition))
#ifdef NDEBUG
#define DECANT_DCHECK(condition) static_cast<void>(sizeof(!(condition)))
#else
#define DECANT_DCHECK(condition) DECANT_CHECK(condition)
#endif

#endif  // DECANT_CORE_CHECK_H_
