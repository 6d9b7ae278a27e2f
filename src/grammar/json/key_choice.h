// Which of the keys that a schema allows may come next, given those an object has and the order keys have to keep.
#ifndef DECANT_GRAMMAR_JSON_KEY_CHOICE_H_
#define DECANT_GRAMMAR_JSON_KEY_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "decant/constraint.h"
#include "grammar/expr_pool.h"
#include "grammar/json/frame.h"
#include "grammar/json/rules.h"

namespace decant::grammar {

struct AllowedKeys {
  std::vector<const KeyChoice::Name*> names = {};  // sorted by text
  bool others = false;                             // keys without rules of their own
};

// In an order, keys come in increasing places; a required name is not passed over, and keys without rules come last.
// Where that leaves neither a key nor the end (a schema that asks for more keys once some were passed over), the order
// gives way.
AllowedKeys FindAllowedKeys(const KeyChoice& choice, const Frame& frame, KeyOrder order, bool can_close);

// The place of a name in the order, from 1 on.
std::uint64_t PlaceInOrder(const KeyChoice::Name& name, KeyOrder order);
// Null: not a name of the choice.
const KeyChoice::Name* FindName(const KeyChoice& choice, std::string_view text);
bool IsBarred(const KeyChoice& choice, std::string_view text);
// Names with rules, allowed or barred.
inline std::size_t NamesOf(const KeyChoice& choice) { return choice.names.size() + choice.barred.size(); }
// Whether some of the frame's names may have no rules any more ("required" asks for them once): they are keys like any
// other then, but for being there.
bool MayHaveLostNames(const KeyChoice& choice, const Frame& frame);
// Whether a name, allowed or barred, begins with the text.
bool BeginsName(const KeyChoice& choice, std::string_view text);

// Where any text is a key, those that may not come: how they go on after a beginning.
struct RefusedKeys {
  bool has_text = false;  // the beginning itself is one
  ByteSet next = {};      // bytes that follow it in longer ones
};
RefusedKeys FindRefusedKeys(const KeyChoice& choice, const Frame& frame, std::string_view text);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_KEY_CHOICE_H_
