// Objects whose names do not depend on each other: what they can hold, and whether they can be completed.
//
// Also where they must not be one of a few single values: a negated `const`, or earlier items where all items differ.
// Taken apart case by case those double the work a value and a member. Mostly the object has far more values than those
// anyway, and then some completion is none of them.
#include <algorithm>
#include <iterator>
#include <utility>

#include "grammar/json/rules_parts.h"

namespace decant::grammar {
namespace {

constexpr std::uint64_t kMostExcluded = 1000;

}  // namespace

// The parts of an object's formula whose names do not depend on each other; nothing when it has others.
const PlainObject* JsonRules::Parts::PlainOf(Formula f) {
  const auto [it, is_new] = plain_objects.try_emplace(f);
  if (!is_new) return it->second.get();
  auto plain = std::make_unique<PlainObject>();
  for (const Formula part : ConjunctsOf(pool, f)) {
    const FormulaNode& node = pool[part];
    switch (node.op) {
      case Op::kTrue:
        break;
      case Op::kMembers:
        plain->members.push_back(static_cast<std::uint32_t>(node.x));
        break;
      case Op::kNames:
        plain->names.push_back(part);
        break;
      case Op::kMinMembers:
        plain->least = node.x;
        break;
      case Op::kMaxMembers:
        plain->most = node.x;
        break;
      case Op::kUsed:
        plain->used = name_lists[node.x];
        break;
      case Op::kRequired: {
        const std::vector<NameId> before = std::exchange(plain->needed, {});
        std::ranges::set_union(before, name_lists[node.x], std::back_inserter(plain->needed));
        break;
      }
      default:
        return nullptr;
    }
  }
  return (plain_objects[f] = std::move(plain)).get();
}

// What a member of such a key has to meet by the tables.
Formula JsonRules::Parts::MemberOf(const PlainObject& plain, KeyClass key_class) {
  std::vector<Formula> member;
  for (const std::uint32_t table : plain.members) member.push_back(MemberOf(member_tables[table], key_class));
  return pool.And(member);
}

// Whether a member of such a key can stand in an object of plain facets, whatever else is in it.
bool JsonRules::Parts::CanHold(const PlainObject& plain, KeyClass key_class) {
  for (const Formula names_of : plain.names) {
    if (AfterKey(names_of, key_class) == kNever) return false;
  }
  return CanMeet(MemberOf(plain, key_class));
}

bool JsonRules::Parts::CanEndPlain(Formula f, const PlainObject& plain) {
  const std::uint64_t needed = plain.needed.size();
  if (std::max(plain.least, needed) > plain.most) return false;
  for (const NameId name : plain.needed) {
    if (!CanHold(plain, ClassOfName(name))) return false;
  }
  if (plain.least <= needed) return true;
  // Members enough? Which ones they are matters only in that names are used up.
  const KeyFacets& facets = FacetsOf(f);
  std::uint64_t left = 0;
  for (const NameId name : facets.names) {
    if (!std::ranges::binary_search(plain.used, name) && CanHold(plain, ClassOfName(name))) ++left;
  }
  for (const auto& [language, key_class] : OtherKeys(facets)) {
    if (left >= plain.least) return true;
    if (!CanHold(plain, key_class)) continue;
    left += exprs->CountTexts(language, plain.least, {.states = 2000}).value_or(plain.least);
  }
  return left >= plain.least;
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
  for (const auto& [name, value] : table->by_name) {
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
  const auto has_more = [&](KeyClass key_class) { return Cardinality(MemberOf(plain, key_class), n + 1) > n; };
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
  const auto has_more = [&](KeyClass of) { return Cardinality(MemberOf(*at.plain, of), at.count + 1) > at.count; };
  return at.plain->names.empty() && (has_more(key_class) || std::ranges::any_of(at.plain->needed, [&](NameId name) {
                                       return ClassOfName(name) != key_class && has_more(ClassOfName(name));
                                     }));
}

}  // namespace decant::grammar
