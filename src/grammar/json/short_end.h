// A short text that completes a JSON text.
#ifndef DECANT_GRAMMAR_JSON_SHORT_END_H_
#define DECANT_GRAMMAR_JSON_SHORT_END_H_

#include <optional>
#include <string>

#include "grammar/json/frame.h"
#include "grammar/json/machine.h"

namespace decant::grammar {

// Closes what is open from the inside out, each by a short way that the rules know; nothing when a search for one ran
// out of budget. What comes back was followed through the machine.
std::optional<std::string> FindShortEnd(Machine& machine, const Place& place);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_SHORT_END_H_
