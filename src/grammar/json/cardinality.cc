// How many values meet a formula, as bounds; and objects that must not be one of a few single values: of a negated
// `const`, or earlier items where all items differ.
//
// Taken apart case by case those double the work a value and a member. Mostly the object has far more values than those
// anyway, and then some completion is none of them.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "grammar/json/rules_parts.h"

namespace decant::grammar {
namespace {

constexpr std::uint64_t kMostExcluded = 1000;
constexpr SearchBudget kCountBudget{.states = 2000};

// Whether it has all numbers or all integers, those below zero, and zero itself, aside.
bool IsEndlessRange(const WrittenNumbers& numbers) {
  const NumberSet finite = NumberSet::Finite();
  for (const NumberSet& all : {NumberSet::All(), NumberSet::Multiples(Decimal::Of("1", 0))}) {
    for (const NumberSet& range : {NumberSet::All(), NumberSet::AtLeast(Decimal()), NumberSet::Above(Decimal())}) {
      if (numbers == WrittenNumbers(all.Intersect(range)).Intersect(WrittenNumbers(finite))) return true;
    }
  }
  return false;
}

}  // namespace

// How many literals, numbers and strings meet it, counted no further than `most`; `unknown` where a budget runs out.
std::uint64_t JsonRules::Parts::CountScalars(Formula value, std::uint64_t most, std::uint64_t unknown) {
  std::uint64_t count = 0;
  for (const ValueKind kind : {ValueKind::kNull, ValueKind::kFalse, ValueKind::kTrue}) {
    if (MeetsLiteral(value, kind)) ++count;
  }
  const Formula number = Restrict(value, ValueKind::kNumber);
  if (count < most && number != kNever) count += NumbersOf(number).Count(most - count);
  const Formula string = Restrict(value, ValueKind::kString);
  if (count < most && string != kNever) {
    count += exprs->CountTexts(StringsOf(string), most - count, kCountBudget).value_or(unknown);
  }
  return std::min(count, most);
}

std::uint64_t JsonRules::Parts::CardinalityAtMost(Formula value, std::uint64_t most) {
  std::uint64_t count = CountScalars(value, most, most);
  if (count < most && CanMeetAs(value, ValueKind::kObject)) {
    const Formula object = Restrict(value, ValueKind::kObject);
    const std::optional<std::uint64_t> objects = MostObjects(object);
    count += objects.has_value() ? *objects : MayHaveMember(Begun(object)) ? most : 1;  // the empty one alone
  }
  if (count < most && CanMeetAs(value, ValueKind::kArray)) {
    const Formula array = Restrict(value, ValueKind::kArray);
    count += CanPass(AfterItem(array), ValueKind::kArray) ? most : 1;
  }
  return std::min(count, most);
}

bool JsonRules::Parts::MayHaveMember(Formula object) {
  const KeyFacets facets = FacetsOf(object);
  const auto may_come = [&](KeyClass key_class) { return CanStepTo(object, key_class); };
  return std::ranges::any_of(facets.names, [&](NameId name) { return may_come(ClassOfName(name)); }) ||
         std::ranges::any_of(OtherKeys(facets), [&](const auto& other) { return may_come(other.second); });
}

std::uint64_t JsonRules::Parts::CardinalityAtLeast(Formula value, std::uint64_t most) {
  if (const auto known = cardinalities.find(value); known != cardinalities.end()) {
    if (known->second.most >= most) return std::min(known->second.count, most);
  }
  cardinalities[value] = {.count = 0, .most = most};  // within itself a value counts nothing
  const Depth deeper(depth);
  const OpenQuestion open(circle, assumed);
  std::uint64_t count = CountScalars(value, most, 0);
  for (const ValueKind kind : {ValueKind::kArray, ValueKind::kObject}) {
    if (count >= most || GivesUp() || !CanMeetAs(value, kind)) continue;
    const Formula container = Restrict(value, kind);
    const bool has_rest =
        kind == ValueKind::kArray ? HasEndlessItems(container) : HasManyObjects(container, most - count - 1);
    count = has_rest ? most : count + 1;
  }
  if (assumed) count = 0;  // that a container can be met was not seen
  cardinalities[value] = {.count = count, .most = most};
  return count;
}

// Whether arrays of any number of items meet the formula, as far as is seen at once.
bool JsonRules::Parts::HasEndlessItems(Formula f) {
  const ItemTable* table = nullptr;
  for (const Formula part : ConjunctsOf(pool, f)) {
    const FormulaNode& node = pool[part];
    if (node.op == Op::kMinItems || node.op == Op::kTrue) continue;
    if (node.op != Op::kItems || table != nullptr) return false;
    table = &item_tables[node.x];
  }
  if (table == nullptr) return true;
  std::vector<Formula> items = table->prefix;  // a question may make more tables
  items.push_back(table->rest);
  return std::ranges::all_of(items, [&](Formula item) { return CanMeet(item); });
}

// Whether more than n objects meet the formula, likewise: by what a member may be, or by the names of one more.
bool JsonRules::Parts::HasManyObjects(Formula f, std::uint64_t n) {
  const PlainObject* const plain = PlainOf(f);
  if (plain == nullptr || !CanEndPlain(f, *plain)) return false;
  if (HasMoreThan(f, *plain, n)) return true;
  if (plain->needed.size() >= plain->most) return false;
  return std::ranges::any_of(OtherKeys(FacetsOf(f)), [&](const auto& other) {
    return CanHold(*plain, other.second) && exprs->CountTexts(other.first, n + 1, kCountBudget).value_or(0) > n;
  });
}

// No more values than this meet the formula of an object's rest; nothing when that is not seen at once.
std::optional<std::uint64_t> JsonRules::Parts::MostObjects(Formula f) {
  std::uint64_t count = 0;
  if (pool[f].op == Op::kOr) {
    for (const Formula branch : pool[f].children) {
      const std::optional<std::uint64_t> of_branch = MostObjects(branch);
      if (!of_branch.has_value()) return std::nullopt;
      count += *of_branch;
    }
    return count;
  }
  const MemberTable* table = nullptr;
  std::vector<NameId> needed;
  for (const Formula part : ConjunctsOf(pool, f)) {
    const FormulaNode& node = pool[part];
    if (node.op == Op::kMembers) table = &member_tables[node.x];
    if (node.op == Op::kRequired) needed = name_lists[node.x];
  }
  if (table == nullptr || table->additional != kNever || !table->patterns.empty()) return std::nullopt;
  count = 1;
  const std::vector<std::pair<NameId, Formula>> members = table->by_name;  // a question may make more tables
  for (const auto& [name, of_name] : members) {
    const bool is_schema = pool[of_name].op == Op::kSchema;
    const Formula value = is_schema ? Expand(static_cast<SchemaId>(pool[of_name].x)) : of_name;
    if (pool[value].op != Op::kAmong) return std::nullopt;
    const std::uint64_t values = value_sets[pool[value].x].canonical.size();
    count *= std::ranges::binary_search(needed, name) ? values : values + 1;
    if (count > kMostExcluded) return std::nullopt;
  }
  return count;
}

// Whether a member that may still come has more than n values.
bool JsonRules::Parts::HasMoreThan(Formula f, const PlainObject& plain, std::uint64_t n) {
  if (!plain.names.empty()) return false;
  const auto has_more = [&](KeyClass key_class) { return CardinalityAtLeast(MemberOf(plain, key_class), n + 1) > n; };
  for (const NameId name : plain.needed) {
    if (has_more(ClassOfName(name))) return true;
  }
  if (plain.needed.size() >= plain.most) return false;
  const KeyFacets& facets = FacetsOf(f);
  for (const NameId name : facets.names) {
    if (!std::ranges::binary_search(plain.used, name) && has_more(ClassOfName(name))) return true;
  }
  return std::ranges::any_of(OtherKeys(facets), [&](const auto& other) { return has_more(other.second); });
}

bool JsonRules::Parts::IsFree(Formula value, ValueKind kind) {
  const Formula f = Restrict(value, kind);
  if (kind == ValueKind::kString) return exprs->AdmitsAnyText(StringsOf(f), {.states = 1000});
  if (kind == ValueKind::kNumber) return IsEndlessRange(NumbersOf(f));
  work = 0;
  const bool assumed_before = std::exchange(assumed, false);
  bool is_free = true;
  if (kind == ValueKind::kArray) {
    // A further item may always come.
    std::vector<Formula> items;
    for (const Formula part : ConjunctsOf(pool, f)) {
      const FormulaNode& node = pool[part];
      const bool is_plain = node.op == Op::kItems && item_tables[node.x].prefix.empty();
      if (is_plain) items.push_back(item_tables[node.x].rest);
      is_free = is_free && (is_plain || node.op == Op::kMinItems || part == kAlways);
    }
    is_free = is_free && CanMeet(pool.And(items));
  } else {
    // So may a member of another name.
    const Formula object = Begun(f);
    const PlainObject* const plain = PlainOf(object);
    is_free = plain != nullptr && plain->most == kUnbounded && plain->names.empty() &&
              FacetsOf(object).languages.empty() && CanHold(*plain, KeyClass{shapes.Id(KeyShape{})});
  }
  is_free = is_free && !assumed;
  assumed = assumed_before;
  return is_free;
}

// An object's formula as plain facets and negations that leave out a few values; nothing when it has other parts.
const JsonRules::Parts::Excluding* JsonRules::Parts::ExcludingOf(Formula f) {
  const auto [it, is_new] = excluding.try_emplace(f);
  if (!is_new) return it->second.get();
  std::vector<Formula> rest;
  std::uint64_t excluded = 0;
  for (const Formula part : ConjunctsOf(pool, f)) {
    if (pool[part].op != Op::kNot) {
      rest.push_back(part);
      continue;
    }
    const std::optional<std::uint64_t> values = MostObjects(pool[part].children[0]);
    if (!values.has_value()) return nullptr;
    excluded += *values;
  }
  if (excluded == 0 || excluded > kMostExcluded) return nullptr;
  const Formula facets = pool.And(rest);
  const PlainObject* const plain = PlainOf(facets);
  if (plain == nullptr) return nullptr;
  return (excluding[f] = std::make_unique<Excluding>(Excluding{facets, plain, excluded})).get();
}

// Whether the plain facets allow more values than are left out. (Names that were used are noted with the formula as
// long as such a negation is open: see Begun.)
bool JsonRules::Parts::OutnumbersExcluded(Formula f) {
  const Excluding* const at = ExcludingOf(f);
  return at != nullptr && CanEndPlain(at->facets, *at->plain) && HasMoreThan(at->facets, *at->plain, at->count);
}

// Whether they do with a member of this key, which they allow: then it can be taken.
bool JsonRules::Parts::OutnumbersExcludedWith(const Excluding& at, KeyClass key_class) {
  const auto has_more = [&](KeyClass of) {
    return CardinalityAtLeast(MemberOf(*at.plain, of), at.count + 1) > at.count;
  };
  return at.plain->names.empty() && (has_more(key_class) || std::ranges::any_of(at.plain->needed, [&](NameId name) {
                                       return ClassOfName(name) != key_class && has_more(ClassOfName(name));
                                     }));
}

}  // namespace decant::grammar
