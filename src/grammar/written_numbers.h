// Sets of JSON numbers as they are written: by value, and by whether there is neither a fraction nor an exponent, which
// is what JSON Schema's draft 4 calls an integer. All later drafts speak of values alone.
#ifndef DECANT_GRAMMAR_WRITTEN_NUMBERS_H_
#define DECANT_GRAMMAR_WRITTEN_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "grammar/number_set.h"

namespace decant::grammar {

// Immutable, and cheap to copy; any thread.
class WrittenNumbers {
 public:
  WrittenNumbers() = default;  // none
  // However they are written.
  explicit WrittenNumbers(const NumberSet& values) : plain_(values), other_(values) {}
  // All that are written without fraction and exponent.
  static WrittenNumbers Plain();

  WrittenNumbers Intersect(const WrittenNumbers& other) const;
  WrittenNumbers Unite(const WrittenNumbers& other) const;
  WrittenNumbers Complement() const;

  // By value, and whether it is written plainly. REQUIRES: the value is an integer if it is.
  bool Has(const Decimal& value, bool is_plain) const { return (is_plain ? plain_ : other_).Has(value); }
  bool IsEmpty() const { return plain_.IsEmpty() && other_.IsEmpty(); }
  bool IsAll() const { return is_by_value_ && other_.IsAll(); }
  // The rest is as of NumberSet. Numbers of one value count as one.
  std::uint64_t Count(std::uint64_t most) const;
  std::optional<std::string> Example() const;
  bool Admits(const NumberPrefix& prefix) const;
  bool Accepts(const NumberPrefix& prefix) const;
  Fingerprint KeyOf(const NumberPrefix& prefix, const NumberHorizon& horizon) const;
  Fingerprint Content() const;
  bool operator==(const WrittenNumbers& other) const = default;

 private:
  WrittenNumbers(NumberSet plain, NumberSet other);

  // The values of those written plainly and of the others. Where the two are not the same, `plain_` has integers alone.
  NumberSet plain_, other_;
  bool is_by_value_ = true;  // the two are the same
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_WRITTEN_NUMBERS_H_
