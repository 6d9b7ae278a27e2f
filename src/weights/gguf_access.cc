// Typed access to what the parser found: each answer is the value, or an error that says what there is instead.
#include <cstring>
#include <limits>
#include <optional>

#include "core/utf8.h"
#include "weights/gguf.h"
#include "weights/gguf_bytes.h"

namespace decant::weights {
namespace {

using core::Quoted;

bool IsInteger(GgufType type) {
  return FixedSize(type) != 0 && type != GgufType::kF32 && type != GgufType::kF64 && type != GgufType::kBool;
}

std::string Described(const GgufValue& value) {
  if (value.type != GgufType::kArray) return std::string(GgufTypeName(value.type));
  return "array of " + std::string(GgufTypeName(value.element));
}

// An integer of any type; nothing if it does not fit the result.
std::optional<std::int64_t> SignedAt(GgufType type, const std::byte* bytes) {
  switch (type) {
    case GgufType::kU8:
      return LoadAs<std::uint8_t>(bytes);
    case GgufType::kI8:
      return LoadAs<std::int8_t>(bytes);
    case GgufType::kU16:
      return LoadAs<std::uint16_t>(bytes);
    case GgufType::kI16:
      return LoadAs<std::int16_t>(bytes);
    case GgufType::kU32:
      return LoadAs<std::uint32_t>(bytes);
    case GgufType::kI32:
      return LoadAs<std::int32_t>(bytes);
    case GgufType::kI64:
      return LoadAs<std::int64_t>(bytes);
    case GgufType::kU64: {
      const auto value = LoadAs<std::uint64_t>(bytes);
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
      return static_cast<std::int64_t>(value);
    }
    default:
      return std::nullopt;
  }
}

std::unexpected<Error> WrongType(std::string_view key, const GgufValue& value, std::string_view expected) {
  return Fail(ErrorCode::kCorruptFile,
              "metadata " + Quoted(key) + " is " + Described(value) + "; expected " + std::string(expected),
              {.subject = std::string(key), .allowed = std::string(expected), .at = Position{.offset = value.offset}});
}

}  // namespace

std::string_view GgufTypeName(GgufType type) {
  switch (type) {
    case GgufType::kU8:
      return "uint8";
    case GgufType::kI8:
      return "int8";
    case GgufType::kU16:
      return "uint16";
    case GgufType::kI16:
      return "int16";
    case GgufType::kU32:
      return "uint32";
    case GgufType::kI32:
      return "int32";
    case GgufType::kF32:
      return "float32";
    case GgufType::kBool:
      return "bool";
    case GgufType::kString:
      return "string";
    case GgufType::kArray:
      return "array";
    case GgufType::kU64:
      return "uint64";
    case GgufType::kI64:
      return "int64";
    case GgufType::kF64:
      return "float64";
  }
  return "unknown";
}

std::uint64_t FixedSize(GgufType type) {
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool:
      return 1;
    case GgufType::kU16:
    case GgufType::kI16:
      return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32:
      return 4;
    case GgufType::kU64:
    case GgufType::kI64:
    case GgufType::kF64:
      return 8;
    case GgufType::kString:
    case GgufType::kArray:
      return 0;
  }
  return 0;
}

const GgufValue* GgufFile::Find(std::string_view key) const {
  const GgufEntry* entry = FindSorted(entries_, entries_by_key_, key, KeyOf);
  return entry != nullptr ? &entry->value : nullptr;
}

Result<const GgufValue*> GgufFile::Require(std::string_view key, std::string_view expected) const {
  const GgufValue* value = Find(key);
  if (value == nullptr) {
    return Fail(ErrorCode::kCorruptFile, "metadata " + Quoted(key) + " is missing; expected " + std::string(expected),
                {.subject = std::string(key), .allowed = std::string(expected)});
  }
  return value;
}

Result<std::uint64_t> GgufFile::Unsigned(std::string_view key) const {
  constexpr std::string_view kExpected = "a whole number, 0 or more";
  DECANT_TRY(const GgufValue* value, Require(key, kExpected));
  if (!IsInteger(value->type)) return WrongType(key, *value, kExpected);
  if (value->type == GgufType::kU64) return LoadAs<std::uint64_t>(value->bytes.data());
  const std::int64_t number = *SignedAt(value->type, value->bytes.data());
  if (number < 0) {
    return Corrupt(value->offset,
                   "metadata " + Quoted(key) + " is " + std::to_string(number) + "; expected " + std::string(kExpected),
                   key);
  }
  return static_cast<std::uint64_t>(number);
}

Result<std::int64_t> GgufFile::Signed(std::string_view key) const {
  constexpr std::string_view kExpected = "a whole number in 64 bits";
  DECANT_TRY(const GgufValue* value, Require(key, kExpected));
  if (!IsInteger(value->type)) return WrongType(key, *value, kExpected);
  const std::optional<std::int64_t> number = SignedAt(value->type, value->bytes.data());
  if (!number) return WrongType(key, *value, kExpected);
  return *number;
}

Result<double> GgufFile::Float(std::string_view key) const {
  DECANT_TRY(const GgufValue* value, Require(key, "a float"));
  if (value->type == GgufType::kF32) return static_cast<double>(LoadAs<float>(value->bytes.data()));
  if (value->type == GgufType::kF64) return LoadAs<double>(value->bytes.data());
  return WrongType(key, *value, "a float");
}

Result<bool> GgufFile::Bool(std::string_view key) const {
  DECANT_TRY(const GgufValue* value, Require(key, "a bool"));
  if (value->type != GgufType::kBool) return WrongType(key, *value, "a bool");
  return LoadAs<std::uint8_t>(value->bytes.data()) != 0;
}

Result<std::string_view> GgufFile::String(std::string_view key) const {
  DECANT_TRY(const GgufValue* value, Require(key, "a string"));
  if (value->type != GgufType::kString) return WrongType(key, *value, "a string");
  return std::string_view(reinterpret_cast<const char*>(value->bytes.data()) + 8, value->bytes.size() - 8);
}

Result<std::vector<std::string_view>> GgufFile::Strings(std::string_view key) const {
  DECANT_TRY(const GgufValue* value, Require(key, "an array of strings"));
  if (value->type != GgufType::kArray || value->element != GgufType::kString) {
    return WrongType(key, *value, "an array of strings");
  }
  std::vector<std::string_view> strings;
  strings.reserve(static_cast<std::size_t>(value->count));
  const std::byte* at = value->bytes.data();
  for (std::uint64_t i = 0; i < value->count; ++i) {
    const auto length = static_cast<std::size_t>(LoadAs<std::uint64_t>(at));
    strings.emplace_back(reinterpret_cast<const char*>(at) + 8, length);
    at += 8 + length;
  }
  return strings;
}

Result<std::vector<std::int64_t>> GgufFile::Integers(std::string_view key) const {
  DECANT_TRY(const GgufValue* value, Require(key, "an array of whole numbers"));
  if (value->type != GgufType::kArray || !IsInteger(value->element)) {
    return WrongType(key, *value, "an array of whole numbers");
  }
  std::vector<std::int64_t> numbers;
  numbers.reserve(static_cast<std::size_t>(value->count));
  const std::uint64_t size = FixedSize(value->element);
  for (std::uint64_t i = 0; i < value->count; ++i) {
    const std::optional<std::int64_t> number = SignedAt(value->element, value->bytes.data() + i * size);
    if (!number) {
      return Corrupt(value->offset + i * size,
                     "metadata " + Quoted(key) + " element " + std::to_string(i) + " does not fit 64 signed bits", key);
    }
    numbers.push_back(*number);
  }
  return numbers;
}

Result<std::vector<float>> GgufFile::Floats(std::string_view key) const {
  DECANT_TRY(const GgufValue* value, Require(key, "an array of float32"));
  if (value->type != GgufType::kArray || value->element != GgufType::kF32) {
    return WrongType(key, *value, "an array of float32");
  }
  std::vector<float> floats(static_cast<std::size_t>(value->count));
  if (!floats.empty()) std::memcpy(floats.data(), value->bytes.data(), value->bytes.size());
  return floats;
}

Result<std::uint64_t> GgufFile::UnsignedOr(std::string_view key, std::uint64_t fallback) const {
  if (!Has(key)) return fallback;
  return Unsigned(key);
}
Result<double> GgufFile::FloatOr(std::string_view key, double fallback) const {
  if (!Has(key)) return fallback;
  return Float(key);
}
Result<bool> GgufFile::BoolOr(std::string_view key, bool fallback) const {
  if (!Has(key)) return fallback;
  return Bool(key);
}
Result<std::string_view> GgufFile::StringOr(std::string_view key, std::string_view fallback) const {
  if (!Has(key)) return fallback;
  return String(key);
}

const TensorView* GgufFile::FindTensor(std::string_view name) const {
  return FindSorted(tensors_, tensors_by_name_, name, NameOf);
}

Result<const TensorView*> GgufFile::Tensor(std::string_view name) const {
  return RequireTensor(FindTensor(name), name);
}

}  // namespace decant::weights
