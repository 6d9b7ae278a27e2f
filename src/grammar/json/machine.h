// The texts of JSON that a schema's rules allow, byte by byte. A byte is taken exactly when some way to go on is left.
//
//   Machine machine(std::move(rules), {});
//   Arena arena;
//   Place place = machine.Start();
//   for (std::uint8_t byte : text) if (!machine.Step(place, byte, arena)) …   // `place` is lost then: keep a copy
//   machine.MayEnd(place);
#ifndef DECANT_GRAMMAR_JSON_MACHINE_H_
#define DECANT_GRAMMAR_JSON_MACHINE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "decant/constraint.h"
#include "grammar/json/arena.h"
#include "grammar/json/frame.h"
#include "grammar/json/key_choice.h"
#include "grammar/json/known_rules.h"
#include "grammar/json/rules.h"

namespace decant::grammar {

struct MachineOptions {
  JsonWhitespace whitespace = JsonWhitespace::kAny;
  std::uint32_t max_whitespace = 128;
  KeyOrder key_order = KeyOrder::kAny;
  std::size_t horizon = 65535;  // bytes of the longest token: what keys of places look ahead
  NumberHorizon numbers = {};   // likewise, of a number
};

// One grammar's; not thread-safe, like the rules. Places of one machine mean nothing to another.
class Machine {
 public:
  Machine(std::unique_ptr<JsonRules> rules, const MachineOptions& options);

  Place Start() const { return {.value = &known_.root()}; }
  // False when the text cannot go on with the byte; the place means nothing then. What it makes lies in the arena.
  bool Step(Place& place, std::uint8_t byte, Arena& arena);
  bool Step(Place& place, std::string_view bytes, Arena& arena);
  bool MayEnd(const Place& place);
  // Ends what only what follows it ends, a number: the place is after it. False when the number is not complete.
  bool EndNumber(Place& place, Arena& arena);
  // Likewise for a string or a key whose closing quote is known to be allowed by its language.
  bool EndString(Place& place, Arena& arena);
  bool EndKey(Place& place, Arena& arena);

  // Whether the rules are certain that the text has an end.
  bool IsProven(const Place& place);

  // Equal keys: the same bytes may follow, up to the horizon.
  PlaceKeys KeysOf(const Place& place);
  // Grows whenever a step's answer depended on which keys without rules an object has: see PlaceKeys.
  std::uint64_t probes() const { return probes_; }
  void CountProbe() { ++probes_; }

  JsonRules& rules() { return known_.rules(); }
  KnownRules& known() { return known_; }
  ExprPool& exprs() { return known_.exprs(); }
  const MachineOptions& options() const { return options_; }

  // What may stand at a place, for masks and messages.
  bool TakesWhite(const Place& place) const;  // a further character of white space
  bool NeedsSpace(const Place& place) const;  // kSpaced: exactly a space must come
  Expr KeyLanguage(const Frame& frame);       // of the decoded keys that may come next
  bool HasKey(const Frame& frame);            // whether there is one
  // Of an object whose keys are free (Frame::has_free_keys): whether the text may be the next one.
  bool IsKeyOpen(const Frame& frame, const SeenKey& key);
  // Whether a number under way can still become one that the array does not have.
  bool IsNumberOpen(const Place& place, const NumberPrefix& number);
  // Whether IsNumberOpen may be false here, or after some bytes.
  bool RemembersNumbers(const Place& place);
  // Whether the truth values or the canonical text of the value under way are asked for at its end.
  static bool IsAskedFor(const Place& place) {
    return place.value->is_watched || (place.frame != nullptr && place.frame->records_items);
  }

 private:
  bool StepBetween(Place& place, std::uint8_t byte, Arena& arena);
  bool StepInString(Place& place, std::uint8_t byte, Arena& arena);
  bool StepInNumber(Place& place, std::uint8_t byte, Arena& arena);
  bool StepInLiteral(Place& place, std::uint8_t byte, Arena& arena);
  bool TakeWhite(Place& place, std::uint8_t byte) const;
  bool BeginKey(Place& place);
  bool BeginValue(Place& place, std::uint8_t byte, Arena& arena);
  bool BeginNumber(Place& place, std::uint8_t byte, Arena& arena);
  bool OpenContainer(Place& place, ValueKind kind, Arena& arena);
  bool EndContainer(Place& place, Arena& arena);
  bool EndValue(Place& place, const Truths& truths, std::string_view canonical, Arena& arena,
                const SeenKey* remembered = nullptr);
  // Of an item that the array remembers, if it does not have it yet: its key, see remembered_items.h.
  bool EndItem(Place& place, const Truths& truths, std::string_view canonical, std::string_view key, Arena& arena);
  bool Remembers(const Frame* frame, ValueKind kind);
  KeySet WithInnerStrings(KeySet items, std::string_view canonical, Arena& arena);
  void FindKeyLanguage(const Frame& frame);
  Expr MakeKeyLanguage(const KeyChoice& choice, const AllowedKeys& allowed, const Frame& frame);
  KeyClass ClassOf(const KeyChoice& choice, std::string_view key);
  void CountProbe(const Frame& frame);
  // Gives a new frame its keys.
  void Seal(Frame& frame) const;

  KnownRules known_;
  MachineOptions options_;
  Fingerprint serial_;  // of this machine among all of the process
  std::uint64_t probes_ = 0;
  std::unordered_map<Fingerprint, Expr, FingerprintHash> key_languages_;
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_MACHINE_H_
