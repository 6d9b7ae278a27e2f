// Sets of Unicode scalar values, as sorted ranges, and the sets that regular expressions have names for.
#ifndef DECANT_GRAMMAR_REGEX_CHAR_SET_H_
#define DECANT_GRAMMAR_REGEX_CHAR_SET_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "grammar/expr_pool.h"
#include "grammar/regex/regex.h"

namespace decant::grammar {

// A value. Surrogates are never in it: no text has them.
class CharSet {
 public:
  CharSet() = default;
  // Ranges in any order, which may overlap or hold surrogates.
  explicit CharSet(std::vector<CodePointRange> ranges);
  static CharSet Of(char32_t c) { return Range(c, c); }
  static CharSet Range(char32_t first, char32_t last);
  static const CharSet& All();

  std::span<const CodePointRange> ranges() const { return ranges_; }
  bool IsEmpty() const { return ranges_.empty(); }
  bool IsAll() const { return *this == All(); }
  bool Has(char32_t c) const;
  bool Covers(const CharSet& other) const { return other.Without(*this).IsEmpty(); }
  std::uint32_t size() const;
  std::optional<char32_t> Only() const;  // its member when it has just one

  CharSet Unite(const CharSet& other) const;
  CharSet Intersect(const CharSet& other) const;
  CharSet Without(const CharSet& other) const { return Intersect(other.Complement()); }
  CharSet Complement() const;

  bool operator==(const CharSet& other) const;
  bool operator<(const CharSet& other) const;  // any total order

 private:
  std::vector<CodePointRange> ranges_;  // sorted, with gaps between
};

// Which characters are one but for case.
enum class CaseRule : std::uint8_t {
  kSimple,  // Unicode's simple case folding, as ECMA-262 with the flag u
  kPython,  // that, and letters with one upper case in common: i, I, U+0130 and U+0131; three Greek and Latin pairs
  kAscii,   // A to Z alone
};
CharSet WithCases(const CharSet& set, CaseRule rule);

enum class Alphabet : std::uint8_t { kAscii, kUnicode };
const CharSet& Digits(Alphabet alphabet);
// ASCII: letters, digits and "_". Unicode, as Python: categories L and N, and "_".
const CharSet& WordChars(Alphabet alphabet);
const CharSet& PythonSpaces(Alphabet alphabet);  // str.isspace(): White_Space and U+001C to U+001F
const CharSet& EcmaSpaces();                     // WhiteSpace and LineTerminator of ECMA-262
const CharSet& LineTerminators();                // of ECMA-262: \n \r U+2028 U+2029
// POSIX's classes over ASCII: alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit.
std::optional<CharSet> PosixClass(std::string_view name);

// What stands in \p{…}: a general category or binary property, "gc=…", "sc=…", "scx=…" (long names too), or the name of
// a script. Names as text::CodePointsOf reads them. Nothing when there is no such property.
std::optional<CharSet> UnicodeProperty(std::string_view name);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_REGEX_CHAR_SET_H_
