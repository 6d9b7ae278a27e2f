// What this build is: shown by `decant --version`, written in every trace.
#ifndef DECANT_VERSION_H_
#define DECANT_VERSION_H_

#include <string_view>

namespace decant {

inline constexpr std::string_view kVersion = "0.1.0";
// The numeric profile (docs/determinism.md). Equal profile, model, parameters and seed give equal bits.
inline constexpr std::string_view kNumerics = "numerics:1";

}  // namespace decant

#endif  // DECANT_VERSION_H_
