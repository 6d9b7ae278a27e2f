// What Unicode normalization asks of code points: canonical combining class, canonical decomposition, composition.
//
// Unicode 9.0 (normalization.h), less Hangul syllables, whose decompositions are a formula (normalization.cc).
#ifndef DECANT_TEXT_NORMALIZATION_TABLES_H_
#define DECANT_TEXT_NORMALIZATION_TABLES_H_

#include <cstdint>

namespace decant::text {

struct Decomposition {
  char32_t composed;
  char32_t first, second;  // one step; second = 0: a single code point
};

// False when the code point is a starter that NFC leaves as it is, whatever stands before it (NFC_Quick_Check = Yes and
// combining class 0). A part of the text may end before such a code point.
bool MayChangeInNfc(char32_t code_point);
std::uint8_t CombiningClassOf(char32_t code_point);
const Decomposition* FindDecomposition(char32_t code_point);  // nullptr: it has none
char32_t Composed(char32_t first, char32_t second);           // 0: they do not compose

}  // namespace decant::text

#endif  // DECANT_TEXT_NORMALIZATION_TABLES_H_
