// Derivatives: what a container's formula becomes once it is known what kind of value it is of, which key comes next,
// and what the member turned out to be.
#include <algorithm>

#include "grammar/json/rules_parts.h"

namespace decant::grammar {

using Reach = OpenSource::Reach;

// The formula with what it says of the member that is open replaced. `leaf` gives the new formula of a kChild or
// kPending facet, or nothing where it stays; the conditions inside kOpenMembers and kOpenItems are formulas of the same
// value and follow.
Formula JsonRules::Parts::Rebuild(Formula f, const Leaf& leaf, ByFormula<Formula>& memo) {
  const Sides of = SidesOf(f);
  if (!of.of_child && !of.of_pending) return f;
  if (const auto it = memo.find(f); it != memo.end()) return it->second;
  const FormulaNode node = pool[f];
  Formula out = f;
  if (node.op == Op::kChild || node.op == Op::kPending) {
    out = leaf(node).value_or(f);
  } else if (node.op == Op::kOpenMembers || node.op == Op::kOpenItems) {
    OpenRule rule = open_rules[node.x];
    for (OpenSource& source : rule.sources) source.condition = Rebuild(source.condition, leaf, memo);
    out = Open(node.op, std::move(rule), node.y);
  } else {
    const auto rebuilt = [&](Formula part) { return Rebuild(part, leaf, memo); };
    // Mostly it is the member that decides a conjunction or a disjunction: the rest of it need not be looked at.
    const Formula zero = node.op == Op::kAnd ? kNever : node.op == Op::kOr ? kAlways : kNone;
    const bool is_decided = zero != kNone && std::ranges::any_of(node.children, [&](Formula part) {
                              return pool[part].op == Op::kChild && rebuilt(part) == zero;
                            });
    out = is_decided ? zero : Mapped(node, rebuilt);
  }
  memo.emplace(f, out);
  return out;
}

// Of a value whose kind is known: facts of kinds are decided, facets of other kinds hold, subschemas are expanded.
Formula JsonRules::Parts::Restrict(Formula f, ValueKind kind) {
  if (f == kNever || f == kAlways) return f;
  const std::uint64_t key = Paired(f, static_cast<std::uint32_t>(kind));
  if (const auto it = restricted.find(key); it != restricted.end()) return it->second;
  const FormulaNode node = pool[f];
  Formula out = f;
  const auto keep_for = [&](ValueKind of) { return kind == of ? f : kAlways; };
  switch (node.op) {
    case Op::kNot:
    case Op::kAnd:
    case Op::kOr:
      out = Mapped(node, [&](Formula part) { return Restrict(part, kind); });
      break;
    case Op::kOne: {
      std::vector<Formula> parts;
      for (const Formula child : node.children) parts.push_back(Restrict(child, kind));
      const bool is_container = kind == ValueKind::kArray || kind == ValueKind::kObject;
      out = is_container ? OneOf(parts, kind) : pool.One(parts);
      break;
    }
    case Op::kSchema:
      out = Restrict(Expand(static_cast<SchemaId>(node.x)), kind);
      break;
    case Op::kKinds:
      out = (node.x & BitOf(kind)) != 0 ? kAlways : kNever;
      break;
    case Op::kNumbers:
      out = keep_for(ValueKind::kNumber);
      break;
    case Op::kStrings:
      out = keep_for(ValueKind::kString);
      break;
    case Op::kAmong:
      out = AmongOf(value_sets[node.x], kind);
      break;
    case Op::kDiffers:
      out = IsLarge(value_sets[node.x], kind) ? kAlways : pool.Not(AmongOf(value_sets[node.x], kind));
      break;
    case Op::kHas:
      out = kind == ValueKind::kObject ? f : kNever;
      break;
    case Op::kMembers:
    case Op::kRequired:
    case Op::kMinMembers:
    case Op::kMaxMembers:
    case Op::kNames:
      out = keep_for(ValueKind::kObject);
      break;
    case Op::kOpenMembers:
    case Op::kOpenItems: {
      if (kind != (node.op == Op::kOpenMembers ? ValueKind::kObject : ValueKind::kArray)) {
        out = kAlways;
        break;
      }
      OpenRule rule = open_rules[node.x];
      for (OpenSource& source : rule.sources) source.condition = Restrict(source.condition, kind);
      out = Open(node.op, std::move(rule), node.y);
      break;
    }
    case Op::kItems:
    case Op::kMinItems:
    case Op::kMaxItems:
    case Op::kContains:
    case Op::kUnique:
      out = keep_for(ValueKind::kArray);
      break;
    default:
      break;
  }
  restricted.emplace(key, out);
  return out;
}

const KeyFacets& JsonRules::Parts::FacetsOf(Formula f) {
  std::unique_ptr<KeyFacets>& slot = key_facets[f];
  if (slot != nullptr) return *slot;
  auto facets = std::make_unique<KeyFacets>();
  std::unordered_set<Formula> seen;
  std::unordered_set<NameId> known;
  std::vector<Formula> open = {f};
  const auto add_name = [&](NameId name) {
    if (known.insert(name).second) facets->names.push_back(name);
  };
  const auto add_table = [&](const MemberTable& table) {
    for (const auto& [name, unused] : table.names) add_name(name);
    for (const auto& [language, unused] : table.patterns) facets->languages.push_back(language);
  };
  while (!open.empty()) {
    const Formula at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const FormulaNode node = pool[at];
    open.insert(open.end(), node.children.rbegin(), node.children.rend());
    switch (node.op) {
      case Op::kMembers:
        add_table(member_tables[node.x]);
        break;
      case Op::kHas:
        add_name(static_cast<NameId>(node.x));
        break;
      case Op::kRequired:
      case Op::kUsed:
        for (const NameId name : name_lists[node.x]) add_name(name);
        break;
      case Op::kNames:
        facets->languages.push_back(
            StringsOf(Restrict(Formula{static_cast<std::uint32_t>(node.x)}, ValueKind::kString)));
        break;
      case Op::kOpenMembers:
        for (const OpenSource& source : open_rules[node.x].sources) {
          if (source.reach == Reach::kTable) add_table(member_tables[source.what]);
          open.push_back(source.condition);
        }
        break;
      default:
        break;
    }
  }
  std::ranges::sort(facets->languages);
  facets->languages.erase(std::ranges::unique(facets->languages).begin(), facets->languages.end());
  std::unique_ptr<KeyFacets>& kept = key_facets[f];  // StringsOf may have grown the table
  kept = std::move(facets);
  return *kept;
}

bool JsonRules::Parts::HasKey(KeyClass key_class, Expr language) {
  const KeyShape& shape = shapes[static_cast<std::uint32_t>(key_class)];
  if (!shape.name.has_value()) return std::ranges::binary_search(shape.of, language);
  const std::uint64_t key = Paired(*shape.name, static_cast<std::uint32_t>(language));
  if (const auto it = key_in.find(key); it != key_in.end()) return it->second;
  const bool has = exprs->IsNullable(exprs->Next(language, names[*shape.name]));
  key_in.emplace(key, has);
  return has;
}

// What the member of such a key has to meet, by one table.
Formula JsonRules::Parts::MemberOf(const MemberTable& table, KeyClass key_class) {
  const KeyShape& shape = shapes[static_cast<std::uint32_t>(key_class)];
  std::vector<Formula> parts;
  bool matches = false;
  if (shape.name.has_value()) {
    if (const Formula* const found = table.Find(*shape.name)) {
      parts.push_back(*found);
      matches = true;
    }
  }
  for (const auto& [language, formula] : table.patterns) {
    if (!HasKey(key_class, language)) continue;
    parts.push_back(formula);
    matches = true;
  }
  if (!matches && table.additional.has_value()) parts.push_back(*table.additional);
  return pool.And(parts);
}

bool JsonRules::Parts::Evaluates(const OpenSource& source, KeyClass key_class) {
  if (source.reach == Reach::kAll) return true;
  const MemberTable& table = member_tables[source.what];
  const KeyShape& shape = shapes[static_cast<std::uint32_t>(key_class)];
  if (shape.name.has_value() && table.Find(*shape.name) != nullptr) return true;
  return std::ranges::any_of(table.patterns, [&](const auto& pattern) { return HasKey(key_class, pattern.first); });
}

// The member is evaluated by a source whose condition holds in the end, or it meets what is left to the rest.
Formula JsonRules::Parts::OpenAfterKey(const FormulaNode& node, KeyClass key_class) {
  OpenRule rule = open_rules[node.x];
  std::vector<Formula> evaluated = {ChildFacet(rule.rest)};
  for (OpenSource& source : rule.sources) {
    source.condition = AfterKey(source.condition, key_class);
    if (Evaluates(source, key_class)) evaluated.push_back(source.condition);
  }
  return pool.And(Open(Op::kOpenMembers, std::move(rule), 0), pool.Or(evaluated));
}

Formula JsonRules::Parts::ChildFacet(Formula member) {
  if (member == kNever || member == kAlways) return member;
  return pool.Facet(Op::kChild, static_cast<std::uint64_t>(member));
}

Formula JsonRules::Parts::AfterKey(Formula f, KeyClass key_class) {
  if (f == kNever || f == kAlways) return f;
  const std::uint64_t key = Paired(f, static_cast<std::uint32_t>(key_class));
  if (const auto it = after_key.find(key); it != after_key.end()) return it->second;
  const FormulaNode node = pool[f];
  const std::optional<NameId> name = shapes[static_cast<std::uint32_t>(key_class)].name;
  const auto list_with = [&](bool add) {
    std::vector<NameId> list = name_lists[node.x];
    if (!name.has_value()) return list;
    const auto at = std::ranges::lower_bound(list, *name);
    const bool has = at != list.end() && *at == *name;
    if (add && !has) list.insert(at, *name);
    if (!add && has) list.erase(at);
    return list;
  };
  Formula out = f;
  switch (node.op) {
    case Op::kNot:
    case Op::kAnd:
    case Op::kOr:
    case Op::kOne:
      out = Mapped(node, [&](Formula part) { return AfterKey(part, key_class); });
      break;
    case Op::kMembers:
      out = pool.And(f, ChildFacet(MemberOf(member_tables[node.x], key_class)));
      break;
    case Op::kRequired: {
      std::vector<NameId> list = list_with(false);
      out = list.empty() ? kAlways : pool.Facet(Op::kRequired, name_lists.Id(std::move(list)));
      break;
    }
    case Op::kUsed: {
      const std::vector<NameId>& used = name_lists[node.x];
      const bool counts =
          name.has_value() && (node.y == kUnbounded || std::ranges::binary_search(name_lists[node.y], *name));
      if (counts && std::ranges::binary_search(used, *name)) out = kNever;
      if (counts && out == f) out = pool.Facet(Op::kUsed, name_lists.Id(list_with(true)), node.y);
      break;
    }
    case Op::kHas:
      out = name == static_cast<NameId>(node.x) ? kAlways : f;
      break;
    case Op::kMinMembers:
      out = node.x <= 1 ? kAlways : pool.Facet(Op::kMinMembers, node.x - 1);
      break;
    case Op::kMaxMembers:
      out = node.x == 0 ? kNever : pool.Facet(Op::kMaxMembers, node.x - 1);
      break;
    case Op::kNames: {
      const Expr language = StringsOf(Restrict(Formula{static_cast<std::uint32_t>(node.x)}, ValueKind::kString));
      out = HasKey(key_class, language) ? f : kNever;
      break;
    }
    case Op::kOpenMembers:
      out = OpenAfterKey(node, key_class);
      break;
    default:
      break;
  }
  after_key.emplace(key, out);
  return out;
}

Formula JsonRules::Parts::AfterItem(Formula f) {
  if (f == kNever || f == kAlways) return f;
  if (const auto it = after_item.find(f); it != after_item.end()) return it->second;
  const FormulaNode node = pool[f];
  Formula out = f;
  switch (node.op) {
    case Op::kNot:
    case Op::kAnd:
    case Op::kOr:
    case Op::kOne:
      out = Mapped(node, [&](Formula part) { return AfterItem(part); });
      break;
    case Op::kItems: {
      const ItemTable& table = item_tables[node.x];
      const Formula item = node.y < table.prefix.size() ? table.prefix[node.y] : table.rest;
      const std::uint64_t next = std::min<std::uint64_t>(node.y + 1, table.prefix.size());
      const bool is_over = next == table.prefix.size() && table.rest == kAlways;
      out = pool.And(is_over ? kAlways : pool.Facet(Op::kItems, node.x, next), ChildFacet(item));
      break;
    }
    case Op::kMinItems:
      out = node.x <= 1 ? kAlways : pool.Facet(Op::kMinItems, node.x - 1);
      break;
    case Op::kMaxItems:
      out = node.x == 0 ? kNever : pool.Facet(Op::kMaxItems, node.x - 1);
      break;
    case Op::kContains: {
      const ContainsRule rule = contains[node.x];
      ContainsRule counted = rule;
      if (counted.least > 0) --counted.least;
      if (counted.most != kUnbounded && counted.most > 0) --counted.most;
      const Formula with = rule.most == 0 ? kNever : Contains(counted);
      const Formula item = ChildFacet(rule.item);
      out = pool.Or(pool.And(item, with), pool.And(pool.Not(item), f));
      break;
    }
    case Op::kUnique: {
      const bool is_first = value_sets[node.x].canonical.empty();
      const Formula other = is_first ? kAlways : pool.Facet(Op::kDiffers, node.x);
      out = pool.And(pool.Facet(Op::kPending, node.x), ChildFacet(other));
      break;
    }
    case Op::kOpenItems: {
      OpenRule rule = open_rules[node.x];
      std::vector<Formula> evaluated = {ChildFacet(rule.rest)};
      std::uint64_t longest = 0;
      for (OpenSource& source : rule.sources) {
        source.condition = AfterItem(source.condition);
        if (source.reach == Reach::kPrefix) longest = std::max(longest, source.what);
        if (source.reach == Reach::kAll || (source.reach == Reach::kPrefix && node.y < source.what)) {
          evaluated.push_back(source.condition);
        } else if (source.reach == Reach::kContains) {
          evaluated.push_back(pool.And(source.condition, ChildFacet(Formula{static_cast<std::uint32_t>(source.what)})));
        }
      }
      out = pool.And(Open(Op::kOpenItems, std::move(rule), std::min(node.y + 1, longest)), pool.Or(evaluated));
      break;
    }
    default:
      break;
  }
  after_item.emplace(f, out);
  return out;
}

bool JsonRules::Parts::HoldsAtEnd(Formula f) {
  if (f == kNever || f == kAlways) return f == kAlways;
  const FormulaNode node = pool[f];
  const auto holds = [&](Formula part) { return HoldsAtEnd(part); };
  switch (node.op) {
    case Op::kNot:
      return !HoldsAtEnd(node.children[0]);
    case Op::kAnd:
      return std::ranges::all_of(node.children, holds);
    case Op::kOr:
      return std::ranges::any_of(node.children, holds);
    case Op::kOne:
      return std::ranges::count_if(node.children, holds) == 1;
    case Op::kRequired:
    case Op::kHas:
    case Op::kMinMembers:
    case Op::kMinItems:
      return false;
    case Op::kContains:
      return contains[node.x].least == 0;
    default:
      return true;
  }
}

void JsonRules::Parts::ChildrenOf(Formula f, std::vector<Formula>& out) const {
  ForEachPart(f, [&out](const FormulaNode& node) {
    if (node.op == Op::kChild) out.push_back(Formula{static_cast<std::uint32_t>(node.x)});
  });
}

// Once the member is complete.
Formula JsonRules::Parts::Settle(Formula f, const ByFormula<bool>& truths, std::string_view canonical) {
  const std::string item(canonical);
  const Formula settled = WithItem(f, item.empty() ? nullptr : &item);
  ByFormula<Formula> memo;
  const auto map = [&](const FormulaNode& node) -> std::optional<Formula> {
    if (node.op == Op::kChild) {
      return truths.at(Formula{static_cast<std::uint32_t>(node.x)}) ? kAlways : kNever;
    }
    return std::nullopt;
  };
  return Rebuild(settled, map, memo);
}

}  // namespace decant::grammar
