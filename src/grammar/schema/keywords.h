// The keywords of JSON Schema that say something about values, and the drafts that have them.
#ifndef DECANT_GRAMMAR_SCHEMA_KEYWORDS_H_
#define DECANT_GRAMMAR_SCHEMA_KEYWORDS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace decant::grammar {

enum class Draft : std::uint8_t { k4, k6, k7, k2019, k2020 };

enum class Keyword : std::uint8_t {
  kSchema,
  kId,
  kLegacyId,  // "id", draft 4
  kAnchor,
  kDynamicAnchor,
  kRecursiveAnchor,
  kRef,
  kDynamicRef,
  kRecursiveRef,
  kDefs,
  kDefinitions,
  kType,
  kEnum,
  kConst,
  kMinimum,
  kMaximum,
  kExclusiveMinimum,
  kExclusiveMaximum,
  kMultipleOf,
  kMinLength,
  kMaxLength,
  kPattern,
  kFormat,
  kPrefixItems,
  kItems,
  kAdditionalItems,
  kContains,
  kMinContains,
  kMaxContains,
  kMinItems,
  kMaxItems,
  kUniqueItems,
  kUnevaluatedItems,
  kProperties,
  kPatternProperties,
  kAdditionalProperties,
  kPropertyNames,
  kMinProperties,
  kMaxProperties,
  kRequired,
  kDependencies,
  kDependentRequired,
  kDependentSchemas,
  kUnevaluatedProperties,
  kAllOf,
  kAnyOf,
  kOneOf,
  kNot,
  kIf,
  kThen,
  kElse,
  kContentSchema,
};
inline constexpr std::size_t kKeywords = static_cast<std::size_t>(Keyword::kContentSchema) + 1;

// Where subschemas stand in a keyword's value.
enum class Subschemas : std::uint8_t {
  kNone,
  kOne,        // the value
  kList,       // its items
  kOneOrList,  // `items`
  kMap,        // its members
};

enum class Vocabulary : std::uint8_t { kCore, kApplicator, kUnevaluated, kValidation, kFormat };

struct KeywordRow {
  std::string_view name;
  Keyword keyword;
  Draft first, last;  // the drafts that have it
  Vocabulary vocabulary;
  Subschemas subschemas;
};

// nullptr for any other name: an annotation.
const KeywordRow* FindKeyword(std::string_view name);
const KeywordRow& RowOf(Keyword keyword);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_KEYWORDS_H_
