// Regular expressions as users write them, to expressions of a pool.
#ifndef DECANT_GRAMMAR_REGEX_REGEX_H_
#define DECANT_GRAMMAR_REGEX_REGEX_H_

#include <cstdint>
#include <string_view>

#include "decant/error.h"
#include "grammar/expr_pool.h"

namespace decant::grammar {

enum class RegexFlavour : std::uint8_t {
  kEcma,    // ECMA-262 with the flag u, as JSON Schema's `pattern`; \d \w \b are ASCII, \s is ECMA's WhiteSpace and
            // LineTerminator, . is any but a LineTerminator
  kPython,  // Python's re (str patterns) with PCRE's \p{…}, (?|…) not: \d \w \s are Unicode, (?i) (?s) (?x) (?m) (?a)
            // and groups of them, named groups, lazy and possessive marks read
};
enum class RegexMatch : std::uint8_t {
  kWhole,   // the text as a whole
  kSearch,  // a part of the text
};

// The language of texts (UTF-8) that match. Errors: kInvalidRegex with the position (column: code points from 1) and
// what was expected there; kUnsupportedRegex for what is not a regular language or not done (back-references,
// look-around inside a repetition), naming it and its position.
Result<Expr> ParseRegex(std::string_view pattern, RegexFlavour flavour, RegexMatch match, ExprPool& pool);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_REGEX_REGEX_H_
