// Repetitions of one character with look-ahead at each copy, ((?!X)c)*: "any text without an X".
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "grammar/regex/translation.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kMostParts = 32;  // that a repetition is cut into by what it ends with
constexpr SearchBudget kPartBudget = {.states = 2000};

}  // namespace

// Nothing when the node is not of this form, or no way is known.
Result<std::optional<Translation::Threads>> Translation::ReadTempered(NodeId id, const Threads& threads) {
  const Node node = tree_[id];
  if (tree_[node.children[0]].kind != NodeKind::kSequence) return std::nullopt;
  const std::vector<NodeId> parts = tree_[node.children[0]].children;
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Node& part = tree_[parts[i]];
    if (part.kind == NodeKind::kSet && !place.has_value()) {
      place = i;
    } else if (part.kind != NodeKind::kLook || (part.look != LookKind::kAhead && part.look != LookKind::kNotAhead) ||
               KindsBefore(part.children[0]).size() > 1) {
      return std::nullopt;
    }
  }
  const auto follow = follows_.find(id);
  if (!place.has_value() || follow == follows_.end()) return std::nullopt;
  if (follow->second.MayStartIn(tree_.SetOf(parts[*place]))) return ReadTemperedBeforeAny(node, parts, threads);

  // What follows cannot start with such a character: they are as many as there are, so that every place among them can
  // be looked at from the first. ((?!X)c)* is (?!c*(?=c)X)c*, and (c(?!X))* is (?!cc*X)c*.
  const Expr one = texts_.ExprOf(parts[*place]);
  const Expr many = texts_.ExprOf(tree_.Repeat(parts[*place], 0, kUnbounded));
  Expr wrong = kNothing;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == *place) continue;
    DECANT_TRY(const Expr ahead, Ahead(tree_[parts[i]].children[0], kAnyEdge));
    const Expr broken =
        tree_[parts[i]].look == LookKind::kNotAhead ? ahead : pool_.Intersect(pool_.AnyText(), pool_.Complement(ahead));
    const Expr here =
        i < *place ? pool_.Intersect(broken, pool_.Concat(one, pool_.AnyText())) : pool_.Concat(one, broken);
    wrong = pool_.Union(wrong, pool_.Concat(many, here));
  }
  Threads out;
  for (Thread thread : threads) {
    LookAhead(pool_.Complement(wrong), thread);
    DECANT_CHECKED(Append(tree_.Repeat(parts[*place], node.least, node.most), thread, out));
  }
  return Merged(std::move(out));
}

// ((?!X)c)* before whatever: no X lies inside it, and none begins inside and ends in what follows. When X is characters
// x1…xn, that depends on the first j of them that the copies end with: then x(j+1)…xn must not follow.
Result<std::optional<Translation::Threads>> Translation::ReadTemperedBeforeAny(const Node& node,
                                                                               const std::vector<NodeId>& parts,
                                                                               const Threads& threads) {
  if (tree_[parts.back()].kind != NodeKind::kSet) return std::nullopt;
  const Expr any = pool_.AnyText();
  Expr copies = texts_.ExprOf(tree_.Repeat(parts.back(), node.least, node.most));
  struct Straddling {
    Expr begun, rest;
  };
  std::vector<Straddling> straddling;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const Node& look = tree_[parts[i]];
    if (look.look != LookKind::kNotAhead) return std::nullopt;
    std::vector<NodeId> words = {look.children[0]};
    if (tree_[words[0]].kind == NodeKind::kChoice) words = tree_[words[0]].children;
    for (const NodeId word : words) {
      std::vector<NodeId> characters = {word};
      if (tree_[word].kind == NodeKind::kSequence) characters = tree_[word].children;
      for (const NodeId character : characters) {
        if (tree_[character].kind != NodeKind::kSet) return std::nullopt;
      }
      const Expr inside = pool_.Concat(any, pool_.Concat(texts_.ExprOf(word), any));
      copies = pool_.Intersect(copies, pool_.Complement(inside));
      for (std::size_t j = 1; j < characters.size(); ++j) {
        const NodeId begun = tree_.Sequence(std::span(characters).first(j));
        const NodeId rest = tree_.Sequence(std::span(characters).subspan(j));
        straddling.push_back(
            {.begun = pool_.Concat(any, texts_.ExprOf(begun)), .rest = pool_.Concat(texts_.ExprOf(rest), any)});
      }
    }
  }
  struct Ending {
    Expr texts;
    std::optional<Expr> ahead;
  };
  std::vector<Ending> endings = {{.texts = copies, .ahead = {}}};
  for (const Straddling& word : straddling) {
    std::vector<Ending> finer;
    const auto add = [&](Expr texts, std::optional<Expr> ahead) {
      if (pool_.HasText(texts, kPartBudget).value_or(true)) finer.push_back({.texts = texts, .ahead = ahead});
    };
    for (const Ending& ending : endings) {
      const Expr asked = pool_.Complement(word.rest);
      add(pool_.Intersect(ending.texts, word.begun),
          ending.ahead.has_value() ? pool_.Intersect(*ending.ahead, asked) : asked);
      add(pool_.Intersect(ending.texts, pool_.Complement(word.begun)), ending.ahead);
    }
    endings = std::move(finer);
    if (endings.size() > kMostParts) return std::nullopt;
  }
  Threads out;
  for (const Ending& ending : endings) {
    const std::uint64_t shortest = pool_.IsNullable(ending.texts) ? 0 : std::max<std::uint64_t>(node.least, 1);
    const NodeId texts = tree_.Opaque(ending.texts, shortest, node.most);
    Threads moved;
    for (const Thread& thread : threads) DECANT_CHECKED(Append(texts, thread, moved));
    for (Thread& thread : moved) {
      if (ending.ahead.has_value()) LookAhead(*ending.ahead, thread);
      out.push_back(std::move(thread));
    }
  }
  return Merged(std::move(out));
}

}  // namespace decant::grammar
