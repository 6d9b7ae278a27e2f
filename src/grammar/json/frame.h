// Where a JSON text stands: its open arrays and objects, and the place within the innermost one.
//
// JSON is deterministic, so there is exactly one place after any beginning of a text. A place is a small value; its
// frames form a list from the inside out that never changes: going on makes new frames in front. A copy of a place is a
// fork of the text, and an older copy is the way back.
#ifndef DECANT_GRAMMAR_JSON_FRAME_H_
#define DECANT_GRAMMAR_JSON_FRAME_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "grammar/expr_pool.h"
#include "grammar/fingerprint.h"
#include "grammar/json/key_set.h"
#include "grammar/json/known_rules.h"
#include "grammar/json/rules.h"
#include "grammar/json/text.h"
#include "grammar/number_prefix.h"
#include "grammar/string_terminal.h"

namespace decant::grammar {

// A finished member of a container whose canonical text an outer array asks for.
struct CanonicalPiece {
  const CanonicalPiece* before = nullptr;
  std::string_view key = {};   // canonical, empty in arrays
  std::string_view text = {};  // of the value
  Fingerprint content = {};
};

// Two fingerprints of one thing: `wide` stands for all that its future depends on, `narrow` leaves out which keys
// without rules of their own the objects have (only whether any). Masks seldom depend on those.
struct PlaceKeys {
  Fingerprint narrow = {};
  Fingerprint wide = {};
};

// An array or object after so many members. Arrays and objects further out are as they were when it began.
struct Frame {
  const Frame* parent = nullptr;
  const ResidualRules* rules = nullptr;  // after the finished members
  bool records_self = false;             // an outer array asks for its canonical text
  bool records_items = false;            // likewise for that of its items: because of itself or of an outer one
  KeyClass parent_class = {};            // of the key in `parent` that it is the value of
  const SeenKey* parent_key = nullptr;
  std::uint64_t members = 0;         // finished ones
  std::uint64_t last_place = 0;      // in the order of keys: 0 = no key so far, kPastNames = after keys without rules
  KeySet names = {};                 // keys so far that had rules of their own when they came
  KeySet others = {};                // and without; of an array, the items that it remembers
  std::size_t names_with_rules = 0;  // how many had rules at most when a key came
  const CanonicalPiece* pieces = nullptr;
  PlaceKeys keys = {};

  // Found when they are first asked for, by whoever holds the grammar.
  mutable std::optional<Expr> key_language = {};  // objects
  // Known with key_language: whether there is a further key; whether any text is a key, but for some that are refused
  // at their closing quote.
  mutable bool has_key = false;
  mutable bool has_free_keys = false;

  ValueKind kind() const { return rules->kind; }
};
inline constexpr std::uint64_t kPastNames = ~std::uint64_t{0};

enum class Where : std::uint8_t {
  kValue,      // before a value
  kFirstItem,  // after "[": a value or "]"
  kFirstKey,   // after "{": a key or "}"
  kKey,        // after a "," in an object
  kInKey,
  kAfterKey,  // before ":"
  kInString,
  kInNumber,
  kInLiteral,
  kAfterValue,  // before "," or the closing bracket
  kDone,
};

struct Place {
  const Frame* frame = nullptr;  // the innermost open one; null = none
  Where where = Where::kValue;
  ValueKind literal = ValueKind::kNull;
  std::uint8_t literal_bytes = 0;        // of it, written
  std::uint16_t white = 0;               // characters of white space since the last other one
  const DemandRules* value = nullptr;    // of the value to come or under way
  StringState string = {};               // kInString, kInKey
  KeyClass key_class = {};               // from kAfterKey to the end of the member
  const SeenKey* key = nullptr;          // likewise
  std::uint32_t characters = 0;          // of the string so far, as decoded
  const NumberPrefix* number = nullptr;  // kInNumber
  const Text* text = nullptr;            // decoded: the key so far; the string so far if it is asked for at its end
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_FRAME_H_
