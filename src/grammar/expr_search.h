// Questions about an expression that walk through its states.
#ifndef DECANT_GRAMMAR_EXPR_SEARCH_H_
#define DECANT_GRAMMAR_EXPR_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "grammar/expr_stepper.h"
#include "grammar/expr_store.h"

namespace decant::grammar {

// As ExprPool's functions of these names.
std::optional<std::string> ShortestText(Expr e, std::size_t states, ExprStepper& stepper, const ExprStore& store);
std::optional<std::uint64_t> CountTexts(Expr e, std::uint64_t most, std::size_t states, ExprStepper& stepper,
                                        const ExprStore& store);
std::uint64_t FreeLength(Expr e, std::uint64_t most, std::size_t states, ExprStepper& stepper, const ExprStore& store);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_EXPR_SEARCH_H_
