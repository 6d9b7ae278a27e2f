// Where a subschema stands, as errors and nodes say it: "#/properties/a".
#ifndef DECANT_GRAMMAR_SCHEMA_PATH_H_
#define DECANT_GRAMMAR_SCHEMA_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace decant::grammar {

// Longer paths keep their end, after "#/…": a schema nested 100,000 deep must not cost the square of its depth.
inline constexpr std::size_t kMaxPathBytes = 300;

// The path of a member or an item; "~" and "/" in the name are escaped as JSON pointers do, control characters by %.
std::string ChildPath(std::string_view path, std::string_view name);
std::string ChildPath(std::string_view path, std::size_t index);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_PATH_H_
