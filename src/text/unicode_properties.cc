// Looks a property up by name and unpacks its ranges.
#include "text/unicode_properties.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "text/unicode_property_tables.h"

namespace decant::text {
namespace {

std::string Loose(std::string_view name) {
  std::string loose;
  for (const char c : name) {
    if (c == ' ' || c == '_' || c == '-') continue;
    loose += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return loose;
}

char32_t TakeNumber(std::span<const std::uint8_t>& bytes) {
  char32_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = bytes.front();
    bytes = bytes.subspan(1);
    value |= static_cast<char32_t>(byte & 127u) << shift;
    if (byte < 128) return value;
  }
}

}  // namespace

std::optional<std::vector<UnicodeRange>> CodePointsOf(PropertyKind kind, std::string_view name) {
  const std::string loose = Loose(name);
  using Key = std::pair<PropertyKind, std::string_view>;
  const Key key{kind, loose};
  const std::span<const PropertyName> names = PropertyNames();
  const auto found = std::lower_bound(names.begin(), names.end(), key,
                                      [](const PropertyName& n, const Key& k) { return Key{n.kind, n.name} < k; });
  if (found == names.end() || Key{found->kind, found->name} != key) return std::nullopt;
  const PropertySet set = PropertySets()[found->set];
  std::span<const std::uint8_t> bytes = PropertyRanges().subspan(set.start);
  std::vector<UnicodeRange> ranges;
  ranges.reserve(set.ranges);
  char32_t end = 0;
  for (std::uint32_t i = 0; i < set.ranges; ++i) {
    const char32_t first = end + TakeNumber(bytes);
    const char32_t last = first + TakeNumber(bytes);
    ranges.push_back({first, last});
    end = last + 1;
  }
  return ranges;
}

}  // namespace decant::text
