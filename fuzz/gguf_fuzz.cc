// Any bytes as a GGUF file: parsing, every typed lookup and every readable tensor must end in a value or an Error.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weights/dequantize.h"
#include "weights/gguf.h"

namespace {

void LookAt(const decant::weights::GgufFile& file) {
  for (const auto& entry : file.metadata()) {
    (void)file.Unsigned(entry.key);
    (void)file.Signed(entry.key);
    (void)file.Float(entry.key);
    (void)file.Bool(entry.key);
    (void)file.String(entry.key);
    (void)file.Strings(entry.key);
    (void)file.Integers(entry.key);
    (void)file.Floats(entry.key);
  }
  for (const auto& entry : file.tensors()) {
    const auto tensor = file.Tensor(entry.name);
    if (!tensor.has_value()) continue;
    (void)decant::weights::CheckFinite(**tensor);
    std::vector<float> row(static_cast<std::size_t>((*tensor)->columns()));
    decant::weights::DequantizeRow(**tensor, (*tensor)->rows() - 1, std::span(row));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = decant::weights::GgufFile::Parse(std::as_bytes(std::span(data, size)));
  if (file.has_value()) LookAt(*file);
  return 0;
}
