// Unicode Normalization Form C: the form in which some tokenizers want their text ("e" + U+0301 becomes "é").
//
// Unicode Standard Annex #15, of Unicode 9.0: that is the version in Hugging Face's `tokenizers` 0.23. Later versions
// normalize what was assigned by then in the same way; the 108 combining marks and the one composition that came since
// stay as they are.
#ifndef DECANT_TEXT_NORMALIZATION_H_
#define DECANT_TEXT_NORMALIZATION_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace decant::text {

enum class Normalization : std::uint8_t { kNone, kNfc };

// The text in NFC: the argument itself when nothing in it may change, else `storage`, which is overwritten. Parts that
// are not valid UTF-8 stay as they are, and nothing composes across them. Cost: linear, but n log n in the marks on one
// letter; a text without code points past U+02FF is only scanned.
std::string_view ToNfc(std::string_view text, std::string& storage);

}  // namespace decant::text

#endif  // DECANT_TEXT_NORMALIZATION_H_
