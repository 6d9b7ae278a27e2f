// A JSON Schema as read: drafts, references and dynamic scope resolved, one node a subschema. Plain data for the
// compiler.
#ifndef DECANT_GRAMMAR_SCHEMA_SCHEMA_H_
#define DECANT_GRAMMAR_SCHEMA_SCHEMA_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decant/error.h"
#include "grammar/decimal.h"
#include "grammar/expr_pool.h"
#include "json/value.h"

namespace decant::grammar {

enum class SchemaId : std::uint32_t {};  // an index into SchemaDocument::nodes

enum TypeBit : std::uint8_t {
  kNullType = 1,
  kBooleanType = 2,
  kNumberType = 4,
  kStringType = 8,
  kArrayType = 16,
  kObjectType = 32,
};
inline constexpr std::uint8_t kAllTypes = 63;

struct SchemaNode {
  // Where it stands: "#/properties/a", a JSON pointer into the schema's text; after the URI of a document from outside.
  // Long ones keep their last 300 bytes.
  std::string path;
  bool is_false = false;  // the schema `false`; nothing else counts then

  std::uint8_t types = kAllTypes;
  bool integers_only = false;                      // of the numbers: "integer" without "number"
  bool plain_integers = false;                     // draft 4: written without fraction and exponent, 1.0 is no integer
  std::optional<std::vector<json::Value>> values;  // enum; const is an enum of one

  std::optional<Decimal> minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;

  std::uint64_t min_length = 0, max_length = kUnbounded;  // code points
  std::vector<Expr> strings;  // languages of the decoded text, all of which apply: pattern, format

  std::vector<SchemaId> prefix_items;
  std::optional<SchemaId> items;  // those after the prefix
  std::optional<SchemaId> contains;
  std::uint64_t min_contains = 1, max_contains = kUnbounded;
  bool contains_evaluates = true;  // for unevaluated_items: since 2020-12
  std::uint64_t min_items = 0, max_items = kUnbounded;
  bool unique_items = false;
  std::optional<SchemaId> unevaluated_items;

  struct Property {
    std::string name;
    SchemaId schema;
  };
  struct PatternProperty {
    Expr pattern;  // names that match, as a language of whole texts
    SchemaId schema;
  };
  struct DependentRequired {
    std::string name;
    std::vector<std::string> required;
  };
  std::vector<Property> properties;  // in the order of the text
  std::vector<PatternProperty> pattern_properties;
  std::optional<SchemaId> additional_properties;
  std::optional<SchemaId> property_names;
  std::uint64_t min_properties = 0, max_properties = kUnbounded;
  std::vector<std::string> required;
  std::vector<DependentRequired> dependent_required;
  std::vector<Property> dependent_schemas;
  std::optional<SchemaId> unevaluated_properties;

  std::vector<SchemaId> all_of;  // also what $ref, $dynamicRef and $recursiveRef point to
  std::vector<SchemaId> any_of;  // empty = absent (an empty list is an error of the schema)
  std::vector<SchemaId> one_of;
  std::optional<SchemaId> not_schema;
  std::optional<SchemaId> if_schema, then_schema, else_schema;
};

struct SchemaDocument {
  std::vector<SchemaNode> nodes;
  SchemaId root{0};
  std::vector<std::string> unenforced;  // "path: keyword", with allow_unenforced
};

struct SchemaReadOptions {
  std::string_view default_draft = "2020-12";  // for a schema without $schema: "4" "6" "7" "2019-09" "2020-12"
  bool assert_formats = true;                  // false: format is an annotation
  bool allow_unenforced = false;               // list what cannot be enforced instead of failing
  // Documents by absolute URI without fragment, for $ref to the outside; null = none.
  std::function<std::optional<json::Value>(std::string_view uri)> load = nullptr;
};

// Errors, each with "path: keyword" as subject and the path in the message: kInvalidSchema (a keyword of the wrong type
// or out of range, a reference that leads nowhere, an invalid pattern), kUnenforceable (a pattern
// that is not regular, a remote document that is not there), kUnsatisfiable (references that lead back to themselves in
// place).
Result<SchemaDocument> ReadSchema(const json::Value& schema, const SchemaReadOptions& options, ExprPool& pool);

// The language of a format's decoded text; nothing for a format that no draft names. RFC 3339, 5321, 1123, …
std::optional<Expr> FormatLanguage(std::string_view format, ExprPool& pool);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_SCHEMA_H_
