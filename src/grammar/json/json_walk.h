// Masks of places in a JSON text: which tokens may come next.
//
// Inside a string or a number nearly all is decided by what was found once for its state and kept by content
// (TerminalEntry, OpeningEntry, NumberEntry); only what stands after its end is followed through the machine. Between
// them the vocabulary's tree is walked where JSON's few bytes lead, white space taken together.
#ifndef DECANT_GRAMMAR_JSON_JSON_WALK_H_
#define DECANT_GRAMMAR_JSON_JSON_WALK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/json/arena.h"
#include "grammar/json/between_tokens.h"
#include "grammar/json/frame.h"
#include "grammar/json/key_tails.h"
#include "grammar/json/machine.h"
#include "grammar/json/number_entry.h"
#include "grammar/json/opening_entry.h"
#include "grammar/json/row_entry.h"
#include "grammar/terminal_entry.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

// One grammar's; like the machine, for whoever holds the grammar.
class JsonWalk {
 public:
  JsonWalk(Machine& machine, const Vocabulary& vocabulary);

  // The tokens that may come next, less end tokens, until the next call.
  MaskParts& Fill(const Place& place);
  // Those that are only the grammar's own literals there: punctuation, quotes, white space, and names where no other
  // keys are possible. REQUIRES: the row is 0, of vocabulary.words().
  void FillStructural(const Place& place, std::span<std::uint32_t> row);

 private:
  using Row = std::span<std::uint32_t>;
  // The tails that may come from a place on, as a row of tails.
  struct TailRow {
    std::vector<std::uint32_t> tails;
    bool was_probed = false;  // see Machine::probes: they hold for the place's wide key only
  };

  ByteClasses ClassesAt(const Place& place) const;
  bool IsStructural(const Place& place, std::uint8_t byte);

  void FillBetween(const Place& place);
  void FillFromByte(const Place& place, std::uint8_t byte);
  void FillAfterWhite(const Place& place, ByteClasses classes);
  void FillInNumber(const Place& place);
  void FillExits(const NumberEntry& entry, const Place& place);
  void FillInString(const Place& place);
  void FillInKey(const Place& place);

  // The subtree below a node, from the place after the node's byte.
  void Descend(std::uint32_t node, const Place& place);
  void AddOpening(std::uint32_t quote_node, const Place& place);
  const std::vector<std::uint32_t>& OpeningAt(const Place& place);
  // Tails after the closing quote of a string: the place is after it.
  void DescendTails(const Place& place, Row tails);
  const TailRow& TailsAfterValue(const Place& in_string);  // whatever it says: REQUIRES that nothing asks for that
  const TailRow& TailsAfterKey(const Place& after_key);
  template <class Close>  // bool close(Place&): to where the tails begin; false = there is no way on
  const TailRow& TailsAfter(const Place& member, Where where, Close close);
  bool TakesTail(Place place, std::string_view tail);
  // Calls add(exit) for those of an entry that end the string and go on as they may.
  template <class Entry, class Add>
  void AddStringExits(const Place& in_string, const Entry& entry, Add add);
  template <class Entry, class Add>
  void AddAskedExits(const Place& in_string, const Entry& entry, Add add);
  // Calls add(exit) for those of an entry that end the key and go on as they may.
  template <class Entry, class Add>
  void AddKeyExits(const Place& in_key, const Entry& entry, Add add);
  std::shared_ptr<const NumberEntry> NumberAt(const Place& place);
  void AddNumberInner(const std::shared_ptr<const NumberEntry>& entry, const Place& place);

  Machine& machine_;
  const Vocabulary& vocabulary_;
  std::shared_ptr<const BetweenTokens> between_;
  std::shared_ptr<const KeyTails> key_tails_;
  TerminalEntries terminals_;
  OpeningEntries openings_;
  NumberEntries numbers_;
  Arena arena_;
  MaskParts parts_;
  std::vector<Place> places_;  // by depth
  std::vector<ByteClasses> classes_;
  std::vector<Place> tail_places_;  // likewise of DescendTails, which a walk may need on its way
  std::vector<ByteClasses> tail_classes_;
  std::optional<Place> opened_;  // of `opening_`
  std::vector<std::uint32_t> opening_;
  std::unordered_map<Fingerprint, TailRow, FingerprintHash> tails_after_;
  std::vector<std::uint32_t> tail_row_;  // scratch
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_JSON_WALK_H_
