// Numbers to text and back, independent of the locale, correctly rounded both ways.
#ifndef DECANT_CORE_NUMBER_TEXT_H_
#define DECANT_CORE_NUMBER_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace decant::core {

// Shortest text that reads back as the same double, as JSON accepts it: "0.1", "1e-07", "5e-324". REQUIRES: finite.
std::string ShortestText(double value);
// The same, with "NaN", "Infinity" and "-Infinity" for the rest: for messages.
std::string NumberText(double value);
// "0.576116884766": fixed decimals, halves by the exact value.
std::string FixedText(double value, int decimals);
// The bits as C hexadecimal floating text, "0x1.5af7243113d9ap-2".
std::string HexText(double value);

// The whole text as a number, or nothing. "inf", "nan" and hexadecimal are refused; a value past the doubles gives
// an infinity, one below them a zero (both are what correct rounding gives).
std::optional<double> ParseDouble(std::string_view text);
std::optional<std::int64_t> ParseInt64(std::string_view text);
std::optional<std::uint64_t> ParseUint64(std::string_view text);

// "did you mean": the candidate at the smallest edit distance, if that is at most a third of the length (at least 1).
template <class Range>
std::optional<std::string> Closest(std::string_view word, const Range& candidates);
std::size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace decant::core

#include "core/number_text-inl.h"

#endif  // DECANT_CORE_NUMBER_TEXT_H_
