// JSON values: exact integers from number text, and walks over deep trees that keep their own stack.
#include "json/value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/number_text.h"

namespace decant::json {
namespace {

// |number| as an unsigned integer, if it is one: "300", "3e2", "300.0" and "30.00e1" are all 300.
struct Magnitude {
  bool negative;
  std::uint64_t value;
};
std::optional<Magnitude> ExactInteger(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t mark = text.find_first_of("eE");
  std::int64_t power = 0;
  bool power_is_huge = false;
  if (mark != std::string_view::npos) {
    std::string_view exponent = text.substr(mark + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    const std::optional<std::int64_t> parsed = core::ParseInt64(exponent);
    power_is_huge = !parsed.has_value() || *parsed > (std::int64_t{1} << 60) || *parsed < -(std::int64_t{1} << 60);
    if (!power_is_huge) power = *parsed;
  }
  const std::string_view significand = text.substr(0, mark);
  std::string digits;
  digits.reserve(significand.size());
  bool after_point = false;
  for (const char c : significand) {
    if (c == '.') {
      after_point = true;
    } else if (c >= '0' && c <= '9') {
      digits += c;
      if (after_point) --power;
    } else {
      return std::nullopt;  // NaN, Infinity
    }
  }
  while (digits.ends_with('0')) {
    digits.pop_back();
    ++power;
  }
  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) return Magnitude{negative, 0};
  if (power_is_huge || power < 0 || power > 19) return std::nullopt;  // 10^20 is past the integers
  digits.erase(0, first);
  digits.append(static_cast<std::size_t>(power), '0');
  const std::optional<std::uint64_t> value = core::ParseUint64(digits);
  if (!value.has_value()) return std::nullopt;
  return Magnitude{negative, *value};
}

}  // namespace

Value::~Value() {
  if (HoldsChildren()) DestroyChildren();
}

void Value::DestroyChildren() {
  // Containers inside move to a list of their own, so that none is destroyed within another.
  std::vector<Value> pending;
  const auto take = [&pending](Value& child) {
    if (child.HoldsChildren()) pending.push_back(std::move(child));
  };
  const auto take_all = [&take](Value& parent) {
    if (Array* const array = parent.if_array()) {
      for (Value& child : *array) take(child);
      array->clear();
    } else if (Object* const object = parent.if_object()) {
      for (Member& member : *object) take(member.second);
      object->clear();
    }
  };
  take_all(*this);
  while (!pending.empty()) {
    Value next = std::move(pending.back());
    pending.pop_back();
    take_all(next);
  }
}

Value::Value(const Value& other) {
  std::vector<std::pair<const Value*, Value*>> pending = {{&other, this}};
  while (!pending.empty()) {
    const auto [from, to] = pending.back();
    pending.pop_back();
    if (const Array* const array = from->if_array()) {
      Array& copy = to->data_.emplace<Array>(array->size());
      for (std::size_t i = 0; i < array->size(); ++i) pending.emplace_back(&(*array)[i], &copy[i]);
    } else if (const Object* const object = from->if_object()) {
      Object& copy = to->data_.emplace<Object>(object->size());
      for (std::size_t i = 0; i < object->size(); ++i) {
        copy[i].first = (*object)[i].first;
        pending.emplace_back(&(*object)[i].second, &copy[i].second);
      }
    } else {
      to->data_ = from->data_;
    }
  }
}

// Not inline: g++ 12 at -O1 takes the untouched alternatives of a moved variant for uninitialized reads.
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(Value&& other) noexcept = default;

Value& Value::operator=(const Value& other) {
  if (this != &other) *this = Value(other);
  return *this;
}

bool Value::operator==(const Value& other) const {
  std::vector<std::pair<const Value*, const Value*>> pending = {{this, &other}};
  while (!pending.empty()) {
    const auto [a, b] = pending.back();
    pending.pop_back();
    if (a->data_.index() != b->data_.index()) return false;
    if (const Array* const array = a->if_array()) {
      const Array& rival = *b->if_array();
      if (array->size() != rival.size()) return false;
      for (std::size_t i = 0; i < array->size(); ++i) pending.emplace_back(&(*array)[i], &rival[i]);
    } else if (const Object* const object = a->if_object()) {
      const Object& rival = *b->if_object();
      if (object->size() != rival.size()) return false;
      for (std::size_t i = 0; i < object->size(); ++i) {
        if ((*object)[i].first != rival[i].first) return false;
        pending.emplace_back(&(*object)[i].second, &rival[i].second);
      }
    } else if (a->data_ != b->data_) {
      return false;
    }
  }
  return true;
}

std::string_view Value::kind() const {
  constexpr std::string_view kKinds[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
  return kKinds[data_.index()];
}

const Value* Value::Find(std::string_view key) const {
  const Object* const object = if_object();
  if (object == nullptr) return nullptr;
  for (auto member = object->rbegin(); member != object->rend(); ++member) {
    if (member->first == key) return &member->second;
  }
  return nullptr;
}

std::optional<double> Value::AsDouble() const {
  const Number* const number = if_number();
  if (number == nullptr) return std::nullopt;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string_view text = number->text;
  if (text == "NaN" || text == "-NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity" || text == "Inf") return kInfinity;
  if (text == "-Infinity" || text == "-Inf") return -kInfinity;
  return core::ParseDouble(text);
}

std::optional<std::int64_t> Value::AsInt64() const {
  const Number* const number = if_number();
  if (number == nullptr) return std::nullopt;
  const std::optional<Magnitude> exact = ExactInteger(number->text);
  if (!exact.has_value()) return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (exact->value > kMost + (exact->negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(exact->negative ? -exact->value : exact->value);
}

std::optional<std::uint64_t> Value::AsUint64() const {
  const Number* const number = if_number();
  if (number == nullptr) return std::nullopt;
  const std::optional<Magnitude> exact = ExactInteger(number->text);
  if (!exact.has_value() || (exact->negative && exact->value != 0)) return std::nullopt;
  return exact->value;
}

std::optional<std::string> RepeatedKey(const Object& object) {
  std::vector<std::string_view> keys;
  keys.reserve(object.size());
  for (const Member& member : object) keys.push_back(member.first);
  std::ranges::sort(keys);
  const auto repeated = std::ranges::adjacent_find(keys);
  if (repeated == keys.end()) return std::nullopt;
  return std::string(*repeated);
}

}  // namespace decant::json
