// Whether a value meets a schema that was read: the plain meaning of SchemaNode, for tests. Recursive, unhurried.
#ifndef DECANT_GRAMMAR_SCHEMA_EVALUATE_FOR_TEST_H_
#define DECANT_GRAMMAR_SCHEMA_EVALUATE_FOR_TEST_H_

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "core/utf8.h"
#include "grammar/decimal.h"
#include "grammar/expr_pool.h"
#include "grammar/schema/schema.h"
#include "json/value.h"

namespace decant::grammar {

// As JSON Schema counts values equal: numbers by value, objects whatever their order.
inline bool AreEqual(const json::Value& a, const json::Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.if_number() != nullptr) return Decimal::Parse(a.if_number()->text) == Decimal::Parse(b.if_number()->text);
  if (const json::Array* const items = a.if_array(); items != nullptr) {
    return std::ranges::equal(*items, *b.if_array(), AreEqual);
  }
  if (const json::Object* const members = a.if_object(); members != nullptr) {
    return members->size() == b.if_object()->size() && std::ranges::all_of(*members, [&b](const json::Member& member) {
             const json::Value* const other = b.Find(member.first);
             return other != nullptr && AreEqual(member.second, *other);
           });
  }
  return a == b;
}

class SchemaEvaluation {
 public:
  SchemaEvaluation(const SchemaDocument& document, ExprPool& pool) : document_(document), pool_(pool) {}

  struct Seen {  // what was evaluated, for unevaluated*
    std::set<std::string> names;
    std::set<std::size_t> items;
    void Add(const Seen& other) {
      names.insert(other.names.begin(), other.names.end());
      items.insert(other.items.begin(), other.items.end());
    }
  };

  bool Accepts(SchemaId id, const json::Value& value, Seen& seen) {
    const SchemaNode& node = document_.nodes[static_cast<std::size_t>(id)];
    Seen own;
    if (node.is_false || !TypesAccept(node, value)) return false;
    if (value.if_number() != nullptr && !NumbersAccept(node, *Decimal::Parse(value.if_number()->text))) return false;
    if (value.if_string() != nullptr && !StringsAccept(node, *value.if_string())) return false;
    if (value.if_array() != nullptr && !ItemsAccept(node, *value.if_array(), own)) return false;
    if (value.if_object() != nullptr && !MembersAccept(node, value, own)) return false;
    if (!PartsAccept(node, value, own)) return false;
    if (!UnevaluatedAccept(node, value, own)) return false;
    seen.Add(own);
    return true;
  }

 private:
  bool Takes(SchemaId id, const json::Value& value) {
    Seen unused;
    return Accepts(id, value, unused);
  }
  bool Matches(Expr language, std::string_view text) { return pool_.IsNullable(pool_.Next(language, text)); }

  static bool TypesAccept(const SchemaNode& node, const json::Value& value) {
    std::uint8_t type = kNullType;
    if (value.if_bool() != nullptr) type = kBooleanType;
    if (value.if_number() != nullptr) type = kNumberType;
    if (value.if_string() != nullptr) type = kStringType;
    if (value.if_array() != nullptr) type = kArrayType;
    if (value.if_object() != nullptr) type = kObjectType;
    if ((node.types & type) == 0) return false;
    if (type == kNumberType && node.integers_only) {
      const std::string& text = value.if_number()->text;
      if (!Decimal::Parse(text)->IsInteger()) return false;
      if (node.plain_integers && text.find_first_of(".eE") != std::string::npos) return false;
    }
    return !node.values.has_value() ||
           std::ranges::any_of(*node.values, [&value](const json::Value& one) { return AreEqual(one, value); });
  }

  static bool NumbersAccept(const SchemaNode& node, const Decimal& number) {
    return !(node.minimum && number < *node.minimum) && !(node.maximum && number > *node.maximum) &&
           !(node.exclusive_minimum && number <= *node.exclusive_minimum) &&
           !(node.exclusive_maximum && number >= *node.exclusive_maximum) &&
           !(node.multiple_of && !number.IsMultipleOf(*node.multiple_of));
  }

  bool StringsAccept(const SchemaNode& node, std::string_view text) {
    std::uint64_t length = 0;
    for (std::string_view rest = text; !rest.empty(); ++length) rest.remove_prefix(core::DecodeUtf8(rest).length);
    return length >= node.min_length && length <= node.max_length &&
           std::ranges::all_of(node.strings, [&](Expr language) { return Matches(language, text); });
  }

  bool ItemsAccept(const SchemaNode& node, const json::Array& items, Seen& seen) {
    if (items.size() < node.min_items || items.size() > node.max_items) return false;
    std::uint64_t contained = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool in_prefix = i < node.prefix_items.size();
      if (in_prefix || node.items.has_value()) {
        if (!Takes(in_prefix ? node.prefix_items[i] : *node.items, items[i])) return false;
        seen.items.insert(i);
      }
      if (node.contains.has_value() && Takes(*node.contains, items[i])) {
        ++contained;
        if (node.contains_evaluates) seen.items.insert(i);
      }
      for (std::size_t j = 0; node.unique_items && j < i; ++j) {
        if (AreEqual(items[i], items[j])) return false;
      }
    }
    return !node.contains.has_value() || (contained >= node.min_contains && contained <= node.max_contains);
  }

  bool MembersAccept(const SchemaNode& node, const json::Value& object, Seen& seen) {
    const json::Object& members = *object.if_object();
    if (members.size() < node.min_properties || members.size() > node.max_properties) return false;
    const auto has = [&object](const std::string& name) { return object.Find(name) != nullptr; };
    if (!std::ranges::all_of(node.required, has)) return false;
    for (const auto& dependent : node.dependent_required) {
      if (has(dependent.name) && !std::ranges::all_of(dependent.required, has)) return false;
    }
    for (const auto& [name, value] : members) {
      bool is_additional = true;
      for (const SchemaNode::Property& property : node.properties) {
        if (property.name != name) continue;
        is_additional = false;
        if (!Takes(property.schema, value)) return false;
      }
      for (const SchemaNode::PatternProperty& property : node.pattern_properties) {
        if (!Matches(property.pattern, name)) continue;
        is_additional = false;
        if (!Takes(property.schema, value)) return false;
      }
      if (is_additional && node.additional_properties.has_value()) {
        is_additional = false;
        if (!Takes(*node.additional_properties, value)) return false;
      }
      if (!is_additional) seen.names.insert(name);
      if (node.property_names.has_value() && !Takes(*node.property_names, json::Value(name))) return false;
    }
    return true;
  }

  bool PartsAccept(const SchemaNode& node, const json::Value& value, Seen& seen) {
    for (const SchemaId part : node.all_of) {
      if (!Accepts(part, value, seen)) return false;
    }
    for (const SchemaNode::Property& dependent : node.dependent_schemas) {
      if (value.Find(dependent.name) != nullptr && !Accepts(dependent.schema, value, seen)) return false;
    }
    const auto count = [&](const std::vector<SchemaId>& parts) {
      return std::ranges::count_if(parts, [&](SchemaId part) { return Accepts(part, value, seen); });
    };
    if (!node.any_of.empty() && count(node.any_of) == 0) return false;
    if (!node.one_of.empty() && count(node.one_of) != 1) return false;
    if (node.not_schema.has_value() && Takes(*node.not_schema, value)) return false;
    if (!node.if_schema.has_value()) return true;
    const std::optional<SchemaId> next = Accepts(*node.if_schema, value, seen) ? node.then_schema : node.else_schema;
    return !next.has_value() || Accepts(*next, value, seen);
  }

  bool UnevaluatedAccept(const SchemaNode& node, const json::Value& value, Seen& seen) {
    if (node.unevaluated_items.has_value() && value.if_array() != nullptr) {
      for (std::size_t i = 0; i < value.if_array()->size(); ++i) {
        if (seen.items.insert(i).second && !Takes(*node.unevaluated_items, (*value.if_array())[i])) return false;
      }
    }
    if (node.unevaluated_properties.has_value() && value.if_object() != nullptr) {
      for (const auto& [name, member] : *value.if_object()) {
        if (seen.names.insert(name).second && !Takes(*node.unevaluated_properties, member)) return false;
      }
    }
    return true;
  }

  const SchemaDocument& document_;
  ExprPool& pool_;
};

inline bool Accepts(const SchemaDocument& document, const json::Value& value, ExprPool& pool) {
  SchemaEvaluation::Seen seen;
  return SchemaEvaluation(document, pool).Accepts(document.root, value, seen);
}

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_EVALUATE_FOR_TEST_H_
