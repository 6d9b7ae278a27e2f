// Versions, statuses and error objects.
#include "decant/error.h"

#include <algorithm>
#include <string>

#include "capi/call.h"
#include "capi/handles.h"
#include "decant/c.h"
#include "decant/version.h"

namespace decant::capi {
namespace {

// Handed out where there is no memory for an error. Its text is short enough to be held without allocating.
decant_error* OutOfMemory() {
  static decant_error error{{.code = ErrorCode::kUnsupportedMachine, .message = "out of memory"}};
  return &error;
}

}  // namespace

Error NullArgument(std::string_view name) {
  return {.code = ErrorCode::kOutOfRange,
          .message = std::string(name) + " is NULL; expected a pointer",
          .subject = std::string(name),
          .allowed = "a pointer that is not NULL"};
}

Result<void> RequireZero(std::uint32_t reserved, std::string_view name) {
  if (reserved == 0) return {};
  return Fail(ErrorCode::kOutOfRange, std::string(name) + " is " + std::to_string(reserved) + "; expected 0",
              {.subject = std::string(name), .allowed = "0"});
}

decant_status StatusOf(const Error& error) { return RowOf(error.code).c_status; }

void ClearError(decant_error** slot) {
  if (slot == nullptr) return;
  decant_error_free(*slot);
  *slot = nullptr;
}

decant_status SetError(decant_error** slot, Error error) {
  const decant_status status = StatusOf(error);
  if (slot == nullptr) return status;
  try {
    Give(std::make_unique<decant_error>(decant_error{std::move(error)}), slot);
  } catch (const std::bad_alloc&) {
    *slot = OutOfMemory();
  }
  return status;
}

}  // namespace decant::capi

uint32_t decant_abi_version(void) { return DECANT_ABI_VERSION; }
const char* decant_version(void) { return decant::kVersion.data(); }
const char* decant_numerics(void) { return decant::kNumerics.data(); }

const char* decant_status_name(decant_status status) {
  if (status == DECANT_OK) return "Ok";
  const auto rows = decant::ErrorCodes();
  const auto row = std::ranges::find(rows, status, &decant::ErrorCodeRow::c_status);
  return row == rows.end() ? "" : row->name.data();
}

decant_status decant_error_status(const decant_error* error) {
  return error == nullptr ? DECANT_OK : decant::capi::StatusOf(error->error);
}
const char* decant_error_message(const decant_error* error) {
  return error == nullptr ? "" : error->error.message.c_str();
}
const char* decant_error_subject(const decant_error* error) {
  return error == nullptr ? "" : error->error.subject.c_str();
}
const char* decant_error_allowed(const decant_error* error) {
  return error == nullptr ? "" : error->error.allowed.c_str();
}
const char* decant_error_hint(const decant_error* error) { return error == nullptr ? "" : error->error.hint.c_str(); }

int decant_error_position(const decant_error* error, decant_position* position) {
  if (error == nullptr || position == nullptr || !error->error.at.has_value()) return 0;
  const decant::Position& at = *error->error.at;
  *position = {.offset = at.offset, .line = at.line, .column = at.column};
  return 1;
}

void decant_error_free(decant_error* error) {
  if (error != decant::capi::OutOfMemory()) decant::capi::Take(error);
}
