// The names left by order and by what is there, as one language of keys.
#include "grammar/json/key_choice.h"

#include <algorithm>
#include <functional>
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
    if (frame.names.Has(SeenKey{name.hash, name.text})) continue;
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

bool IsBarred(const KeyChoice& choice, std::string_view text) {
  return std::ranges::binary_search(choice.barred, text, std::less<>());
}

bool MayHaveLostNames(const KeyChoice& choice, const Frame& frame) { return frame.names_with_rules > NamesOf(choice); }

bool BeginsName(const KeyChoice& choice, std::string_view text) {
  const auto at = std::ranges::lower_bound(choice.names, text, {}, &KeyChoice::Name::text);
  if (at != choice.names.end() && at->text.starts_with(text)) return true;
  const auto barred = std::ranges::lower_bound(choice.barred, text, std::less<>());
  return barred != choice.barred.end() && barred->starts_with(text);
}

// Names are taken for refused ones, which asks about a few too many.
RefusedKeys FindRefusedKeys(const KeyChoice& choice, const Frame& frame, std::string_view text) {
  RefusedKeys refused;
  const auto add = [&refused, text](std::string_view key) {
    if (!key.starts_with(text)) return false;
    if (key.size() == text.size()) {
      refused.has_text = true;
    } else {
      refused.next.Add(static_cast<std::uint8_t>(key[text.size()]));
    }
    return true;
  };
  auto name = std::ranges::lower_bound(choice.names, text, {}, &KeyChoice::Name::text);
  while (name != choice.names.end() && add(name->text)) ++name;
  auto barred = std::ranges::lower_bound(choice.barred, text, std::less<>());
  while (barred != choice.barred.end() && add(*barred)) ++barred;
  const auto add_seen = [&add](const SeenKey& key) { add(key.text); };
  frame.others.ForEachWayOn(text, add_seen);
  if (MayHaveLostNames(choice, frame)) frame.names.ForEachWayOn(text, add_seen);
  return refused;
}

}  // namespace decant::grammar
