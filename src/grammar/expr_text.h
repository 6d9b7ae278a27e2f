// Expressions for people: (ab|[0-9]{2,5})&~(x*)
#ifndef DECANT_GRAMMAR_EXPR_TEXT_H_
#define DECANT_GRAMMAR_EXPR_TEXT_H_

#include <string>

#include "grammar/expr_store.h"

namespace decant::grammar {

// "…" stands for what is nested too deep or would make the text too long.
std::string ExprText(Expr e, const ExprStore& store);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_EXPR_TEXT_H_
