// What begins like a schema is one.
#include "schema_text.h"

#include "core/mapped_file.h"

namespace decant::cli {

bool IsSchemaText(std::string_view given) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t begin = given.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return false;
  const std::string_view text = given.substr(begin, given.find_last_not_of(kSpaces) + 1 - begin);
  return text.starts_with('{') || text == "true" || text == "false";
}

Result<std::string> SchemaTextOf(const std::string& given) {
  if (IsSchemaText(given)) return given;
  return core::ReadFile(given);
}

}  // namespace decant::cli
