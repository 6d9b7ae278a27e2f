// Answers are kept by what they were asked of, once for a grammar.
#include "grammar/json/known_rules.h"

#include <utility>

#include "grammar/json/formula.h"

namespace decant::grammar {
namespace {

template <class T>
std::uint64_t KeyOf(const T& asked) {
  return static_cast<std::uint64_t>(asked.need) << 32 | static_cast<std::uint64_t>(asked.watched);
}

}  // namespace

KnownRules::KnownRules(std::unique_ptr<JsonRules> rules) : rules_(std::move(rules)), root_(&Of(rules_->root())) {}

DemandRules& KnownRules::Of(Demand demand) {
  std::unique_ptr<DemandRules>& known = demands_[KeyOf(demand)];
  if (known == nullptr) {
    known = std::make_unique<DemandRules>(DemandRules{
        .demand = demand, .kinds = rules_->KindsOf(demand), .is_watched = demand.watched != FormulaList{0}});
  }
  return *known;
}

ResidualRules& KnownRules::Of(Residual residual, ValueKind kind) {
  std::unique_ptr<ResidualRules>& known = (kind == ValueKind::kArray ? arrays_ : objects_)[KeyOf(residual)];
  if (known == nullptr) {
    known = std::make_unique<ResidualRules>(ResidualRules{.residual = residual,
                                                          .kind = kind,
                                                          .can_close = rules_->CanClose(residual),
                                                          .wants_values = rules_->WantsValues(residual),
                                                          .is_watched = residual.watched != FormulaList{0}});
    known->items_are_alike = known->wants_values && rules_->AreNextItemsAlike(residual);
  }
  return *known;
}

Expr KnownRules::StringsOf(const DemandRules& value) {
  if (!value.strings.has_value()) Growing(value).strings = rules_->StringsOf(value.demand);
  return *value.strings;
}

const WrittenNumbers& KnownRules::NumbersOf(const DemandRules& value) {
  if (value.numbers == nullptr) Growing(value).numbers = &rules_->NumbersOf(value.demand);
  return *value.numbers;
}

const ResidualRules& KnownRules::Open(const DemandRules& value, ValueKind kind) {
  DemandRules& growing = Growing(value);
  const ResidualRules*& open = kind == ValueKind::kArray ? growing.array : growing.object;
  if (open == nullptr) open = &Of(rules_->Open(value.demand, kind), kind);
  return *open;
}

const DemandRules* KnownRules::NextItem(const ResidualRules& array) {
  if (!array.knows_item) {
    const std::optional<Demand> demand = rules_->NextItem(array.residual);
    ResidualRules& growing = Growing(array);
    growing.knows_item = true;
    growing.item = demand.has_value() ? &Of(*demand) : nullptr;
  }
  return array.item;
}

std::uint8_t KnownRules::FreeKindsOf(const ResidualRules& array) {
  if (!array.items_are_alike) return 0;
  if (!array.free_kinds.has_value()) Growing(array).free_kinds = rules_->FreeItemKinds(array.residual);
  return *array.free_kinds;
}

const KeyChoice& KnownRules::KeysOf(const ResidualRules& object) {
  if (object.keys == nullptr) Growing(object).keys = &rules_->KeysOf(object.residual);
  return *object.keys;
}

ResidualRules::Member& KnownRules::MemberOf(const ResidualRules& object, KeyClass key_class) {
  return Growing(object).members[static_cast<std::uint32_t>(key_class)];
}

const DemandRules& KnownRules::ValueOf(const ResidualRules& object, KeyClass key_class) {
  ResidualRules::Member& member = MemberOf(object, key_class);
  if (member.value == nullptr) member.value = &Of(rules_->ValueOf(object.residual, key_class));
  return *member.value;
}

const ResidualRules* KnownRules::AfterItem(const ResidualRules& array, const Truths& truths,
                                           std::string_view canonical) {
  const bool is_plain = truths.empty() && canonical.empty();
  if (is_plain && array.after_item != nullptr) return array.after_item;
  const Residual residual = rules_->AfterItem(array.residual, truths, canonical);
  if (residual.need == kNever) return nullptr;
  const ResidualRules& after = Of(residual, ValueKind::kArray);
  if (is_plain) Growing(array).after_item = &after;
  return &after;
}

const ResidualRules* KnownRules::AfterMember(const ResidualRules& object, KeyClass key_class, const Truths& truths) {
  ResidualRules::Member& member = MemberOf(object, key_class);
  if (truths.empty() && member.after != nullptr) return member.after;
  const Residual residual = rules_->AfterMember(object.residual, key_class, truths);
  if (residual.need == kNever) return nullptr;
  const ResidualRules& after = Of(residual, ValueKind::kObject);
  if (truths.empty()) member.after = &after;
  return &after;
}

}  // namespace decant::grammar
