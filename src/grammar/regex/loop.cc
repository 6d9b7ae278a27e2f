// Repetitions with assertions inside, when one character on each side decides those: a copy leads from what stands
// before it (a kind of character) and what must come next to the same after it, so a repetition is the paths through a
// small graph whose edges are texts, which Kleene's construction writes as an expression.
#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

#include "grammar/regex/translation.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kMostKinds = 12;
constexpr std::size_t kMostStates = 16;

void CollectBehind(const SyntaxTree& tree, NodeId id, std::set<EdgeId>& edges) {
  const Node& node = tree[id];
  if (node.plain) return;
  if (node.kind == NodeKind::kBehind) edges.insert(node.edge);
  for (const NodeId child : node.children) CollectBehind(tree, child, edges);
}

}  // namespace

// All paths of any length, by the node they start and end at.
void Translation::CloseUnderPaths(std::vector<std::vector<NodeId>>& texts) {
  const std::size_t n = texts.size();
  for (std::size_t k = 0; k < n; ++k) {
    const auto before = texts;
    const NodeId stay = tree_.Repeat(before[k][k], 0, kUnbounded);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (before[i][k] == tree_.Never() || before[k][j] == tree_.Never()) continue;
        const NodeId through = tree_.Sequence(std::array{before[i][k], stay, before[k][j]});
        texts[i][j] = Factored({before[i][j], through});
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) texts[i][i] = tree_.Choice(std::array{tree_.Empty(), texts[i][i]});
}

std::vector<EdgeId> Translation::KindsBefore(NodeId id) {
  std::set<EdgeId> edges;
  CollectBehind(tree_, id, edges);
  if (edges.empty()) return {kAnyEdge};
  std::vector<CharSet> kinds = {CharSet::All()};
  for (const EdgeId edge : edges) {
    const CharSet& chars = tree_.EdgeOf(edge).chars;
    std::vector<CharSet> finer;
    for (const CharSet& kind : kinds) {
      for (CharSet& part : std::array{kind.Intersect(chars), kind.Without(chars)}) {
        if (!part.IsEmpty()) finer.push_back(std::move(part));
      }
    }
    kinds = std::move(finer);
  }
  std::vector<EdgeId> ids;
  for (CharSet& kind : kinds) ids.push_back(tree_.Intern({.chars = std::move(kind)}));
  ids.push_back(tree_.Intern({.limit = true}));
  return ids;
}

Result<std::vector<std::pair<EdgeId, Translation::Threads>>> Translation::Split(const Thread& thread,
                                                                                const std::vector<EdgeId>& kinds) {
  std::vector<std::pair<EdgeId, Threads>> split;
  if (kinds.size() == 1) {
    split.emplace_back(kAnyEdge, Threads{thread});
    return split;
  }
  for (const EdgeId kind : kinds) {
    Threads threads;
    DECANT_CHECKED(LookBehind(tree_.EdgeOf(kind), thread.segments.size() - 1, thread, threads));
    if (!threads.empty()) split.emplace_back(kind, std::move(threads));
  }
  return split;
}

Result<Translation::Threads> Translation::ReadLoop(NodeId child, std::uint32_t column, const Threads& threads) {
  const std::vector<EdgeId> kinds = KindsBefore(child);
  if (kinds.size() > kMostKinds) return Unsupported("too many kinds of assertions inside a repetition", column);
  using State = std::pair<EdgeId, EdgeId>;  // what stands before, what may come next
  std::vector<State> states;
  std::vector<Threads> entries;  // by state
  const auto find = [&](const State& state) {
    const auto at = std::ranges::find(states, state);
    if (at == states.end()) {
      states.push_back(state);
      entries.emplace_back();
      return states.size() - 1;
    }
    return static_cast<std::size_t>(at - states.begin());
  };
  for (const Thread& thread : threads) {
    DECANT_TRY(auto split, Split(thread, kinds));
    for (auto& [kind, parts] : split) {
      for (Thread& part : parts) entries[find({kind, part.next})].push_back(std::move(part));
    }
  }
  std::vector<std::vector<std::pair<std::size_t, NodeId>>> moves;  // by state
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states.size() > kMostStates) return Unsupported("too many kinds of assertions inside a repetition", column);
    const State from = states[i];
    Thread start = Start(tree_.Empty(), from.first);
    start.next = from.second;
    DECANT_TRY(const Threads after, Read(child, {std::move(start)}));
    moves.emplace_back();
    for (const Thread& thread : after) {
      const NodeId texts = thread.segments[0].texts;
      if (kinds.size() == 1) {
        moves[i].emplace_back(find({kAnyEdge, thread.next}), texts);
        continue;
      }
      for (std::size_t k = 0; k + 1 < kinds.size(); ++k) {
        const NodeId ending = texts_.EndingIn(texts, tree_.EdgeOf(kinds[k]).chars);
        if (ending != tree_.Never()) moves[i].emplace_back(find({kinds[k], thread.next}), ending);
      }
      if (tree_[texts].shortest == 0) moves[i].emplace_back(find({from.first, thread.next}), tree_.Empty());
    }
  }
  std::vector<std::vector<NodeId>> paths(states.size(), std::vector<NodeId>(states.size(), tree_.Never()));
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const auto& [j, texts] : moves[i]) paths[i][j] = tree_.Choice(std::array{paths[i][j], texts});
  }
  CloseUnderPaths(paths);
  Threads out;
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const Thread& entry : entries[i]) {
      for (std::size_t j = 0; j < states.size(); ++j) {
        if (paths[i][j] == tree_.Never()) continue;
        Thread moved = entry;
        moved.segments.back().texts = Joined(moved.segments.back().texts, paths[i][j]);
        moved.next = states[j].second;
        out.push_back(std::move(moved));
      }
    }
  }
  return Merged(std::move(out));
}

}  // namespace decant::grammar
