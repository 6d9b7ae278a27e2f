// A GGUF file (versions 2 and 3, little endian): typed metadata and named tensors, looked at where they lie.
//
// The layout is: magic, version, two counts; the metadata, key by key; the tensor table; padding; the tensors' bytes.
// Parsing walks the first two parts once, checks every count, length, type and offset before it is used, and keeps
// views into the bytes: memory stays within a small multiple of the header, whatever the counts claim.
#ifndef DECANT_WEIGHTS_GGUF_H_
#define DECANT_WEIGHTS_GGUF_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/mapped_file.h"
#include "decant/error.h"
#include "weights/tensor_view.h"

namespace decant::weights {

// The file's own ids of value types.
enum class GgufType : std::uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

// "uint32", "string", "array".
std::string_view GgufTypeName(GgufType type);

// One value, still in the file's bytes.
struct GgufValue {
  GgufType type = GgufType::kU8;
  GgufType element = GgufType::kU8;  // of an array
  std::uint64_t count = 1;           // elements of an array
  std::uint64_t offset = 0;          // of the payload in the file (past an array's element type and count)
  std::span<const std::byte> bytes;  // the payload
};

struct GgufEntry {
  std::string_view key;
  GgufValue value;
};

// Immutable after parsing: may be read from several threads. All views live as long as the bytes.
class GgufFile {
 public:
  // kCannotRead, kCorruptFile (with the byte offset), kUnsupportedFile (version, byte order).
  static Result<GgufFile> Open(const std::string& path);
  // Of bytes that the caller keeps alive.
  static Result<GgufFile> Parse(std::span<const std::byte> bytes);

  std::uint32_t version() const { return version_; }
  std::uint64_t size() const { return bytes_.size(); }
  std::uint64_t alignment() const { return alignment_; }
  std::span<const GgufEntry> metadata() const { return entries_; }  // in file order
  std::span<const TensorView> tensors() const { return tensors_; }  // in file order

  // Metadata by key. Missing and wrongly typed keys are kCorruptFile; the message names the key, what it is and what
  // was expected. Any integer type is read as an integer if the value fits, either float type as a float.
  const GgufValue* Find(std::string_view key) const;
  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  Result<std::uint64_t> Unsigned(std::string_view key) const;
  Result<std::int64_t> Signed(std::string_view key) const;
  Result<double> Float(std::string_view key) const;
  Result<bool> Bool(std::string_view key) const;
  Result<std::string_view> String(std::string_view key) const;
  Result<std::vector<std::string_view>> Strings(std::string_view key) const;
  Result<std::vector<std::int64_t>> Integers(std::string_view key) const;
  Result<std::vector<float>> Floats(std::string_view key) const;
  // The same, with a value for a missing key; a wrongly typed one is still an error.
  Result<std::uint64_t> UnsignedOr(std::string_view key, std::uint64_t fallback) const;
  Result<double> FloatOr(std::string_view key, double fallback) const;
  Result<bool> BoolOr(std::string_view key, bool fallback) const;
  Result<std::string_view> StringOr(std::string_view key, std::string_view fallback) const;

  // Null when there is none.
  const TensorView* FindTensor(std::string_view name) const;
  // A tensor that must be there, of a type that decant reads: kCorruptFile or kUnsupportedFile (naming the type).
  Result<const TensorView*> Tensor(std::string_view name) const;

 private:
  friend class GgufParser;
  GgufFile() = default;
  Result<const GgufValue*> Require(std::string_view key, std::string_view expected) const;

  std::optional<core::MappedFile> file_;
  std::span<const std::byte> bytes_;
  std::uint32_t version_ = 0;
  std::uint64_t alignment_ = 32;
  std::vector<GgufEntry> entries_;
  std::vector<TensorView> tensors_;
  std::vector<std::uint32_t> entries_by_key_;   // indices, sorted by key
  std::vector<std::uint32_t> tensors_by_name_;  // indices, sorted by name
};

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_GGUF_H_
