// What must come next in a JSON text because nothing else can.
#ifndef DECANT_GRAMMAR_JSON_FORCED_H_
#define DECANT_GRAMMAR_JSON_FORCED_H_

#include <string>
#include <string_view>
#include <vector>

#include "decant/token.h"
#include "grammar/json/frame.h"
#include "grammar/json/machine.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

// The bytes up to the first choice (the end of the text is one); they end on a character's border.
std::string FindForcedBytes(Machine& machine, const Place& place);

// The bytes as the longest tokens from the left. A last token is left out where another one, longer than what is
// forced, begins with the same bytes: a tokenizer might have taken that.
std::vector<TokenId> LongestTokens(const Vocabulary& vocabulary, std::string_view bytes);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_FORCED_H_
