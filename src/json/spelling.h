// Spellings of numbers that JSON itself has no room for, the same in every request, record and trace.
#ifndef DECANT_JSON_SPELLING_H_
#define DECANT_JSON_SPELLING_H_

#include <cstdint>
#include <optional>

#include "json/value.h"
#include "json/writer.h"

namespace decant::json {

// A number, with null, "-inf" and "-Infinity" for minus infinity. Nothing for any other value.
std::optional<double> ReadScore(const Value& value);

// A number up to 2^53, a decimal string past it, where many readers lose the low bits.
void WriteSeed(std::uint64_t seed, Writer& writer);

}  // namespace decant::json

#endif  // DECANT_JSON_SPELLING_H_
