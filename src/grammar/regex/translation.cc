// Threads through a tree with assertions.
#include "grammar/regex/translation.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

namespace decant::grammar {
namespace {

constexpr std::size_t kMostSteps = 4000;   // of a thread through a node with an assertion
constexpr std::uint64_t kMostCopies = 64;  // of a repetition of assertions
constexpr std::size_t kMostThreads = 256;
constexpr std::size_t kMostGrowth = 1u << 18;    // of the tree, by nodes put together for threads
constexpr std::uint64_t kMostWeight = 1u << 16;  // of texts that threads share parts of

const Edge kTextLimit = {.limit = true};

// What is repeated may be matched as few times as allowed, or not at all, next to a text that may be anything.
enum class Side : std::uint8_t { kLeft, kRight };
NodeId BesideAnyText(SyntaxTree& tree, NodeId id, Side side) {
  while (true) {
    const Node& node = tree[id];
    if (!node.plain || node.kind == NodeKind::kOpaque || node.kind == NodeKind::kNever) return id;
    if (node.shortest == 0) return tree.Empty();
    if (node.kind == NodeKind::kRepeat) {
      if (node.least == node.most) return id;
      id = tree.Repeat(node.children[0], node.least, node.least);
      continue;
    }
    if (node.kind != NodeKind::kSequence) return id;
    std::vector<NodeId> parts = node.children;
    NodeId& part = side == Side::kRight ? parts.front() : parts.back();
    const NodeId less = BesideAnyText(tree, part, side);
    if (less == part) return id;
    part = less;
    id = tree.Sequence(parts);
  }
}

bool EndsInAnyText(const SyntaxTree& tree, NodeId id) {
  const Node& node = tree[id];
  return id == tree.AnyText() || (node.kind == NodeKind::kSequence && node.children.back() == tree.AnyText());
}

}  // namespace

std::unexpected<Error> Unsupported(const std::string& what, std::uint32_t column) {
  return Fail(ErrorCode::kUnsupportedRegex, "the regular expression has " + what,
              {.subject = "regex", .at = Position{.line = 1, .column = column}});
}

std::unexpected<Error> TooManyAssertions() {
  return Fail(ErrorCode::kTooComplex, "the regular expression has too many assertions that depend on one another",
              {.subject = "regex", .at = Position{.line = 1, .column = 1}});
}

Translation::Thread Translation::Start(NodeId texts, EdgeId left) const {
  return {.segments = {{.texts = texts}}, .left = left};
}

bool Translation::HasGrown() const { return tree_.size() > first_size_ + kMostGrowth; }

Result<Expr> Translation::Translate(NodeId root, RegexMatch match) {
  follows_ = FindFollows(tree_, root, match);
  if (tree_.has_atomic()) DECANT_CHECKED(CheckAtomics());
  const NodeId before = match == RegexMatch::kSearch ? tree_.AnyText() : tree_.Empty();
  DECANT_TRY(Threads threads, Read(root, {Start(before, tree_.Intern(kTextLimit))}));
  return Finish(std::move(threads), match);
}

Result<Translation::Threads> Translation::Read(NodeId id, Threads threads) {
  const Node& node = tree_[id];
  Threads out;
  if (node.plain) {
    for (const Thread& thread : threads) DECANT_CHECKED(Append(id, thread, out));
    return Merged(std::move(out));
  }
  steps_ += threads.size();
  if (steps_ > kMostSteps || threads.size() > kMostThreads || HasGrown()) return TooManyAssertions();
  switch (node.kind) {
    case NodeKind::kSequence:
      return ReadSequence(id, std::move(threads));
    case NodeKind::kChoice:
      return ReadChoice(id, threads);
    case NodeKind::kRepeat:
      return ReadRepeat(id, std::move(threads));
    case NodeKind::kLook:
      return ReadLook(id, threads);
    case NodeKind::kAhead: {
      for (Thread& thread : threads) {
        const Edge next = Both(tree_.EdgeOf(thread.next), tree_.EdgeOf(node.edge));
        if (next.chars.IsEmpty() && next.last.IsEmpty() && !next.limit) continue;
        thread.next = tree_.Intern(next);
        out.push_back(std::move(thread));
      }
      return Merged(std::move(out));
    }
    case NodeKind::kBehind: {
      const Edge& edge = tree_.EdgeOf(node.edge);
      for (const Thread& thread : threads) {
        DECANT_CHECKED(LookBehind(edge, thread.segments.size() - 1, thread, out));
      }
      return Merged(std::move(out));
    }
    default:
      return threads;
  }
}

Result<Translation::Threads> Translation::ReadSequence(NodeId id, Threads threads) {
  const std::vector<NodeId> children = tree_[id].children;
  for (std::size_t i = 0; i < children.size() && !threads.empty();) {
    std::size_t end = i;
    while (end < children.size() && tree_[children[end]].plain) ++end;
    const NodeId part = end > i ? tree_.Sequence(std::span(children).subspan(i, end - i)) : children[i];
    DECANT_TRY(threads, Read(part, std::move(threads)));
    i = std::max(end, i + 1);
  }
  return threads;
}

Result<Translation::Threads> Translation::ReadChoice(NodeId id, const Threads& threads) {
  std::vector<NodeId> plain, others;
  for (const NodeId child : tree_[id].children) (tree_[child].plain ? plain : others).push_back(child);
  if (!plain.empty()) others.push_back(tree_.Choice(plain));
  Threads out;
  for (const NodeId child : others) {
    DECANT_TRY(Threads more, Read(child, threads));
    std::ranges::move(more, std::back_inserter(out));
  }
  return Merged(std::move(out));
}

Result<Translation::Threads> Translation::ReadRepeat(NodeId id, Threads threads) {
  const Node node = tree_[id];
  const NodeId child = node.children[0];
  const bool has_text = tree_[child].longest > 0;
  // Twice the same assertions at one place say no more than once.
  const std::uint64_t most = has_text ? node.most : 1;
  const std::uint64_t least = has_text ? node.least : std::min<std::uint64_t>(node.least, 1);
  if (!tree_[child].local && most > 1) {
    DECANT_TRY(std::optional<Threads> tempered, ReadTempered(id, threads));
    if (tempered.has_value()) return *std::move(tempered);
  }
  const bool loops = most == kUnbounded || (tree_[child].local && most > kMostCopies);
  if ((most != kUnbounded && most > kMostCopies) || least > kMostCopies || (loops && !tree_[child].local)) {
    return Unsupported(tree_[child].local ? "an assertion inside a repetition of more than 64 copies"
                                          : "look-around inside a repetition that cannot be written without it",
                       node.column);
  }
  for (std::uint64_t i = 0; i < least; ++i) {
    DECANT_TRY(threads, Read(child, std::move(threads)));
  }
  if (most == kUnbounded) return ReadLoop(child, node.column, threads);
  Threads out = threads;
  for (std::uint64_t i = least; i < most && !threads.empty(); ++i) {
    DECANT_TRY(threads, Read(child, std::move(threads)));
    out.insert(out.end(), threads.begin(), threads.end());
  }
  return Merged(std::move(out));
}

Result<Translation::Threads> Translation::ReadLook(NodeId id, const Threads& threads) {
  const Node node = tree_[id];
  const NodeId body = node.children[0];
  const bool ahead = node.look == LookKind::kAhead || node.look == LookKind::kNotAhead;
  const bool negated = node.look == LookKind::kNotAhead || node.look == LookKind::kNotBehind;
  const auto asked = [&](EdgeId left) -> Result<Expr> {
    if (const auto known = looks_.find({id, left}); known != looks_.end()) return known->second;
    DECANT_TRY(const Expr texts, ahead ? Ahead(body, left) : Behind(body, node.column));
    const Expr expr = negated ? pool_.Complement(texts) : texts;
    looks_.emplace(std::pair(id, left), expr);
    return expr;
  };
  Threads out;
  if (!ahead) {
    DECANT_TRY(const Expr behind, asked(kAnyEdge));
    for (const Thread& thread : threads) DECANT_CHECKED(LookFarBehind(id, behind, thread, out));
    return Merged(std::move(out));
  }
  const std::vector<EdgeId> kinds = KindsBefore(body);
  for (const Thread& thread : threads) {
    DECANT_TRY(auto split, Split(thread, kinds));
    for (auto& [left, parts] : split) {
      DECANT_TRY(const Expr expr, asked(left));
      for (Thread& part : parts) {
        LookAhead(expr, part);
        out.push_back(std::move(part));
      }
    }
  }
  return Merged(std::move(out));
}

Result<void> Translation::Append(NodeId texts, const Thread& thread, Threads& to) {
  if (texts == tree_.Never()) return {};
  const auto add = [&](NodeId part, EdgeId next) {
    if (part == tree_.Never()) return;
    Thread moved = thread;
    moved.segments.back().texts = Joined(thread.segments.back().texts, part);
    moved.next = next;
    to.push_back(std::move(moved));
  };
  if (thread.next == kAnyEdge) {
    add(texts, kAnyEdge);
    return {};
  }
  const Edge& edge = tree_.EdgeOf(thread.next);
  add(texts_.StartingIn(texts, edge.chars), kAnyEdge);
  if (!edge.last.IsEmpty()) {
    const std::optional<CharSet> characters = texts_.Characters(texts);
    if (!characters.has_value()) return TooManyAssertions();
    add(tree_.Set(characters->Intersect(edge.last)), tree_.Intern(kTextLimit));
  }
  if (tree_[texts].shortest == 0) add(tree_.Empty(), thread.next);
  return {};
}

NodeId Translation::Joined(NodeId texts, NodeId more) {
  if (EndsInAnyText(tree_, texts)) more = BesideAnyText(tree_, more, Side::kRight);
  if (more == tree_.AnyText()) texts = BesideAnyText(tree_, texts, Side::kLeft);
  return tree_.Sequence(std::array{texts, more});
}

// The thread where the character before this place is of the edge. `segment`: the last one that is not known to be
// empty.
Result<void> Translation::LookBehind(const Edge& edge, std::size_t segment, const Thread& thread, Threads& to) {
  const NodeId texts = thread.segments[segment].texts;
  const auto add = [&](NodeId cut) {
    if (cut == tree_.Never()) return;
    to.push_back(thread);
    to.back().segments[segment].texts = cut;
  };
  add(texts_.EndingIn(texts, edge.chars));
  if (tree_[texts].shortest > 0) return {};
  if (segment > 0) {
    Thread empty = thread;
    empty.segments[segment].texts = tree_.Empty();
    return LookBehind(edge, segment - 1, empty, to);
  }
  const Edge& left = tree_.EdgeOf(thread.left);
  const Edge both = Both(left, edge);
  if (both.chars.IsEmpty() && !both.limit) return {};
  if (!edge.chars.Covers(left.chars) || (left.limit && !edge.limit)) {
    return Unsupported("an assertion about what stands before, at the start of a look-ahead", 1);
  }
  add(tree_.Empty());
  return {};
}

Result<void> Translation::LookFarBehind(NodeId look, Expr behind, const Thread& thread, Threads& to) {
  const Node& body = tree_[tree_[look].children[0]];
  std::size_t segment = thread.segments.size() - 1;
  while (segment > 0 && thread.segments[segment].texts == tree_.Empty()) --segment;
  const NodeId texts = thread.segments[segment].texts;
  const Edge& left = tree_.EdgeOf(thread.left);
  const bool from_start = segment == 0 && left.chars.IsEmpty() && left.limit;
  if (!from_start && !(body.plain && body.longest <= tree_[texts].shortest)) {
    return Unsupported("a look-behind that may reach back before a look-ahead", tree_[look].column);
  }
  const Expr cut = pool_.Intersect(texts_.ExprOf(texts), behind);
  if (cut == kNothing) return {};
  std::uint64_t shortest = tree_[texts].shortest;
  if (shortest == 0 && !pool_.IsNullable(cut)) shortest = 1;
  const NodeId opaque = tree_.Opaque(cut, shortest, tree_[texts].longest);
  to.push_back(thread);
  to.back().segments[segment].texts = opaque;
  return {};
}

void Translation::LookAhead(Expr ahead, Thread& thread) {
  Segment& last = thread.segments.back();
  const Node& texts = tree_[last.texts];
  if (texts.kind == NodeKind::kEmpty) {
    last.ahead = last.ahead.has_value() ? pool_.Intersect(*last.ahead, ahead) : ahead;
  } else if (tree_.has_behind() && thread.segments.size() == 1 && texts.shortest == texts.longest) {
    // The place is the same in every text, so the text as a whole can be asked, and the texts stay whole for
    // look-behind.
    const Expr whole = pool_.Concat(texts_.ExprOf(last.texts), ahead);
    thread.filter = thread.filter.has_value() ? pool_.Intersect(*thread.filter, whole) : whole;
  } else {
    thread.segments.push_back({.texts = tree_.Empty(), .ahead = ahead});
  }
}

Result<Expr> Translation::Ahead(NodeId body, EdgeId left) {
  DECANT_TRY(Threads threads, Read(body, {Start(tree_.Empty(), left)}));
  return Finish(std::move(threads), RegexMatch::kSearch);
}

Result<Expr> Translation::Behind(NodeId body, std::uint32_t column) {
  DECANT_TRY(Threads threads, Read(body, {Start(tree_.AnyText(), tree_.Intern(kTextLimit))}));
  for (const Thread& thread : threads) {
    if (thread.next != kAnyEdge || thread.filter.has_value() || thread.segments.size() > 1 ||
        thread.segments[0].ahead.has_value()) {
      return Unsupported("a look-ahead inside a look-behind", column);
    }
  }
  return Finish(std::move(threads), RegexMatch::kWhole);
}

Result<Expr> Translation::Finish(Threads threads, RegexMatch match) {
  if (match == RegexMatch::kSearch) {
    Threads more;
    for (const Thread& thread : threads) DECANT_CHECKED(Append(tree_.AnyText(), thread, more));
    threads = Merged(std::move(more));
  }
  std::erase_if(threads, [this](const Thread& thread) { return !tree_.EdgeOf(thread.next).limit; });
  for (Thread& thread : threads) thread.next = kAnyEdge;
  Expr all = kNothing;
  for (const Thread& thread : Merged(std::move(threads))) {
    Expr rest = kEmptyText;
    for (std::size_t i = thread.segments.size(); i-- > 0;) {
      if (tree_[thread.segments[i].texts].weight > first_size_ + kMostWeight) return TooManyAssertions();
      rest = pool_.Concat(texts_.ExprOf(thread.segments[i].texts), rest);
      if (thread.segments[i].ahead.has_value()) rest = pool_.Intersect(rest, *thread.segments[i].ahead);
    }
    if (thread.filter.has_value()) rest = pool_.Intersect(rest, *thread.filter);
    all = pool_.Union(all, rest);
  }
  return all;
}

// One of the sequences, with what they begin with in common written once: derivatives of the whole would visit each
// copy.
NodeId Translation::Factored(std::vector<NodeId> ways) {
  std::ranges::sort(ways);
  ways.erase(std::ranges::unique(ways).begin(), ways.end());
  if (ways.size() == 1) return ways[0];
  const auto parts_of = [this](const NodeId& id) {
    const Node& node = tree_[id];
    const bool is_sequence = node.kind == NodeKind::kSequence && !node.atomic;
    return is_sequence ? std::span<const NodeId>(node.children) : std::span(&id, 1);
  };
  std::map<NodeId, std::vector<NodeId>> by_first;
  for (const NodeId way : ways) by_first[parts_of(way).front()].push_back(way);
  std::vector<NodeId> choices;
  for (auto& [first, group] : by_first) {
    if (group.size() == 1) {
      choices.push_back(group[0]);
      continue;
    }
    const auto whole = parts_of(group[0]);
    std::vector<NodeId> factored(whole.begin(), whole.end());
    for (const NodeId way : group) {
      const auto parts = parts_of(way);
      const auto end = std::ranges::mismatch(factored, parts).in1;
      factored.erase(end, factored.end());
    }
    const std::size_t common = factored.size();
    for (NodeId& way : group) {
      const auto parts = parts_of(way);
      const std::vector<NodeId> rest(parts.begin() + static_cast<std::ptrdiff_t>(common), parts.end());
      way = tree_.Sequence(rest);
    }
    factored.push_back(Factored(std::move(group)));
    choices.push_back(tree_.Sequence(factored));
  }
  return tree_.Choice(choices);
}

Translation::Threads Translation::Merged(Threads threads) {
  if (threads.size() < 2) return threads;
  std::map<std::vector<std::uint32_t>, std::pair<std::size_t, std::vector<NodeId>>> groups;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const auto number = [](const std::optional<Expr>& expr) {
      return expr.has_value() ? static_cast<std::uint32_t>(*expr) : std::numeric_limits<std::uint32_t>::max();
    };
    const Thread& thread = threads[i];
    std::vector<std::uint32_t> key = {static_cast<std::uint32_t>(thread.next), static_cast<std::uint32_t>(thread.left),
                                      number(thread.filter)};
    for (const Segment& segment : thread.segments) {
      const bool is_last = &segment == &thread.segments.back();
      if (!is_last) key.push_back(static_cast<std::uint32_t>(segment.texts));
      key.push_back(number(segment.ahead));
    }
    auto& group = groups.try_emplace(std::move(key), i, std::vector<NodeId>{}).first->second;
    group.second.push_back(thread.segments.back().texts);
  }
  Threads merged;
  for (auto& [key, group] : groups) {
    threads[group.first].segments.back().texts = Factored(std::move(group.second));
    merged.push_back(std::move(threads[group.first]));
  }
  return merged;
}

}  // namespace decant::grammar
