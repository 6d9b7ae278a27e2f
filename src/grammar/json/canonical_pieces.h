// The canonical text of a JSON value (facets.h has it of one that is read), put together while the text comes in.
#ifndef DECANT_GRAMMAR_JSON_CANONICAL_PIECES_H_
#define DECANT_GRAMMAR_JSON_CANONICAL_PIECES_H_

#include <string>
#include <string_view>

#include "grammar/json/frame.h"
#include "grammar/json/rules.h"

namespace decant::grammar {

// REQUIRES: decoded UTF-8.
std::string CanonicalString(std::string_view decoded);
std::string_view CanonicalLiteral(ValueKind kind);  // REQUIRES: null, false or true
// Of an array or object, from its pieces.
std::string CanonicalContainer(ValueKind kind, const CanonicalPiece* pieces);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_CANONICAL_PIECES_H_
