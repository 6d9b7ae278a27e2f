// The parser walks metadata and tensor table once and keeps views; typed access comes after it. No count from the file
// is believed: it is checked against what is left of the file and against a fixed bound, and little is reserved for it.
#include "weights/gguf.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "core/utf8.h"
#include "weights/ggml_type.h"

static_assert(std::endian::native == std::endian::little, "GGUF payloads are read where they lie");

namespace decant::weights {
namespace {

using core::Quoted;

constexpr int kMaxNesting = 16;  // arrays in arrays
constexpr std::uint32_t kMaxDims = 4;
constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 24;   // tensors, entries, elements of an array; see TooMany
constexpr std::uint64_t kReserved = 4096;                     // places taken on the word of a count
constexpr std::uint64_t kSmallestEntry = 8 + 1 + 4 + 1;       // a key of one letter, a type, a one-byte value
constexpr std::uint64_t kSmallestTensor = 8 + 4 + 8 + 4 + 8;  // an empty name, one dimension

std::unexpected<Error> Corrupt(std::uint64_t offset, std::string message, std::string_view subject = {}) {
  return Fail(ErrorCode::kCorruptFile, std::move(message),
              {.subject = core::ToValidUtf8(subject.substr(0, 80)), .at = Position{.offset = offset}});
}

template <class T>
T LoadAs(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Bytes of a value of fixed size; 0 for strings and arrays.
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

template <class Range, class Name>
std::vector<std::uint32_t> SortedIndices(const Range& range, Name name) {
  std::vector<std::uint32_t> order(range.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int compared = name(range[a]).compare(name(range[b]));
    return compared < 0 || (compared == 0 && a < b);
  });
  return order;
}

template <class Range, class Name>
auto FindSorted(const Range& range, const std::vector<std::uint32_t>& order, std::string_view wanted, Name name)
    -> decltype(range.data()) {
  const auto it = std::lower_bound(order.begin(), order.end(), wanted,
                                   [&](std::uint32_t i, std::string_view key) { return name(range[i]) < key; });
  if (it == order.end() || name(range[*it]) != wanted) return nullptr;
  return &range[*it];
}

std::string_view KeyOf(const GgufEntry& entry) { return entry.key; }
std::string_view NameOf(const GgufTensor& tensor) { return tensor.name; }

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

// Walks the bytes once, front to back. `at_` never passes the end: every read asks Take first.
class GgufParser {
 public:
  explicit GgufParser(std::span<const std::byte> bytes) { file_.bytes_ = bytes; }

  Result<GgufFile> Parse() {
    DECANT_CHECKED(ParseHeader());
    DECANT_CHECKED(ParseMetadata());
    DECANT_CHECKED(ParseTensorTable());
    DECANT_CHECKED(PlaceTensors());
    DECANT_CHECKED(CheckOverlap());
    return std::move(file_);
  }

 private:
  std::uint64_t left() const { return file_.bytes_.size() - at_; }

  Result<std::span<const std::byte>> Take(std::uint64_t size, std::string_view what) {
    if (size > left()) {
      return Corrupt(at_,
                     std::string(what) + " needs " + std::to_string(size) + " bytes at byte " + std::to_string(at_) +
                         ", the file has " + std::to_string(file_.bytes_.size()) + ": download incomplete?",
                     what);
    }
    const auto taken = file_.bytes_.subspan(static_cast<std::size_t>(at_), static_cast<std::size_t>(size));
    at_ += size;
    return taken;
  }

  template <class T>
  Result<T> Read(std::string_view what) {
    DECANT_TRY(const auto bytes, Take(sizeof(T), what));
    return LoadAs<T>(bytes.data());
  }

  Result<std::string_view> ReadString(std::string_view what) {
    DECANT_TRY(const std::uint64_t length, Read<std::uint64_t>(what));
    DECANT_TRY(const auto bytes, Take(length, what));
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  Result<void> ParseHeader() {
    if (left() < 4) return Corrupt(0, "the file has " + std::to_string(left()) + " bytes: not a GGUF file");
    DECANT_TRY(const auto magic, Take(4, "the magic number"));
    const std::string_view word(reinterpret_cast<const char*>(magic.data()), 4);
    if (word == "FUGG") return BigEndian();
    if (word != "GGUF") return Corrupt(0, "the file does not start with \"GGUF\": not a GGUF file");
    DECANT_TRY(file_.version_, Read<std::uint32_t>("the version"));
    if (file_.version_ != 0 && (file_.version_ & 0xffffu) == 0) return BigEndian();
    if (file_.version_ < 2 || file_.version_ > 3) {
      return Fail(ErrorCode::kUnsupportedFile, "GGUF version " + std::to_string(file_.version_) + "; expected 2 or 3",
                  {.allowed = "2, 3", .at = Position{.offset = 4}});
    }
    DECANT_TRY(tensor_count_, Read<std::uint64_t>("the tensor count"));
    DECANT_TRY(entry_count_, Read<std::uint64_t>("the metadata count"));
    if (tensor_count_ > std::min(kMaxCount, left() / kSmallestTensor)) return TooMany(8, tensor_count_, "tensors");
    if (entry_count_ > std::min(kMaxCount, left() / kSmallestEntry)) {
      return TooMany(16, entry_count_, "metadata entries");
    }
    return {};
  }

  static std::unexpected<Error> BigEndian() {
    return Fail(ErrorCode::kUnsupportedFile, "the file is big-endian GGUF; expected little-endian",
                {.hint = "convert the model again for a little-endian machine", .at = Position{.offset = 0}});
  }

  // The file's size alone bounds nothing: a sparse file is as long as it likes.
  std::unexpected<Error> TooMany(std::uint64_t offset, std::uint64_t count, std::string_view what) const {
    const std::string counted = "the header counts " + std::to_string(count) + " " + std::string(what);
    if (count > kMaxCount) return Corrupt(offset, counted + "; expected at most " + std::to_string(kMaxCount));
    return Corrupt(offset,
                   counted + ", more than a file of " + std::to_string(file_.bytes_.size()) + " bytes can hold");
  }

  Result<GgufType> ReadType(std::string_view key) {
    const std::uint64_t offset = at_;
    DECANT_TRY(const std::uint32_t id, Read<std::uint32_t>("a value type"));
    if (id > static_cast<std::uint32_t>(GgufType::kF64)) {
      return Corrupt(offset, "metadata " + Quoted(key) + " has value type " + std::to_string(id) + "; expected 0 to 12",
                     key);
    }
    return static_cast<GgufType>(id);
  }

  // Moves past `count` elements.
  Result<void> Skip(GgufType type, std::uint64_t count, std::string_view key, int depth) {
    const std::uint64_t fixed = FixedSize(type);
    const std::uint64_t smallest = fixed != 0 ? fixed : type == GgufType::kString ? 8 : 12;
    if (count > std::min(kMaxCount, left() / smallest)) {
      return Corrupt(at_,
                     "metadata " + Quoted(key) + " claims " + std::to_string(count) + " elements at byte " +
                         std::to_string(at_) +
                         (count > kMaxCount ? "; expected at most " + std::to_string(kMaxCount)
                                            : ", more than the file holds: download incomplete?"),
                     key);
    }
    if (type == GgufType::kBool) {
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto value = std::to_integer<unsigned>(file_.bytes_[static_cast<std::size_t>(at_ + i)]);
        if (value > 1) {
          return Corrupt(at_ + i,
                         "metadata " + Quoted(key) + " has bool " + std::to_string(value) + "; expected 0 or 1", key);
        }
      }
    }
    if (fixed != 0) {
      at_ += fixed * count;
      return {};
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      if (type == GgufType::kString) {
        DECANT_TRY([[maybe_unused]] const auto text, ReadString(key));
        continue;
      }
      if (depth >= kMaxNesting) {
        return Fail(ErrorCode::kUnsupportedFile,
                    "metadata " + Quoted(key) + " nests arrays deeper than " + std::to_string(kMaxNesting),
                    {.subject = core::ToValidUtf8(key.substr(0, 80)), .at = Position{.offset = at_}});
      }
      DECANT_TRY(const GgufType element, ReadType(key));
      DECANT_TRY(const std::uint64_t inner, Read<std::uint64_t>(key));
      DECANT_CHECKED(Skip(element, inner, key, depth + 1));
    }
    return {};
  }

  Result<void> ParseMetadata() {
    file_.entries_.reserve(static_cast<std::size_t>(std::min(entry_count_, kReserved)));
    for (std::uint64_t i = 0; i < entry_count_; ++i) {
      GgufEntry entry;
      const std::uint64_t key_at = at_;
      DECANT_TRY(entry.key, ReadString("a metadata key"));
      if (entry.key.empty()) return Corrupt(key_at, "a metadata key is empty");
      DECANT_TRY(entry.value.type, ReadType(entry.key));
      if (entry.value.type == GgufType::kArray) {
        DECANT_TRY(entry.value.element, ReadType(entry.key));
        DECANT_TRY(entry.value.count, Read<std::uint64_t>(entry.key));
      }
      entry.value.offset = at_;
      const bool array = entry.value.type == GgufType::kArray;
      DECANT_CHECKED(Skip(array ? entry.value.element : entry.value.type, entry.value.count, entry.key, 1));
      entry.value.bytes = file_.bytes_.subspan(static_cast<std::size_t>(entry.value.offset),
                                               static_cast<std::size_t>(at_ - entry.value.offset));
      file_.entries_.push_back(entry);
    }
    file_.entries_by_key_ = SortedIndices(file_.entries_, KeyOf);
    for (std::size_t i = 1; i < file_.entries_by_key_.size(); ++i) {
      const GgufEntry& entry = file_.entries_[file_.entries_by_key_[i]];
      if (entry.key == file_.entries_[file_.entries_by_key_[i - 1]].key) {
        return Corrupt(entry.value.offset, "metadata " + Quoted(entry.key) + " appears twice", entry.key);
      }
    }
    const GgufValue* alignment = file_.Find("general.alignment");
    if (alignment == nullptr) return {};
    DECANT_TRY(file_.alignment_, file_.Unsigned("general.alignment"));
    if (!std::has_single_bit(file_.alignment_) || file_.alignment_ > kMaxAlignment) {
      return Corrupt(
          alignment->offset,
          "general.alignment is " + std::to_string(file_.alignment_) + "; expected a power of two up to 2^30",
          "general.alignment");
    }
    return {};
  }

  Result<void> ParseTensorTable() {
    file_.tensors_.reserve(static_cast<std::size_t>(std::min(tensor_count_, kReserved)));
    for (std::uint64_t i = 0; i < tensor_count_; ++i) {
      GgufTensor tensor;
      DECANT_TRY(tensor.name, ReadString("a tensor name"));
      const std::uint64_t dims_at = at_;
      DECANT_TRY(const std::uint32_t dims, Read<std::uint32_t>("a tensor's dimensions"));
      if (dims < 1 || dims > kMaxDims) {
        return Corrupt(
            dims_at, "tensor " + Quoted(tensor.name) + " has " + std::to_string(dims) + " dimensions; expected 1 to 4",
            tensor.name);
      }
      tensor.elements = 1;
      for (std::uint32_t d = 0; d < dims; ++d) {
        DECANT_TRY(const std::uint64_t extent, Read<std::uint64_t>("a tensor's dimensions"));
        constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
        if (extent == 0 || extent > kMost / tensor.elements) {
          return Corrupt(dims_at,
                         "tensor " + Quoted(tensor.name) + " has dimension " + std::to_string(extent) +
                             "; expected at least 1 and fewer than 2^63 elements in all",
                         tensor.name);
        }
        tensor.elements *= extent;
        tensor.dims.push_back(extent);
      }
      DECANT_TRY(tensor.type, Read<std::uint32_t>("a tensor's type"));
      const std::uint64_t offset_at = at_;
      DECANT_TRY(tensor.offset, Read<std::uint64_t>("a tensor's offset"));
      if (tensor.offset % file_.alignment_ != 0) {
        return Corrupt(offset_at,
                       "tensor " + Quoted(tensor.name) + " starts at " + std::to_string(tensor.offset) +
                           ", not a multiple of the alignment " + std::to_string(file_.alignment_),
                       tensor.name);
      }
      file_.tensors_.push_back(std::move(tensor));
    }
    file_.tensors_by_name_ = SortedIndices(file_.tensors_, NameOf);
    for (std::size_t i = 1; i < file_.tensors_by_name_.size(); ++i) {
      const GgufTensor& tensor = file_.tensors_[file_.tensors_by_name_[i]];
      if (tensor.name == file_.tensors_[file_.tensors_by_name_[i - 1]].name) {
        const auto name_at = reinterpret_cast<const std::byte*>(tensor.name.data()) - file_.bytes_.data();
        return Corrupt(static_cast<std::uint64_t>(name_at), "tensor " + Quoted(tensor.name) + " appears twice",
                       tensor.name);
      }
    }
    return {};
  }

  // Turns offsets within the tensor part into offsets in the file, and checks the spans.
  Result<void> PlaceTensors() {
    const std::uint64_t size = file_.bytes_.size();
    const std::uint64_t mask = file_.alignment_ - 1;
    const std::uint64_t start = (at_ + mask) & ~mask;
    for (GgufTensor& tensor : file_.tensors_) {
      const GgmlTypeTraits* type = FindGgmlType(tensor.type);
      const bool sized = type != nullptr && type->block_elements != 0;
      std::uint64_t bytes = 0;
      if (sized) {
        if (tensor.dims[0] % type->block_elements != 0) {
          return Corrupt(start,
                         "tensor " + Quoted(tensor.name) + " has rows of " + std::to_string(tensor.dims[0]) +
                             " elements, not a multiple of " + std::string(type->name) + "'s " +
                             std::to_string(type->block_elements),
                         tensor.name);
        }
        const std::uint64_t blocks = tensor.elements / type->block_elements;
        constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
        bytes = blocks > kMost / type->block_bytes ? kMost : blocks * type->block_bytes;
      }
      constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
      const std::uint64_t begin = tensor.offset > kLast - start ? kLast : start + tensor.offset;
      const std::uint64_t end = bytes > kLast - begin ? kLast : begin + bytes;
      if (end > size) {
        return Corrupt(begin,
                       "tensor " + Quoted(tensor.name) + " ends at byte " + std::to_string(end) + ", the file has " +
                           std::to_string(size) + ": download incomplete?",
                       tensor.name);
      }
      tensor.offset = begin;
      tensor.bytes = file_.bytes_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(bytes));
    }
    return {};
  }

  Result<void> CheckOverlap() {
    std::vector<std::uint32_t> order(file_.tensors_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      const std::uint64_t first = file_.tensors_[a].offset, second = file_.tensors_[b].offset;
      return first < second || (first == second && a < b);
    });
    const GgufTensor* before = nullptr;
    for (const std::uint32_t i : order) {
      const GgufTensor& tensor = file_.tensors_[i];
      if (tensor.bytes.empty()) continue;
      if (before != nullptr && before->offset + before->bytes.size() > tensor.offset) {
        return Corrupt(tensor.offset,
                       "tensor " + Quoted(tensor.name) + " starts at byte " + std::to_string(tensor.offset) +
                           ", inside tensor " + Quoted(before->name),
                       tensor.name);
      }
      before = &tensor;
    }
    return {};
  }

  GgufFile file_;
  std::uint64_t at_ = 0;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t entry_count_ = 0;
};

Result<GgufFile> GgufFile::Parse(std::span<const std::byte> bytes) { return GgufParser(bytes).Parse(); }

Result<GgufFile> GgufFile::Open(const std::string& path) {
  DECANT_TRY(core::MappedFile mapped, core::MappedFile::Open(path));
  Result<GgufFile> parsed = Parse(mapped.bytes());
  if (!parsed.has_value()) {
    parsed.error().message = path + ": " + parsed.error().message;
    return parsed;
  }
  parsed->file_ = std::move(mapped);
  return parsed;
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

namespace {

std::unexpected<Error> WrongType(std::string_view key, const GgufValue& value, std::string_view expected) {
  return Fail(ErrorCode::kCorruptFile,
              "metadata " + Quoted(key) + " is " + Described(value) + "; expected " + std::string(expected),
              {.subject = std::string(key), .allowed = std::string(expected), .at = Position{.offset = value.offset}});
}

}  // namespace

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

const GgufTensor* GgufFile::FindTensor(std::string_view name) const {
  return FindSorted(tensors_, tensors_by_name_, name, NameOf);
}

Result<const GgufTensor*> GgufFile::Tensor(std::string_view name) const {
  const GgufTensor* tensor = FindTensor(name);
  if (tensor == nullptr) {
    return Fail(ErrorCode::kCorruptFile, "tensor " + Quoted(name) + " is missing", {.subject = std::string(name)});
  }
  if (!IsReadable(tensor->type)) {
    return Fail(ErrorCode::kUnsupportedFile,
                "tensor " + Quoted(name) + " is " + GgmlTypeName(tensor->type) + "; expected " +
                    std::string(ReadableTypeNames()),
                {.subject = std::string(name),
                 .allowed = std::string(ReadableTypeNames()),
                 .hint = "use a file with Q8_0 or Q4_1 weights",
                 .at = Position{.offset = tensor->offset}});
  }
  return tensor;
}

}  // namespace decant::weights
