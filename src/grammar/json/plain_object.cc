// Objects whose names do not depend on each other: what they can hold, and whether they can be completed.
#include <algorithm>
#include <iterator>
#include <utility>

#include "grammar/json/rules_parts.h"

namespace decant::grammar {
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
  return HasKeys(f, plain.used, plain.least, [&](KeyClass key_class) { return CanHold(plain, key_class); });
}

// Whether so many different keys may come. Which ones do matters only in that names are used up.
bool JsonRules::Parts::HasKeys(Formula f, std::span<const NameId> used, std::uint64_t least,
                               const std::function<bool(KeyClass)>& may_come) {
  const KeyFacets& facets = FacetsOf(f);
  std::uint64_t left = 0;
  for (const NameId name : facets.names) {
    if (!std::ranges::binary_search(used, name) && may_come(ClassOfName(name))) ++left;
  }
  for (const auto& [language, key_class] : OtherKeys(facets)) {
    if (left >= least) return true;
    if (may_come(key_class)) left += exprs->CountTexts(language, least, {.states = 2000}).value_or(least);
  }
  return left >= least;
}

}  // namespace decant::grammar
