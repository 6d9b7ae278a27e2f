// Keywords that stand for themselves: types, enum and const, bounds of numbers, lengths, patterns, formats, counts.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/number_text.h"
#include "core/utf8.h"
#include "grammar/regex/regex.h"
#include "grammar/schema/node_reader.h"

namespace decant::grammar {
namespace {

struct TypeName {
  std::string_view name;
  std::uint8_t bit;
};
constexpr TypeName kTypeNames[] = {{"null", kNullType},      {"boolean", kBooleanType}, {"number", kNumberType},
                                   {"integer", kNumberType}, {"string", kStringType},   {"array", kArrayType},
                                   {"object", kObjectType}};
constexpr std::string_view kTypesAllowed = "one or more of null, boolean, number, integer, string, array, object";

// A count, with those that no text can reach cut at the largest number; nothing for what is no count.
std::optional<std::uint64_t> CountOf(const json::Value& value) {
  if (value.if_number() == nullptr) return std::nullopt;
  const std::string& text = value.if_number()->text;
  if (const std::optional<std::uint64_t> plain = core::ParseUint64(text); plain.has_value()) return plain;
  const std::optional<Decimal> number = Decimal::Parse(text);
  if (!number.has_value()) {  // 1e9999999999 is a count, however large; NaN and 1e-9999999999 are not
    const std::size_t mark = text.find_first_of("eE");
    const bool is_large = mark != std::string::npos && !text.starts_with('-') && text[mark + 1] != '-';
    return is_large ? std::optional<std::uint64_t>(kUnbounded) : std::nullopt;
  }
  if (number->is_zero()) return 0;
  if (number->is_negative() || !number->IsInteger()) return std::nullopt;
  std::string digits(number->digits());
  if (static_cast<std::int64_t>(digits.size()) + number->exponent() > 20) return kUnbounded;
  digits.append(static_cast<std::size_t>(number->exponent()), '0');
  return core::ParseUint64(digits).value_or(kUnbounded);
}

std::string Shown(const json::Value& value) {
  if (value.if_number() != nullptr) return value.if_number()->text.substr(0, 60);
  if (value.if_string() != nullptr) return core::Quoted(*value.if_string());
  if (value.if_bool() != nullptr) return *value.if_bool() ? "true" : "false";
  return std::string(value.kind());
}

}  // namespace

std::unexpected<Error> NodeReader::Wrong(const Here& here, Keyword keyword, const json::Value& value,
                                         std::string_view allowed) {
  const std::string_view name = RowOf(keyword).name;
  std::string message = here.node.path + ": ";
  ((((message += name) += " is ") += Shown(value)) += "; expected ") += allowed;
  return Fail(ErrorCode::kInvalidSchema, std::move(message),
              {.subject = (here.node.path + ": ").append(name), .allowed = std::string(allowed)});
}

Result<void> NodeReader::LeaveOut(const Here& here, Keyword keyword, ErrorCode code, const std::string& why) {
  const std::string subject = (here.node.path + ": ").append(RowOf(keyword).name);
  if (code != ErrorCode::kUnenforceable || !options_.allow_unenforced) {
    return Fail(code, subject + " " + why, {.subject = subject});
  }
  document_.unenforced.push_back(subject);
  incomplete_.push_back(here.id);
  return {};
}

Result<void> NodeReader::ReadTypes(const Here& here) {
  const json::Value* const value = here.values[Keyword::kType];
  if (value == nullptr) return {};
  std::uint8_t types = 0;
  bool numbers = false;
  bool integers = false;
  const auto add = [&](const json::Value& name) {
    if (name.if_string() == nullptr) return false;
    const auto* const type = std::ranges::find(kTypeNames, *name.if_string(), &TypeName::name);
    if (type == std::end(kTypeNames)) return false;
    types = static_cast<std::uint8_t>(types | type->bit);
    numbers = numbers || type->name == "number";
    integers = integers || type->name == "integer";
    return true;
  };
  const json::Array* const list = value->if_array();
  if (list == nullptr) {
    if (!add(*value)) return Wrong(here, Keyword::kType, *value, kTypesAllowed);
  } else {
    if (list->empty()) return Wrong(here, Keyword::kType, *value, kTypesAllowed);
    for (const json::Value& name : *list) {
      if (!add(name)) return Wrong(here, Keyword::kType, name, kTypesAllowed);
    }
  }
  here.node.types = types;
  here.node.integers_only = integers && !numbers;
  here.node.plain_integers = here.node.integers_only && here.dialect.draft == Draft::k4;
  return {};
}

Result<void> NodeReader::ReadValues(const Here& here) {
  if (const json::Value* const value = here.values[Keyword::kEnum]; value != nullptr) {
    if (value->if_array() == nullptr) return Wrong(here, Keyword::kEnum, *value, "an array");
    here.node.values = *value->if_array();
    if (here.node.values->empty()) here.node.is_false = true;
  }
  if (const json::Value* const value = here.values[Keyword::kConst]; value != nullptr) {
    if (here.node.values.has_value()) {  // both count
      const SchemaId both{static_cast<std::uint32_t>(document_.nodes.size())};
      SchemaNode& node = document_.nodes.emplace_back();
      node.path = here.node.path;
      node.values = json::Array{*value};
      here.node.all_of.push_back(both);
    } else {
      here.node.values = json::Array{*value};
    }
  }
  return {};
}

Result<std::optional<Decimal>> NodeReader::NumberOf(const Here& here, Keyword keyword) {
  const json::Value* const value = here.values[keyword];
  if (value == nullptr) return std::nullopt;
  if (value->if_number() == nullptr) return Wrong(here, keyword, *value, "a number");
  std::optional<Decimal> number = Decimal::Parse(value->if_number()->text);
  if (!number.has_value()) return Wrong(here, keyword, *value, "a number with an exponent within 10^9");
  return number;
}

// exclusiveMinimum and exclusiveMaximum: a bound, or in draft 4 whether minimum or maximum is excluded.
Result<void> NodeReader::ReadExclusive(const Here& here, Keyword keyword) {
  const json::Value* const value = here.values[keyword];
  if (value == nullptr) return {};
  const bool is_minimum = keyword == Keyword::kExclusiveMinimum;
  std::optional<Decimal>& included = is_minimum ? here.node.minimum : here.node.maximum;
  std::optional<Decimal>& excluded = is_minimum ? here.node.exclusive_minimum : here.node.exclusive_maximum;
  if (value->if_bool() != nullptr && (here.dialect.draft == Draft::k4 || !here.dialect.stated)) {
    if (*value->if_bool()) excluded = std::exchange(included, std::nullopt);
    return {};
  }
  DECANT_TRY(excluded, NumberOf(here, keyword));
  return {};
}

Result<void> NodeReader::ReadNumbers(const Here& here) {
  DECANT_TRY(here.node.minimum, NumberOf(here, Keyword::kMinimum));
  DECANT_TRY(here.node.maximum, NumberOf(here, Keyword::kMaximum));
  DECANT_CHECKED(ReadExclusive(here, Keyword::kExclusiveMinimum));
  DECANT_CHECKED(ReadExclusive(here, Keyword::kExclusiveMaximum));
  DECANT_TRY(here.node.multiple_of, NumberOf(here, Keyword::kMultipleOf));
  if (here.node.multiple_of.has_value() && (here.node.multiple_of->is_zero() || here.node.multiple_of->is_negative())) {
    return Wrong(here, Keyword::kMultipleOf, *here.values[Keyword::kMultipleOf], "a number greater than 0");
  }
  return {};
}

Result<void> NodeReader::ReadCount(const Here& here, Keyword keyword, std::uint64_t& count) {
  const json::Value* const value = here.values[keyword];
  if (value == nullptr) return {};
  const std::optional<std::uint64_t> read = CountOf(*value);
  if (!read.has_value()) return Wrong(here, keyword, *value, "an integer of at least 0");
  // A least count stays below "unbounded", which is no number of things.
  const bool is_least = RowOf(keyword).name.starts_with("min");
  count = is_least ? std::min(*read, kUnbounded - 1) : *read;
  return {};
}

Result<std::vector<std::string>> NodeReader::Names(const Here& here, Keyword keyword, const json::Value& list) {
  constexpr std::string_view kAllowed = "an array of strings";
  if (list.if_array() == nullptr) return Wrong(here, keyword, list, kAllowed);
  std::vector<std::string> names;
  names.reserve(list.if_array()->size());
  std::unordered_set<std::string_view> seen;
  for (const json::Value& name : *list.if_array()) {
    if (name.if_string() == nullptr) return Wrong(here, keyword, name, kAllowed);
    if (seen.insert(*name.if_string()).second) names.push_back(*name.if_string());
  }
  return names;
}

Result<std::optional<Expr>> NodeReader::PatternOf(const Here& here, Keyword keyword, const std::string& pattern) {
  if (const auto known = patterns_.find(pattern); known != patterns_.end()) return known->second;
  const Result<Expr> parsed = ParseRegex(pattern, RegexFlavour::kEcma, RegexMatch::kSearch, pool_);
  if (parsed.has_value()) {
    patterns_.emplace(pattern, *parsed);
    return *parsed;
  }
  const bool is_invalid = parsed.error().code == ErrorCode::kInvalidRegex;
  const std::string why = "is " + core::Quoted(pattern) + ": " + parsed.error().message;
  DECANT_CHECKED(LeaveOut(here, keyword, is_invalid ? ErrorCode::kInvalidSchema : ErrorCode::kUnenforceable, why));
  return std::nullopt;
}

Result<void> NodeReader::ReadStrings(const Here& here) {
  DECANT_CHECKED(ReadCount(here, Keyword::kMinLength, here.node.min_length));
  DECANT_CHECKED(ReadCount(here, Keyword::kMaxLength, here.node.max_length));
  if (const json::Value* const value = here.values[Keyword::kPattern]; value != nullptr) {
    if (value->if_string() == nullptr) return Wrong(here, Keyword::kPattern, *value, "a regular expression");
    DECANT_TRY(const std::optional<Expr> pattern, PatternOf(here, Keyword::kPattern, *value->if_string()));
    if (pattern.has_value()) here.node.strings.push_back(*pattern);
  }
  if (const json::Value* const value = here.values[Keyword::kFormat]; value != nullptr) {
    if (value->if_string() == nullptr) return Wrong(here, Keyword::kFormat, *value, "a string");
    const std::string& name = *value->if_string();
    if (!options_.assert_formats && !here.dialect.asserts_formats) return {};
    const auto [language, is_new] = formats_.try_emplace(name);
    if (is_new) language->second = FormatLanguage(name, pool_);
    if (language->second.has_value()) here.node.strings.push_back(*language->second);
  }
  return {};
}

}  // namespace decant::grammar
