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

bool JsonRules::Parts::IsMetBy(Formula value, std::string_view text) {
  return exprs->IsNullable(exprs->Next(StringsOf(Restrict(value, ValueKind::kString)), text));
}

std::uint64_t JsonRules::Parts::CountStrings(Formula value) {
  const Formula f = Restrict(value, ValueKind::kString);
  if (f == kNever || f == kAlways) return f == kNever ? 0 : kManyStrings;
  return exprs->CountTexts(StringsOf(f), kManyStrings, {.states = 100}).value_or(0);
}

std::vector<std::string> JsonRules::Parts::FewStrings(Formula value) {
  constexpr SearchBudget kQuick{.states = 100};
  constexpr std::size_t kFew = 32;
  for (int kind = 0; kind < 7; ++kind) {
    const auto other = static_cast<ValueKind>(kind);
    if (other != ValueKind::kString && Restrict(value, other) != kNever) return {};
  }
  const Expr language = StringsOf(Restrict(value, ValueKind::kString));
  if (const auto texts = exprs->ListedTexts(language)) {
    if (texts->size() > kFew) return {};
    return {texts->begin(), texts->end()};
  }
  if (exprs->CountTexts(language, 2, kQuick) != 1) return {};
  return {*exprs->ShortestText(language, kQuick)};
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

}  // namespace decant::grammar
