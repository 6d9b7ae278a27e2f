// Which drafts have which formats.
#include "grammar/schema/formats.h"

#include <optional>

#include "grammar/schema/schema.h"

namespace decant::grammar {
bool DraftHasFormat(Draft, std::string_view) { return false; }
std::optional<Expr> FormatLanguage(std::string_view, ExprPool&) { return std::nullopt; }
}  // namespace decant::grammar
