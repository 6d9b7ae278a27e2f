// Matrix products with packed weights (docs/determinism.md, "Matrix products").
//
// One f32 accumulator an output, starting at +0, inputs (or blocks of 32) in ascending order, one multiply and one add
// each. Rows of activations are independent: any grouping gives the same bits.
#ifndef DECANT_SIMD_PRODUCT_H_
#define DECANT_SIMD_PRODUCT_H_

#include <cstddef>
#include <cstdint>

#include "simd/packed_matrix.h"

namespace decant::simd {

// Rows of activations, as they are and quantised to 15 bits by QuantizeRow. For a product with kF32 weights only
// `values` is read, for a quantised one only the other three.
struct Activations {
  std::size_t rows = 0;
  std::size_t inputs = 0;
  const float* values = nullptr;       // rows x inputs
  const std::int16_t* q = nullptr;     // rows x inputs
  const float* scales = nullptr;       // rows x inputs/32
  const std::int32_t* sums = nullptr;  // rows x inputs/32
};

enum class Store : std::uint8_t { kReplace, kAdd };  // out = product, or out = out + product

// The outputs of tiles [first, last) for every row: out[row * stride + output].
// REQUIRES: x.inputs = weights.inputs(), first <= last <= weights.tiles().
void MultiplyTiles(const PackedMatrix& weights, const Activations& x, std::size_t first, std::size_t last, Store store,
                   float* out, std::size_t stride);

// Quantises n values in blocks of 32: q = RN(x * (16383/amax)), scale = amax/16383, sum = the block's sum of q; all 0
// where amax < 2^-100. False if a value is not finite; the outputs are then zeros. REQUIRES: n % 32 = 0.
bool QuantizeRow(const float* values, std::size_t n, std::int16_t* q, float* scales, std::int32_t* sums);

}  // namespace decant::simd

#endif  // DECANT_SIMD_PRODUCT_H_
