// Names the place by its kind first, then what its rules leave open.
#include "grammar/json/expectation.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "grammar/json/canonical_pieces.h"
#include "grammar/json/facets.h"
#include "grammar/json/key_choice.h"

namespace decant::grammar {
namespace {

constexpr std::size_t kMostNames = 8;
constexpr std::size_t kMostSteps = 16;  // of a path; the outer ones are left out past them

std::string JoinedByOr(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " or " : ", ";
    text += parts[i];
  }
  return text;
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendCanonicalString(text, quoted);
  return quoted;
}

std::string StepText(const Frame& frame, const SeenKey* key) {
  if (frame.kind() == ValueKind::kArray) return "[" + std::to_string(frame.members) + "]";
  if (key == nullptr) return "";
  const bool is_plain = !key->text.empty() && std::ranges::all_of(key->text, [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return is_plain ? "." + std::string(key->text) : "[" + Quoted(key->text) + "]";
}

// Of the value at the place, or of its innermost container.
std::string PathOf(const Place& place, bool of_container) {
  std::vector<std::string> steps;
  const SeenKey* key = place.key;
  const Frame* frame = place.frame;
  if (of_container && frame != nullptr) {
    key = frame->parent_key;
    frame = frame->parent;
  }
  bool is_cut = false;
  for (; frame != nullptr; key = frame->parent_key, frame = frame->parent) {
    is_cut = steps.size() == kMostSteps;
    if (is_cut) break;
    steps.push_back(StepText(*frame, key));
  }
  std::string path = is_cut ? "$…" : "$";
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) path += *step;
  return path;
}

std::vector<std::string> ValuesOf(KnownRules& known, const DemandRules& value) {
  std::vector<std::string> parts;
  const auto add = [&](ValueKind kind, std::string_view words) {
    if ((value.kinds & BitOf(kind)) != 0) parts.emplace_back(words);
  };
  add(ValueKind::kObject, "an object");
  add(ValueKind::kArray, "an array");
  add(ValueKind::kString, "a string");
  if ((value.kinds & BitOf(ValueKind::kNumber)) != 0) {
    std::string number = "a number";
    static const WrittenNumbers kAll(NumberSet::Finite());
    const WrittenNumbers& numbers = known.NumbersOf(value);
    const std::optional<std::string> example = numbers.Example();
    if (numbers != kAll && example.has_value()) number += " such as " + *example;
    parts.push_back(std::move(number));
  }
  add(ValueKind::kTrue, "true");
  add(ValueKind::kFalse, "false");
  add(ValueKind::kNull, "null");
  return parts;
}

std::string KeyText(Machine& machine, const Place& place) {
  const Frame& frame = *place.frame;
  const KeyChoice& choice = machine.known().KeysOf(*frame.rules);
  const AllowedKeys allowed = FindAllowedKeys(choice, frame, machine.options().key_order, frame.rules->can_close);
  const std::string begun = ToString(place.text);
  std::vector<std::string> names;
  bool is_cut = false;
  for (const KeyChoice::Name* name : allowed.names) {
    if (!name->text.starts_with(begun)) continue;
    is_cut = names.size() == kMostNames;
    if (is_cut) break;
    names.push_back(Quoted(name->text));
  }
  if (allowed.others || is_cut) names.emplace_back(names.empty() ? "any" : "another");
  return "a key of the object at " + PathOf(place, true) + ": " + JoinedByOr(names);
}

std::string CharactersText(std::uint32_t characters) {
  return std::to_string(characters) + (characters == 1 ? " character" : " characters");
}

}  // namespace

std::string DescribeExpected(Machine& machine, const Place& place) {
  KnownRules& known = machine.known();
  if (machine.NeedsSpace(place)) return "a space";
  switch (place.where) {
    case Where::kValue:
      return JoinedByOr(ValuesOf(known, *place.value)) + " at " + PathOf(place, false);
    case Where::kFirstItem: {
      std::vector<std::string> parts;
      if (const DemandRules* item = known.NextItem(*place.frame->rules)) parts = ValuesOf(known, *item);
      if (place.frame->rules->can_close) parts.emplace_back("']'");
      return JoinedByOr(parts) + " at " + PathOf(place, false);
    }
    case Where::kFirstKey:
      if (!machine.HasKey(*place.frame)) return "'}'";
      return KeyText(machine, place) + (place.frame->rules->can_close ? ", or '}'" : "");
    case Where::kKey:
    case Where::kInKey:
      return KeyText(machine, place);
    case Where::kAfterKey:
      return "':'";
    case Where::kInString:
      return "a string, after " + CharactersText(place.characters) + ", at " + PathOf(place, false);
    case Where::kInNumber: {
      const std::string begun = ", after " + std::string(place.number->text());
      return "a number" + begun + ", at " + PathOf(place, false);
    }
    case Where::kInLiteral:
      return std::string(CanonicalLiteral(place.literal));
    case Where::kAfterValue: {
      const bool is_array = place.frame->kind() == ValueKind::kArray;
      const ResidualRules& rules = *place.frame->rules;
      std::vector<std::string> parts;
      if (is_array ? known.NextItem(rules) != nullptr : machine.HasKey(*place.frame)) parts.emplace_back("','");
      if (rules.can_close) parts.emplace_back(is_array ? "']'" : "'}'");
      return JoinedByOr(parts);
    }
    case Where::kDone:
      return "the end";
  }
  return "";
}

}  // namespace decant::grammar
