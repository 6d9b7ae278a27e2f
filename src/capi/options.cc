// Sizes and arrays, checked.
#include "capi/options.h"

namespace decant::capi {

Result<void> RequireSize(std::size_t size, std::size_t expected, const OptionsType& options) {
  if (size == expected) return {};
  const std::string allowed = std::to_string(expected);
  return Fail(ErrorCode::kOutOfRange,
              "size of " + std::string(options.type) + " is " + std::to_string(size) + "; expected " + allowed,
              {.subject = "size", .allowed = allowed, .hint = "begin with " + std::string(options.initialiser)});
}

Result<std::span<const TokenId>> TokensOf(const std::uint32_t* tokens, std::size_t size, const std::string& name) {
  if (tokens == nullptr && size > 0) {
    return Fail(ErrorCode::kOutOfRange,
                name + " is NULL and " + name + "_size is " + std::to_string(size) + "; expected tokens, or 0",
                {.subject = name, .allowed = "a pointer that is not NULL"});
  }
  return std::span(tokens, size);
}

}  // namespace decant::capi
