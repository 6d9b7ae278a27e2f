// What can still be met: satisfiability of values and of open containers, as a least fixed point over the recursion of
// the schema.
//
// An open container can be completed when it may end here, or when some next member leads to one that can: its
// derivative by that member is a formula of the member's value (kChild) and of the rest. Disjunctions are taken apart
// only here and in projection.cc, one branch after the other, and everything found is remembered.
#include <algorithm>
#include <iterator>

#include "grammar/json/rules_parts.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kDeepest = 1500;  // questions within questions

// Those that do come first; each keeps its place otherwise.
std::vector<Formula> InOrder(std::span<const Formula> formulas, const auto& is_first) {
  std::vector<Formula> first, rest;
  for (const Formula f : formulas) (is_first(f) ? first : rest).push_back(f);
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

}  // namespace

// The question was given up: what cannot be shown to be impossible counts as possible.
bool JsonRules::Parts::GivesUp() {
  if (++work <= options.budget && depth < kDeepest) return false;
  assumed = true;
  return true;
}

bool JsonRules::Parts::CanMeetAs(Formula value, ValueKind kind) {
  const Formula f = Restrict(value, kind);
  if (f == kNever) return false;
  switch (kind) {
    case ValueKind::kNumber:
      return !NumbersOf(f).IsEmpty();
    case ValueKind::kString: {
      const std::optional<bool> has = exprs->HasText(StringsOf(f), {});
      if (!has.has_value()) assumed = true;
      return has.value_or(true);
    }
    case ValueKind::kArray:
    case ValueKind::kObject:
      return CanEnd(Begun(f), kind);
    default:
      return f == kAlways;
  }
}

// Answers a question that may lead back to itself. In progress, its answer is "no" for now: what exists only by itself
// does not exist. A "no" that rests on that holds only within the question that was met, so it is not remembered.
template <class Ask>
bool JsonRules::Parts::Asked(std::uint64_t question, Formula f, ByFormula<bool>& known, const Ask& ask) {
  if (const auto it = known.find(f); it != known.end()) return it->second;
  if (const auto it = in_progress.find(question); it != in_progress.end()) {
    circle = std::min(circle, it->second);
    return false;
  }
  const Depth deeper(depth);
  if (GivesUp()) return true;
  in_progress.emplace(question, depth);
  const OpenQuestion open(circle, assumed);
  const bool can = ask();
  in_progress.erase(question);
  if (can || circle >= depth) circle = kNoCircle;
  if (!assumed && circle == kNoCircle) known.emplace(f, can);
  return can;
}

bool JsonRules::Parts::CanMeet(Formula value) {
  if (value == kNever || value == kAlways) return value == kAlways;
  return Asked(Paired(value, 0), value, can_meet, [&] {
    // Subschemas that say the same are one formula.
    if (pool[value].op == Op::kSchema) return CanMeet(Expand(static_cast<SchemaId>(pool[value].x)));
    for (int kind = 0; kind < 7; ++kind) {
      if (CanMeetAs(value, static_cast<ValueKind>(kind))) return true;
    }
    return false;
  });
}

bool JsonRules::Parts::CanEnd(Formula f, ValueKind kind) {
  if (f == kNever) return false;
  if (HoldsAtEnd(f)) return true;
  // Used names are no part of the question: with more of them nothing more is possible.
  return Asked(Paired(WithoutUsed(f), 1), f, can_end, [&] { return CanEndSome(f, kind); });
}

Formula JsonRules::Parts::WithoutUsed(Formula f) {
  const std::span<const Formula> parts = ConjunctsOf(pool, f);
  const auto is_used = [&](Formula part) { return pool[part].op == Op::kUsed; };
  if (std::ranges::none_of(parts, is_used)) return f;
  std::vector<Formula> rest(parts.begin(), parts.end());
  std::erase_if(rest, is_used);
  return pool.And(rest);
}

// A disjunction or a part of a conjunction that is none of facets taken apart: what stands beside it, and its branches.
// Nothing where a conjunction of facets and of their negations is left.
std::optional<JsonRules::Parts::Split> JsonRules::Parts::SplitOf(Formula f) {
  Split split;
  Formula any = f;
  if (pool[f].op != Op::kOr) {
    const std::span<const Formula> parts = ConjunctsOf(pool, f);
    const auto at = std::ranges::find_if(parts, [&](Formula part) { return !IsLiteral(pool, part); });
    if (at == parts.end()) return std::nullopt;
    const Formula chosen = *at;
    std::vector<Formula> rest(parts.begin(), parts.end());
    std::erase(rest, chosen);
    any = pool[chosen].op == Op::kOr ? chosen : Opened(pool, chosen);
    split.others = pool.And(rest);
  }
  if (pool[any].op != Op::kOr) {
    split.branches = {any};
    return split;
  }
  // Branches that would hold as it stands come first: they need the least.
  split.branches = InOrder(pool[any].children, [&](Formula branch) { return HoldsAtEnd(branch); });
  return split;
}

bool JsonRules::Parts::CanEndSome(Formula f, ValueKind kind) {
  if (kind == ValueKind::kObject && pool[f].op != Op::kOr && OutnumbersExcluded(f)) return true;
  if (const std::optional<Split> split = SplitOf(f)) {
    return std::ranges::any_of(split->branches,
                               [&](Formula branch) { return CanEnd(pool.And(split->others, branch), kind); });
  }
  return kind == ValueKind::kArray ? CanEndArray(f) : CanEndObject(f);
}

// A conjunction of facets from which f follows and that can be completed, where CanEnd says that f can be.
Formula JsonRules::Parts::BranchThatEnds(Formula f, ValueKind kind) {
  while (const std::optional<Split> split = SplitOf(f)) {
    Formula next = f;
    for (const Formula branch : split->branches) {
      next = pool.And(split->others, branch);
      if (CanEnd(next, kind)) break;
    }
    f = next;
  }
  return f;
}

bool JsonRules::Parts::CanEndArray(Formula f) {
  std::uint64_t least = 0, most = kUnbounded, prefix = 0;
  std::optional<Formula> unique;
  for (const Formula part : ConjunctsOf(pool, f)) {
    const FormulaNode& node = pool[part];
    if (node.op == Op::kMinItems) least = node.x;
    if (node.op == Op::kMaxItems) most = node.x;
    if (node.op == Op::kItems) prefix = std::max<std::uint64_t>(prefix, item_tables[node.x].prefix.size() - node.y);
    if (node.op == Op::kContains) prefix = std::max(prefix, std::min<std::uint64_t>(contains[node.x].least, 64));
    if (node.op == Op::kUnique) unique = part;
  }
  if (least > most || (unique.has_value() && !CanContainDifferent(f, *unique))) return false;
  if (unique.has_value() && least > prefix) {
    // Enough different items? Those past the prefix all meet the same.
    Formula steady = f;
    for (std::uint64_t i = 0; i < prefix && steady != kNever; ++i) steady = AfterItem(SettledUnique(steady));
    const Formula item = Projected(AfterItem(SettledUnique(steady)), ValueKind::kArray);
    if (CardinalityAtMost(item, least - prefix) < least - prefix) return false;
  }
  // Far from the least number of items nothing changes but the count.
  const std::uint64_t enough = prefix + 3;
  if (least > enough) {
    std::vector<Formula> parts;
    for (const Formula part : ConjunctsOf(pool, f)) {
      const Op op = pool[part].op;
      if (op != Op::kMinItems && op != Op::kMaxItems) parts.push_back(part);
    }
    parts.push_back(pool.Facet(Op::kMinItems, enough));
    if (most != kUnbounded) parts.push_back(pool.Facet(Op::kMaxItems, most - (least - enough)));
    return CanEnd(pool.And(parts), ValueKind::kArray);
  }
  return CanPass(AfterItem(f), ValueKind::kArray);
}

// Whether there are as many different items as have to be contained. Which places they may take is not asked.
bool JsonRules::Parts::CanContainDifferent(Formula f, Formula unique) {
  constexpr std::uint64_t kMostCounted = 1000;
  const std::uint64_t set = pool[unique].x;
  Formula item = kAlways;
  for (const Formula part : ConjunctsOf(pool, f)) {
    const FormulaNode node = pool[part];
    const bool is_steady = node.op == Op::kItems && node.y == item_tables[node.x].prefix.size();
    if (is_steady) item = pool.And(item, item_tables[node.x].rest);
  }
  const std::vector<Formula> parts(ConjunctsOf(pool, f).begin(), ConjunctsOf(pool, f).end());
  return std::ranges::all_of(parts, [&](Formula part) {
    if (pool[part].op != Op::kContains) return true;
    const ContainsRule& rule = contains[pool[part].x];
    const std::uint64_t least = std::min(rule.least, kMostCounted);
    if (least == 0) return true;
    const Formula other = value_sets[set].canonical.empty() ? kAlways : pool.Facet(Op::kDiffers, set);
    return CardinalityAtMost(pool.And({item, rule.item, other}), least) >= least;
  });
}

// For questions about the future, whatever the items will be.
Formula JsonRules::Parts::SettledUnique(Formula f) {
  ByFormula<Formula> memo;
  return Rebuild(
      f,
      [&](const FormulaNode& node) -> std::optional<Formula> {
        if (node.op == Op::kPending) return pool.Facet(Op::kUnique, node.x);
        if (node.op == Op::kChild) return kAlways;
        return std::nullopt;
      },
      memo);
}

// The keys of which one has to come so that a conjunction of facets, which does not hold as it stands, can: the fewest
// that one of its parts asks for. All that is asked for will come, and in which order does not matter.
std::vector<KeyClass> JsonRules::Parts::KeysAskedFor(Formula f) {
  std::optional<std::vector<NameId>> fewest;
  std::span<const NameId> gone;
  const auto ask = [&fewest](std::vector<NameId> any_of) {
    if (!fewest.has_value() || any_of.size() < fewest->size()) fewest = std::move(any_of);
  };
  for (const Formula part : ConjunctsOf(pool, f)) {
    const FormulaNode& node = pool[part];
    if (node.op == Op::kUsed) gone = name_lists[node.x];
    if (node.op == Op::kRequired) ask({name_lists[node.x].front()});
    if (node.op == Op::kHas) ask({static_cast<NameId>(node.x)});
    if (node.op != Op::kNot || pool[node.children[0]].op != Op::kMembers) continue;
    // A member that breaks the table's rules.
    const MemberTable& table = member_tables[pool[node.children[0]].x];
    if (!table.patterns.empty() || table.additional.value_or(kAlways) != kAlways) continue;
    std::vector<NameId> breaking;
    for (const auto& [name, formula] : table.names) {
      if (formula != kAlways) breaking.push_back(name);
    }
    ask(std::move(breaking));
  }
  std::vector<KeyClass> keys;
  const auto add_names = [&](std::span<const NameId> of) {
    for (const NameId name : of) {
      if (!std::ranges::binary_search(gone, name)) keys.push_back(ClassOfName(name));
    }
  };
  if (fewest.has_value()) {
    add_names(*fewest);
    return keys;
  }
  const KeyFacets& facets = FacetsOf(f);
  add_names(facets.names);
  for (const auto& [language, key_class] : OtherKeys(facets)) keys.push_back(key_class);
  return keys;
}

// With the item under way among those that others have to differ from; null: with one that no other place asks for.
Formula JsonRules::Parts::WithItem(Formula after, const std::string* canonical) {
  ByFormula<Formula> memo;
  return Rebuild(
      after,
      [&](const FormulaNode& node) -> std::optional<Formula> {
        if (node.op != Op::kPending) return std::nullopt;
        if (canonical == nullptr) return pool.Facet(Op::kUnique, node.x);
        ValueSet set = value_sets[node.x];
        const auto at = std::ranges::lower_bound(set.canonical, *canonical);
        if (at != set.canonical.end() && *at == *canonical) return kNever;
        set.canonical.insert(at, *canonical);
        return pool.Facet(Op::kUnique, value_sets.Id(std::move(set)));
      },
      memo);
}

// If the item is that value.
Formula JsonRules::Parts::WithItemOf(Formula after, const std::string& canonical) {
  const Formula is_it = pool.Facet(Op::kAmong, value_sets.Id(ValueSet{.canonical = {canonical}}));
  return pool.And(ChildFacet(is_it), WithItem(after, &canonical));
}

bool JsonRules::Parts::CanEndObject(Formula f) {
  if (const PlainObject* const plain = PlainOf(f)) return CanEndPlain(f, *plain);
  std::uint64_t least = 0, most = kUnbounded;
  std::set<NameId> needed;
  std::vector<NameId> used;
  for (const Formula part : ConjunctsOf(pool, f)) {
    const FormulaNode& node = pool[part];
    if (node.op == Op::kMinMembers) least = node.x;
    if (node.op == Op::kMaxMembers) most = node.x;
    if (node.op == Op::kUsed) used = name_lists[node.x];
    if (node.op == Op::kRequired) needed.insert(name_lists[node.x].begin(), name_lists[node.x].end());
  }
  if (std::max<std::uint64_t>(least, needed.size()) > most) return false;
  const auto may_come = [&](KeyClass key_class) { return AfterKey(f, key_class) != kNever; };
  if (least > 1 && !HasKeys(f, used, least, may_come)) return false;
  return std::ranges::any_of(KeysAskedFor(f), [&](KeyClass key_class) { return CanStepTo(f, key_class); });
}

// Whether a key may come next at all.
bool JsonRules::Parts::CanTake(Formula need, KeyClass key_class) {
  if (pool[need].op == Op::kOr) {
    const std::vector<Formula> branches(pool[need].children.begin(), pool[need].children.end());
    return std::ranges::any_of(branches, [&](Formula branch) { return CanTake(branch, key_class); });
  }
  const PlainObject* const plain = PlainOf(need);
  if (plain == nullptr) {
    const Excluding* const at = ExcludingOf(need);
    if (at == nullptr) return CanStepTo(need, key_class);
    return CanTake(at->facets, key_class) && (OutnumbersExcludedWith(*at, key_class) || CanStepTo(need, key_class));
  }
  const std::optional<NameId> name = shapes[static_cast<std::uint32_t>(key_class)].name;
  const bool is_needed = name.has_value() && std::ranges::binary_search(plain->needed, *name);
  if (name.has_value() && std::ranges::binary_search(plain->used, *name)) return false;
  if (plain->needed.size() + (is_needed ? 0 : 1) > plain->most) return false;
  return CanHold(*plain, key_class);
}

bool JsonRules::Parts::CanStepTo(Formula f, KeyClass key_class) {
  return CanPass(AfterKey(f, key_class), ValueKind::kObject);
}

// Whether some member lets the rest be completed: Projected, as a question that ends at the first branch that will do.
bool JsonRules::Parts::CanPass(Formula f, ValueKind kind) {
  const Sides of = SidesOf(f);
  if (!of.of_rest) return CanMeet(OfMember(f));
  if (!of.of_child && !of.of_pending) return CanEnd(f, kind);
  if (const auto it = can_pass.find(f); it != can_pass.end()) return it->second;
  const Depth deeper(depth);
  if (GivesUp()) return true;
  const OpenQuestion open(circle, assumed);
  const bool can = CanPassSome(f, kind);
  if (!assumed && (can || circle == kNoCircle)) can_pass.emplace(f, can);
  if (can) circle = kNoCircle;
  return can;
}

bool JsonRules::Parts::CanPassSome(Formula f, ValueKind kind) {
  if (SidesOf(f).of_pending) {
    const std::vector<std::string> needed = ValuesNeededLater(f);
    const Formula other =
        needed.empty() ? kAlways : pool.Facet(Op::kDiffers, value_sets.Id(ValueSet{.canonical = needed}));
    return CanPass(pool.And(ChildFacet(other), WithItem(f, nullptr)), kind) ||
           std::ranges::any_of(needed, [&](const std::string& value) { return CanPass(WithItemOf(f, value), kind); });
  }
  // Branches that the member alone can make true come first: the rest is free in them.
  const auto is_free = [&](Formula branch) {
    return !SidesOf(branch).of_rest || (pool[branch].op == Op::kNot && MemberPartOf(pool[branch].children[0]));
  };
  const auto any_of = [&](Formula any, Formula others) {
    return std::ranges::any_of(InOrder(pool[any].children, is_free),
                               [&](Formula b) { return CanPass(pool.And(others, b), kind); });
  };
  if (pool[f].op == Op::kOr) return any_of(f, kAlways);
  std::vector<Formula> member, rest, either, other;
  const std::vector<Formula> parts(ConjunctsOf(pool, f).begin(), ConjunctsOf(pool, f).end());
  for (const Formula part : parts) {
    const Sides of = SidesOf(part);
    if (!of.of_child || !of.of_rest) {
      (of.of_child ? member : rest).push_back(part);
      continue;
    }
    if (IsLiteral(pool, part)) {
      std::vector<Formula> children;
      ChildrenOf(part, children);
      const Formula child = ChildFacet(children.front());
      return CanPass(pool.And(child, Decided(f, {{children.front(), kAlways}})), kind) ||
             CanPass(pool.And(pool.Not(child), Decided(f, {{children.front(), kNever}})), kind);
    }
    (pool[part].op == Op::kOr ? either : other).push_back(part);
  }
  if (!either.empty()) {
    std::vector<Formula> others = parts;
    std::erase(others, either.front());
    return any_of(either.front(), pool.And(others));
  }
  if (!other.empty()) {
    if (MemberBreaks(other, member)) {
      const Formula free = pool.And(rest);
      if (CanMeet(OfMember(pool.And(member))) && CanEnd(free, kind)) return true;
    }
    const Formula asked = Projected(f, kind);
    return asked != kNever && CanMeet(asked);
  }
  return CanMeet(OfMember(pool.And(member))) && CanEnd(pool.And(rest), kind);
}

// What the member has to do so that it alone makes each of the negated conjunctions true, added to `member`. False
// where it cannot: the rest has to be looked at then.
bool JsonRules::Parts::MemberBreaks(const std::vector<Formula>& negations, std::vector<Formula>& member) {
  std::vector<Formula> broken;
  for (const Formula part : negations) {
    if (pool[part].op != Op::kNot) return false;
    const Formula inner = pool[part].children[0];
    if (pool[inner].op == Op::kOr) {
      broken.insert(broken.end(), pool[inner].children.begin(), pool[inner].children.end());
    } else {
      broken.push_back(inner);
    }
  }
  for (const Formula conjunction : broken) {
    const std::optional<Formula> part = MemberPartOf(conjunction);
    if (!part.has_value()) return false;
    member.push_back(pool.Not(*part));
  }
  return true;
}

// A part of a conjunction that only the member decides.
std::optional<Formula> JsonRules::Parts::MemberPartOf(Formula f) {
  const std::span<const Formula> parts = ConjunctsOf(pool, f);
  const auto at = std::ranges::find_if(parts, [&](Formula part) { return !SidesOf(part).of_rest; });
  return at == parts.end() ? std::nullopt : std::optional(*at);
}

// Exactly one of the formulas of a container, as a disjunction: each branch excludes only those that can hold beside
// it. A pair counts as exclusive only when that is certain.
Formula JsonRules::Parts::OneOf(const std::vector<Formula>& branches, ValueKind kind) {
  constexpr std::size_t kMostBranches = 128;
  const Formula one = pool.One(branches);
  if (pool[one].op != Op::kOne || pool[one].children.size() > kMostBranches) return one;
  const std::vector<Formula> all(pool[one].children.begin(), pool[one].children.end());
  std::vector<std::vector<Formula>> excluded(all.size());
  const std::size_t circle_before = circle;
  const bool assumed_before = assumed;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      circle = kNoCircle;
      assumed = false;
      if (!CanEnd(Begun(pool.And(all[i], all[j])), kind) && circle == kNoCircle && !assumed) continue;
      excluded[i].push_back(pool.Not(all[j]));
      excluded[j].push_back(pool.Not(all[i]));
    }
  }
  circle = circle_before;
  assumed = assumed_before;
  std::vector<Formula> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    excluded[i].push_back(all[i]);
    out.push_back(pool.And(excluded[i]));
  }
  return pool.Or(out);
}

KeyClass JsonRules::Parts::ClassOfName(NameId name) {
  while (class_of_name.size() <= name) {
    const auto next = static_cast<NameId>(class_of_name.size());
    class_of_name.push_back(KeyClass{shapes.Id(KeyShape{.name = next, .of = {}})});
  }
  return class_of_name[name];
}

// The keys that are none of the names, in parts: each part is in all of some of the languages and in none of the rest.
const std::vector<std::pair<Expr, KeyClass>>& JsonRules::Parts::OtherKeys(const KeyFacets& facets) {
  std::vector<NameId> sorted = facets.names;
  std::ranges::sort(sorted);
  Fingerprint key;
  for (const NameId name : sorted) key = Add(key, name);
  key = Add(key, ~std::uint64_t{0});
  for (const Expr language : facets.languages) key = Add(key, static_cast<std::uint64_t>(language));
  if (const auto it = other_keys.find(key); it != other_keys.end()) return it->second;
  std::vector<std::string> texts;
  for (const NameId name : facets.names) texts.push_back(names[name]);
  const auto less = [&](Expr from, Expr what) { return exprs->Intersect(from, exprs->Complement(what)); };
  Expr all = exprs->AnyText();
  if (!texts.empty()) all = less(all, exprs->Literals(std::move(texts)));
  std::vector<std::pair<Expr, std::vector<Expr>>> parts = {{all, {}}};
  const auto has_text = [&](Expr language) { return exprs->HasText(language, {}).value_or(true); };
  for (const Expr language : facets.languages) {
    std::vector<std::pair<Expr, std::vector<Expr>>> finer;
    for (auto& [part, of] : parts) {
      const Expr in = exprs->Intersect(part, language), out = less(part, language);
      if (has_text(in)) {
        finer.emplace_back(in, of);
        finer.back().second.push_back(language);
      }
      if (has_text(out)) finer.emplace_back(out, std::move(of));
    }
    parts = std::move(finer);
    if (parts.size() > 256) assumed = true;
  }
  std::vector<std::pair<Expr, KeyClass>> out;
  for (auto& [part, of] : parts) {
    std::ranges::sort(of);
    out.emplace_back(part, KeyClass{shapes.Id(KeyShape{.name = {}, .of = std::move(of)})});
  }
  return other_keys.emplace(key, std::move(out)).first->second;
}

}  // namespace decant::grammar
