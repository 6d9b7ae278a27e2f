// What several option structs of decant/c.h have: a size that says which fields there are, and arrays with their
// counts.
#ifndef DECANT_CAPI_OPTIONS_H_
#define DECANT_CAPI_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "decant/error.h"
#include "decant/token.h"

namespace decant::capi {

struct OptionsType {
  std::string_view type, initialiser;  // "decant_state_options", "DECANT_STATE_OPTIONS_INIT"
};
// kOutOfRange where the caller's size of the struct is another.
Result<void> RequireSize(std::size_t size, std::size_t expected, const OptionsType& options);

// Tokens and their number; NULL has none. kOutOfRange.
Result<std::span<const TokenId>> TokensOf(const std::uint32_t* tokens, std::size_t size, const std::string& name);

}  // namespace decant::capi

#endif  // DECANT_CAPI_OPTIONS_H_
