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
#include "grammar/json/machine.h"
#include "grammar/json/number_entry.h"
#include "grammar/json/opening_entry.h"
#include "grammar/terminal_entry.h"
#include "grammar/vocabulary.h"

namespace decant::grammar {

// One grammar's; like the machine, for whoever holds the grammar.
class JsonWalk {
 public:
  JsonWalk(Machine& machine, const Vocabulary& vocabulary);

  // Sets the bits of the tokens that may come next, less end tokens. REQUIRES: the row is 0, of vocabulary.words().
  void Fill(const Place& place, std::span<std::uint32_t> row);
  // Those that are only the grammar's own literals there: punctuation, quotes, white space, and names where no other
  // keys are possible.
  void FillStructural(const Place& place, std::span<std::uint32_t> row);

 private:
  using Row = std::span<std::uint32_t>;
  // What the tails do from a place on, as a row of tails.
  struct TailRow {
    std::vector<std::uint32_t> tails;
    bool was_probed = false;  // see Machine::probes
  };

  ByteClasses ClassesAt(const Place& place) const;
  bool IsStructural(const Place& place, std::uint8_t byte);

  void FillBetween(const Place& place, Row row);
  void FillFromByte(const Place& place, std::uint8_t byte, Row row);
  void FillAfterWhite(const Place& place, ByteClasses classes, Row row);
  void FillInNumber(const Place& place, Row row);
  void FillExits(const NumberEntry& entry, const Place& place, Row row);
  void FillInString(const Place& place, Row row);
  void FillInKey(const Place& place, Row row);
  void FillKeyExits(const Place& place, const TerminalEntry& entry, Row row);

  // The subtree below a node, from the place after the node's byte.
  void Descend(std::uint32_t node, const Place& place, Row row);
  void AddOpening(std::uint32_t quote_node, const Place& place, Row row);
  const std::vector<std::uint32_t>& OpeningAt(const Place& place);
  // Tails after the closing quote of a string: the place is after it.
  void DescendTails(const Place& place, Row tails);
  const std::vector<std::uint32_t>& TailsAfterValue(const Place& in_string);
  bool TakesTail(Place place, std::string_view tail);
  // Of a tail of a key: decided by white space and a colon alone, whatever the key; nothing when the value matters.
  std::optional<bool> TakesKeyTail(const Place& in_key, std::string_view tail) const;
  NumberState NumberAt(const Place& place) const;

  Machine& machine_;
  const Vocabulary& vocabulary_;
  std::shared_ptr<const BetweenTokens> between_;
  TerminalEntries terminals_;
  OpeningEntries openings_;
  NumberEntries numbers_;
  Arena arena_;
  std::vector<Place> places_;  // by depth
  std::vector<ByteClasses> classes_;
  std::optional<Place> opened_;  // of `opening_`
  std::vector<std::uint32_t> opening_;
  std::unordered_map<Fingerprint, TailRow, FingerprintHash> tails_after_;
  std::vector<std::uint32_t> tail_row_;  // scratch
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_JSON_WALK_H_
