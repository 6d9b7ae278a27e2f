// The element types of GGUF tensors: their ids, names and block sizes.
//
// A tensor is rows of blocks; a block holds a fixed number of elements in a fixed number of bytes (ggml's
// quantisation formats). decant knows every type by name, so that it can say what a file holds, and reads a few.
#ifndef DECANT_WEIGHTS_GGML_TYPE_H_
#define DECANT_WEIGHTS_GGML_TYPE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace decant::weights {

// The types that decant reads; the file's own ids.
enum class GgmlType : std::uint32_t { kF32 = 0, kF16 = 1, kQ4_0 = 2, kQ4_1 = 3, kQ8_0 = 8, kBF16 = 30 };

struct GgmlTypeTraits {
  std::uint32_t id;
  std::string_view name;
  std::uint32_t block_elements;  // 0: a type that was removed from the format; its size is not known
  std::uint32_t block_bytes;
};

// Null for an id that no version of the format defines.
const GgmlTypeTraits* FindGgmlType(std::uint32_t id);
// "Q4_1", or "type 99".
std::string GgmlTypeName(std::uint32_t id);
// Whether decant dequantises it.
bool IsReadable(std::uint32_t id);
// "F32, F16, BF16, Q8_0, Q4_1, Q4_0"
std::string_view ReadableTypeNames();

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_GGML_TYPE_H_
