// The texts of parts of a syntax tree that hold no assertion: as an expression, and cut down by their first or last
// character.
#ifndef DECANT_GRAMMAR_REGEX_TEXTS_H_
#define DECANT_GRAMMAR_REGEX_TEXTS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "grammar/expr_pool.h"
#include "grammar/regex/char_set.h"
#include "grammar/regex/syntax.h"

namespace decant::grammar {

// REQUIRES of each node: plain. Answers are remembered by node.
class Texts {
 public:
  Texts(SyntaxTree& tree, ExprPool& pool) : tree_(tree), pool_(pool) {}

  Expr ExprOf(NodeId id);
  // The texts whose first (last) character is of the set; never the empty one.
  NodeId StartingIn(NodeId id, const CharSet& set) { return CutDown(id, set, End::kFirst, 0); }
  NodeId EndingIn(NodeId id, const CharSet& set) { return CutDown(id, set, End::kLast, 0); }
  // The texts of one character; nothing where an expression hides them.
  std::optional<CharSet> Characters(NodeId id) const;

 private:
  enum class End { kFirst, kLast };
  NodeId CutDown(NodeId id, const CharSet& set, End end, std::size_t depth);
  NodeId CutDownNew(NodeId id, const CharSet& set, End end, std::size_t depth);
  NodeId CutDownSequence(std::span<const NodeId> parts, const CharSet& set, End end, std::size_t depth);
  Expr ExprOfSequence(NodeId id);
  Expr ExprOfChoice(NodeId id);
  bool IsWord(NodeId id, std::string& word) const;

  SyntaxTree& tree_;
  ExprPool& pool_;
  std::unordered_map<NodeId, Expr> exprs_;
  std::map<std::tuple<NodeId, NodeId, End>, NodeId> cuts_;  // by node, set and end
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_REGEX_TEXTS_H_
