// Questions about an expression that walk through its states.
#ifndef DECANT_GRAMMAR_EXPR_SEARCH_H_
#define DECANT_GRAMMAR_EXPR_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "grammar/expr_content.h"
#include "grammar/expr_stepper.h"
#include "grammar/expr_store.h"

namespace decant::grammar {

// As ExprPool's functions of these names.
class ExprSearch {
 public:
  ExprSearch(const ExprStore& store, ExprStepper& stepper, ExprContent& content)
      : store_(store), stepper_(stepper), content_(content) {}

  std::optional<std::string> ShortestText(Expr e, std::size_t states);
  std::optional<std::uint64_t> CountTexts(Expr e, std::uint64_t most, std::size_t states);
  std::uint64_t FreeLength(Expr e, std::uint64_t most, std::size_t states);

 private:
  std::uint64_t FreeLengthByWalk(Expr e, std::uint64_t most, std::size_t states);

  const ExprStore& store_;
  ExprStepper& stepper_;
  ExprContent& content_;
  std::unordered_set<std::uint32_t> free_;  // known to admit any text
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_EXPR_SEARCH_H_
