// Breadth-first walks over states: a shortest text, the number of texts, how long any text may go on.
#include "grammar/expr_search.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

namespace decant::grammar {
namespace {

std::vector<std::uint8_t> ClassBytes(Expr e, ExprStepper& stepper) {
  const auto bytes = stepper.ClassBytes(e);
  return {bytes.begin(), bytes.end()};
}

std::uint64_t AddUpTo(std::uint64_t a, std::uint64_t b, std::uint64_t most) {
  return b >= most - std::min(a, most) ? most : a + b;
}
std::uint64_t TimesUpTo(std::uint64_t a, std::uint64_t b, std::uint64_t most) {
  return a != 0 && b > most / a ? most : std::min(a * b, most);
}

// Live states and the arcs between them, each standing for so many bytes.
class StateGraph {
 public:
  StateGraph(Expr e, std::size_t states, ExprStepper& stepper) {
    IndexOf(e);
    for (std::size_t i = 0; i < states_.size() && i < states; ++i) {
      const std::vector<std::uint8_t> bytes = ClassBytes(states_[i], stepper);
      const std::vector<std::uint16_t> sizes(stepper.ClassSizes(states_[i]).begin(),
                                             stepper.ClassSizes(states_[i]).end());
      arcs_.emplace_back();
      for (std::size_t c = 0; c < bytes.size(); ++c) {
        const Expr next = stepper.Step(states_[i], bytes[c]);
        if (next != kNothing) arcs_.back().push_back({IndexOf(next), sizes[c]});
      }
    }
  }

  // Texts from state 0 on, up to `most`; a state not looked into counts as one. `exact`: whether there are none such.
  std::uint64_t Count(std::uint64_t most, const ExprStore& store, bool* exact) const {
    *exact = arcs_.size() == states_.size();
    enum class Mark : std::uint8_t { kNew, kOpen, kDone };
    std::vector<Mark> marks(arcs_.size(), Mark::kNew);
    std::vector<std::uint64_t> counts(states_.size(), std::min<std::uint64_t>(1, most));
    std::vector<std::pair<std::size_t, std::size_t>> stack = {{0, 0}};  // state, next arc
    while (!stack.empty()) {
      auto& [state, arc] = stack.back();
      if (marks[state] == Mark::kNew) {
        marks[state] = Mark::kOpen;
        counts[state] = store.node(states_[state]).nullable ? std::min<std::uint64_t>(1, most) : 0;
      }
      if (arc == arcs_[state].size()) {
        for (const Arc& to : arcs_[state]) {
          counts[state] = AddUpTo(counts[state], TimesUpTo(counts[to.state], to.bytes, most), most);
        }
        marks[state] = Mark::kDone;
        stack.pop_back();
        continue;
      }
      const std::size_t to = arcs_[state][arc++].state;
      if (to >= arcs_.size()) continue;
      if (marks[to] == Mark::kOpen) return most;  // round and round, each time with a text at the end
      if (marks[to] == Mark::kNew) stack.emplace_back(to, 0);
    }
    return counts[0];
  }

 private:
  struct Arc {
    std::size_t state = 0;
    std::uint64_t bytes = 0;
  };

  std::size_t IndexOf(Expr e) {
    const auto [at, is_new] = index_.try_emplace(Id(e), states_.size());
    if (is_new) states_.push_back(e);
    return at->second;
  }

  std::vector<Expr> states_;
  std::vector<std::vector<Arc>> arcs_;  // of the states looked into
  std::unordered_map<std::uint32_t, std::size_t> index_;
};

// Walks all texts of UTF-8 at once, character by character.
class FreeWalk {
 public:
  FreeWalk(std::size_t states, ExprStepper& stepper) : states_(states), stepper_(stepper) {}

  std::uint64_t Run(Expr e, std::uint64_t most) {
    std::vector<Place> border = {{e, 0}};
    seen_.insert(KeyOf(border[0]));
    for (std::uint64_t length = 0;; ++length) {
      if (border.empty()) return kUnbounded;
      if (length == most) return most;
      std::vector<Place> next_border;
      for (std::vector<Place> level = std::move(border); !level.empty();) {
        std::vector<Place> inside;
        for (const Place& place : level) {
          if (!Expand(place, inside, next_border)) return length;
        }
        level = std::move(inside);
      }
      border = std::move(next_border);
    }
  }

 private:
  struct Place {
    Expr e;
    int utf8 = 0;
  };
  static std::uint64_t KeyOf(const Place& place) {
    return std::uint64_t{Id(place.e)} << 8 | static_cast<unsigned>(place.utf8);
  }

  // False when a byte that UTF-8 allows leads nowhere, or too much was looked at.
  bool Expand(const Place& place, std::vector<Place>& inside, std::vector<Place>& border) {
    if (++taken_ > states_) return false;
    int last_class = -1, last_to = -1;
    const std::uint8_t* const classes = stepper_.RowOf(place.e).byte_class;
    for (int byte = 0; byte < 256; ++byte) {
      const auto b = static_cast<std::uint8_t>(byte);
      const int to = Utf8Step(place.utf8, b);
      if (to < 0) continue;
      const int byte_class = classes[b];
      if (byte_class == last_class && to == last_to) continue;
      last_class = byte_class;
      last_to = to;
      const Expr next = stepper_.Step(place.e, b);
      if (next == kNothing) return false;
      const Place after{next, to};
      if (!seen_.insert(KeyOf(after)).second) continue;
      (to == 0 ? border : inside).push_back(after);
    }
    return true;
  }

  std::size_t states_, taken_ = 0;
  ExprStepper& stepper_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

std::optional<std::string> ExprSearch::ShortestText(Expr e, std::size_t states) {
  struct Reached {
    Expr e;
    std::size_t from;
    std::uint8_t byte;
  };
  if (stepper_.HasText(e, states) == false) return std::nullopt;
  std::vector<Reached> reached = {{e, 0, 0}};
  std::unordered_set<std::uint32_t> seen = {Id(e)};
  for (std::size_t i = 0; i < reached.size() && i < states; ++i) {
    if (store_.node(reached[i].e).nullable) {
      std::string text;
      for (std::size_t at = i; at != 0; at = reached[at].from) text += static_cast<char>(reached[at].byte);
      std::ranges::reverse(text);
      return text;
    }
    for (const std::uint8_t byte : ClassBytes(reached[i].e, stepper_)) {
      const Expr next = stepper_.Step(reached[i].e, byte);
      if (next != kNothing && seen.insert(Id(next)).second) reached.push_back({next, i, byte});
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ExprSearch::CountTexts(Expr e, std::uint64_t most, std::size_t states) {
  const auto has_text = stepper_.HasText(e, states);
  if (!has_text.has_value()) return std::nullopt;
  if (!*has_text || most == 0) return 0;
  const ExprNode& n = store_.node(e);
  if (n.kind == ExprKind::kLiterals) return std::min<std::uint64_t>(most, store_.range(n).high - store_.range(n).low);
  const std::uint64_t undecided = stepper_.undecided();
  bool exact = false;
  const std::uint64_t count = StateGraph(e, states, stepper_).Count(most, store_, &exact);
  if (stepper_.undecided() != undecided) return std::nullopt;
  if (!exact && count < most) return std::nullopt;
  return count;
}

std::uint64_t ExprSearch::FreeLengthByWalk(Expr e, std::uint64_t most, std::size_t states) {
  if (free_.contains(Id(e))) return kUnbounded;
  const std::uint64_t length = FreeWalk(states, stepper_).Run(e, most);
  if (length == kUnbounded) free_.insert(Id(e));
  return length;
}

std::uint64_t ExprSearch::FreeLength(Expr e, std::uint64_t most, std::size_t states) {
  const ExprNode& n = store_.node(e);
  if (n.has_text == Existence::kNo || (n.within != 0 && (n.within & 1) == 0)) return 0;
  if (const auto run = store_.AnyCharactersOf(e)) {
    return run->counts.most == kUnbounded ? kUnbounded : std::min(run->counts.most, most);
  }
  if (n.kind == ExprKind::kIntersection && n.b == 2) {
    // A number of characters and another language: what the other admits, as long as it can be completed in time.
    const std::array<Expr, 2> both = {store_.operands(n)[0], store_.operands(n)[1]};
    const auto bounded = store_.BoundedOf(both);
    const std::uint32_t rest = bounded ? content_.RestOf(bounded->other) : kEndless;
    if (rest != kEndless && rest <= bounded->run.counts.most) {
      const std::uint64_t inner = FreeLengthByWalk(bounded->other, most, states);
      const std::uint64_t bound = bounded->run.counts.most == kUnbounded ? kUnbounded : bounded->run.counts.most - rest;
      if (inner < most && inner <= bound) return inner;
      if (bound >= most) return inner == kUnbounded && bound == kUnbounded ? kUnbounded : most;
    }
  }
  return FreeLengthByWalk(e, most, states);
}

}  // namespace decant::grammar
