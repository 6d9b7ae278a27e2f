// Items that an array whose items have to differ remembers itself: as texts of a KeySet.
//
// Such an array has items of which, from any beginning, there are infinitely many (JsonRules::FreeItemKinds), so that
// those it has need no thought before an item ends. The rules note none of them then, and an array of many items costs
// what one of few does. Numbers alone need a look while an exponent is written, after which only few can follow.
#ifndef DECANT_GRAMMAR_JSON_REMEMBERED_ITEMS_H_
#define DECANT_GRAMMAR_JSON_REMEMBERED_ITEMS_H_

#include <optional>
#include <string>
#include <string_view>

#include "grammar/decimal.h"
#include "grammar/number_prefix.h"

namespace decant::grammar {

// A string stands for itself; what stands for others begins with a byte that no text has.
std::string KeyOfNumber(const Decimal& value);
std::string KeyOfContainer(std::string_view canonical);
// Of a string somewhere in a container that is remembered.
std::string KeyOfInnerString(std::string_view text);
// The canonical text of the item; nothing for an inner string.
std::optional<std::string> CanonicalOfKey(std::string_view key);

// How the keys of all numbers begin that a number under way can still become; nothing where there are infinitely many
// of those. `has_negatives`: the item may be any integer below zero, or else none.
std::optional<std::string> KeysOfRest(const NumberPrefix& number, bool has_negatives);
// False: after so many more characters, none of them "e", "E" or "-", it still gives nothing.
bool MayEndInFew(const NumberPrefix& number, std::size_t characters);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_REMEMBERED_ITEMS_H_
