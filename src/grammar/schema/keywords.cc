// The table of keywords, and a hash of it made at compile time.
#include "grammar/schema/keywords.h"

#include <array>

namespace decant::grammar {
namespace {

using enum Draft;
using enum Vocabulary;
using enum Subschemas;

// In the order of the enum. `dependencies` stays for compatibility after 2019-09 split it, and validators read it.
constexpr std::array<KeywordRow, kKeywords> kRows = {{
    {"$schema", Keyword::kSchema, k4, k2020, kCore, kNone},
    {"$id", Keyword::kId, k6, k2020, kCore, kNone},
    {"id", Keyword::kLegacyId, k4, k4, kCore, kNone},
    {"$anchor", Keyword::kAnchor, k2019, k2020, kCore, kNone},
    {"$dynamicAnchor", Keyword::kDynamicAnchor, k2020, k2020, kCore, kNone},
    {"$recursiveAnchor", Keyword::kRecursiveAnchor, k2019, k2019, kCore, kNone},
    {"$ref", Keyword::kRef, k4, k2020, kCore, kNone},
    {"$dynamicRef", Keyword::kDynamicRef, k2020, k2020, kCore, kNone},
    {"$recursiveRef", Keyword::kRecursiveRef, k2019, k2019, kCore, kNone},
    {"$defs", Keyword::kDefs, k4, k2020, kCore, kMap},
    {"definitions", Keyword::kDefinitions, k4, k2020, kCore, kMap},
    {"type", Keyword::kType, k4, k2020, kValidation, kNone},
    {"enum", Keyword::kEnum, k4, k2020, kValidation, kNone},
    {"const", Keyword::kConst, k6, k2020, kValidation, kNone},
    {"minimum", Keyword::kMinimum, k4, k2020, kValidation, kNone},
    {"maximum", Keyword::kMaximum, k4, k2020, kValidation, kNone},
    {"exclusiveMinimum", Keyword::kExclusiveMinimum, k4, k2020, kValidation, kNone},
    {"exclusiveMaximum", Keyword::kExclusiveMaximum, k4, k2020, kValidation, kNone},
    {"multipleOf", Keyword::kMultipleOf, k4, k2020, kValidation, kNone},
    {"minLength", Keyword::kMinLength, k4, k2020, kValidation, kNone},
    {"maxLength", Keyword::kMaxLength, k4, k2020, kValidation, kNone},
    {"pattern", Keyword::kPattern, k4, k2020, kValidation, kNone},
    {"format", Keyword::kFormat, k4, k2020, kFormat, kNone},
    {"prefixItems", Keyword::kPrefixItems, k2020, k2020, kApplicator, kList},
    {"items", Keyword::kItems, k4, k2020, kApplicator, kOneOrList},
    {"additionalItems", Keyword::kAdditionalItems, k4, k2020, kApplicator, kOne},
    {"contains", Keyword::kContains, k6, k2020, kApplicator, kOne},
    {"minContains", Keyword::kMinContains, k2019, k2020, kValidation, kNone},
    {"maxContains", Keyword::kMaxContains, k2019, k2020, kValidation, kNone},
    {"minItems", Keyword::kMinItems, k4, k2020, kValidation, kNone},
    {"maxItems", Keyword::kMaxItems, k4, k2020, kValidation, kNone},
    {"uniqueItems", Keyword::kUniqueItems, k4, k2020, kValidation, kNone},
    {"unevaluatedItems", Keyword::kUnevaluatedItems, k2019, k2020, kUnevaluated, kOne},
    {"properties", Keyword::kProperties, k4, k2020, kApplicator, kMap},
    {"patternProperties", Keyword::kPatternProperties, k4, k2020, kApplicator, kMap},
    {"additionalProperties", Keyword::kAdditionalProperties, k4, k2020, kApplicator, kOne},
    {"propertyNames", Keyword::kPropertyNames, k6, k2020, kApplicator, kOne},
    {"minProperties", Keyword::kMinProperties, k4, k2020, kValidation, kNone},
    {"maxProperties", Keyword::kMaxProperties, k4, k2020, kValidation, kNone},
    {"required", Keyword::kRequired, k4, k2020, kValidation, kNone},
    {"dependencies", Keyword::kDependencies, k4, k2020, kApplicator, kMap},
    {"dependentRequired", Keyword::kDependentRequired, k2019, k2020, kValidation, kNone},
    {"dependentSchemas", Keyword::kDependentSchemas, k2019, k2020, kApplicator, kMap},
    {"unevaluatedProperties", Keyword::kUnevaluatedProperties, k2019, k2020, kUnevaluated, kOne},
    {"allOf", Keyword::kAllOf, k4, k2020, kApplicator, kList},
    {"anyOf", Keyword::kAnyOf, k4, k2020, kApplicator, kList},
    {"oneOf", Keyword::kOneOf, k4, k2020, kApplicator, kList},
    {"not", Keyword::kNot, k4, k2020, kApplicator, kOne},
    {"if", Keyword::kIf, k7, k2020, kApplicator, kOne},
    {"then", Keyword::kThen, k7, k2020, kApplicator, kOne},
    {"else", Keyword::kElse, k7, k2020, kApplicator, kOne},
    {"contentSchema", Keyword::kContentSchema, k2019, k2020, kCore, kOne},
}};

constexpr std::size_t kSlots = 256;
constexpr std::uint8_t kFree = 0xFF;

constexpr std::size_t SlotOf(std::string_view name) {
  const auto byte = [name](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(name[i])); };
  return (name.size() * 31 + byte(0) * 7 + byte(name.size() / 2) * 13 + byte(name.size() - 1) * 57) % kSlots;
}

constexpr std::array<std::uint8_t, kSlots> kTable = [] {
  std::array<std::uint8_t, kSlots> table{};
  table.fill(kFree);
  for (std::size_t row = 0; row < kRows.size(); ++row) {
    std::size_t slot = SlotOf(kRows[row].name);
    while (table[slot] != kFree) slot = (slot + 1) % kSlots;
    table[slot] = static_cast<std::uint8_t>(row);
  }
  return table;
}();

}  // namespace

const KeywordRow* FindKeyword(std::string_view name) {
  if (name.empty()) return nullptr;
  for (std::size_t slot = SlotOf(name); kTable[slot] != kFree; slot = (slot + 1) % kSlots) {
    const KeywordRow& row = kRows[kTable[slot]];
    if (row.name == name) return &row;
  }
  return nullptr;
}

const KeywordRow& RowOf(Keyword keyword) { return kRows[static_cast<std::size_t>(keyword)]; }

}  // namespace decant::grammar
