// The shortest way to a whole text, in tokens.
#ifndef DECANT_DECODE_SHORTEST_END_H_
#define DECANT_DECODE_SHORTEST_END_H_

#include <optional>
#include <vector>

#include "decant/constraint.h"
#include "decant/tokenizer.h"

namespace decant::decode {

// The text may end here.
inline bool IsWhole(ConstraintState state) {
  return state == ConstraintState::kMayEnd || state == ConstraintState::kMustEnd;
}

// Tokens that write the constraint's ShortestEnd, as the tokenizer would, else byte by byte; empty where the text may
// end. Nothing where the end is not known, or no tokens that write it are allowed. They are few, not the fewest.
std::optional<std::vector<TokenId>> ShortestEndTokens(const Constraint& constraint, const Tokenizer& tokenizer);

}  // namespace decant::decode

#endif  // DECANT_DECODE_SHORTEST_END_H_
