// The header becomes a JSON value, each member a view; then the views must cover the tensors' part exactly.
#include "weights/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/utf8.h"
#include "json/value.h"
#include "weights/ggml_type.h"

static_assert(std::endian::native == std::endian::little, "the header's length is read where it lies");

namespace decant::weights {
namespace {

using core::Quoted;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::size_t kMaxDims = 8;
constexpr std::size_t kMaxDepth = 8;
// Commas of a header, which bound the values in it and so the memory that reading it takes.
constexpr std::ptrdiff_t kMaxCommas = std::ptrdiff_t{1} << 22;

constexpr std::pair<std::string_view, GgmlType> kTypes[] = {
    {"F32", GgmlType::kF32}, {"F16", GgmlType::kF16}, {"BF16", GgmlType::kBF16}};

std::unexpected<Error> Corrupt(std::uint64_t offset, std::string message, std::string_view subject = {}) {
  return Fail(ErrorCode::kCorruptFile, std::move(message),
              {.subject = core::ToValidUtf8(subject.substr(0, 80)), .at = Position{.offset = offset}});
}

}  // namespace

class SafetensorsParser {
 public:
  explicit SafetensorsParser(std::span<const std::byte> bytes) { file_.bytes_ = bytes; }

  Result<SafetensorsFile> Parse() {
    DECANT_TRY(const json::Value header, ReadHeader());
    const json::Object& object = *header.if_object();
    file_.names_.reserve(object.size());
    file_.tensors_.reserve(object.size());
    for (const auto& [name, entry] : object) {
      if (name == "__metadata__") {
        DECANT_CHECKED(CheckMetadata(entry));
      } else {
        DECANT_CHECKED(ReadTensor(name, entry));
      }
    }
    DECANT_CHECKED(CheckCover());
    return std::move(file_);
  }

 private:
  Result<json::Value> ReadHeader() {
    const std::uint64_t size = file_.bytes_.size();
    if (size < kLengthBytes) {
      return Corrupt(0, "the file has " + std::to_string(size) + " bytes: not a safetensors file");
    }
    std::uint64_t length;
    std::memcpy(&length, file_.bytes_.data(), sizeof length);
    if (length > SafetensorsFile::kMaxHeader) {
      return Corrupt(0, "the header has " + std::to_string(length) + " bytes; expected at most " +
                            std::to_string(SafetensorsFile::kMaxHeader) + ": not a safetensors file?");
    }
    if (length > size - kLengthBytes) {
      return Corrupt(0, "the header needs " + std::to_string(length) + " bytes at byte 8, the file has " +
                            std::to_string(size) + ": download incomplete?");
    }
    start_ = kLengthBytes + length;
    header_ = {reinterpret_cast<const char*>(file_.bytes_.data()) + kLengthBytes, static_cast<std::size_t>(length)};
    if (!header_.starts_with('{')) return Corrupt(kLengthBytes, "the header does not start with \"{\"");
    if (std::count(header_.begin(), header_.end(), ',') > kMaxCommas) {
      return Corrupt(kLengthBytes, "the header has more than " + std::to_string(kMaxCommas) + " commas");
    }
    Result<json::Value> header = json::Read(header_, {.max_depth = kMaxDepth});
    if (!header.has_value()) {
      const Error& error = header.error();
      return Corrupt(kLengthBytes + (error.at ? error.at->offset : 0), "the header is no JSON: " + error.message);
    }
    if (const auto repeated = json::RepeatedKey(*header->if_object())) {
      return Corrupt(PlaceOf(*repeated), "tensor " + Quoted(*repeated) + " appears twice", *repeated);
    }
    return header;
  }

  // Where a name stands in the header, for messages; the header's start when it is spelled with escapes.
  std::uint64_t PlaceOf(std::string_view name) const {
    const std::size_t at = header_.find('"' + std::string(name) + '"');
    return kLengthBytes + (at == std::string_view::npos ? 0 : at);
  }

  std::unexpected<Error> Wrong(const std::string& name, std::string_view what) const {
    return Corrupt(PlaceOf(name), "tensor " + Quoted(name) + " " + std::string(what), name);
  }

  Result<void> CheckMetadata(const json::Value& entry) {
    const json::Object* object = entry.if_object();
    const bool texts =
        object != nullptr && std::ranges::all_of(*object, [](const json::Member& m) { return m.second.if_string(); });
    if (texts) return {};
    return Corrupt(PlaceOf("__metadata__"), "\"__metadata__\" is not an object of strings", "__metadata__");
  }

  Result<void> ReadTensor(const std::string& name, const json::Value& entry) {
    const json::Object* object = entry.if_object();
    if (object == nullptr) return Wrong(name, "is " + std::string(entry.kind()) + "; expected an object");
    if (const auto repeated = json::RepeatedKey(*object)) return Wrong(name, "has " + Quoted(*repeated) + " twice");
    for (const json::Member& member : *object) {
      if (member.first == "dtype" || member.first == "shape" || member.first == "data_offsets") continue;
      return Wrong(name, "has " + Quoted(member.first) + "; expected dtype, shape and data_offsets");
    }
    TensorView tensor;
    DECANT_TRY(tensor.type, ReadType(name, entry));
    DECANT_CHECKED(ReadDims(name, entry, tensor));
    DECANT_CHECKED(ReadOffsets(name, entry, tensor));
    file_.names_.push_back(name);
    tensor.name = file_.names_.back();
    file_.tensors_.push_back(std::move(tensor));
    return {};
  }

  Result<std::uint32_t> ReadType(const std::string& name, const json::Value& entry) const {
    const json::Value* dtype = entry.Find("dtype");
    const std::string* text = dtype != nullptr ? dtype->if_string() : nullptr;
    if (text == nullptr) return Wrong(name, "has no \"dtype\"; expected a string");
    for (const auto& [word, type] : kTypes) {
      if (word == *text) return static_cast<std::uint32_t>(type);
    }
    return Fail(ErrorCode::kUnsupportedFile,
                "tensor " + Quoted(name) + " is of type " + Quoted(*text) + "; expected F32, F16 or BF16",
                {.subject = core::ToValidUtf8(name.substr(0, 80)),
                 .allowed = "F32, F16, BF16",
                 .at = Position{.offset = PlaceOf(name)}});
  }

  Result<void> ReadDims(const std::string& name, const json::Value& entry, TensorView& tensor) const {
    const json::Value* shape = entry.Find("shape");
    const json::Array* extents = shape != nullptr ? shape->if_array() : nullptr;
    if (extents == nullptr) return Wrong(name, "has no \"shape\"; expected an array");
    if (extents->size() > kMaxDims) {
      return Wrong(name, "has " + std::to_string(extents->size()) + " dimensions; expected at most 8");
    }
    tensor.elements = 1;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    for (const json::Value& value : *extents) {
      const std::optional<std::uint64_t> extent = value.AsUint64();
      if (!extent || *extent == 0 || *extent > kMost / tensor.elements) {
        return Wrong(name, "has a dimension that is not a whole number of at least 1, or 2^63 elements or more in all");
      }
      tensor.elements *= *extent;
      tensor.dims.insert(tensor.dims.begin(), *extent);
    }
    if (tensor.dims.empty()) tensor.dims.push_back(1);  // a single number
    return {};
  }

  Result<void> ReadOffsets(const std::string& name, const json::Value& entry, TensorView& tensor) const {
    const json::Value* offsets = entry.Find("data_offsets");
    const json::Array* pair = offsets != nullptr ? offsets->if_array() : nullptr;
    if (pair == nullptr || pair->size() != 2) return Wrong(name, "has no \"data_offsets\"; expected two numbers");
    const std::optional<std::uint64_t> begin = (*pair)[0].AsUint64(), end = (*pair)[1].AsUint64();
    if (!begin || !end || *begin > *end) return Wrong(name, "has \"data_offsets\" that are no begin and end");
    const std::uint64_t data = file_.bytes_.size() - start_;
    if (*end > data) {
      return Wrong(name, "ends at byte " + std::to_string(*end) + " of the tensors' part, which has " +
                             std::to_string(data) + ": download incomplete?");
    }
    const std::uint64_t element = FindGgmlType(tensor.type)->block_bytes;
    if ((*end - *begin) % element != 0 || (*end - *begin) / element != tensor.elements) {
      return Wrong(name, "has " + std::to_string(*end - *begin) + " bytes for " + std::to_string(tensor.elements) +
                             " elements of " + std::to_string(element));
    }
    if (*begin % element != 0) {
      return Wrong(name, "starts at byte " + std::to_string(*begin) + " of the tensors' part, not a multiple of " +
                             std::to_string(element));
    }
    tensor.offset = start_ + *begin;
    tensor.bytes =
        file_.bytes_.subspan(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(*end - *begin));
    return {};
  }

  // Each tensor starts where the one before ends, and the last ends the file.
  Result<void> CheckCover() {
    std::ranges::sort(file_.tensors_, {}, [](const TensorView& t) { return std::pair(t.offset, t.name); });
    std::uint64_t at = start_;
    for (const TensorView& tensor : file_.tensors_) {
      if (tensor.offset != at) {
        return Corrupt(tensor.offset,
                       "tensor " + Quoted(tensor.name) + " starts at byte " + std::to_string(tensor.offset) +
                           "; expected " + std::to_string(at) + ", where the one before ends",
                       tensor.name);
      }
      at += tensor.bytes.size();
    }
    if (at == file_.bytes_.size()) return {};
    return Corrupt(
        at, "the tensors end at byte " + std::to_string(at) + ", the file at " + std::to_string(file_.bytes_.size()));
  }

  SafetensorsFile file_;
  std::string_view header_;
  std::uint64_t start_ = 0;  // of the tensors' part
};

Result<SafetensorsFile> SafetensorsFile::Parse(std::span<const std::byte> bytes) {
  return SafetensorsParser(bytes).Parse();
}

Result<SafetensorsFile> SafetensorsFile::Open(const std::string& path) {
  DECANT_TRY(core::MappedFile mapped, core::MappedFile::Open(path));
  Result<SafetensorsFile> parsed = Parse(mapped.bytes());
  if (!parsed.has_value()) {
    parsed.error().message = path + ": " + parsed.error().message;
    return parsed;
  }
  parsed->file_ = std::move(mapped);
  return parsed;
}

Result<std::vector<std::pair<std::string, std::string>>> ParseShardIndex(std::string_view text) {
  Result<json::Value> index = json::Read(text, {.max_depth = kMaxDepth});
  if (!index.has_value()) {
    return Fail(ErrorCode::kCorruptFile, "the index is no JSON: " + index.error().message, {.at = index.error().at});
  }
  const json::Value* map = index->Find("weight_map");
  const json::Object* entries = map != nullptr ? map->if_object() : nullptr;
  if (entries == nullptr) return Corrupt(0, "the index has no \"weight_map\"; expected an object", "weight_map");
  if (const auto repeated = json::RepeatedKey(*entries)) {
    return Corrupt(0, "the index names tensor " + Quoted(*repeated) + " twice", *repeated);
  }
  std::vector<std::pair<std::string, std::string>> shards;
  shards.reserve(entries->size());
  for (const auto& [tensor, file] : *entries) {
    const std::string* name = file.if_string();
    if (name == nullptr || !name->ends_with(".safetensors") || name->find_first_of("/\\") != std::string::npos ||
        name->find("..") != std::string::npos || name->find('\0') != std::string::npos) {
      return Corrupt(0,
                     "the index puts tensor " + Quoted(tensor) + " into " +
                         (name != nullptr ? Quoted(*name) : std::string(file.kind())) +
                         "; expected the name of a .safetensors file in the same folder",
                     tensor);
    }
    shards.emplace_back(tensor, *name);
  }
  return shards;
}

}  // namespace decant::weights
