// Threads, as a handle.
#include "decant/runtime.h"

#include <algorithm>
#include <climits>

#include "capi/call.h"
#include "capi/handles.h"
#include "decant/c.h"

using decant::Result;
using decant::capi::Call;
using decant::capi::Require;

decant_status decant_runtime_new(uint32_t threads, decant_runtime** runtime, decant_error** error) {
  return Call(error, [&]() -> Result<void> {
    DECANT_CHECKED(Require(runtime, "runtime"));
    // The range is the runtime's own to check; past INT_MAX is past it too.
    const int count = static_cast<int>(std::min<uint32_t>(threads, INT_MAX));
    DECANT_TRY(auto made, decant::Runtime::Make({.threads = count}));
    decant::capi::Give(std::make_unique<decant_runtime>(decant_runtime{std::move(made)}), runtime);
    return {};
  });
}

uint32_t decant_runtime_threads(const decant_runtime* runtime) {
  return runtime == nullptr ? 0 : static_cast<uint32_t>(std::max(1, runtime->runtime->threads()));
}

void decant_runtime_free(decant_runtime* runtime) { decant::capi::Take(runtime); }
