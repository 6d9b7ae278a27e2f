// Masks of places in a JSON text: which tokens may come next, by a walk of the vocabulary's tree.
#ifndef DECANT_GRAMMAR_JSON_JSON_WALK_H_
#define DECANT_GRAMMAR_JSON_JSON_WALK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/json/arena.h"
#include "grammar/json/frame.h"
#include "grammar/json/machine.h"
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
  bool IsStructural(const Place& place, std::uint8_t byte);
  template <class Accepts>
  void Walk(const Place& place, std::span<std::uint32_t> row, Accepts accepts);

  Machine& machine_;
  const Vocabulary& vocabulary_;
  Arena arena_;
  std::vector<Place> places_;  // by depth
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_JSON_WALK_H_
