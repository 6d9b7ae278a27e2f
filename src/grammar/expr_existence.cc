// Whether an expression has a text. Without intersection and complement that is known from its making; with them it is
// a search through its derivatives, those that promise the shortest rest first.
#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "grammar/expr_stepper.h"

namespace decant::grammar {
namespace {

Existence AnyOf(Existence a, Existence b) {
  if (a == Existence::kYes || b == Existence::kYes) return Existence::kYes;
  if (a == Existence::kUnknown || b == Existence::kUnknown) return Existence::kUnknown;
  return a == Existence::kUndecided || b == Existence::kUndecided ? Existence::kUndecided : Existence::kNo;
}

Existence AllOf(Existence a, Existence b) {
  if (a == Existence::kNo || b == Existence::kNo) return Existence::kNo;
  if (a == Existence::kUnknown || b == Existence::kUnknown) return Existence::kUnknown;
  return a == Existence::kUndecided || b == Existence::kUndecided ? Existence::kUndecided : Existence::kYes;
}

}  // namespace

// From what is known of the parts; kUnknown where that does not tell.
Existence ExprStepper::ExistsByParts(Expr e) const {
  const ExprNode& n = store_.node(e);
  if (n.has_text != Existence::kUnknown) return n.has_text;
  const auto of = [this](Expr part) { return store_.node(part).has_text; };
  switch (n.kind) {
    case ExprKind::kConcat:
      return AllOf(of(Expr{n.a}), of(Expr{n.b}));
    case ExprKind::kRepeat:
      return of(Expr{n.a});
    case ExprKind::kUnion: {
      Existence any = Existence::kNo;
      for (const Expr part : store_.operands(n)) any = AnyOf(any, of(part));
      return any;
    }
    case ExprKind::kSwitch: {
      Existence any = Existence::kNo;
      for (const ExprStore::Arc& arc : store_.arcs(n)) any = AnyOf(any, of(arc.next));
      return any;
    }
    default:
      return Existence::kUnknown;
  }
}

Existence ExprStepper::Exists(Expr e, std::size_t states) {
  std::vector<Expr> stack = {e};
  while (!stack.empty()) {
    const Expr x = stack.back();
    Existence found = ExistsByParts(x);
    const ExprNode& n = store_.node(x);
    if (found == Existence::kUnknown) {
      const std::size_t size = stack.size();
      const auto look = [&](Expr part) {
        if (store_.node(part).has_text == Existence::kUnknown) stack.push_back(part);
      };
      if (n.kind == ExprKind::kConcat) look(Expr{n.b}), look(Expr{n.a});
      if (n.kind == ExprKind::kRepeat) look(Expr{n.a});
      if (n.kind == ExprKind::kUnion) std::ranges::for_each(store_.operands(n), look);
      if (n.kind == ExprKind::kSwitch) {
        for (const ExprStore::Arc& arc : store_.arcs(n)) look(arc.next);
      }
      if (stack.size() > size) continue;
      found = ExistsBySearch(x, states);
    }
    store_.SetExistence(x, found);
    stack.pop_back();
  }
  return store_.node(e).has_text;
}

class ExprStepper::Search {
 public:
  Search(ExprStore& store, ExprStepper& stepper) : store_(store), stepper_(stepper) {}

  Existence Run(Expr e, std::size_t states) {
    bool found = false;
    Push(e, kNoParent);
    for (std::size_t taken = 0; !found && !queue_.empty(); ++taken) {
      if (taken == states) return Existence::kUndecided;
      const std::size_t at = std::get<1>(queue_.top());
      queue_.pop();
      const std::vector<std::uint8_t> bytes = [&] {
        const auto span = stepper_.ClassBytes(seen_[at].e);
        return std::vector(span.begin(), span.end());
      }();
      for (std::size_t i = 0; i < bytes.size() && !found; ++i) {
        found = Consider(stepper_.Derive(seen_[at].e, bytes[i]), at);
      }
    }
    if (!found) {
      for (const Seen& seen : seen_) store_.SetExistence(seen.e, Existence::kNo);
    }
    return found ? Existence::kYes : Existence::kNo;
  }

 private:
  static constexpr std::size_t kNoParent = ~std::size_t{0};
  struct Seen {
    Expr e;
    std::size_t parent;
  };

  // Whether that settles it: a text was found.
  bool Consider(Expr e, std::size_t parent) {
    const Existence known = stepper_.ExistsByParts(e);
    if (known == Existence::kNo) return false;
    if (known == Existence::kYes) {
      for (; parent != kNoParent; parent = seen_[parent].parent) store_.SetExistence(seen_[parent].e, known);
      return true;
    }
    if (const ExprNode& n = store_.node(e); n.kind == ExprKind::kUnion) {
      for (std::size_t i = 0; i < store_.operands(store_.node(e)).size(); ++i) {
        if (Consider(store_.operands(store_.node(e))[i], parent)) return true;
      }
      return false;
    }
    Push(e, parent);
    return false;
  }

  void Push(Expr e, std::size_t parent) {
    if (!index_.try_emplace(Id(e), seen_.size()).second) return;
    queue_.emplace(store_.node(e).least, seen_.size());
    seen_.push_back({e, parent});
  }

  ExprStore& store_;
  ExprStepper& stepper_;
  std::vector<Seen> seen_;
  std::unordered_map<std::uint32_t, std::size_t> index_;
  std::priority_queue<std::pair<std::uint32_t, std::size_t>, std::vector<std::pair<std::uint32_t, std::size_t>>,
                      std::greater<>>
      queue_;  // least rest, index
};

Existence ExprStepper::ExistsBySearch(Expr e, std::size_t states) { return Search(store_, *this).Run(e, states); }

std::optional<bool> ExprStepper::HasText(Expr e, std::size_t states) {
  Existence found = Exists(e, states);
  if (found == Existence::kUndecided) {
    found = ExistsBySearch(e, states);
    store_.SetExistence(e, found);
  }
  if (found == Existence::kUndecided) return std::nullopt;
  return found == Existence::kYes;
}

Expr ExprStepper::Pruned(Expr e) {
  const ExprNode& n = store_.node(e);
  if (n.plain) return e;
  if (n.kind == ExprKind::kUnion) {
    std::vector<Expr> parts(store_.operands(n).begin(), store_.operands(n).end());
    const std::size_t count = parts.size();
    std::erase_if(parts, [this](Expr part) { return Pruned(part) == kNothing; });
    return parts.size() == count ? e : store_.Union(parts);
  }
  const bool news = n.has_text == Existence::kUnknown;
  const Existence found = Exists(e, states_a_step_);
  if (news && found == Existence::kUndecided) {
    ++undecided_;
    states_a_step_ = std::max<std::size_t>(states_a_step_ / 2, 256);  // many such steps must not take for ever
  }
  return found == Existence::kNo ? kNothing : e;
}

}  // namespace decant::grammar
