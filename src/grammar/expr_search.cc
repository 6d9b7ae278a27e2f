// Breadth-first walks over states: a shortest text, the number of texts, how long any text may go on.
#include "grammar/expr_search.h"

#include <algorithm>
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
    seen_.emplace(KeyOf(border[0]), true);
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
    for (int byte = 0; byte < 256; ++byte) {
      const auto b = static_cast<std::uint8_t>(byte);
      const int to = Utf8Step(place.utf8, b);
      if (to < 0) continue;
      const Expr next = stepper_.Step(place.e, b);
      if (next == kNothing) return false;
      const Place after{next, to};
      if (!seen_.try_emplace(KeyOf(after), true).second) continue;
      (to == 0 ? border : inside).push_back(after);
    }
    return true;
  }

  std::size_t states_, taken_ = 0;
  ExprStepper& stepper_;
  std::unordered_map<std::uint64_t, bool> seen_;
};

}  // namespace

std::optional<std::string> ShortestText(Expr e, std::size_t states, ExprStepper& stepper, const ExprStore& store) {
  struct Reached {
    Expr e;
    std::size_t from;
    std::uint8_t byte;
  };
  if (e == kNothing) return std::nullopt;
  std::vector<Reached> reached = {{e, 0, 0}};
  std::unordered_map<std::uint32_t, bool> seen = {{Id(e), true}};
  for (std::size_t i = 0; i < reached.size() && i < states; ++i) {
    if (store.node(reached[i].e).nullable) {
      std::string text;
      for (std::size_t at = i; at != 0; at = reached[at].from) text += static_cast<char>(reached[at].byte);
      std::ranges::reverse(text);
      return text;
    }
    for (const std::uint8_t byte : ClassBytes(reached[i].e, stepper)) {
      const Expr next = stepper.Step(reached[i].e, byte);
      if (next != kNothing && seen.try_emplace(Id(next), true).second) reached.push_back({next, i, byte});
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> CountTexts(Expr e, std::uint64_t most, std::size_t states, ExprStepper& stepper,
                                        const ExprStore& store) {
  const auto has_text = stepper.HasText(e, states);
  if (!has_text.has_value()) return std::nullopt;
  if (!*has_text || most == 0) return 0;
  const std::uint64_t before = stepper.undecided();
  bool exact = false;
  const std::uint64_t count = StateGraph(e, states, stepper).Count(most, store, &exact);
  if (stepper.undecided() != before) return std::nullopt;
  if (!exact && count < most) return std::nullopt;
  return count;
}

std::uint64_t FreeLength(Expr e, std::uint64_t most, std::size_t states, ExprStepper& stepper, const ExprStore& store) {
  if (e == store.any_text()) return kUnbounded;
  const ExprNode& n = store.node(e);
  if (n.kind == ExprKind::kRepeat && Expr{n.a} == store.any_code_point())
    return std::min(store.counts(n).most, store.counts(n).most == kUnbounded ? kUnbounded : most);
  if (e == kNothing || (n.within != 0 && (n.within & 1) == 0)) return 0;
  return FreeWalk(states, stepper).Run(e, most);
}

}  // namespace decant::grammar
