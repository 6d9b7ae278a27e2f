// Formulas of strings and numbers as languages and sets.
#include <algorithm>

#include "grammar/json/rules_parts.h"

namespace decant::grammar {
namespace {

// Folds a formula whose leaves are facets of one kind into a set of values. `Set` has the operations.
template <class Sets>
typename Sets::Set Fold(const FormulaPool& pool, Formula f, const Sets& sets) {
  if (f == kNever) return sets.None();
  if (f == kAlways) return sets.All();
  const FormulaNode& node = pool[f];
  using Set = typename Sets::Set;
  switch (node.op) {
    case Op::kNot:
      return sets.Complement(Fold(pool, node.children[0], sets));
    case Op::kAnd: {
      Set all = sets.All();
      for (const Formula part : node.children) all = sets.Intersect(all, Fold(pool, part, sets));
      return all;
    }
    case Op::kOr: {
      Set any = sets.None();
      for (const Formula part : node.children) any = sets.Unite(any, Fold(pool, part, sets));
      return any;
    }
    case Op::kOne: {
      Set once = sets.None(), any = sets.None();
      for (const Formula part : node.children) {
        const Set set = Fold(pool, part, sets);
        once = sets.Unite(sets.Intersect(once, sets.Complement(set)), sets.Intersect(set, sets.Complement(any)));
        any = sets.Unite(any, set);
      }
      return once;
    }
    default:
      return sets.Leaf(node);
  }
}

struct StringSets {
  using Set = Expr;
  ExprPool& exprs;
  Set None() const { return kNothing; }
  Set All() const { return exprs.AnyText(); }
  Set Complement(Set a) const {
    if (a == kNothing) return All();
    if (a == All()) return kNothing;
    return exprs.Intersect(All(), exprs.Complement(a));
  }
  Set Intersect(Set a, Set b) const { return a == All() ? b : b == All() ? a : exprs.Intersect(a, b); }
  Set Unite(Set a, Set b) const { return exprs.Union(a, b); }
  Set Leaf(const FormulaNode& node) const { return Expr{static_cast<std::uint32_t>(node.x)}; }
};

struct NumberSets {
  using Set = WrittenNumbers;
  const std::vector<WrittenNumbers>& sets;
  Set None() const { return Set(); }
  Set All() const { return Set(NumberSet::All()); }
  Set Complement(const Set& a) const { return a.Complement(); }
  Set Intersect(const Set& a, const Set& b) const { return a.Intersect(b); }
  Set Unite(const Set& a, const Set& b) const { return a.Unite(b); }
  Set Leaf(const FormulaNode& node) const { return sets[node.x]; }
};

}  // namespace

// REQUIRES: restricted to strings.
Expr JsonRules::Parts::StringsOf(Formula value) {
  if (const auto it = strings.find(value); it != strings.end()) return it->second;
  const Expr language = Fold(pool, value, StringSets{*exprs});
  strings.emplace(value, language);
  return language;
}

// Whatever the schema says, a number that readers would take for infinite, or refuse, is none. REQUIRES: restricted to
// numbers.
const WrittenNumbers& JsonRules::Parts::NumbersOf(Formula value) {
  std::unique_ptr<WrittenNumbers>& slot = numbers[value];
  if (slot == nullptr) {
    const WrittenNumbers all = Fold(pool, value, NumberSets{number_sets});
    slot = std::make_unique<WrittenNumbers>(all.Intersect(WrittenNumbers(NumberSet::Finite())));
  }
  return *slot;
}

bool JsonRules::Parts::MeetsLiteral(Formula value, ValueKind kind) { return Restrict(value, kind) == kAlways; }

// How many values meet it, counted no further than `most`. Of arrays and objects it says `most` where there is one: an
// upper bound.
std::uint64_t JsonRules::Parts::Cardinality(Formula value, std::uint64_t most) {
  const auto known = cardinalities.find(value);
  if (known != cardinalities.end() && (known->second.most >= most || known->second.count < known->second.most)) {
    return std::min(known->second.count, most);
  }
  const OpenQuestion open(circle, assumed);
  const std::uint64_t count = CountValues(value, most);
  if (!assumed && circle == kNoCircle) cardinalities[value] = {.count = count, .most = most};
  return count;
}

std::uint64_t JsonRules::Parts::CountValues(Formula value, std::uint64_t most) {
  std::uint64_t count = 0;
  for (const ValueKind kind : {ValueKind::kNull, ValueKind::kFalse, ValueKind::kTrue}) {
    if (MeetsLiteral(value, kind)) ++count;
  }
  const Formula number = Restrict(value, ValueKind::kNumber);
  if (count < most && number != kNever) count += NumbersOf(number).Count(most - count);
  const Formula string = Restrict(value, ValueKind::kString);
  if (count < most && string != kNever) {
    count += exprs->CountTexts(StringsOf(string), most - count, {.states = 2000}).value_or(most);
  }
  for (const ValueKind kind : {ValueKind::kArray, ValueKind::kObject}) {
    if (count < most && CanMeetAs(value, kind)) count = most;
  }
  return std::min(count, most);
}

}  // namespace decant::grammar
