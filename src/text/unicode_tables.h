// The Unicode properties that pre-tokenization asks for: general categories L, N and M, White_Space.
//
// Unicode 15.0, whose classes equal those of Hugging Face's tokenizers 0.23 for every code point assigned in it.
#ifndef DECANT_TEXT_UNICODE_TABLES_H_
#define DECANT_TEXT_UNICODE_TABLES_H_

#include <cstdint>

namespace decant::text {

enum class CodePointClass : std::uint8_t {
  kOther,   // marks, punctuation, symbols, controls that are not white space, unassigned
  kLetter,  // \p{L}
  kNumber,  // \p{N}: Nd, Nl, No
  kSpace,   // White_Space, which is what \s means in the regular expressions of byte-level BPE
};

// Any value may be asked for; past U+10FFFF the answer is kOther.
CodePointClass ClassOf(char32_t code_point);

// Where a code point may stand in a word that begins in upper case and goes on in lower case.
enum class WordPart : std::uint8_t {
  kNone,   // neither a letter nor a mark
  kUpper,  // Lu, Lt
  kLower,  // Ll
  kBoth,   // Lm, Lo, M
};
WordPart WordPartOf(char32_t code_point);

}  // namespace decant::text

#endif  // DECANT_TEXT_UNICODE_TABLES_H_
