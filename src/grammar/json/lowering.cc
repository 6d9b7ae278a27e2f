// Schemas to formulas, one subschema at a time and only when a value reaches it.
#include <algorithm>

#include "core/check.h"
#include "grammar/json/rules_parts.h"

namespace decant::grammar {
namespace {

constexpr std::uint64_t kAllKinds = 127;

std::uint64_t KindsOfTypes(std::uint8_t types) {
  std::uint64_t kinds = 0;
  const auto add = [&](TypeBit type, ValueKind kind) {
    if ((types & type) != 0) kinds |= BitOf(kind);
  };
  add(kNullType, ValueKind::kNull);
  add(kBooleanType, ValueKind::kFalse);
  add(kBooleanType, ValueKind::kTrue);
  add(kNumberType, ValueKind::kNumber);
  add(kStringType, ValueKind::kString);
  add(kArrayType, ValueKind::kArray);
  add(kObjectType, ValueKind::kObject);
  return kinds;
}

// Whether the schema says nothing but of which types a value may be.
bool SaysOnlyTypes(const SchemaNode& n) {
  return !n.is_false && !n.values && !n.minimum && !n.maximum && !n.exclusive_minimum && !n.exclusive_maximum &&
         !n.multiple_of && n.min_length == 0 && n.max_length == kUnbounded && n.strings.empty() &&
         n.prefix_items.empty() && !n.items && !n.contains && n.min_items == 0 && n.max_items == kUnbounded &&
         !n.unique_items && !n.unevaluated_items && n.properties.empty() && n.pattern_properties.empty() &&
         !n.additional_properties && !n.property_names && n.min_properties == 0 && n.max_properties == kUnbounded &&
         n.required.empty() && n.dependent_required.empty() && n.dependent_schemas.empty() &&
         !n.unevaluated_properties && n.all_of.empty() && n.any_of.empty() && n.one_of.empty() && !n.not_schema &&
         !n.if_schema;
}

}  // namespace

NameId JsonRules::Parts::Name(std::string_view text) {
  const auto [it, is_new] = name_ids.try_emplace(std::string(text), static_cast<NameId>(names.size()));
  if (is_new) names.emplace_back(text);
  return it->second;
}

Formula JsonRules::Parts::Numbers(const WrittenNumbers& set) {
  if (set.IsAll()) return kAlways;
  const auto [it, is_new] = number_ids.try_emplace(set.Content(), static_cast<std::uint32_t>(number_sets.size()));
  if (is_new) number_sets.push_back(set);
  return pool.Facet(Op::kNumbers, it->second);
}

Formula JsonRules::Parts::Schema(SchemaId id) {
  const auto index = static_cast<std::size_t>(id);
  if (schema_formulas.empty()) schema_formulas.assign(document.nodes.size(), kNone);
  Formula& formula = schema_formulas[index];
  if (formula == kNone) {
    const SchemaNode& node = document.nodes[index];
    // Many members have the same simple schema: one formula for them.
    formula = node.is_false ? kNever : SaysOnlyTypes(node) ? Expand(id) : pool.Facet(Op::kSchema, index);
  }
  return formula;
}

Formula JsonRules::Parts::Expand(SchemaId id) {
  const auto index = static_cast<std::size_t>(id);
  if (expanded.empty()) expanded.assign(document.nodes.size(), kNone);
  if (expanded[index] != kNone) return expanded[index];
  const SchemaNode& node = document.nodes[index];
  std::vector<Formula> parts;
  if (node.is_false) parts.push_back(kNever);
  const std::uint64_t kinds = KindsOfTypes(node.types);
  if (kinds != kAllKinds) parts.push_back(kinds == 0 ? kNever : pool.Facet(Op::kKinds, kinds));
  ScalarFacets(node, parts);
  ArrayFacets(node, parts);
  ObjectFacets(node, parts);
  InPlace(node, parts);
  if (node.unevaluated_properties) {
    OpenRule rule{.sources = {}, .rest = Schema(*node.unevaluated_properties)};
    ObjectSources(id, kAlways, true, rule.sources);
    parts.push_back(Open(Op::kOpenMembers, std::move(rule), 0));
  }
  if (node.unevaluated_items) {
    OpenRule rule{.sources = {}, .rest = Schema(*node.unevaluated_items)};
    ArraySources(id, kAlways, true, rule.sources);
    parts.push_back(Open(Op::kOpenItems, std::move(rule), 0));
  }
  return expanded[index] = pool.And(parts);
}

void JsonRules::Parts::ScalarFacets(const SchemaNode& node, std::vector<Formula>& parts) {
  if (node.values) {
    ValueSet set;
    for (const json::Value& value : *node.values) set.canonical.push_back(CanonicalText(value));
    std::ranges::sort(set.canonical);
    set.canonical.erase(std::ranges::unique(set.canonical).begin(), set.canonical.end());
    parts.push_back(set.canonical.empty() ? kNever : pool.Facet(Op::kAmong, value_sets.Id(std::move(set))));
  }
  NumberSet set = NumberSet::All();
  if (node.integers_only) set = set.Intersect(NumberSet::Multiples(Decimal::Of("1", 0)));
  if (node.minimum) set = set.Intersect(NumberSet::AtLeast(*node.minimum));
  if (node.maximum) set = set.Intersect(NumberSet::AtMost(*node.maximum));
  if (node.exclusive_minimum) set = set.Intersect(NumberSet::Above(*node.exclusive_minimum));
  if (node.exclusive_maximum) set = set.Intersect(NumberSet::Below(*node.exclusive_maximum));
  if (node.multiple_of) set = set.Intersect(NumberSet::Multiples(*node.multiple_of));
  if (node.integers_only || node.minimum || node.maximum || node.exclusive_minimum || node.exclusive_maximum ||
      node.multiple_of) {
    const WrittenNumbers numbers_of(set);
    parts.push_back(Numbers(node.plain_integers ? numbers_of.Intersect(WrittenNumbers::Plain()) : numbers_of));
  }
  if (node.min_length > node.max_length) {
    parts.push_back(pool.Facet(Op::kStrings, static_cast<std::uint64_t>(kNothing)));
  } else if (node.min_length > 0 || node.max_length != kUnbounded || !node.strings.empty()) {
    Expr all = exprs->Repeat(exprs->AnyCodePoint(), node.min_length, node.max_length);
    for (const Expr part : node.strings) all = exprs->Intersect(all, part);
    parts.push_back(pool.Facet(Op::kStrings, static_cast<std::uint64_t>(all)));
  }
}

Formula JsonRules::Parts::Contains(const ContainsRule& rule) {
  if (rule.least > rule.most) return kNever;
  if (rule.least == 0 && rule.most == kUnbounded) return kAlways;
  return pool.Facet(Op::kContains, contains.Id(rule));
}

void JsonRules::Parts::ArrayFacets(const SchemaNode& node, std::vector<Formula>& parts) {
  if (!node.prefix_items.empty() || node.items) {
    ItemTable table;
    for (const SchemaId item : node.prefix_items) table.prefix.push_back(Schema(item));
    if (node.items) table.rest = Schema(*node.items);
    if (table.rest != kAlways || std::ranges::any_of(table.prefix, [](Formula f) { return f != kAlways; })) {
      parts.push_back(pool.Facet(Op::kItems, item_tables.size()));
      item_tables.push_back(std::move(table));
    }
  }
  if (node.min_items > 0) parts.push_back(pool.Facet(Op::kMinItems, node.min_items));
  if (node.max_items != kUnbounded) parts.push_back(pool.Facet(Op::kMaxItems, node.max_items));
  if (node.unique_items) parts.push_back(pool.Facet(Op::kUnique, value_sets.Id({})));
  if (node.contains) {
    const ContainsRule rule = {.item = Schema(*node.contains), .least = node.min_contains, .most = node.max_contains};
    // Of an array, so a contradiction is one for arrays only.
    const Formula facet = Contains(rule);
    parts.push_back(facet == kNever ? pool.Facet(Op::kContains, contains.Id(rule)) : facet);
  }
}

Formula JsonRules::Parts::Required(const std::vector<std::string>& required) {
  std::vector<NameId> list;
  for (const std::string& name : required) list.push_back(Name(name));
  std::ranges::sort(list);
  list.erase(std::ranges::unique(list).begin(), list.end());
  return list.empty() ? kAlways : pool.Facet(Op::kRequired, name_lists.Id(std::move(list)));
}

std::uint32_t JsonRules::Parts::TableOf(SchemaId id) {
  const auto index = static_cast<std::size_t>(id);
  constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  if (tables_of.empty()) tables_of.assign(document.nodes.size(), kUnknown);
  if (tables_of[index] != kUnknown) return tables_of[index];
  const SchemaNode& node = document.nodes[index];
  MemberTable table;
  for (const SchemaNode::Property& property : node.properties) {
    table.names.emplace_back(Name(property.name), Schema(property.schema));
  }
  for (const SchemaNode::PatternProperty& property : node.pattern_properties) {
    table.patterns.emplace_back(property.pattern, Schema(property.schema));
  }
  if (node.additional_properties) table.additional = Schema(*node.additional_properties);
  table.by_name = table.names;
  std::ranges::sort(table.by_name);
  member_tables.push_back(std::move(table));
  return tables_of[index] = static_cast<std::uint32_t>(member_tables.size() - 1);
}

void JsonRules::Parts::ObjectFacets(const SchemaNode& node, std::vector<Formula>& parts) {
  const auto id = static_cast<SchemaId>(&node - document.nodes.data());
  const bool has_rules = !node.properties.empty() || !node.pattern_properties.empty() ||
                         (node.additional_properties && Schema(*node.additional_properties) != kAlways);
  if (has_rules) parts.push_back(pool.Facet(Op::kMembers, TableOf(id)));
  parts.push_back(Required(node.required));
  if (node.min_properties > 0) parts.push_back(pool.Facet(Op::kMinMembers, node.min_properties));
  if (node.max_properties != kUnbounded) parts.push_back(pool.Facet(Op::kMaxMembers, node.max_properties));
  if (node.property_names && Schema(*node.property_names) != kAlways) {
    parts.push_back(pool.Facet(Op::kNames, static_cast<std::uint64_t>(Schema(*node.property_names))));
  }
  for (const SchemaNode::DependentRequired& rule : node.dependent_required) {
    const Formula has = pool.Facet(Op::kHas, Name(rule.name));
    parts.push_back(pool.Or(pool.Not(has), Required(rule.required)));
  }
  for (const SchemaNode::Property& rule : node.dependent_schemas) {
    const Formula has = pool.Facet(Op::kHas, Name(rule.name));
    parts.push_back(pool.Or(pool.Not(has), Schema(rule.schema)));
  }
}

void JsonRules::Parts::InPlace(const SchemaNode& node, std::vector<Formula>& parts) {
  const auto formulas = [&](const std::vector<SchemaId>& ids) {
    std::vector<Formula> out;
    for (const SchemaId id : ids) out.push_back(Schema(id));
    return out;
  };
  for (const Formula f : formulas(node.all_of)) parts.push_back(f);
  if (!node.any_of.empty()) parts.push_back(pool.Or(formulas(node.any_of)));
  if (!node.one_of.empty()) parts.push_back(pool.One(formulas(node.one_of)));
  if (node.not_schema) parts.push_back(pool.Not(Schema(*node.not_schema)));
  if (node.if_schema) {
    const Formula condition = Schema(*node.if_schema);
    const Formula then = node.then_schema ? Schema(*node.then_schema) : kAlways;
    const Formula otherwise = node.else_schema ? Schema(*node.else_schema) : kAlways;
    // With both, two branches that exclude each other: a chain of them stays as long as it is.
    if (then != kAlways && otherwise != kAlways) {
      parts.push_back(pool.Or(pool.And(condition, then), pool.And(pool.Not(condition), otherwise)));
    } else {
      parts.push_back(then != kAlways ? pool.Or(pool.Not(condition), then) : pool.Or(condition, otherwise));
    }
  }
}

Formula JsonRules::Parts::Open(Op op, OpenRule rule, std::uint64_t place) {
  if (rule.rest == kAlways) return kAlways;
  std::erase_if(rule.sources, [](const OpenSource& source) { return source.condition == kNever; });
  std::ranges::sort(rule.sources);
  rule.sources.erase(std::ranges::unique(rule.sources).begin(), rule.sources.end());
  for (const OpenSource& source : rule.sources) {
    if (source.reach == OpenSource::Reach::kAll && source.condition == kAlways) return kAlways;
  }
  return pool.Facet(op, open_rules.Id(std::move(rule)), place);
}

// Which keys the schema evaluates, and on what condition: by itself and by what applies in place. What it must meet
// anyway is no condition: where it fails, the schema that asks has failed too.
void JsonRules::Parts::ObjectSources(SchemaId id, Formula condition, bool is_self, std::vector<OpenSource>& out) {
  const SchemaNode& node = document.nodes[static_cast<std::size_t>(id)];
  if (node.additional_properties || (node.unevaluated_properties && !is_self)) {
    out.push_back({.reach = OpenSource::Reach::kAll, .condition = condition});
  } else if (!node.properties.empty() || !node.pattern_properties.empty()) {
    out.push_back({.reach = OpenSource::Reach::kTable, .what = TableOf(id), .condition = condition});
  }
  for (const SchemaId part : node.all_of) ObjectSources(part, condition, false, out);
  for (const std::vector<SchemaId>* const branches : {&node.any_of, &node.one_of}) {
    for (const SchemaId part : *branches) ObjectSources(part, pool.And(condition, Schema(part)), false, out);
  }
  if (node.if_schema) {
    const Formula holds = Schema(*node.if_schema);
    ObjectSources(*node.if_schema, pool.And(condition, holds), false, out);
    if (node.then_schema) ObjectSources(*node.then_schema, pool.And(condition, holds), false, out);
    if (node.else_schema) ObjectSources(*node.else_schema, pool.And(condition, pool.Not(holds)), false, out);
  }
  for (const SchemaNode::Property& rule : node.dependent_schemas) {
    ObjectSources(rule.schema, pool.And(condition, pool.Facet(Op::kHas, Name(rule.name))), false, out);
  }
}

void JsonRules::Parts::ArraySources(SchemaId id, Formula condition, bool is_self, std::vector<OpenSource>& out) {
  const SchemaNode& node = document.nodes[static_cast<std::size_t>(id)];
  if (node.items || (node.unevaluated_items && !is_self)) {
    out.push_back({.reach = OpenSource::Reach::kAll, .condition = condition});
  } else {
    if (!node.prefix_items.empty()) {
      out.push_back({.reach = OpenSource::Reach::kPrefix, .what = node.prefix_items.size(), .condition = condition});
    }
    if (node.contains && node.contains_evaluates) {
      const auto item = static_cast<std::uint64_t>(Schema(*node.contains));
      out.push_back({.reach = OpenSource::Reach::kContains, .what = item, .condition = condition});
    }
  }
  for (const SchemaId part : node.all_of) ArraySources(part, condition, false, out);
  for (const std::vector<SchemaId>* const branches : {&node.any_of, &node.one_of}) {
    for (const SchemaId part : *branches) ArraySources(part, pool.And(condition, Schema(part)), false, out);
  }
  if (node.if_schema) {
    const Formula holds = Schema(*node.if_schema);
    ArraySources(*node.if_schema, pool.And(condition, holds), false, out);
    if (node.then_schema) ArraySources(*node.then_schema, pool.And(condition, holds), false, out);
    if (node.else_schema) ArraySources(*node.else_schema, pool.And(condition, pool.Not(holds)), false, out);
  }
}

// A container equal to the value: its members one by one.
Formula JsonRules::Parts::Equal(const json::Value& value) {
  const auto only = [&](const json::Value& v) {
    return pool.Facet(Op::kAmong, value_sets.Id(ValueSet{.canonical = {CanonicalText(v)}}));
  };
  if (const json::Array* const array = value.if_array()) {
    ItemTable table{.prefix = {}, .rest = kNever};
    for (const json::Value& item : *array) table.prefix.push_back(only(item));
    const std::uint64_t size = array->size();
    std::vector<Formula> parts = {pool.Facet(Op::kItems, item_tables.size()), pool.Facet(Op::kMaxItems, size)};
    if (size > 0) parts.push_back(pool.Facet(Op::kMinItems, size));
    item_tables.push_back(std::move(table));
    return pool.And(parts);
  }
  MemberTable table{.names = {}, .by_name = {}, .patterns = {}, .additional = kNever};
  std::vector<std::string> required;
  for (const json::Member& member : *value.if_object()) {
    table.names.emplace_back(Name(member.first), only(*value.Find(member.first)));
    required.push_back(member.first);
  }
  table.by_name = table.names;
  std::ranges::sort(table.by_name);
  table.by_name.erase(std::ranges::unique(table.by_name).begin(), table.by_name.end());
  member_tables.push_back(std::move(table));
  return pool.And(pool.Facet(Op::kMembers, member_tables.size() - 1), Required(required));
}

Formula JsonRules::Parts::EqualTo(const std::string& canonical) {
  if (const auto it = equal_to.find(canonical); it != equal_to.end()) return it->second;
  const Result<json::Value> value = json::Read(canonical, {.max_depth = 1000000});
  DECANT_CHECK(value.has_value());
  return equal_to.emplace(canonical, Equal(*value)).first->second;
}

// Which values of a set are of a kind, as facets of that kind.
Formula JsonRules::Parts::AmongOf(const ValueSet& values, ValueKind kind) {
  std::vector<std::string> texts;
  std::vector<Decimal> numbers_of;
  std::vector<Formula> containers;
  for (const std::string& canonical : values.canonical) {
    if (KindOfCanonical(canonical) != kind) continue;
    switch (kind) {
      case ValueKind::kNull:
      case ValueKind::kFalse:
      case ValueKind::kTrue:
        return kAlways;
      case ValueKind::kNumber:
        if (std::optional<Decimal> value = Decimal::Parse(canonical)) numbers_of.push_back(*std::move(value));
        break;
      case ValueKind::kString:
        texts.push_back(TextOfCanonicalString(canonical));
        break;
      case ValueKind::kArray:
      case ValueKind::kObject:
        containers.push_back(EqualTo(canonical));
        break;
    }
  }
  if (kind == ValueKind::kNumber) {
    return numbers_of.empty() ? kNever : Numbers(WrittenNumbers(NumberSet::OneOf(numbers_of)));
  }
  if (kind == ValueKind::kString && !texts.empty()) {
    return pool.Facet(Op::kStrings, static_cast<std::uint64_t>(exprs->Literals(std::move(texts))));
  }
  return pool.Or(containers);
}

// Whether a set has so many arrays or objects that a formula of each would cost more than it is worth.
bool JsonRules::Parts::IsLarge(const ValueSet& values, ValueKind kind) {
  constexpr std::ptrdiff_t kMost = 12;
  if (kind != ValueKind::kArray && kind != ValueKind::kObject) return false;
  return std::ranges::count(values.canonical, kind, KindOfCanonical) > kMost;
}

}  // namespace decant::grammar
