// The check that every format's tensors go through.
#include "weights/tensor_view.h"

#include "core/utf8.h"
#include "weights/ggml_type.h"

namespace decant::weights {

Result<const TensorView*> RequireTensor(const TensorView* tensor, std::string_view name) {
  if (tensor == nullptr) {
    return Fail(ErrorCode::kCorruptFile, "tensor " + core::Quoted(name) + " is missing",
                {.subject = std::string(name)});
  }
  if (!IsReadable(tensor->type)) {
    return Fail(ErrorCode::kUnsupportedFile,
                "tensor " + core::Quoted(name) + " is " + GgmlTypeName(tensor->type) + "; expected " +
                    std::string(ReadableTypeNames()),
                {.subject = std::string(name),
                 .allowed = std::string(ReadableTypeNames()),
                 .hint = "use a file with Q8_0, Q4_1 or Q4_0 weights",
                 .at = Position{.offset = tensor->offset}});
  }
  return tensor;
}

}  // namespace decant::weights
