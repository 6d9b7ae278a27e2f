// The parser walks metadata and tensor table once and keeps views. No count from the file is believed: it is checked
// against what is left of the file and against a fixed bound, and little is reserved for it.
#include "weights/gguf.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "core/utf8.h"
#include "weights/ggml_type.h"
#include "weights/gguf_bytes.h"

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

}  // namespace

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
    DECANT_CHECKED(CheckEnd());
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
      TensorView tensor;
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
      const TensorView& tensor = file_.tensors_[file_.tensors_by_name_[i]];
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
    end_ = at_;
    for (TensorView& tensor : file_.tensors_) {
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
      end_ = std::max(end_, end);
      if (!sized) has_end_ = false;
      tensor.offset = begin;
      tensor.bytes = file_.bytes_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(bytes));
    }
    return {};
  }

  // Writers fill the last tensor up to the alignment, or do not.
  Result<void> CheckEnd() const {
    if (!has_end_) return {};
    const std::uint64_t size = file_.bytes_.size(), mask = file_.alignment_ - 1;
    const std::uint64_t padded = (end_ + mask) & ~mask;
    if (size == end_ || size == padded) return {};
    return Corrupt(end_, "the contents end at byte " + std::to_string(end_) + ", the file has " + std::to_string(size) +
                             "; expected " + std::to_string(end_) +
                             (padded == end_ ? "" : " or, padded to the alignment, " + std::to_string(padded)));
  }

  Result<void> CheckOverlap() {
    std::vector<std::uint32_t> order(file_.tensors_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      const std::uint64_t first = file_.tensors_[a].offset, second = file_.tensors_[b].offset;
      return first < second || (first == second && a < b);
    });
    const TensorView* before = nullptr;
    for (const std::uint32_t i : order) {
      const TensorView& tensor = file_.tensors_[i];
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
  std::uint64_t end_ = 0;  // of all that is known, where has_end_: a type without a size has none
  bool has_end_ = true;
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

}  // namespace decant::weights
