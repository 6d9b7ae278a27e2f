// The Unicode properties that regular expressions name, \p{…}, and which letters are equal but for their case.
//
// Unicode 15.0: General_Category, Script, Script_Extensions, and the binary properties of ECMA-262.
#ifndef DECANT_TEXT_UNICODE_PROPERTIES_H_
#define DECANT_TEXT_UNICODE_PROPERTIES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace decant::text {

enum class PropertyKind : std::uint8_t {
  kGeneralCategory,
  kScript,
  kScriptExtensions,
  kBinary,  // also Any, ASCII and Assigned
};

struct UnicodeRange {
  char32_t first = 0;
  char32_t last = 0;  // included
  bool operator==(const UnicodeRange&) const = default;
};

// The code points of a value of the kind, or of a binary property, in order and with gaps between the ranges; nothing
// when the standard has no such name. Long and short names and aliases; case, spaces, "_" and "-" make no difference
// (UAX #44, LM3). Surrogates are code points here.
std::optional<std::vector<UnicodeRange>> CodePointsOf(PropertyKind kind, std::string_view name);

// Code points that are equal under simple case folding (CaseFolding.txt, C and S); 0 past the last one. Groups are
// disjoint, and by their least code point.
using CaseGroup = std::array<char32_t, 4>;
std::span<const CaseGroup> CaseGroups();

}  // namespace decant::text

#endif  // DECANT_TEXT_UNICODE_PROPERTIES_H_
