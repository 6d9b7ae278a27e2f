// The border of every C function: results and exceptions go in, a status and an error object come out.
#ifndef DECANT_CAPI_CALL_H_
#define DECANT_CAPI_CALL_H_

#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "decant/c.h"
#include "decant/error.h"

namespace decant::capi {

Error NullArgument(std::string_view name);
// kOutOfRange, naming the argument, where it is NULL.
template <class T>
Result<void> Require(const T* pointer, std::string_view name) {
  if (pointer != nullptr) return {};
  return std::unexpected(NullArgument(name));
}
// kOutOfRange, naming the field, where it is not 0.
Result<void> RequireZero(std::uint32_t reserved, std::string_view name);

decant_status StatusOf(const Error& error);
// Frees what an earlier call left in *slot; slot may be null.
void ClearError(decant_error** slot);
// Puts the error into *slot, or the error for want of memory where there is none for it. Returns the error's status.
decant_status SetError(decant_error** slot, Error error);

// Runs a body that returns Result<void>. Nothing is thrown.
template <class Body>
decant_status Call(decant_error** slot, const Body& body) noexcept {
  ClearError(slot);
  try {
    Result<void> done = body();
    return done.has_value() ? DECANT_OK : SetError(slot, std::move(done).error());
  } catch (const std::bad_alloc&) {
    // Short enough for a string that does not allocate.
    return SetError(slot, Error{.code = ErrorCode::kUnsupportedMachine, .message = "out of memory"});
  } catch (const std::system_error&) {
    return SetError(slot, Error{.code = ErrorCode::kUnsupportedMachine, .message = "no resources"});
  } catch (...) {
    return SetError(slot, Error{.code = ErrorCode::kInternal, .message = "an exception"});
  }
}

// Makes a handle and gives it to the caller, who frees it.
template <class Handle>
void Give(std::unique_ptr<Handle> handle, Handle** to) {
  *to = handle.release();
}
// Takes a handle back and frees it.
template <class Handle>
void Take(Handle* handle) {
  std::unique_ptr<Handle>{handle};
}

}  // namespace decant::capi

#endif  // DECANT_CAPI_CALL_H_
