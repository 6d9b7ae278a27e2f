// A safetensors file: named tensors, looked at where they lie.
//
// The layout is: the header's length (u64, little endian); the header, one JSON object
// {"name": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}, …, "__metadata__": {"format": "pt"}}; the
// tensors' bytes, which offsets count from the header's end and which have no gaps. docs/formats/models.md says what is
// refused.
#ifndef DECANT_WEIGHTS_SAFETENSORS_H_
#define DECANT_WEIGHTS_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mapped_file.h"
#include "decant/error.h"
#include "weights/tensor_view.h"

namespace decant::weights {

// Immutable after parsing: may be read from several threads. All views live as long as the bytes and this object;
// moving it keeps them.
class SafetensorsFile {
 public:
  static constexpr std::uint64_t kMaxHeader = 100'000'000;  // bytes: the format's own bound

  // kCannotRead, kCorruptFile (with the byte offset), kUnsupportedFile (an element type, by name).
  static Result<SafetensorsFile> Open(const std::string& path);
  // Of bytes that the caller keeps alive.
  static Result<SafetensorsFile> Parse(std::span<const std::byte> bytes);

  std::uint64_t size() const { return bytes_.size(); }
  std::span<const TensorView> tensors() const { return tensors_; }  // by offset

 private:
  friend class SafetensorsParser;
  SafetensorsFile() = default;

  std::optional<core::MappedFile> file_;
  std::span<const std::byte> bytes_;
  std::vector<std::string> names_;  // what the views' names look at; filled once
  std::vector<TensorView> tensors_;
};

// The "weight_map" of a model.safetensors.index.json: tensor and file name, in the order of the text. kCorruptFile: no
// such map, a tensor twice, a name that is no plain file name ending in ".safetensors".
Result<std::vector<std::pair<std::string, std::string>>> ParseShardIndex(std::string_view text);

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_SAFETENSORS_H_
