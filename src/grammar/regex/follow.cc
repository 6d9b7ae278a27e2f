// Walks the tree from right to left. Its depth is bounded by the parser.
#include "grammar/regex/follow.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace decant::grammar {
namespace {

using FollowMap = std::map<NodeId, Follow>;

Follow Closed(const Follow& follow) { return follow.open ? Follow{.first = CharSet::All()} : follow; }

Follow Either(const Follow& a, const Follow& b) {
  if (a.open && b.open) return a;
  return {.first = Closed(a).first.Unite(Closed(b).first)};
}

// The first characters of each node, remembered.
class Beginnings {
 public:
  explicit Beginnings(const SyntaxTree& tree) : tree_(tree) {}

  const CharSet& Of(NodeId id) {
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    const Node& node = tree_[id];
    CharSet first;
    if (node.kind == NodeKind::kSet) first = tree_.SetOf(id);
    if (node.kind == NodeKind::kOpaque) first = CharSet::All();
    if (node.kind == NodeKind::kSequence || node.kind == NodeKind::kChoice || node.kind == NodeKind::kRepeat) {
      for (const NodeId child : node.children) {
        first = first.Unite(Of(child));
        if (node.kind == NodeKind::kSequence && tree_[child].shortest > 0) break;
      }
    }
    return known_.emplace(id, std::move(first)).first->second;
  }

 private:
  const SyntaxTree& tree_;
  std::map<NodeId, CharSet> known_;
};

class Walk {
 public:
  explicit Walk(const SyntaxTree& tree) : tree_(tree), beginnings_(tree) {}

  // What may stand before the node, given what may stand after it.
  Follow Before(NodeId id, const Follow& after) {
    const Node& node = tree_[id];
    if (node.atomic || (node.kind == NodeKind::kRepeat && !node.plain)) {
      const auto [place, is_new] = found_.emplace(id, after);
      if (!is_new) place->second = Either(place->second, after);
    }
    switch (node.kind) {
      case NodeKind::kEmpty:
        return after;
      case NodeKind::kNever:
        return {};
      case NodeKind::kSet:
        return {.first = tree_.SetOf(id)};
      case NodeKind::kSequence: {
        Follow follow = after;
        for (std::size_t i = node.children.size(); i-- > 0;) follow = Before(node.children[i], follow);
        return follow;
      }
      case NodeKind::kChoice: {
        Follow follow = Before(node.children[0], after);
        for (std::size_t i = 1; i < node.children.size(); ++i) follow = Either(follow, Before(node.children[i], after));
        return follow;
      }
      case NodeKind::kRepeat: {
        // After a copy comes another one or what follows.
        const NodeId child = node.children[0];
        const Follow inner = Before(child, {.first = Closed(after).first.Unite(beginnings_.Of(child))});
        return node.shortest == 0 ? Either(inner, after) : inner;
      }
      case NodeKind::kAhead: {
        const Edge& edge = tree_.EdgeOf(node.edge);
        return {.first = Closed(after).first.Intersect(edge.chars.Unite(edge.last))};
      }
      case NodeKind::kLook: {
        // What is ahead is a beginning of the rest; what is behind has to reach this very place.
        const bool ahead = node.look == LookKind::kAhead || node.look == LookKind::kNotAhead;
        Before(node.children[0], {.first = CharSet::All(), .open = ahead});
        return Closed(after);
      }
      case NodeKind::kBehind:
      case NodeKind::kOpaque:
        return Closed(after);
    }
    return after;
  }

  FollowMap& found() { return found_; }

 private:
  const SyntaxTree& tree_;
  Beginnings beginnings_;
  FollowMap found_;
};

}  // namespace

FollowMap FindFollows(const SyntaxTree& tree, NodeId root, RegexMatch match) {
  Walk walk(tree);
  walk.Before(root, {.open = match == RegexMatch::kSearch});
  return std::move(walk.found());
}

CharSet FirstCharacters(const SyntaxTree& tree, NodeId id) { return Beginnings(tree).Of(id); }

}  // namespace decant::grammar
