// Two sets of values side by side.
#include "grammar/written_numbers.h"

#include <cstddef>
#include <string_view>

namespace decant::grammar {
namespace {

NumberSet Integers() {
  static const NumberSet integers = NumberSet::Multiples(Decimal::Of("1", 0));
  return integers;
}

// Digits alone. REQUIRES: an integer.
std::string PlainText(const Decimal& value) {
  if (value.is_zero()) return "0";
  std::string text = value.is_negative() ? "-" : "";
  text += value.digits();
  text.append(static_cast<std::size_t>(value.exponent()), '0');
  return text;
}

}  // namespace

WrittenNumbers::WrittenNumbers(NumberSet plain, NumberSet other) : plain_(std::move(plain)), other_(std::move(other)) {
  if (plain_ == other_) return;
  plain_ = plain_.Intersect(Integers());
  is_by_value_ = plain_ == other_.Intersect(Integers());
  if (is_by_value_) plain_ = other_;
}

WrittenNumbers WrittenNumbers::Plain() { return {Integers(), NumberSet::None()}; }

WrittenNumbers WrittenNumbers::Intersect(const WrittenNumbers& other) const {
  if (is_by_value_ && other.is_by_value_) return WrittenNumbers(other_.Intersect(other.other_));
  return {plain_.Intersect(other.plain_), other_.Intersect(other.other_)};
}

WrittenNumbers WrittenNumbers::Unite(const WrittenNumbers& other) const {
  if (is_by_value_ && other.is_by_value_) return WrittenNumbers(other_.Unite(other.other_));
  return {plain_.Unite(other.plain_), other_.Unite(other.other_)};
}

WrittenNumbers WrittenNumbers::Complement() const {
  if (is_by_value_) return WrittenNumbers(other_.Complement());
  return {plain_.Complement(), other_.Complement()};
}

std::uint64_t WrittenNumbers::Count(std::uint64_t most) const {
  return is_by_value_ ? other_.Count(most) : plain_.Unite(other_).Count(most);
}

std::optional<std::string> WrittenNumbers::Example() const {
  std::optional<std::string> other = other_.Example();
  if (is_by_value_) return other;
  constexpr std::int64_t kMostZeros = 4096;
  const std::optional<std::string> plain = plain_.Example();
  if (plain.has_value()) {
    const std::optional<Decimal> value = Decimal::Parse(*plain);
    if (value.has_value() && value->exponent() <= kMostZeros) return PlainText(*value);
  }
  constexpr std::string_view kNotPlain = ".e";
  if (other.has_value() && other->find_first_of(kNotPlain) == std::string::npos) *other += ".0";
  return other;
}

bool WrittenNumbers::Admits(const NumberPrefix& prefix) const {
  if (is_by_value_ || !prefix.is_plain()) return other_.Admits(prefix);
  // A point and zeros may follow any number that is plain so far.
  return plain_.AdmitsPlain(prefix) || other_.Admits(prefix);
}

bool WrittenNumbers::Accepts(const NumberPrefix& prefix) const {
  return (prefix.is_plain() ? plain_ : other_).Accepts(prefix);
}

Fingerprint WrittenNumbers::KeyOf(const NumberPrefix& prefix, const NumberHorizon& horizon) const {
  const Fingerprint key = other_.KeyOf(prefix, horizon);
  if (is_by_value_ || !prefix.is_plain()) return key;
  return Add(Add(key, "plain"), plain_.KeyOf(prefix, horizon));
}

Fingerprint WrittenNumbers::Content() const {
  return is_by_value_ ? other_.Content() : Add(Add(other_.Content(), "plain"), plain_.Content());
}

}  // namespace decant::grammar
