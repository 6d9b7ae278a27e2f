// The metaschemas of the drafts, for schemas that refer to them.
#ifndef DECANT_GRAMMAR_SCHEMA_METASCHEMAS_H_
#define DECANT_GRAMMAR_SCHEMA_METASCHEMAS_H_

#include <string>
#include <string_view>

namespace decant::grammar {

// The document with this URI (without fragment) as a JSON text; empty for any other. What it accepts is what the
// published one accepts; titles and defaults are left out.
std::string MetaSchemaText(std::string_view uri);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_METASCHEMAS_H_
