// A constraint without a model: its texts, byte by byte.
#ifndef DECANT_CLI_CONSTRAINT_WALK_H_
#define DECANT_CLI_CONSTRAINT_WALK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/constraint.h"
#include "decant/error.h"

namespace decant::cli {

// Token b is byte b, and this one ends a text.
inline constexpr TokenId kByteEnd = 256;
Result<std::shared_ptr<const ConstraintVocabulary>> ByteVocabulary();

// Follows the text over ByteVocabulary as far as it goes; how many bytes that is.
std::size_t Follow(Constraint& constraint, std::string_view text);

// The tokens that the mask has, ascending. row_length: the grammar's.
std::vector<TokenId> AllowedTokens(const Constraint& constraint, std::size_t row_length);

// "\"", "0".."9", "\x80".."\xbf": the bytes, ascending, for a person.
std::string ByteRanges(std::span<const unsigned char> bytes);

// A text's line in two: the line as far as a terminal shows it, and a mark under the place. at: of the text.
std::string Excerpt(std::string_view text, const Position& at);
// The place of a byte: line and column, in code points. REQUIRES: offset <= text.size().
Position PlaceIn(std::string_view text, std::size_t offset);

// Random texts of a grammar over ByteVocabulary. Bytes that people write come more often; past `most_bytes` the
// shortest way to the end is taken, so that a text may be somewhat longer.
struct TextMakerOptions {
  std::uint64_t seed = 0;
  std::size_t most_bytes = 200;
};
// The text of a number; the same number gives the same text. kTooComplex: no end was found.
Result<std::string> MakeText(const Grammar& grammar, std::uint32_t number, const TextMakerOptions& options);

}  // namespace decant::cli

#endif  // DECANT_CLI_CONSTRAINT_WALK_H_
