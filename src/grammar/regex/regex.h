// Regular expressions as users write them, to expressions of a pool.
//
// What both flavours read: groups, capturing or not, (?<name>…) and (?P<name>…); greedy and lazy quantifiers, which are
// one to a language, with counts up to 10^9; classes; \p{…} and \P{…} of Unicode 15.0 (general categories, scripts and
// binary properties by any of their names, gc=…, sc=…, scx=…); ^ $ \b \B and look-around wherever they stand;
// (?i) (?s) (?m) and groups of them. Case is ignored by simple case folding. A surrogate alone, \uD800, is in no text.
// \B matches in the empty text, as in ECMA-262 and Python 3.14.
//
// Which part of the text a search finds makes no difference, nor does what a group captures.
#ifndef DECANT_GRAMMAR_REGEX_REGEX_H_
#define DECANT_GRAMMAR_REGEX_REGEX_H_

#include <cstdint>
#include <string_view>

#include "decant/error.h"
#include "grammar/expr_pool.h"

namespace decant::grammar {

enum class RegexFlavour : std::uint8_t {
  // ECMA-262 with the flag u, as JSON Schema's `pattern`: \d \w \b are ASCII, \s is ECMA's WhiteSpace and
  // LineTerminator, . is any but a LineTerminator, $ is the text's end.
  //
  // Schemas hold more than that grammar, and it is read where it can mean one thing only: \ before whatever is no ASCII
  // letter or digit, a { or } or ] that closes nothing, [\w-.], quantified look-around, \0 with octal digits (all as
  // annex B); \A \Z \z for the text's start and end, (?P<name>…), (?i) up to the end of its group, and POSIX classes
  // such as [[:alpha:]], over ASCII (as Python or Rust). Not read, as readers differ: a{,5}, a++, \1 without a group, a
  // class inside a class, and letters after \ that stand for nothing.
  kEcma,
  // Python's re for str patterns: \d \w \s \b are Unicode, . is any but "\n", $ also stands before a "\n" that ends the
  // text; flags (?i) (?s) (?x) (?m) (?a) at the start and for groups, comments (?#…), a{,5}. Besides, PCRE's \p{…},
  // \pL,
  // \p{^…} and \p{L&}, (?<name>…), and look-behind of any length. Possessive quantifiers and atomic groups are read
  // where they change nothing. [[:alpha:]] is a class and a "]", as Python has it.
  kPython,
};
enum class RegexMatch : std::uint8_t {
  kWhole,   // the text as a whole
  kSearch,  // a part of the text
};

// The language of texts (UTF-8) that match. Errors: kInvalidRegex with the position (column: code points from 1) and
// what was expected there; kUnsupportedRegex for what is not a regular language or not done (back-references and
// conditional groups, possessive marks that matter, \N{…}, most look-around of several characters inside a repetition),
// naming it and its position; kTooComplex for groups nested more than 250 deep, counts past 10^9, and assertions that
// multiply; kInvalidUtf8.
Result<Expr> ParseRegex(std::string_view pattern, RegexFlavour flavour, RegexMatch match, ExprPool& pool);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_REGEX_REGEX_H_
