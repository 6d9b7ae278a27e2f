// What must come next where a language leaves no choice, as bytes and as tokens.
#ifndef DECANT_GRAMMAR_FORCED_TEXT_H_
#define DECANT_GRAMMAR_FORCED_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "decant/token.h"
#include "grammar/expr_pool.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

struct ForcedText {
  std::string bytes;       // up to the first choice; the end of the text is one
  bool ends_text = false;  // nothing may follow them
};

// At most 65,536 bytes. REQUIRES: state != kNothing.
ForcedText FindForcedText(ExprPool& pool, Expr state);

// The bytes up to their last border of a character, given (at least three bytes of) what stands before them.
std::string WholeCharacters(std::string_view before, std::string_view bytes);

// The longest tokens of the bytes from the left, as far as they stay right whatever follows: not where a token could
// go on past the last byte. After the text's end, the end token if there is only one.
std::vector<TokenId> SplitForced(const Vocabulary& vocabulary, const ForcedText& forced);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_FORCED_TEXT_H_
