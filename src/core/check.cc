// What happens when a promise is broken: say where, then abort.
#include "core/check.h"

#include <cstdio>
#include <cstdlib>

namespace decant::core {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, condition);
  std::abort();
}

}  // namespace decant::core
