// Cuts text into the pieces inside which BPE merges ("pre-tokenization"), the way of SmolLM's tokenizers.
//
// First every numeric code point (Nd, Nl, No) stands alone; what is between them is cut by GPT-2's expression
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// so that "a  b1" gives "a", " ", " b", "1", and white space before a number stays whole.
// A part that is not valid UTF-8 counts as a symbol, like U+FFFD.
#ifndef DECANT_TEXT_PRETOKENIZER_H_
#define DECANT_TEXT_PRETOKENIZER_H_

#include <cstddef>
#include <string_view>

namespace decant::text {

// The length in bytes (>= 1) of the first piece. Depends on nothing before `text`. REQUIRES: !text.empty().
// Cost: linear in the piece.
std::size_t FirstPiece(std::string_view text);

}  // namespace decant::text

#endif  // DECANT_TEXT_PRETOKENIZER_H_
