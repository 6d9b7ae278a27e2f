// What a derivative by a member leaves to that member: the formula its value has to meet so that the rest can be
// completed.
#include <algorithm>
#include <utility>

#include "grammar/json/rules_parts.h"

namespace decant::grammar {

JsonRules::Parts::Sides JsonRules::Parts::SidesOf(Formula f) {
  const auto index = static_cast<std::size_t>(f);
  if (index < sides.size() && sides[index].is_known) return sides[index];
  const FormulaNode node = pool[f];
  Sides out = {.is_known = true,
               .of_child = node.op == Op::kChild,
               .of_pending = node.op == Op::kPending,
               .of_rest = node.op > Op::kOne && node.op != Op::kChild};
  const auto add = [&](Formula part) {
    const Sides of = SidesOf(part);
    out.of_child = out.of_child || of.of_child;
    out.of_pending = out.of_pending || of.of_pending;
    out.of_rest = out.of_rest || of.of_rest;
  };
  for (const Formula part : node.children) add(part);
  if (node.op == Op::kOpenMembers || node.op == Op::kOpenItems) {
    for (const OpenSource& source : open_rules[node.x].sources) add(source.condition);
  }
  if (index >= sides.size()) sides.resize(pool.size() + pool.size() / 2);
  return sides[index] = out;
}

// A formula of kChild facets alone, as one of the member's value.
Formula JsonRules::Parts::OfMember(Formula f) {
  if (f == kNever || f == kAlways) return f;
  const FormulaNode node = pool[f];
  if (node.op == Op::kChild) return Formula{static_cast<std::uint32_t>(node.x)};
  return Mapped(node, [&](Formula part) { return OfMember(part); });
}

// What the member has to meet so that the rest can be completed: the formula with what is not the member's decided by
// whether it is possible. Exact: a disjunction beside a conjunction is distributed before that.
Formula JsonRules::Parts::Projected(Formula f, ValueKind kind) {
  const Sides of = SidesOf(f);
  if (!of.of_rest) return OfMember(f);
  if (!of.of_child && !of.of_pending) return CanEnd(f, kind) ? kAlways : kNever;
  if (const auto it = projected.find(f); it != projected.end()) return it->second;
  const Depth deeper(depth);
  if (GivesUp()) return kAlways;
  const OpenQuestion open(circle, assumed);
  const Formula out = ProjectedOf(f, kind);
  if (!assumed && circle == kNoCircle) projected.emplace(f, out);
  return out;
}

// By whether the member meets one formula that `part`, a part of f, depends on.
Formula JsonRules::Parts::ByCases(Formula f, Formula part, ValueKind kind) {
  std::vector<Formula> children;
  ChildrenOf(part, children);
  const Formula child = pool.Facet(Op::kChild, static_cast<std::uint64_t>(children.front()));
  return pool.Or(Projected(pool.And(child, Decided(f, {{children.front(), kAlways}})), kind),
                 Projected(pool.And(pool.Not(child), Decided(f, {{children.front(), kNever}})), kind));
}

// What each value that meets `met` makes of another formula; nothing where some meet it and some do not.
std::optional<bool> JsonRules::Parts::TruthOf(Formula other, Formula met) {
  if (!CanMeet(pool.And(met, other))) return false;
  return CanMeet(pool.And(met, pool.Not(other))) ? std::nullopt : std::optional(true);
}

void JsonRules::Parts::AddCase(const TruthCase& found, ValueKind kind, TruthCases& cases) {
  (CanEnd(found.rest, kind) ? cases.possible : cases.impossible).push_back(found.literals);
}

// The cases within one, by one formula of the member after the other; false when there are too many.
bool JsonRules::Parts::AddCasesOf(const TruthCase& whole, std::size_t most, ValueKind kind, TruthCases& cases) {
  std::vector<TruthCase> open = {whole};
  for (std::size_t taken = 0; !open.empty(); ++taken) {
    if (taken == most) return false;
    const TruthCase at = open.back();
    open.pop_back();
    std::vector<Formula> children;
    ChildrenOf(at.rest, children);
    if (children.empty()) {
      AddCase(at, kind, cases);
      continue;
    }
    // All that the literals decide is decided at once; and said, so that whoever asks sees it.
    const Formula child = *std::ranges::min_element(children);
    for (const bool is_met : {false, true}) {
      std::vector<Formula> parts = {at.literals, is_met ? child : pool.Not(child)};
      const Formula literals = pool.And(parts);
      if (!CanMeet(literals)) continue;
      ByFormula<Formula> truths = {{child, is_met ? kAlways : kNever}};
      for (const Formula other : children) {
        if (!is_met || other == child) continue;
        const std::optional<bool> decided = TruthOf(other, literals);
        if (!decided.has_value()) continue;
        truths.emplace(other, *decided ? kAlways : kNever);
        parts.push_back(*decided ? other : pool.Not(other));
      }
      open.push_back({.literals = pool.And(parts), .rest = Decided(at.rest, truths)});
    }
  }
  return true;
}

// By every combination of truths of the formulas of the member that a member can have; nothing when there are too many.
// Exclusive ones, such as the constants of a tag, have few however many branches ask for them.
std::optional<Formula> JsonRules::Parts::ByTruths(Formula f, Formula member_part, ValueKind kind) {
  const Formula member = OfMember(member_part);
  std::vector<Formula> children;
  ChildrenOf(f, children);
  // Independent ones have too many: better branch by branch.
  const std::size_t most = 4 * children.size() + 16;
  TruthCases cases;
  auto& [possible, impossible] = cases;

  // The values that some of them name.
  const NamedValues named = NamedBy(children);
  if (named.groups.size() > most) return std::nullopt;
  ByFormula<Formula> truths;
  std::size_t possible_group = 0;
  for (std::size_t group = 0; group < named.groups.size(); ++group) {
    for (std::size_t i = 0; i < children.size(); ++i) {
      truths[children[i]] = named.groups[group][i] ? kAlways : kNever;
    }
    const std::size_t before = possible.size();
    AddCase({.literals = LiteralsOf(named, group, children), .rest = Decided(f, truths)}, kind, cases);
    if (possible.size() > before) possible_group = group;
  }
  const std::size_t possible_groups = possible.size();

  // And the others.
  std::vector<Formula> parts = {member};
  truths.clear();
  for (std::size_t i = 0; i < named.is_naming.size(); ++i) {
    if (!named.is_naming[i]) continue;
    truths.emplace(children[i], kNever);
    parts.push_back(pool.Not(children[i]));
  }
  const Formula unnamed = pool.And(parts);
  if (named.count < CountStrings(member) || CanMeet(unnamed)) {
    if (!AddCasesOf({.literals = unnamed, .rest = Decided(f, truths)}, most, kind, cases)) return std::nullopt;
  }

  if (possible.empty()) return kNever;
  if (possible.size() == 1 && possible_groups == 1) {
    for (std::size_t i = 0; i < children.size(); ++i) {
      possible.push_back(named.groups[possible_group][i] ? children[i] : pool.Not(children[i]));
    }
    return pool.And(member, pool.And(possible));
  }
  // (Of a member that is asked about within its own question, what is impossible may be more than was found.)
  if (circle != kNoCircle || possible.size() <= impossible.size()) return pool.And(member, pool.Or(possible));
  return pool.And(member, pool.Not(pool.Or(impossible)));
}

// The formula once the member is known to meet these formulas, or not to.
Formula JsonRules::Parts::Decided(Formula f, const ByFormula<Formula>& truths) {
  ByFormula<Formula> memo;
  return Rebuild(
      f,
      [&](const FormulaNode& node) -> std::optional<Formula> {
        if (node.op != Op::kChild) return std::nullopt;
        const auto it = truths.find(Formula{static_cast<std::uint32_t>(node.x)});
        return it == truths.end() ? std::nullopt : std::optional(it->second);
      },
      memo);
}

Formula JsonRules::Parts::ProjectedOf(Formula f, ValueKind kind) {
  if (SidesOf(f).of_pending) {
    std::vector<std::string> values = ValuesNeededLater(f);
    std::erase_if(values, [&](const std::string& value) { return CanPass(WithItemOf(f, value), kind); });
    const Formula member = Projected(WithItem(f, nullptr), kind);
    if (values.empty()) return member;
    return pool.And(member, pool.Not(pool.Facet(Op::kAmong, value_sets.Id(ValueSet{.canonical = std::move(values)}))));
  }
  const FormulaNode node = pool[f];
  if (node.op == Op::kOr) {
    std::vector<Formula> branches;
    for (const Formula branch : node.children) {
      branches.push_back(Projected(branch, kind));
      if (branches.back() == kAlways) return kAlways;
    }
    return pool.Or(branches);
  }
  // A condition of kOpenMembers or kOpenItems depends on the member.
  if (IsLiteral(pool, f)) return ByCases(f, f, kind);
  if (node.op != Op::kAnd) return Projected(Opened(pool, f), kind);
  std::vector<Formula> member, rest, mixed;
  for (const Formula part : node.children) {
    const Sides of = SidesOf(part);
    (of.of_child && of.of_rest ? mixed : of.of_child ? member : rest).push_back(part);
  }
  const auto at = std::ranges::find_if(mixed, [&](Formula part) { return !IsLiteral(pool, part); });
  if (at == mixed.end()) {
    if (!mixed.empty()) return ByCases(f, mixed.front(), kind);
    return CanEnd(pool.And(rest), kind) ? OfMember(pool.And(member)) : kNever;
  }
  if (const std::optional<Formula> found = ByTruths(f, pool.And(member), kind)) return *found;
  const Formula chosen = *at;
  mixed.erase(at);
  const Formula branches = pool[chosen].op == Op::kOr ? chosen : Opened(pool, chosen);
  member.insert(member.end(), rest.begin(), rest.end());
  member.insert(member.end(), mixed.begin(), mixed.end());
  const Formula others = pool.And(member);
  if (pool[branches].op != Op::kOr) return Projected(pool.And(others, branches), kind);
  const std::vector<Formula> cases(pool[branches].children.begin(), pool[branches].children.end());
  std::vector<Formula> out;
  for (const Formula branch : cases) out.push_back(Projected(pool.And(others, branch), kind));
  return pool.Or(out);
}

}  // namespace decant::grammar
