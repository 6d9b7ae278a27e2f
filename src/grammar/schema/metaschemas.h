// The metaschemas of the drafts, for schemas that refer to them.
#ifndef DECANT_GRAMMAR_SCHEMA_METASCHEMAS_H_
#define DECANT_GRAMMAR_SCHEMA_METASCHEMAS_H_

#include <string_view>

namespace decant::grammar {

// The JSON text of the document with this URI (without fragment); empty for any other.
std::string_view MetaSchemaText(std::string_view uri);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_METASCHEMAS_H_
