// A JSON Schema as a person gives it: the schema itself, a file, or standard input.
#ifndef DECANT_CLI_SCHEMA_TEXT_H_
#define DECANT_CLI_SCHEMA_TEXT_H_

#include <string>
#include <string_view>

#include "decant/error.h"

namespace decant::cli {

// An object, or true or false: the schema, not where one is. A file of such a name goes as "./true".
bool IsSchemaText(std::string_view given);

// The schema's text: what was given, or what the file "-" (standard input) or another holds. kCannotRead.
Result<std::string> SchemaTextOf(const std::string& given);

}  // namespace decant::cli

#endif  // DECANT_CLI_SCHEMA_TEXT_H_
