// Blocks are read with memcpy, as no tensor need be aligned; one template writes rows as f32 and as f64.
#include "weights/dequantize.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/check.h"
#include "core/float16.h"
#include "weights/ggml_type.h"

namespace decant::weights {
namespace {

std::uint16_t Load16(const std::byte* bytes) {
  std::uint16_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

float LoadFloat(const std::byte* bytes) {
  float value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Low nibbles first.
void UnpackNibbles(const std::byte* bytes, std::uint8_t (&q)[kBlockElements]) {
  for (std::size_t i = 0; i < kBlockElements / 2; ++i) {
    const auto byte = std::to_integer<unsigned>(bytes[i]);
    q[i] = static_cast<std::uint8_t>(byte & 15u);
    q[i + kBlockElements / 2] = static_cast<std::uint8_t>(byte >> 4);
  }
}

template <class T>
void Dequantize(GgmlType type, const std::byte* bytes, std::span<T> out) {
  switch (type) {
    case GgmlType::kF32:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(LoadFloat(bytes + 4 * i));
      return;
    case GgmlType::kF16:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(core::HalfToFloat(Load16(bytes + 2 * i)));
      return;
    case GgmlType::kBF16:
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<T>(core::Bfloat16ToFloat(Load16(bytes + 2 * i)));
      }
      return;
    case GgmlType::kQ8_0:
      for (std::size_t i = 0; i < out.size(); i += kBlockElements, bytes += kQ8_0Bytes) {
        const Q8_0Block block = UnpackQ8_0(bytes);
        const T d = static_cast<T>(core::HalfToFloat(block.d));
        for (std::size_t j = 0; j < kBlockElements; ++j) out[i + j] = d * static_cast<T>(block.q[j]);
      }
      return;
    case GgmlType::kQ4_0:
      for (std::size_t i = 0; i < out.size(); i += kBlockElements, bytes += kQ4_0Bytes) {
        const Q4_0Block block = UnpackQ4_0(bytes);
        const T d = static_cast<T>(core::HalfToFloat(block.d));
        for (std::size_t j = 0; j < kBlockElements; ++j) out[i + j] = d * static_cast<T>(block.q[j] - 8);
      }
      return;
    case GgmlType::kQ4_1:
      for (std::size_t i = 0; i < out.size(); i += kBlockElements, bytes += kQ4_1Bytes) {
        const Q4_1Block block = UnpackQ4_1(bytes);
        const T d = static_cast<T>(core::HalfToFloat(block.d));
        const T m = static_cast<T>(core::HalfToFloat(block.m));
        for (std::size_t j = 0; j < kBlockElements; ++j) out[i + j] = d * static_cast<T>(block.q[j]) + m;
      }
      return;
  }
}

template <class T>
void Row(const TensorView& tensor, std::uint64_t row, std::span<T> out) {
  DECANT_CHECK(row < tensor.rows() && out.size() == tensor.columns() && IsReadable(tensor.type));
  Dequantize(static_cast<GgmlType>(tensor.type), tensor.bytes.data() + row * RowBytes(tensor), out);
}

}  // namespace

Q4_0Block UnpackQ4_0(const std::byte* block) {
  Q4_0Block unpacked;
  unpacked.d = Load16(block);
  UnpackNibbles(block + 2, unpacked.q);
  return unpacked;
}

Q4_1Block UnpackQ4_1(const std::byte* block) {
  Q4_1Block unpacked;
  unpacked.d = Load16(block);
  unpacked.m = Load16(block + 2);
  UnpackNibbles(block + 4, unpacked.q);
  return unpacked;
}

Q8_0Block UnpackQ8_0(const std::byte* block) {
  Q8_0Block unpacked;
  unpacked.d = Load16(block);
  std::memcpy(unpacked.q, block + 2, kBlockElements);
  return unpacked;
}

std::size_t RowBytes(const TensorView& tensor) {
  const GgmlTypeTraits* type = FindGgmlType(tensor.type);
  DECANT_CHECK(type != nullptr && type->block_elements != 0);
  return static_cast<std::size_t>(tensor.columns() / type->block_elements * type->block_bytes);
}

void DequantizeRow(const TensorView& tensor, std::uint64_t row, std::span<float> out) { Row(tensor, row, out); }
void DequantizeRow(const TensorView& tensor, std::uint64_t row, std::span<double> out) { Row(tensor, row, out); }

Result<void> CheckFinite(const TensorView& tensor) {
  const GgmlTypeTraits* traits = FindGgmlType(tensor.type);
  DECANT_CHECK(traits != nullptr && IsReadable(tensor.type));
  const auto type = static_cast<GgmlType>(tensor.type);
  const auto is_bad = [type](const std::byte* at) {
    switch (type) {
      case GgmlType::kF32: {
        std::uint32_t bits;
        std::memcpy(&bits, at, sizeof bits);
        return (bits & 0x7f800000u) == 0x7f800000u;
      }
      case GgmlType::kBF16:
        return (Load16(at) & 0x7f80u) == 0x7f80u;
      case GgmlType::kF16:
      case GgmlType::kQ4_0:
      case GgmlType::kQ8_0:
        return !core::IsFiniteHalf(Load16(at));
      case GgmlType::kQ4_1:
        return !core::IsFiniteHalf(Load16(at)) || !core::IsFiniteHalf(Load16(at + 2));
    }
    return true;
  };
  for (std::size_t at = 0; at < tensor.bytes.size(); at += traits->block_bytes) {
    if (is_bad(tensor.bytes.data() + at)) {
      return Fail(ErrorCode::kCorruptFile,
                  "tensor \"" + std::string(tensor.name) + "\" holds an infinity or NaN at byte " +
                      std::to_string(tensor.offset + at),
                  {.subject = std::string(tensor.name), .at = Position{.offset = tensor.offset + at}});
    }
  }
  return {};
}

}  // namespace decant::weights
