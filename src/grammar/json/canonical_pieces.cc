// Members come in last first, so an object's are sorted when it closes.
#include "grammar/json/canonical_pieces.h"

#include <algorithm>
#include <vector>

#include "grammar/json/facets.h"

namespace decant::grammar {
std::string CanonicalString(std::string_view decoded) {
  std::string text;
  text.reserve(decoded.size() + 2);
  AppendCanonicalString(decoded, text);
  return text;
}

std::string_view CanonicalLiteral(ValueKind kind) {
  return kind == ValueKind::kNull ? "null" : kind == ValueKind::kTrue ? "true" : "false";
}

std::string CanonicalContainer(ValueKind kind, const CanonicalPiece* pieces) {
  const bool is_object = kind == ValueKind::kObject;
  std::vector<const CanonicalPiece*> order;
  for (; pieces != nullptr; pieces = pieces->before) order.push_back(pieces);
  std::ranges::reverse(order);
  if (is_object) std::ranges::sort(order, {}, [](const CanonicalPiece* piece) { return piece->key; });
  std::string text = is_object ? "{" : "[";
  for (const CanonicalPiece* piece : order) {
    if (text.size() > 1) text += ',';
    if (is_object) AppendCanonicalString(piece->key, text), text += ':';
    text += piece->text;
  }
  text += is_object ? '}' : ']';
  return text;
}

}  // namespace decant::grammar
