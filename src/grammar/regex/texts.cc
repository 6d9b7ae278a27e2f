// Texts of plain nodes. Recursion goes down the tree, whose depth the parser bounds, and along what a translation put
// together from pieces of it, whose number the translation bounds.
#include "grammar/regex/texts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/utf8.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kFewWords = 4;         // fewer alternatives than this are no table
constexpr std::size_t kMostOptional = 8;     // optional parts in a row, past which an intersection is the smaller one
constexpr std::size_t kMostCutDepth = 2000;  // of parts put together

}  // namespace

// Whether the node is one text; then it is appended.
bool Texts::IsWord(NodeId id, std::string& word) const {
  const Node& node = tree_[id];
  const auto add = [&](NodeId character) {
    if (tree_[character].kind != NodeKind::kSet) return false;
    const auto only = tree_.SetOf(character).Only();
    if (only.has_value()) core::AppendUtf8(*only, word);
    return only.has_value();
  };
  if (node.kind == NodeKind::kSequence) return std::ranges::all_of(node.children, add);
  return add(id);
}

Expr Texts::ExprOf(NodeId id) {
  if (id == tree_.AnyText()) return pool_.AnyText();
  if (const auto known = exprs_.find(id); known != exprs_.end()) return known->second;
  Expr expr = kNothing;
  switch (const Node& node = tree_[id]; node.kind) {
    case NodeKind::kEmpty:
      expr = kEmptyText;
      break;
    case NodeKind::kSet:
      expr = pool_.CodePoints(tree_.SetOf(id).ranges());
      break;
    case NodeKind::kSequence:
      expr = ExprOfSequence(id);
      break;
    case NodeKind::kChoice:
      expr = ExprOfChoice(id);
      break;
    case NodeKind::kRepeat:
      expr = pool_.Repeat(ExprOf(node.children[0]), node.least, node.most);
      break;
    case NodeKind::kOpaque:
      expr = node.expr;
      break;
    case NodeKind::kNever:
    case NodeKind::kAhead:
    case NodeKind::kBehind:
    case NodeKind::kLook:
      break;
  }
  exprs_.emplace(id, expr);
  return expr;
}

Expr Texts::ExprOfSequence(NodeId id) {
  const std::vector<NodeId>& children = tree_[id].children;
  Expr rest = kEmptyText;
  for (std::size_t end = children.size(); end > 0;) {
    // The run of single characters that ends here is one literal.
    std::size_t begin = end;
    std::string ignored;
    while (begin > 0 && tree_[children[begin - 1]].kind == NodeKind::kSet && IsWord(children[begin - 1], ignored))
      --begin;
    if (begin == end) {
      rest = pool_.Concat(ExprOf(children[--end]), rest);
      continue;
    }
    std::string word;
    for (std::size_t i = begin; i < end; ++i) IsWord(children[i], word);
    rest = pool_.Concat(pool_.Literal(word), rest);
    end = begin;
  }
  return rest;
}

Expr Texts::ExprOfChoice(NodeId id) {
  const std::vector<NodeId>& children = tree_[id].children;
  std::vector<std::string> words;
  std::vector<Expr> parts;
  for (const NodeId child : children) {
    std::string word;
    IsWord(child, word) ? words.push_back(std::move(word)) : parts.push_back(ExprOf(child));
  }
  if (words.size() >= kFewWords) {
    parts.push_back(pool_.Literals(std::move(words)));
  } else {
    for (const std::string& word : words) parts.push_back(pool_.Literal(word));
  }
  return pool_.Union(parts);
}

// What a translation puts together shares parts, so that one is met many times.
NodeId Texts::CutDown(NodeId id, const CharSet& set, End end, std::size_t depth) {
  const std::tuple key(id, tree_.Set(set), end);
  if (const auto known = cuts_.find(key); known != cuts_.end()) return known->second;
  const NodeId cut = CutDownNew(id, set, end, depth);
  cuts_.emplace(key, cut);
  return cut;
}

NodeId Texts::CutDownNew(NodeId id, const CharSet& set, End end, std::size_t depth) {
  const Node& node = tree_[id];
  if (node.kind == NodeKind::kOpaque || depth > kMostCutDepth) {
    const Expr character = pool_.CodePoints(set.ranges());
    const Expr cut = pool_.Intersect(ExprOf(id), end == End::kFirst ? pool_.Concat(character, pool_.AnyText())
                                                                    : pool_.Concat(pool_.AnyText(), character));
    return tree_.Opaque(cut, std::max<std::uint64_t>(node.shortest, 1), node.longest);
  }
  switch (node.kind) {
    case NodeKind::kSet:
      return tree_.Set(tree_.SetOf(id).Intersect(set));
    case NodeKind::kSequence: {
      const std::vector<NodeId> parts = node.children;
      return CutDownSequence(parts, set, end, depth);
    }
    case NodeKind::kChoice: {
      std::vector<NodeId> parts = node.children;
      for (NodeId& part : parts) part = CutDown(part, set, end, depth + 1);
      return tree_.Choice(parts);
    }
    case NodeKind::kRepeat: {
      // The first (last) copy with a text in it, and the others, of which any number may be empty if one may.
      const NodeId child = node.children[0];
      const std::uint64_t least = tree_[child].shortest == 0 || node.least == 0 ? 0 : node.least - 1;
      const std::uint64_t most = node.most == kUnbounded ? kUnbounded : node.most - 1;
      const NodeId copy = CutDown(child, set, end, depth + 1);
      const NodeId others = tree_.Repeat(child, least, most);
      return tree_.Sequence(end == End::kFirst ? std::array{copy, others} : std::array{others, copy});
    }
    default:
      return tree_.Never();
  }
}

NodeId Texts::CutDownSequence(std::span<const NodeId> parts, const CharSet& set, End end, std::size_t depth) {
  const auto part_at = [&](std::size_t i) { return end == End::kFirst ? parts[i] : parts[parts.size() - 1 - i]; };
  std::size_t optional = 0;
  while (optional < parts.size() && tree_[part_at(optional)].shortest == 0) ++optional;
  if (optional > kMostOptional) {
    // Cut the optional ones all at once.
    const NodeId all = tree_.Sequence(parts);
    const NodeId opaque = tree_.Opaque(ExprOf(all), tree_[all].shortest, tree_[all].longest);
    return CutDown(opaque, set, end, depth);
  }
  std::vector<NodeId> ways;
  for (std::size_t i = 0; i < std::min(optional + 1, parts.size()); ++i) {
    const auto kept = end == End::kFirst ? parts.subspan(i) : parts.first(parts.size() - i);
    std::vector<NodeId> way(kept.begin(), kept.end());
    NodeId& cut = end == End::kFirst ? way.front() : way.back();
    cut = CutDown(cut, set, end, depth + 1);
    ways.push_back(tree_.Sequence(way));
  }
  return tree_.Choice(ways);
}

std::optional<CharSet> Texts::Characters(NodeId id) const {
  const Node& node = tree_[id];
  if (node.shortest > 1) return CharSet();
  switch (node.kind) {
    case NodeKind::kSet:
      return tree_.SetOf(id);
    case NodeKind::kSequence:
    case NodeKind::kChoice:
    case NodeKind::kRepeat: {
      CharSet characters;
      for (const NodeId child : node.children) {
        // The others of a sequence are empty, so this one is the one that cannot be, if there is one.
        if (node.kind == NodeKind::kSequence && tree_[child].shortest != node.shortest) continue;
        const std::optional<CharSet> more = Characters(child);
        if (!more.has_value()) return std::nullopt;
        characters = characters.Unite(*more);
      }
      return characters;
    }
    case NodeKind::kOpaque:
      return std::nullopt;
    default:
      return CharSet();
  }
}

}  // namespace decant::grammar
