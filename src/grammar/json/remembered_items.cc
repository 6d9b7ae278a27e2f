// Numbers by their digits first, so that those of one mantissa stand together.
#include "grammar/json/remembered_items.h"

#include "grammar/json/facets.h"

namespace decant::grammar {
namespace {

constexpr char kItem = '\xFF', kInner = '\xFE';  // before what is no string of the array, of an item
constexpr std::string_view kZero =
    "\xFF"
    "0";
// A number of fewer digits has room for more of them before it is too large for a reader.
constexpr std::uint64_t kManyDigits = 300;

}  // namespace

std::string KeyOfNumber(const Decimal& value) {
  if (value.is_zero()) return std::string(kZero);
  std::string key = {kItem, value.is_negative() ? '-' : '+'};
  key.append(value.digits()).append("e").append(std::to_string(value.exponent()));
  return key;
}

std::string KeyOfContainer(std::string_view canonical) { return kItem + std::string(canonical); }
std::string KeyOfInnerString(std::string_view text) { return kInner + std::string(text); }

std::optional<std::string> CanonicalOfKey(std::string_view key) {
  if (key.starts_with(kInner)) return std::nullopt;
  std::string canonical;
  if (!key.starts_with(kItem)) {
    AppendCanonicalString(key, canonical);
    return canonical;
  }
  key.remove_prefix(1);
  if (key.front() == '[' || key.front() == '{') return std::string(key);
  if (key.front() == '+') key.remove_prefix(1);
  return Decimal::Parse(key).value().ToText();
}

bool MayEndInFew(const NumberPrefix& number, std::size_t characters) {
  return number.is_negative() || number.has_exponent() || number.digit_count() + characters >= kManyDigits;
}

std::optional<std::string> KeysOfRest(const NumberPrefix& number, bool has_negatives) {
  if (number.is_negative() && !has_negatives) return std::string(kZero);
  if (!number.has_exponent() && number.digit_count() < kManyDigits) return std::nullopt;
  std::string digits = number.Digits();
  digits.resize(digits.find_last_not_of('0') + 1);  // to nothing where all are zeros
  if (digits.empty()) return std::string(kZero);
  std::string keys = {kItem, number.is_negative() ? '-' : '+'};
  keys += digits;
  if (number.has_exponent()) keys += 'e';
  return keys;
}

}  // namespace decant::grammar
