// Makes nodes, simplified.
#include "grammar/regex/syntax.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace decant::grammar {
namespace {

std::uint64_t Plus(std::uint64_t a, std::uint64_t b) { return a > kUnbounded - b ? kUnbounded : a + b; }
std::uint64_t Times(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kUnbounded / b ? kUnbounded : a * b;
}

}  // namespace

bool Edge::operator<(const Edge& other) const {
  return std::tie(limit, chars, last) < std::tie(other.limit, other.chars, other.last);
}

Edge Both(const Edge& a, const Edge& b) {
  return {.chars = a.chars.Intersect(b.chars),
          .last = a.last.Intersect(b.chars.Unite(b.last)).Unite(b.last.Intersect(a.chars)),
          .limit = a.limit && b.limit};
}

SyntaxTree::SyntaxTree() {
  Intern({.chars = CharSet::All(), .limit = true});  // kAnyEdge
  empty_ = Add({.kind = NodeKind::kEmpty});
  never_ = Add({.kind = NodeKind::kNever, .shortest = kUnbounded});
  // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): it is made of the nodes above
  any_text_ = Repeat(Set(CharSet::All()), 0, kUnbounded);
}

NodeId SyntaxTree::Add(Node node) {
  size_ += 1 + node.children.size();
  if (!node.children.empty()) node.weight = 0;
  for (const NodeId child : node.children) node.weight = Plus(node.weight, (*this)[child].weight);
  nodes_.push_back(std::move(node));
  return NodeId{static_cast<std::uint32_t>(nodes_.size() - 1)};
}

EdgeId SyntaxTree::Intern(const Edge& edge) {
  const auto [place, is_new] = edge_numbers_.emplace(edge, EdgeId{static_cast<std::uint32_t>(edges_.size())});
  if (is_new) edges_.push_back(&place->first);
  return place->second;
}

NodeId SyntaxTree::Set(const CharSet& set) {
  if (set.IsEmpty()) return never_;
  const auto [place, is_new] = set_numbers_.emplace(set, static_cast<std::uint32_t>(sets_.size()));
  if (is_new) {
    sets_.push_back(&place->first);
    set_nodes_.push_back(Add({.kind = NodeKind::kSet, .set = place->second, .shortest = 1, .longest = 1}));
  }
  return set_nodes_[place->second];
}

NodeId SyntaxTree::Sequence(std::span<const NodeId> parts) {
  Node node{.kind = NodeKind::kSequence};
  node.children.reserve(parts.size());
  for (const NodeId id : parts) {
    const Node& part = (*this)[id];
    if (part.kind == NodeKind::kNever) return never_;
    if (part.kind == NodeKind::kEmpty) continue;
    node.plain &= part.plain;
    node.local &= part.local;
    node.shortest = Plus(node.shortest, part.shortest);
    node.longest = Plus(node.longest, part.longest);
    if (part.kind == NodeKind::kSequence && !part.atomic) {
      node.children.insert(node.children.end(), part.children.begin(), part.children.end());
    } else {
      node.children.push_back(id);
    }
  }
  if (node.children.empty()) return empty_;
  if (node.children.size() == 1) return node.children[0];
  return Add(std::move(node));
}

NodeId SyntaxTree::Choice(std::span<const NodeId> parts) {
  Node node{.kind = NodeKind::kChoice, .shortest = kUnbounded};
  std::vector<CodePointRange> ranges;
  std::size_t set_place = std::numeric_limits<std::size_t>::max();
  const auto add = [&](NodeId id) {
    const Node& part = (*this)[id];
    if (part.kind == NodeKind::kNever) return;
    node.plain &= part.plain;
    node.local &= part.local;
    node.shortest = std::min(node.shortest, part.shortest);
    node.longest = std::max(node.longest, part.longest);
    if (part.kind == NodeKind::kSet) {
      const auto more = SetOf(id).ranges();
      ranges.insert(ranges.end(), more.begin(), more.end());
      if (set_place != std::numeric_limits<std::size_t>::max()) return;
      set_place = node.children.size();
    }
    node.children.push_back(id);
  };
  for (const NodeId id : parts) {
    if ((*this)[id].kind == NodeKind::kChoice && !(*this)[id].atomic) {
      for (const NodeId child : (*this)[id].children) add(child);
    } else {
      add(id);
    }
  }
  if (set_place < node.children.size()) node.children[set_place] = Set(CharSet(std::move(ranges)));
  if (node.children.size() > 1) {
    std::ranges::sort(node.children);  // what is tried first does not matter to the language
    node.children.erase(std::ranges::unique(node.children).begin(), node.children.end());
  }
  if (node.children.empty()) return never_;
  if (node.children.size() == 1) return node.children[0];
  return Add(std::move(node));
}

NodeId SyntaxTree::Repeat(NodeId child, std::uint64_t least, std::uint64_t most, std::uint32_t column) {
  const Node& part = (*this)[child];
  if (part.kind == NodeKind::kNever) return least == 0 ? empty_ : never_;
  if (part.kind == NodeKind::kEmpty || most == 0) return empty_;
  if (least == 1 && most == 1) return child;
  return Add({.kind = NodeKind::kRepeat,
              .plain = part.plain,
              .local = part.local,
              .column = column,
              .least = least,
              .most = most,
              .shortest = Times(part.shortest, least),
              .longest = Times(part.longest, most),
              .children = {child}});
}

NodeId SyntaxTree::Ahead(const Edge& edge) {
  if (edge.chars.IsEmpty() && edge.last.IsEmpty() && !edge.limit) return never_;
  return Add({.kind = NodeKind::kAhead, .plain = false, .edge = Intern(edge)});
}

NodeId SyntaxTree::Behind(const Edge& edge) {
  if (edge.chars.IsEmpty() && !edge.limit) return never_;
  has_behind_ |= !edge.chars.IsEmpty();
  return Add({.kind = NodeKind::kBehind, .plain = false, .edge = Intern(edge)});
}

// Whether the body says no more about its side than one character tells; then what it says is added to the edge.
bool SyntaxTree::ToEdge(NodeId body, bool ahead, Edge& edge) const {
  const Node& node = (*this)[body];
  switch (node.kind) {
    case NodeKind::kNever:
      return true;
    case NodeKind::kSet:
      edge.chars = edge.chars.Unite(SetOf(body));
      return true;
    case NodeKind::kChoice:
      return std::ranges::all_of(node.children, [&](NodeId child) { return ToEdge(child, ahead, edge); });
    case NodeKind::kAhead:
    case NodeKind::kBehind: {
      if ((node.kind == NodeKind::kAhead) != ahead) return false;
      const Edge& other = EdgeOf(node.edge);
      edge.chars = edge.chars.Unite(other.chars);
      edge.last = edge.last.Unite(other.last);
      edge.limit |= other.limit;
      return true;
    }
    default: {
      if (!node.plain || node.atomic) return false;
      if (node.shortest == 0) {
        edge = EdgeOf(kAnyEdge);
        return true;
      }
      // A character with what may as well be empty behind it.
      if (node.kind != NodeKind::kSequence || node.shortest != 1) return false;
      const NodeId neighbour = ahead ? node.children.front() : node.children.back();
      return (*this)[neighbour].kind == NodeKind::kSet && ToEdge(neighbour, ahead, edge);
    }
  }
}

NodeId SyntaxTree::Look(LookKind kind, NodeId body, std::uint32_t column) {
  const bool ahead = kind == LookKind::kAhead || kind == LookKind::kNotAhead;
  const bool negated = kind == LookKind::kNotAhead || kind == LookKind::kNotBehind;
  Edge edge;
  if (ToEdge(body, ahead, edge) && (!negated || edge.chars.Covers(edge.last))) {
    if (negated) edge = {.chars = edge.chars.Complement(), .limit = !edge.limit};
    return ahead ? Ahead(edge) : Behind(edge);
  }
  has_behind_ |= !ahead;
  return Add(
      {.kind = NodeKind::kLook, .plain = false, .local = false, .look = kind, .column = column, .children = {body}});
}

NodeId SyntaxTree::Atomic(NodeId child, std::uint32_t column) {
  Node node = (*this)[child];
  if (node.kind == NodeKind::kSet || node.kind == NodeKind::kEmpty || node.kind == NodeKind::kNever) return child;
  node.atomic = true;
  node.column = column;
  has_atomic_ = true;
  return Add(std::move(node));
}

NodeId SyntaxTree::Opaque(Expr expr, std::uint64_t shortest, std::uint64_t longest) {
  if (expr == kNothing) return never_;
  if (expr == kEmptyText) return empty_;
  return Add({.kind = NodeKind::kOpaque, .expr = expr, .shortest = shortest, .longest = longest});
}

}  // namespace decant::grammar
