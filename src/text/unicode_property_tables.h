// The tables behind unicode_properties.h: names of properties, and their code points as differences.
#ifndef DECANT_TEXT_UNICODE_PROPERTY_TABLES_H_
#define DECANT_TEXT_UNICODE_PROPERTY_TABLES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "text/unicode_properties.h"

namespace decant::text {

struct PropertyName {
  PropertyKind kind;
  std::string_view name;  // lower case, without spaces, "_" and "-"
  std::uint16_t set;
};
struct PropertySet {
  std::uint32_t start;   // in the bytes of ranges
  std::uint32_t ranges;  // how many
};

std::span<const PropertyName> PropertyNames();  // by kind and name
std::span<const PropertySet> PropertySets();
// A range is two LEB128 numbers: the code points since the last one that are outside, and those inside less one.
std::span<const std::uint8_t> PropertyRanges();

}  // namespace decant::text

#endif  // DECANT_TEXT_UNICODE_PROPERTY_TABLES_H_
