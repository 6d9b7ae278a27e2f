// Which keywords count in a schema: its draft, and the vocabularies that its metaschema switches off.
#ifndef DECANT_GRAMMAR_SCHEMA_DIALECT_H_
#define DECANT_GRAMMAR_SCHEMA_DIALECT_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "decant/error.h"
#include "grammar/schema/keywords.h"
#include "json/value.h"

namespace decant::grammar {

struct Dialect {
  Draft draft = Draft::k2020;
  // Named by $schema. A draft that is only assumed is read generously: forms that other drafts give a keyword count.
  bool stated = false;
  std::uint8_t off = 0;          // bit v: Vocabulary v does not count
  bool asserts_formats = false;  // the metaschema has the format-assertion vocabulary

  bool Has(const KeywordRow& row) const {
    return row.first <= draft && draft <= row.last && ((off >> static_cast<unsigned>(row.vocabulary)) & 1u) == 0;
  }
};

// "4", "6", "7", "2019-09", "2020-12".
std::optional<Draft> DraftNamed(std::string_view name);
// The draft whose metaschema has this URI; https for http and a trailing "#" or its lack make no difference.
std::optional<Draft> DraftOfMetaSchema(std::string_view uri);
// A metaschema of json-schema.org whose keywords decant does not read: drafts 0 to 3.
bool IsOldMetaSchema(std::string_view uri);

// What the $vocabulary of a metaschema of the dialect's draft leaves on; its message names a vocabulary that is
// required and not known (kUnenforceable).
Result<Dialect> WithVocabularies(Dialect dialect, const json::Value& vocabularies);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_DIALECT_H_
