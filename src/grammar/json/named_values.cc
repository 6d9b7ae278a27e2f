// The constants that formulas of one value name, such as those of a tag: each makes every one of the formulas true or
// not, at once, however many branches ask for it.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "grammar/json/rules_parts.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kMostTruths = std::size_t{1} << 16;

}  // namespace

// The values that are all that meets it, as canonical texts, where that is plain to see and they are few; else none.
std::vector<std::string> JsonRules::Parts::FewValues(Formula value) {
  while (pool[value].op == Op::kSchema) value = Expand(static_cast<SchemaId>(pool[value].x));
  std::vector<std::string> values;
  std::uint64_t kinds = ~std::uint64_t{0};
  bool is_plain = true, is_listed = false;
  for (const Formula part : ConjunctsOf(pool, value)) {
    const FormulaNode& node = pool[part];
    if (node.op == Op::kKinds) {
      kinds &= node.x;
    } else if (node.op == Op::kAmong && !is_listed) {
      values = value_sets[node.x].canonical;
      is_listed = true;
    } else {
      is_plain = false;
    }
  }
  constexpr std::uint64_t kLiterals = BitOf(ValueKind::kNull) | BitOf(ValueKind::kFalse) | BitOf(ValueKind::kTrue);
  if (is_plain && !is_listed && (kinds & ~kLiterals) == 0) values = {"false", "null", "true"};
  if (is_plain) {
    std::erase_if(values, [&](const std::string& text) { return (kinds & BitOf(KindOfCanonical(text))) == 0; });
    return values;
  }
  std::vector<std::string> texts = FewStrings(value);
  for (std::string& text : texts) {
    std::string canonical;
    AppendCanonicalString(text, canonical);
    text = std::move(canonical);
  }
  return texts;
}

// Whether a scalar value meets the formula; nothing where that depends on how a number is written.
std::optional<bool> JsonRules::Parts::IsMetByCanonical(Formula f, std::string_view canonical) {
  const ValueKind kind = KindOfCanonical(canonical);
  switch (kind) {
    case ValueKind::kString:
      return IsMetBy(f, TextOfCanonicalString(canonical));
    case ValueKind::kNumber: {
      const std::optional<Decimal> value = Decimal::Parse(canonical);
      if (!value.has_value()) return std::nullopt;
      const WrittenNumbers& meeting = NumbersOf(Restrict(f, kind));
      const bool has = meeting.Has(*value, false);
      return value->IsInteger() && meeting.Has(*value, true) != has ? std::nullopt : std::optional(has);
    }
    default:
      return MeetsLiteral(f, kind);
  }
}

JsonRules::Parts::NamedValues JsonRules::Parts::NamedBy(std::span<const Formula> formulas) {
  NamedValues named;
  std::map<std::string, std::vector<bool>> truths;  // by value
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    std::vector<std::string> values = FewValues(formulas[i]);
    const auto is_container = [](const std::string& text) { return text[0] == '[' || text[0] == '{'; };
    if (std::ranges::any_of(values, is_container)) values.clear();
    named.is_naming.push_back(!values.empty());
    for (const std::string& value : values) {
      // (What readers take for infinite is no number.)
      if (KindOfCanonical(value) == ValueKind::kNumber && IsMetByCanonical(formulas[i], value) != true) return {};
      const auto [it, is_new] = truths.try_emplace(value);
      if (is_new) it->second.resize(formulas.size());
      it->second[i] = true;
    }
    if (truths.size() * formulas.size() > kMostTruths) return {};
  }
  std::set<std::vector<bool>> groups;
  for (auto& [value, row] : truths) {
    for (std::size_t i = 0; i < formulas.size(); ++i) {
      if (named.is_naming[i]) continue;
      const std::optional<bool> is_met = IsMetByCanonical(formulas[i], value);
      if (!is_met.has_value()) return {};
      row[i] = *is_met;
    }
    if (groups.insert(row).second) named.groups.push_back(row);
  }
  named.count = truths.size();
  return named;
}

// A conjunction of some of the formulas and of their negations that the values of the group meet, and no value else.
Formula JsonRules::Parts::LiteralsOf(const NamedValues& named, std::size_t group, std::span<const Formula> formulas) {
  const std::vector<bool>& truths = named.groups[group];
  const auto literal = [&](std::size_t i) { return truths[i] ? formulas[i] : pool.Not(formulas[i]); };
  std::size_t naming = 0;
  while (!truths[naming] || !named.is_naming[naming]) ++naming;
  std::vector<Formula> parts = {formulas[naming]};
  std::vector<std::size_t> telling = {naming};  // what stands in parts
  for (const std::vector<bool>& other : named.groups) {
    const auto differs = [&](std::size_t i) { return other[i] != truths[i]; };
    if (&other == &truths || std::ranges::any_of(telling, differs)) continue;
    std::size_t i = 0;
    while (!differs(i)) ++i;
    telling.push_back(i);
    parts.push_back(literal(i));
  }
  return pool.And(parts);
}

// Likewise, kind by kind, where it takes more to see it.
std::vector<std::string> JsonRules::Parts::AllValues(Formula value) {
  constexpr std::uint64_t kFew = 16;
  std::vector<std::string> values = FewValues(value);
  if (!values.empty()) return values;
  for (const ValueKind kind : {ValueKind::kArray, ValueKind::kObject}) {
    if (Restrict(value, kind) != kNever) return {};
  }
  Expr texts = StringsOf(Restrict(value, ValueKind::kString));
  if (exprs->CountTexts(texts, kFew + 1, {.states = 1000}).value_or(kFew + 1) > kFew) return {};
  while (const std::optional<std::string> text = exprs->ShortestText(texts, {})) {
    AppendCanonicalString(*text, values.emplace_back());
    texts = exprs->Intersect(texts, exprs->Complement(exprs->Literal(*text)));
  }
  WrittenNumbers left = NumbersOf(Restrict(value, ValueKind::kNumber));
  if (left.Count(kFew + 1) > kFew) return {};
  while (const std::optional<std::string> example = left.Example()) {
    const Decimal number = Decimal::Parse(*example).value();
    values.push_back(number.ToText());
    left = left.Intersect(WrittenNumbers(NumberSet::Only(number)).Complement());
  }
  if (MeetsLiteral(value, ValueKind::kNull)) values.emplace_back("null");
  if (MeetsLiteral(value, ValueKind::kFalse)) values.emplace_back("false");
  if (MeetsLiteral(value, ValueKind::kTrue)) values.emplace_back("true");
  return values;
}

// Where items have to differ: values of an item that is under way which another place of the array may need for itself,
// because it has few to choose from. `after` is the derivative by the item.
std::vector<std::string> JsonRules::Parts::ValuesNeededLater(Formula after) {
  constexpr std::size_t kMost = 64;
  std::vector<Formula> scarce, further;  // what such places have to meet, and all further items
  std::uint64_t many = 1, set = 0;       // places
  const std::span<const Formula> conjuncts = ConjunctsOf(pool, after);
  ForEachPart(after, [&](const FormulaNode& node) {
    if (node.op == Op::kPending) set = node.x;
    if (node.op == Op::kMinItems) many += node.x;
    if (node.op == Op::kContains) {
      scarce.push_back(contains[node.x].item);
      many += contains[node.x].least;
    }
    if (node.op != Op::kItems) return;
    const ItemTable& table = item_tables[node.x];
    for (std::size_t i = node.y; i < table.prefix.size(); ++i) scarce.push_back(table.prefix[i]);
    many += table.prefix.size() - node.y;
    further.push_back(table.rest);
  });
  // Where the item has to meet the same as all further ones, and nothing else is asked, one value is as good as
  // another.
  const bool is_alike = scarce.empty() && further.size() == 1 && std::ranges::any_of(conjuncts, [&](Formula part) {
                          return pool[part].op == Op::kChild && pool[part].x == static_cast<std::uint64_t>(further[0]);
                        });
  if (!is_alike) scarce.insert(scarce.end(), further.begin(), further.end());
  std::set<std::string> needed;
  for (const Formula f : scarce) {
    std::vector<std::string> values = AllValues(f);
    std::erase_if(
        values, [&](const std::string& value) { return std::ranges::binary_search(value_sets[set].canonical, value); });
    if (values.size() <= many) needed.insert(values.begin(), values.end());
  }
  if (needed.size() > kMost) assumed = true;
  return {needed.begin(), needed.size() > kMost ? needed.begin() : needed.end()};
}

}  // namespace decant::grammar
