// Whether rules let a JSON value pass, member by member as a text would bring them. For tests.
#ifndef DECANT_GRAMMAR_JSON_ACCEPTS_FOR_TEST_H_
#define DECANT_GRAMMAR_JSON_ACCEPTS_FOR_TEST_H_

#include <optional>
#include <set>
#include <string>

#include "grammar/json/facets.h"
#include "grammar/json/rules.h"
#include "json/value.h"

namespace decant::grammar {

inline ValueKind KindOf(const json::Value& value) {
  if (value.is_null()) return ValueKind::kNull;
  if (const bool* const b = value.if_bool()) return *b ? ValueKind::kTrue : ValueKind::kFalse;
  if (value.if_number() != nullptr) return ValueKind::kNumber;
  if (value.if_string() != nullptr) return ValueKind::kString;
  return value.if_array() != nullptr ? ValueKind::kArray : ValueKind::kObject;
}

// The truths of what is watched; nothing if the value is not let pass.
inline std::optional<Truths> Pass(JsonRules& rules, Demand demand, const json::Value& value) {
  const ValueKind kind = KindOf(value);
  if ((rules.KindsOf(demand) & BitOf(kind)) == 0) return std::nullopt;
  if (const json::Number* const number = value.if_number()) {
    const std::optional<Decimal> decimal = Decimal::Parse(number->text);
    const bool is_plain = number->text.find_first_of(".eE") == std::string::npos;
    if (!decimal.has_value() || !rules.NumbersOf(demand).Has(*decimal, is_plain)) return std::nullopt;
    return rules.TruthsOfNumber(demand.watched, *decimal, is_plain);
  }
  if (const std::string* const text = value.if_string()) {
    if (!rules.exprs().IsNullable(rules.exprs().Next(rules.StringsOf(demand), *text))) return std::nullopt;
    return rules.TruthsOfString(demand.watched, *text);
  }
  if (kind != ValueKind::kArray && kind != ValueKind::kObject) return rules.TruthsOfLiteral(demand.watched, kind);
  Residual residual = rules.Open(demand, kind);
  if (const json::Array* const array = value.if_array()) {
    for (const json::Value& item : *array) {
      const std::optional<Demand> wanted = rules.NextItem(residual);
      if (!wanted.has_value()) return std::nullopt;
      const std::optional<Truths> truths = Pass(rules, *wanted, item);
      if (!truths.has_value()) return std::nullopt;
      residual = rules.AfterItem(residual, *truths, rules.WantsValues(residual) ? CanonicalText(item) : std::string());
    }
  } else {
    for (const json::Member& member : *value.if_object()) {
      const KeyChoice& choice = rules.KeysOf(residual);
      std::optional<KeyClass> key_class;
      for (const KeyChoice::Name& name : choice.names) {
        if (name.text == member.first) key_class = name.key_class;
      }
      for (const KeyChoice::Others& others : choice.others) {
        if (rules.exprs().IsNullable(rules.exprs().Next(others.language, member.first))) key_class = others.key_class;
      }
      if (!key_class.has_value()) return std::nullopt;
      const std::optional<Truths> truths = Pass(rules, rules.ValueOf(residual, *key_class), member.second);
      if (!truths.has_value()) return std::nullopt;
      residual = rules.AfterMember(residual, *key_class, *truths);
    }
  }
  if (!rules.CanClose(residual)) return std::nullopt;
  return rules.TruthsAtEnd(residual);
}

inline bool Accepts(JsonRules& rules, const json::Value& value) { return Pass(rules, rules.root(), value).has_value(); }

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_ACCEPTS_FOR_TEST_H_
