// One tensor of a model's file, looked at where it lies: what every format comes down to.
#ifndef DECANT_WEIGHTS_TENSOR_VIEW_H_
#define DECANT_WEIGHTS_TENSOR_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "decant/error.h"

namespace decant::weights {

// Rows of equal length, one after another. The file keeps the name and the bytes alive.
struct TensorView {
  std::string_view name;             // the file's own
  std::vector<std::uint64_t> dims;   // innermost first: {columns, rows, …}, at least one, none of them 0
  std::uint32_t type = 0;            // ggml id; see ggml_type.h
  std::uint64_t offset = 0;          // in the file
  std::span<const std::byte> bytes;  // empty when the type's size is not known
  std::uint64_t elements = 0;

  std::uint64_t columns() const { return dims[0]; }
  std::uint64_t rows() const { return elements / dims[0]; }
};

// A tensor that must be there, of a type that decant reads: kCorruptFile or kUnsupportedFile (naming the type).
Result<const TensorView*> RequireTensor(const TensorView* tensor, std::string_view name);

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_TENSOR_VIEW_H_
