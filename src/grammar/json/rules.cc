// The interface of JsonRules: what a place asks, and what follows from a member.
#include "grammar/json/rules.h"

#include <algorithm>
#include <utility>

#include "grammar/json/key_set.h"
#include "grammar/json/rules_parts.h"

namespace decant::grammar {
namespace {

// Whether f follows from the conjunction, as one or some of its parts.
bool IsIn(const FormulaPool& pool, Formula f, std::span<const Formula> conjunction) {
  return std::ranges::all_of(ConjunctsOf(pool, f),
                             [&](Formula part) { return std::ranges::binary_search(conjunction, part); });
}

}  // namespace

// An object of which some member more may be needed remembers the names that can serve only once: all of them where
// members are counted, and those of rules that may have to be broken.
Formula JsonRules::Parts::Begun(Formula f) {
  struct Seen {
    Formula formula;
    bool is_negated;
    auto operator<=>(const Seen&) const = default;
  };
  std::set<Seen> seen;
  std::vector<Seen> open = {{f, false}};
  std::vector<NameId> relevant;
  bool all = false, some = false;
  while (!open.empty() && !all) {
    const Seen at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const FormulaNode& node = pool[at.formula];
    const bool is_negated = at.is_negated || node.op == Op::kNot || node.op == Op::kOne;
    for (const Formula child : node.children) open.push_back({child, is_negated});
    all = node.op == Op::kMinMembers || (is_negated && (node.op == Op::kMaxMembers || node.op == Op::kOpenMembers));
    some = some || (is_negated && (node.op == Op::kMembers || node.op == Op::kNames));
    if (is_negated && node.op == Op::kMembers) {
      for (const auto& [name, unused] : member_tables[node.x].by_name) relevant.push_back(name);
    }
  }
  if ((!all && !some) || f == kNever) return f;
  std::ranges::sort(relevant);
  relevant.erase(std::ranges::unique(relevant).begin(), relevant.end());
  const std::uint64_t of = all ? kUnbounded : name_lists.Id(std::move(relevant));
  return pool.And(f, pool.Facet(Op::kUsed, name_lists.Id({}), of));
}

std::uint32_t JsonRules::Parts::PlaceOf(Residual residual) { return places.Id({residual.need, residual.watched}); }

MemberStep JsonRules::Parts::MakeStep(Formula need, std::vector<Formula> watched, ValueKind kind) {
  MemberStep step;
  work = 0;
  assumed = false;
  step.need_after = need;
  step.watched_after = std::move(watched);
  step.demand.need = need == kNever ? kNever : Projected(need, kind);
  step.is_possible = step.demand.need != kNever && CanMeet(step.demand.need);
  if (!step.is_possible) return step;
  std::vector<Formula> children;
  ChildrenOf(need, children);
  for (const Formula f : step.watched_after) ChildrenOf(f, children);
  std::ranges::sort(children);
  children.erase(std::ranges::unique(children).begin(), children.end());
  const std::span<const Formula> parts = ConjunctsOf(pool, step.demand.need);
  const std::vector<Formula> met(parts.begin(), parts.end());
  std::vector<Formula> open;
  for (const Formula child : children) {
    if (IsIn(pool, child, met)) {
      step.forced.emplace(child, true);
    } else if (IsIn(pool, pool.Not(child), met)) {
      step.forced.emplace(child, false);
    } else {
      open.push_back(child);
    }
  }
  step.demand.watched = pool.List(open);
  step.is_assumed = assumed;
  if (assumed) unproven.insert(step.demand.need);
  return step;
}

const MemberStep& JsonRules::Parts::StepTo(Residual residual, KeyClass key_class) {
  std::unique_ptr<MemberStep>& slot = member_steps[Paired(PlaceOf(residual), static_cast<std::uint32_t>(key_class))];
  if (slot == nullptr) {
    std::vector<Formula> watched;
    for (const Formula f : pool[residual.watched]) watched.push_back(AfterKey(f, key_class));
    MemberStep step = MakeStep(AfterKey(residual.need, key_class), std::move(watched), ValueKind::kObject);
    slot = std::make_unique<MemberStep>(std::move(step));
  }
  return *slot;
}

const MemberStep& JsonRules::Parts::StepToItem(Residual residual) {
  std::unique_ptr<MemberStep>& slot = item_steps[PlaceOf(residual)];
  if (slot == nullptr) {
    std::vector<Formula> watched;
    for (const Formula f : pool[residual.watched]) watched.push_back(AfterItem(f));
    slot = std::make_unique<MemberStep>(MakeStep(AfterItem(residual.need), std::move(watched), ValueKind::kArray));
    if (!CanAlwaysDiffer(slot->demand.need)) {
      slot->is_assumed = true;
      unproven.insert(slot->demand.need);
    }
  }
  return *slot;
}

// Whether an item can still be made different from many others, whatever it has been so far: a member of any name, or a
// further item, can be added up to its end.
bool JsonRules::Parts::CanAlwaysDiffer(Formula value) {
  for (const Formula part : ConjunctsOf(pool, value)) {
    if (pool[part].op != Op::kDiffers) continue;
    const ValueSet& set = value_sets[pool[part].x];
    if (IsLarge(set, ValueKind::kObject)) {
      const Formula object = Begun(Restrict(value, ValueKind::kObject));
      const PlainObject* const plain = PlainOf(object);
      const auto is_free = [&](const auto& other) { return CanHold(*plain, other.second); };
      if (object != kNever && (plain == nullptr || plain->most != kUnbounded ||
                               std::ranges::none_of(OtherKeys(FacetsOf(object)), is_free))) {
        return false;
      }
    }
    if (IsLarge(set, ValueKind::kArray)) {
      const Formula array = Restrict(value, ValueKind::kArray);
      const std::span<const Formula> parts = ConjunctsOf(pool, array);
      const bool is_bounded = std::ranges::any_of(parts, [&](Formula f) { return pool[f].op == Op::kMaxItems; });
      if (array != kNever && (is_bounded || !CanPass(AfterItem(array), ValueKind::kArray))) return false;
    }
  }
  return true;
}

Residual JsonRules::Parts::Finish(const MemberStep& step, const Truths& truths, std::string_view canonical) {
  ByFormula<bool> known = step.forced;
  const std::span<const Formula> open = pool[step.demand.watched];
  for (std::size_t i = 0; i < open.size(); ++i) known[open[i]] = truths[i] != 0;
  Residual out;
  out.need = Settle(step.need_after, known, canonical);
  std::vector<Formula> watched;
  for (const Formula f : step.watched_after) watched.push_back(Settle(f, known, canonical));
  out.watched = pool.List(watched);
  if (step.is_assumed) unproven.insert(out.need);
  return out;
}

KeyChoice JsonRules::Parts::MakeKeyChoice(Residual residual) {
  work = 0;
  assumed = false;
  KeyFacets facets = FacetsOf(residual.need);
  for (const Formula f : std::vector<Formula>(pool[residual.watched].begin(), pool[residual.watched].end())) {
    const KeyFacets& more = FacetsOf(f);
    for (const NameId name : more.names) {
      if (std::ranges::find(facets.names, name) == facets.names.end()) facets.names.push_back(name);
    }
    facets.languages.insert(facets.languages.end(), more.languages.begin(), more.languages.end());
  }
  std::ranges::sort(facets.languages);
  facets.languages.erase(std::ranges::unique(facets.languages).begin(), facets.languages.end());
  std::unordered_set<NameId> needed;
  for (const Formula part : ConjunctsOf(pool, residual.need)) {
    if (pool[part].op != Op::kRequired) continue;
    for (const NameId name : name_lists[pool[part].x]) needed.insert(name);
  }
  // Most keys may come where one branch of the alternatives is taken, which is asked first: it is easily said of
  // facets.
  const bool has_branches = PlainOf(residual.need) == nullptr && ExcludingOf(residual.need) == nullptr;
  const Formula branch = has_branches ? BranchThatEnds(residual.need, ValueKind::kObject) : residual.need;
  const auto can_take = [&](KeyClass key_class) {
    return (branch != residual.need && CanTake(branch, key_class)) || CanTake(residual.need, key_class);
  };
  KeyChoice choice;
  std::uint32_t rank = 0;
  for (const NameId name : facets.names) {
    const KeyClass key_class = ClassOfName(name);
    ++rank;
    if (!can_take(key_class)) {
      choice.barred.push_back(names[name]);
      continue;
    }
    choice.names.push_back({.text = names[name],
                            .key_class = key_class,
                            .hash = HashOfKey(names[name]),
                            .rank = rank,
                            .required = needed.contains(name)});
  }
  if (assumed) unproven.insert(residual.need);
  std::ranges::sort(choice.names, {}, &KeyChoice::Name::text);
  std::ranges::sort(choice.barred);
  // Without languages all other keys are of one class: where it may not come, which keys they are does not matter.
  const bool has_others = !facets.languages.empty() || can_take(KeyClass{shapes.Id(KeyShape{})});
  if (!has_others) return choice;
  for (const auto& [language, key_class] : OtherKeys(facets)) {
    if (!can_take(key_class)) continue;
    choice.others.push_back({.language = language, .key_class = key_class});
    choice.others_language = exprs->Union(choice.others_language, language);
  }
  choice.others_free = facets.languages.empty() && !choice.others.empty();
  return choice;
}

JsonRules::JsonRules() : parts_(std::make_unique<Parts>()) {}
JsonRules::~JsonRules() = default;

Result<std::unique_ptr<JsonRules>> JsonRules::Make(SchemaDocument document, std::unique_ptr<ExprPool> exprs,
                                                   const RulesOptions& options) {
  std::unique_ptr<JsonRules> rules(new JsonRules());
  Parts& parts = *rules->parts_;
  parts.document = std::move(document);
  parts.exprs = std::move(exprs);
  parts.options = options;
  parts.root = {.need = parts.Schema(parts.document.root)};
  if (!parts.CanMeet(parts.root.need)) {
    return Fail(ErrorCode::kUnsatisfiable, "#: no value meets the schema", {.subject = "#"});
  }
  if (parts.assumed) parts.unproven.insert(parts.root.need);
  return rules;
}

ExprPool& JsonRules::exprs() { return *parts_->exprs; }
Demand JsonRules::root() const { return parts_->root; }
bool JsonRules::IsProven(Formula need) const { return !parts_->unproven.contains(need); }

std::uint8_t JsonRules::KindsOf(Demand demand) {
  const std::uint64_t key = Paired(demand.need, 0);
  if (const auto it = parts_->kinds_of.find(key); it != parts_->kinds_of.end()) return it->second;
  parts_->work = 0;
  std::uint8_t kinds = 0;
  for (int kind = 0; kind < 7; ++kind) {
    if (parts_->CanMeetAs(demand.need, static_cast<ValueKind>(kind))) kinds |= BitOf(static_cast<ValueKind>(kind));
  }
  parts_->kinds_of.emplace(key, kinds);
  return kinds;
}

Expr JsonRules::StringsOf(Demand demand) {
  return parts_->StringsOf(parts_->Restrict(demand.need, ValueKind::kString));
}
const WrittenNumbers& JsonRules::NumbersOf(Demand demand) {
  return parts_->NumbersOf(parts_->Restrict(demand.need, ValueKind::kNumber));
}

Truths JsonRules::TruthsOfString(FormulaList watched, std::string_view text) {
  Truths truths;
  for (const Formula f : parts_->pool[watched]) truths.push_back(parts_->IsMetBy(f, text) ? 1 : 0);
  return truths;
}
std::vector<Expr> JsonRules::StringsWatched(FormulaList watched) {
  std::vector<Expr> languages;
  for (const Formula f : parts_->pool[watched]) {
    languages.push_back(parts_->StringsOf(parts_->Restrict(f, ValueKind::kString)));
  }
  return languages;
}
Truths JsonRules::TruthsOfNumber(FormulaList watched, const Decimal& value, bool is_plain) {
  Truths truths;
  for (const Formula f : parts_->pool[watched]) {
    truths.push_back(parts_->NumbersOf(parts_->Restrict(f, ValueKind::kNumber)).Has(value, is_plain) ? 1 : 0);
  }
  return truths;
}
Truths JsonRules::TruthsOfLiteral(FormulaList watched, ValueKind kind) {
  Truths truths;
  for (const Formula f : parts_->pool[watched]) truths.push_back(parts_->MeetsLiteral(f, kind) ? 1 : 0);
  return truths;
}

std::size_t JsonRules::CountOf(FormulaList watched) const { return parts_->pool[watched].size(); }

std::optional<Demand> JsonRules::Narrowed(Demand demand, std::size_t i, bool is_so) {
  const Formula watched = parts_->pool[demand.watched][i];
  const Formula need = parts_->pool.And(demand.need, is_so ? watched : parts_->pool.Not(watched));
  parts_->work = 0;
  if (!parts_->CanMeet(need)) return std::nullopt;
  return Demand{.need = need, .watched = demand.watched};
}

Residual JsonRules::Open(Demand demand, ValueKind kind) {
  const auto begun = [&](Formula f) { return parts_->Begun(parts_->Restrict(f, kind)); };
  std::vector<Formula> watched;
  const std::span<const Formula> list = parts_->pool[demand.watched];
  for (const Formula f : list) watched.push_back(begun(f));
  const Residual out = {.need = begun(demand.need), .watched = parts_->pool.List(watched)};
  if (parts_->unproven.contains(demand.need)) parts_->unproven.insert(out.need);
  return out;
}

bool JsonRules::CanClose(Residual residual) { return parts_->HoldsAtEnd(residual.need); }

Truths JsonRules::TruthsAtEnd(Residual residual) {
  Truths truths;
  for (const Formula f : parts_->pool[residual.watched]) truths.push_back(parts_->HoldsAtEnd(f) ? 1 : 0);
  return truths;
}

bool JsonRules::Parts::MentionsUnique(Formula f) const {
  bool found = false;
  ForEachPart(f, [&found](const FormulaNode& node) { found = found || node.op == Op::kUnique; });
  return found;
}

bool JsonRules::WantsValues(Residual residual) const {
  return parts_->MentionsUnique(residual.need) ||
         std::ranges::any_of(parts_->pool[residual.watched], [&](Formula f) { return parts_->MentionsUnique(f); });
}

bool JsonRules::AreNextItemsAlike(Residual residual) const {
  const FormulaPool& pool = parts_->pool;
  const auto is_alike = [&](Formula part) {
    const FormulaNode& node = pool[part];
    if (node.op == Op::kItems) return node.y == parts_->item_tables[node.x].prefix.size();
    return node.op == Op::kUnique || node.op == Op::kMinItems || node.op == Op::kMaxItems;
  };
  return pool[residual.watched].empty() && std::ranges::all_of(ConjunctsOf(pool, residual.need), is_alike);
}

std::uint8_t JsonRules::FreeItemKinds(Residual residual) {
  Parts& parts = *parts_;
  std::vector<Formula> items;
  bool is_unique = false;
  for (const Formula part : ConjunctsOf(parts.pool, residual.need)) {
    const FormulaNode& node = parts.pool[part];
    is_unique = is_unique || node.op == Op::kUnique;
    if (node.op == Op::kItems) items.push_back(parts.item_tables[node.x].rest);
  }
  if (!is_unique) return 0;
  const Formula item = parts.pool.And(items);
  std::uint8_t free = 0;
  const std::uint8_t kinds = KindsOf({.need = item});
  for (const ValueKind kind : {ValueKind::kString, ValueKind::kNumber, ValueKind::kArray, ValueKind::kObject}) {
    if ((kinds & BitOf(kind)) != 0 && parts.IsFree(item, kind)) free |= BitOf(kind);
  }
  return free;
}

Residual JsonRules::WithItems(Residual residual, std::span<const std::string> items) {
  Parts& parts = *parts_;
  const std::span<const Formula> before = ConjunctsOf(parts.pool, residual.need);
  std::vector<Formula> after(before.begin(), before.end());
  for (Formula& part : after) {
    const FormulaNode node = parts.pool[part];
    if (node.op != Op::kUnique) continue;
    ValueSet set = parts.value_sets[node.x];
    set.canonical.insert(set.canonical.end(), items.begin(), items.end());
    std::ranges::sort(set.canonical);
    part = parts.pool.Facet(Op::kUnique, parts.value_sets.Id(std::move(set)));
  }
  return {.need = parts.pool.And(after), .watched = residual.watched};
}

const std::vector<std::string>& JsonRules::ItemsSoFar(Residual residual) const {
  static const std::vector<std::string> kNoItems;
  for (const Formula part : ConjunctsOf(parts_->pool, residual.need)) {
    const FormulaNode& node = parts_->pool[part];
    if (node.op == Op::kUnique) return parts_->value_sets[node.x].canonical;
  }
  return kNoItems;
}

std::optional<Demand> JsonRules::NextItem(Residual residual) {
  const MemberStep& step = parts_->StepToItem(residual);
  return step.is_possible ? std::optional<Demand>(step.demand) : std::nullopt;
}

Residual JsonRules::AfterItem(Residual residual, const Truths& truths, std::string_view canonical) {
  const MemberStep& step = parts_->StepToItem(residual);
  Fingerprint key = Add(Fingerprint{.high = 1}, parts_->PlaceOf(residual));
  key = Add(Add(key, std::string_view(reinterpret_cast<const char*>(truths.data()), truths.size())), canonical);
  const auto [it, is_new] = parts_->finished.try_emplace(key);
  if (is_new) it->second = parts_->Finish(step, truths, canonical);
  return it->second;
}

const KeyChoice& JsonRules::KeysOf(Residual residual) {
  const std::uint32_t place = parts_->PlaceOf(residual);
  if (const auto it = parts_->key_choices.find(place); it != parts_->key_choices.end()) return *it->second;
  auto choice = std::make_unique<KeyChoice>(parts_->MakeKeyChoice(residual));
  return *parts_->key_choices.emplace(place, std::move(choice)).first->second;
}

Demand JsonRules::ValueOf(Residual residual, KeyClass key_class) { return parts_->StepTo(residual, key_class).demand; }

Residual JsonRules::AfterMember(Residual residual, KeyClass key_class, const Truths& truths) {
  const MemberStep& step = parts_->StepTo(residual, key_class);
  Fingerprint key = Add(Add(Fingerprint{.high = 2}, parts_->PlaceOf(residual)), static_cast<std::uint64_t>(key_class));
  key = Add(key, std::string_view(reinterpret_cast<const char*>(truths.data()), truths.size()));
  const auto [it, is_new] = parts_->finished.try_emplace(key);
  if (is_new) it->second = parts_->Finish(step, truths, {});
  return it->second;
}

std::size_t JsonRules::memory_bytes() const {
  return parts_->pool.memory_bytes() + parts_->exprs->memory_bytes() +
         parts_->document.nodes.size() * sizeof(SchemaNode);
}

}  // namespace decant::grammar
