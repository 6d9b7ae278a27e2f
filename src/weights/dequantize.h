// Blocks of quantised weights, taken apart, and rows as floating-point numbers.
//
// Q8_0: 32 elements, an f16 scale d, 32 int8 q: w = d*q. Q4_0: 32 elements, f16 d, 32 nibbles q (the low nibbles of
// the 16 bytes are elements 0..15): w = d*(q - 8). Q4_1: f16 d, f16 m, nibbles alike: w = d*q + m. In f32 d*q is exact
// and the sum is rounded once; in f64 both are exact.
#ifndef DECANT_WEIGHTS_DEQUANTIZE_H_
#define DECANT_WEIGHTS_DEQUANTIZE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "decant/error.h"
#include "weights/tensor_view.h"

namespace decant::weights {

inline constexpr std::size_t kBlockElements = 32;
inline constexpr std::size_t kQ4_0Bytes = 18;
inline constexpr std::size_t kQ4_1Bytes = 20;
inline constexpr std::size_t kQ8_0Bytes = 34;

struct Q4_0Block {
  std::uint16_t d = 0;                  // f16 bits
  std::uint8_t q[kBlockElements] = {};  // 0...15, 8 more than the weight
};
struct Q4_1Block {
  std::uint16_t d = 0, m = 0;  // f16 bits
  std::uint8_t q[kBlockElements] = {};
};
struct Q8_0Block {
  std::uint16_t d = 0;  // f16 bits
  std::int8_t q[kBlockElements] = {};
};

// REQUIRES: as many readable bytes as the type's block has.
Q4_0Block UnpackQ4_0(const std::byte* block);
Q4_1Block UnpackQ4_1(const std::byte* block);
Q8_0Block UnpackQ8_0(const std::byte* block);

// Bytes of one row. REQUIRES: a readable type.
std::size_t RowBytes(const TensorView& tensor);

// One row. REQUIRES: a readable type, row < tensor.rows(), out.size() = tensor.columns().
void DequantizeRow(const TensorView& tensor, std::uint64_t row, std::span<float> out);
void DequantizeRow(const TensorView& tensor, std::uint64_t row, std::span<double> out);

// kCorruptFile (with the byte offset) if a scale, a minimum or a float element is an infinity or NaN. No correct
// file has one, and conversions of them differ between instruction sets.
Result<void> CheckFinite(const TensorView& tensor);

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_DEQUANTIZE_H_
