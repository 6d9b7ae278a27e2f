// A constraint whose texts are a regular language of bytes: a regular expression, a choice of texts. A state is an
// expression, and its mask is the tokens whose bytes leave it alive.
#ifndef DECANT_GRAMMAR_TEXT_CONSTRAINT_H_
#define DECANT_GRAMMAR_TEXT_CONSTRAINT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "decant/constraint.h"
#include "decant/error.h"
#include "grammar/expr_pool.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

struct TextLanguage {
  // The language, a set of UTF-8 texts, in a pool; the same one whenever it is asked, since a pool that grew too large
  // is replaced.
  std::function<Result<Expr>(ExprPool&)> build;
  std::string description;                          // "a text that matches /a+/"
  std::size_t pool_bytes = std::size_t{256} << 20;  // what a pool may grow by; then it is replaced
};

// kUnsatisfiable, kTooComplex, and build's errors. Accept fails with kTooComplex where the states of a single text do
// not fit in half of pool_bytes.
Result<std::shared_ptr<const Grammar>> MakeTextGrammar(std::shared_ptr<const Vocabulary> vocabulary,
                                                       TextLanguage language);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_TEXT_CONSTRAINT_H_
