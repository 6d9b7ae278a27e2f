// Groups by truths; strings that an item so far has are left out of them.
#include "grammar/json/asked_ends.h"

#include <algorithm>

#include "grammar/json/facets.h"
#include "grammar/json/known_rules.h"
#include "grammar/json/remembered_items.h"
#include "grammar/json/text.h"

namespace decant::grammar {

AskedEnds::AskedEnds(Machine& machine, const Place& in_string)
    : exprs_(machine.exprs()), text_(ToString(in_string.text)) {
  for (const Frame* frame = in_string.frame; frame != nullptr && are_grouped_; frame = frame->parent) {
    if (!frame->rules->wants_values) continue;
    are_grouped_ = frame->rules->items_are_alike;
    if (!are_grouped_) continue;
    FindKnown(machine.rules().ItemsSoFar(frame->rules->residual));
    if (frame->others.size() == 0) continue;
    machine.CountProbe();
    const std::string before = frame == in_string.frame ? "" : KeyOfInnerString("");
    const std::string text = before + text_;
    remembered_.push_back({.items = &frame->others, .before = before});
    frame->others.ForEachWayOn(text, [this, &text](const SeenKey& item) {
      if (item.text.size() == text.size()) {
        is_remembered_ = true;
      } else {
        ways_on_.Add(static_cast<std::uint8_t>(item.text[text.size()]));
      }
    });
  }
  if (!are_grouped_) return;
  for (const Expr language : machine.rules().StringsWatched(in_string.value->demand.watched)) {
    watched_.push_back(exprs_.Next(language, text_));
  }
}

// Items are canonical texts, in which a string begins as its own canonical text does. What looks so and is no string
// only makes an end be alone.
void AskedEnds::FindKnown(const std::vector<std::string>& items) {
  std::string begun;
  AppendCanonicalString(text_, begun);
  begun.pop_back();
  for (const std::string& item : items) {
    for (std::size_t at = item.find(begun); at != item.npos; at = item.find(begun, at + 1)) {
      std::size_t end = at + begun.size();
      while (end < item.size() && item[end] != '"') end += item[end] == '\\' ? 2u : 1u;
      if (end >= item.size()) continue;
      known_.insert(TextOfCanonicalString(std::string_view(item).substr(at, end + 1 - at)).substr(text_.size()));
    }
  }
}

bool AskedEnds::IsKnown(std::string_view content) const {
  if (!known_.empty() && known_.contains(std::string(content))) return true;
  const bool may_be = content.empty() ? is_remembered_ : ways_on_.Has(static_cast<std::uint8_t>(content.front()));
  if (!may_be) return false;
  return std::ranges::any_of(remembered_, [&](const Remembered& remembered) {
    const std::string text = remembered.before + text_ + std::string(content);
    return remembered.items->Has({.hash = HashOfKey(text), .text = text});
  });
}

std::optional<std::size_t> AskedEnds::GroupOf(std::string_view content) {
  if (!are_grouped_ || IsKnown(content)) return std::nullopt;
  std::string truths;
  for (const Expr language : watched_) {
    const Expr rest = language == kNothing ? kNothing : exprs_.Next(language, content);
    truths.push_back(exprs_.IsNullable(rest) ? '1' : '0');
  }
  return groups_.try_emplace(std::move(truths), groups_.size()).first->second;
}

}  // namespace decant::grammar
