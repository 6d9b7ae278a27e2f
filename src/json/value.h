// JSON values as read: numbers keep their text, objects keep key order.
#ifndef DECANT_JSON_VALUE_H_
#define DECANT_JSON_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "decant/error.h"

namespace decant::json {

class Value;
using Array = std::vector<Value>;
using Member = std::pair<std::string, Value>;
using Object = std::vector<Member>;  // in the order of the text

// A number by its text, so that whoever reads it decides the precision. "NaN", "Infinity" and "-Infinity" are read
// too: they are values that the sampler refuses by name.
struct Number {
  std::string text;
  bool operator==(const Number&) const = default;
};

class Value {
 public:
  Value() = default;  // null
  explicit Value(bool value) : data_(value) {}
  explicit Value(Number value) : data_(std::move(value)) {}
  explicit Value(std::string value) : data_(std::move(value)) {}
  explicit Value(Array value) : data_(std::move(value)) {}
  explicit Value(Object value) : data_(std::move(value)) {}

  // Depth costs no stack: not to destroy, not to copy, not to compare.
  ~Value();
  Value(const Value& other);
  Value& operator=(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(Value&& other) noexcept;

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  const bool* if_bool() const { return std::get_if<bool>(&data_); }
  const Number* if_number() const { return std::get_if<Number>(&data_); }
  const std::string* if_string() const { return std::get_if<std::string>(&data_); }
  const Array* if_array() const { return std::get_if<Array>(&data_); }
  const Object* if_object() const { return std::get_if<Object>(&data_); }
  Array* if_array() { return std::get_if<Array>(&data_); }
  Object* if_object() { return std::get_if<Object>(&data_); }

  // "null", "a boolean", "a number", "a string", "an array", "an object": for messages.
  std::string_view kind() const;
  // The member of an object, or nullptr. The last of equal keys wins.
  const Value* Find(std::string_view key) const;

  // A number's value, correctly rounded to f64; NaN and infinities come from their names. Nothing for other kinds.
  std::optional<double> AsDouble() const;
  // Exact integers only ("3", "3.0" and "3e0" are three; "3.5" is nothing).
  std::optional<std::int64_t> AsInt64() const;
  std::optional<std::uint64_t> AsUint64() const;

  // Same kind, same text of numbers, same members in the same order.
  bool operator==(const Value& other) const;

 private:
  bool HoldsChildren() const { return data_.index() >= 4; }
  void DestroyChildren();
  std::variant<std::monostate, bool, Number, std::string, Array, Object> data_;
};

// The first key, by its bytes, that an object has twice; readers disagree on which of the two counts.
std::optional<std::string> RepeatedKey(const Object& object);

struct ReadOptions {
  std::size_t max_depth = 1000;
};
// Reads one JSON text (RFC 8259, UTF-8; NaN, Infinity, Inf and their negatives allowed as numbers; a byte order mark
// at the start is skipped). kInvalidJson carries the position; its column counts code points. Iterative: depth costs
// no stack.
Result<Value> Read(std::string_view text, ReadOptions options);

}  // namespace decant::json

#endif  // DECANT_JSON_VALUE_H_
