#include "grammar/json/key_choice.h"

#include <algorithm>
#include <utility>

namespace decant::grammar {

std::uint64_t PlaceInOrder(const KeyChoice::Name& name, KeyOrder order) {
  const std::uint64_t after_required = order == KeyOrder::kRequiredFirst && !name.required ? std::uint64_t{1} << 32 : 0;
  return after_required + name.rank + 1;
}

AllowedKeys FindAllowedKeys(const KeyChoice& choice, const Frame& frame, KeyOrder order, bool can_close) {
  AllowedKeys unseen{.others = !choice.others.empty()};
  unseen.names.reserve(choice.names.size());
  const KeyChoice::Name* first_required = nullptr;
  for (const KeyChoice::Name& name : choice.names) {
    if (frame.names.Has(name.text)) continue;
    unseen.names.push_back(&name);
    if (name.required && (first_required == nullptr || name.rank < first_required->rank)) first_required = &name;
  }
  if (order == KeyOrder::kAny) return unseen;

  AllowedKeys allowed{.others = unseen.others && first_required == nullptr};
  const std::uint64_t end = first_required == nullptr ? kPastNames : PlaceInOrder(*first_required, order);
  for (const KeyChoice::Name* name : unseen.names) {
    const std::uint64_t place = PlaceInOrder(*name, order);
    if (name == first_required || (place > frame.last_place && place < end)) allowed.names.push_back(name);
  }
  if (allowed.names.empty() && !allowed.others && !can_close) return unseen;
  return allowed;
}

const KeyChoice::Name* FindName(const KeyChoice& choice, std::string_view text) {
  const auto at = std::ranges::lower_bound(choice.names, text, {}, &KeyChoice::Name::text);
  return at != choice.names.end() && at->text == text ? &*at : nullptr;
}

bool BeginsName(const KeyChoice& choice, std::string_view text) {
  const auto at = std::ranges::lower_bound(choice.names, text, {}, &KeyChoice::Name::text);
  return at != choice.names.end() && at->text.starts_with(text);
}

}  // namespace decant::grammar
