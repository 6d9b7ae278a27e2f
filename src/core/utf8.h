// UTF-8 (Unicode 15, section 3.9): decoding one code point at a time, with maximal-subpart replacement.
#ifndef DECANT_CORE_UTF8_H_
#define DECANT_CORE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace decant::core {

inline constexpr char32_t kReplacement = 0xFFFD;

enum class Utf8Status : std::uint8_t {
  kValid,       // code_point and length are a code point
  kInvalid,     // length bytes (>= 1) can never become one: a maximal invalid part
  kIncomplete,  // the text ends inside what may become one; length = bytes there are (1 to 3)
};
struct Utf8Part {
  Utf8Status status;
  char32_t code_point;  // kReplacement unless valid
  std::size_t length;
};

// The part at the start of the text. REQUIRES: !text.empty().
Utf8Part DecodeUtf8(std::string_view text);
void AppendUtf8(char32_t code_point, std::string& out);
bool IsValidUtf8(std::string_view text);
// The text with every invalid or incomplete part replaced by U+FFFD.
std::string ToValidUtf8(std::string_view text);
// Text from outside as a message shows it: in double quotes, valid UTF-8, on one line. Control characters, quotes and
// backslashes are escaped ("\n", "\u001b"); past 60 code points it ends in "…".
std::string Quoted(std::string_view text);

}  // namespace decant::core

#endif  // DECANT_CORE_UTF8_H_
