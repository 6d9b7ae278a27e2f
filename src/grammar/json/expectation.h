// What may come next in a JSON text, in words.
#ifndef DECANT_GRAMMAR_JSON_EXPECTATION_H_
#define DECANT_GRAMMAR_JSON_EXPECTATION_H_

#include <string>

#include "grammar/json/frame.h"
#include "grammar/json/machine.h"

namespace decant::grammar {

// "a key of the object at $.a: \"name\" or \"age\"", "a string, after 3 characters", "',' or ']'".
std::string DescribeExpected(Machine& machine, const Place& place);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_JSON_EXPECTATION_H_
