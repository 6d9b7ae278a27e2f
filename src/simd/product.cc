// Tile by tile: product.h has the order of operations, packed_matrix.h the layout. The weights of a tile are taken
// apart once for up to 8 rows. Quantised products multiply pairs of int16 and add them in int32, which is exact; with
// AVX-512 VNNI that is one instruction.
#include "simd/product.h"

#include "simd/enabled_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/product.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "simd/load_halves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace decant::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DI = hn::CappedTag<std::int32_t, kTileOutputs>;
using DU = hn::Rebind<std::uint32_t, DI>;
using DF = hn::Rebind<float, DI>;
using VI = hn::Vec<DI>;
using VU = hn::Vec<DU>;
using VF = hn::Vec<DF>;
constexpr std::size_t kLanes = hn::MaxLanes(DI());

// The quantised activations of one group of rows.
struct QuantizedOperand {
  const std::int16_t* q;
  const float* scales;
  const std::int32_t* sums;
  std::size_t stride;        // of q, between rows
  std::size_t block_stride;  // of scales and sums
  std::size_t blocks;
};

HWY_INLINE std::int32_t LoadPair(const std::int16_t* pair) {
  std::int32_t value;
  std::memcpy(&value, pair, sizeof value);
  return value;
}

// How many vectors of a tile to work on at once, so that accumulators stay in registers.
constexpr std::size_t VectorsAtOnce(std::size_t rows) {
  const std::size_t all = kTileOutputs / kLanes;
  const std::size_t most = rows >= 4 ? 1 : 4 / rows;
  return all < most ? all : most;
}

// sum + w.low * a.low + w.high * a.high, halves of each 32-bit lane. REQUIRES: 0 <= w halves < 2^15.
HWY_INLINE VI PairDot(VI sum, VI w, VI a) {
#if HWY_TARGET == HWY_AVX3
  return VI{_mm512_add_epi32(sum.raw, _mm512_madd_epi16(w.raw, a.raw))};
#elif HWY_TARGET == HWY_AVX2
  return VI{_mm256_add_epi32(sum.raw, _mm256_madd_epi16(w.raw, a.raw))};
#elif HWY_TARGET == HWY_SSE4
  return VI{_mm_add_epi32(sum.raw, _mm_madd_epi16(w.raw, a.raw))};
#elif HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  const int16x8_t w16 = vreinterpretq_s16_s32(w.raw);
  const int16x8_t a16 = vreinterpretq_s16_s32(a.raw);
  return VI(vaddq_s32(sum.raw, vpaddq_s32(vmull_s16(vget_low_s16(w16), vget_low_s16(a16)), vmull_high_s16(w16, a16))));
#else
  const VI low = hn::Mul(hn::And(w, hn::Set(DI(), 0xffff)), hn::ShiftRight<16>(hn::ShiftLeft<16>(a)));
  return hn::Add(sum, hn::Add(low, hn::Mul(hn::ShiftRight<16>(w), hn::ShiftRight<16>(a))));
#endif
}

#define DECANT_TILE_NAMESPACE plain
#define DECANT_TILE_ATTR
#define DECANT_PAIR_DOT PairDot
#include "simd/product_tile-inl.h"
#undef DECANT_TILE_NAMESPACE
#undef DECANT_TILE_ATTR
#undef DECANT_PAIR_DOT

#if HWY_TARGET == HWY_AVX3
#define DECANT_TILE_NAMESPACE vnni
#define DECANT_TILE_ATTR __attribute__((target(HWY_TARGET_STR ",avx512vnni")))
#define DECANT_PAIR_DOT(sum, w, a) \
  VI { _mm512_dpwssd_epi32((sum).raw, (w).raw, (a).raw) }
#include "simd/product_tile-inl.h"
#undef DECANT_TILE_NAMESPACE
#undef DECANT_TILE_ATTR
#undef DECANT_PAIR_DOT
#endif

template <std::size_t kRows>
void QuantizedTile(PackedType type, const std::byte* tile, const QuantizedOperand& x, float* out) {
#if HWY_TARGET == HWY_AVX3
  static const bool has_vnni = __builtin_cpu_supports("avx512vnni") != 0;
  if (has_vnni) return vnni::TileRows<kRows>(type, tile, x, out);
#endif
  plain::TileRows<kRows>(type, tile, x, out);
}

template <std::size_t kRows>
void FloatTile(const std::byte* tile, const float* x, std::size_t inputs, float* out) {
  const DF df;
  constexpr std::size_t kVectors = VectorsAtOnce(kRows);
  for (std::size_t lane = 0; lane < kTileOutputs; lane += kVectors * kLanes) {
    VF acc[kRows][kVectors];
    for (auto& row : acc) {
      for (VF& a : row) a = hn::Zero(df);
    }
    const float* weights = reinterpret_cast<const float*>(tile) + lane;
    for (std::size_t k = 0; k < inputs; ++k, weights += kTileOutputs) {
      VF w[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) w[v] = hn::LoadU(df, weights + v * kLanes);
      for (std::size_t r = 0; r < kRows; ++r) {
        const VF a = hn::Set(df, x[r * inputs + k]);
        for (std::size_t v = 0; v < kVectors; ++v) acc[r][v] = hn::Add(acc[r][v], hn::Mul(w[v], a));
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(acc[r][v], df, out + r * kTileOutputs + lane + v * kLanes);
    }
  }
}

// Products of kRows rows from `row` on with one tile, into out (kRows x 16).
template <std::size_t kRows>
void TileGroup(const PackedMatrix& weights, std::size_t tile, const Activations& x, std::size_t row, float* out) {
  if (!weights.is_quantized()) {
    FloatTile<kRows>(weights.tile(tile), x.values + row * x.inputs, x.inputs, out);
    return;
  }
  const std::size_t blocks = weights.blocks();
  const QuantizedOperand operand{.q = x.q + row * x.inputs,
                                 .scales = x.scales + row * blocks,
                                 .sums = x.sums + row * blocks,
                                 .stride = x.inputs,
                                 .block_stride = blocks,
                                 .blocks = blocks};
  QuantizedTile<kRows>(weights.type(), weights.tile(tile), operand, out);
}

void MultiplyTilesT(const PackedMatrix& weights, const Activations& x, std::size_t first, std::size_t last, Store store,
                    float* out, std::size_t stride) {
  alignas(kCacheLine) float group[8 * kTileOutputs];
  for (std::size_t tile = first; tile < last; ++tile) {
    const std::size_t begin = tile * kTileOutputs;
    const std::size_t outputs = std::min(kTileOutputs, weights.outputs() - begin);
    for (std::size_t row = 0; row < x.rows;) {
      const std::size_t left = x.rows - row;
      const std::size_t rows = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
      switch (rows) {
        case 8:
          TileGroup<8>(weights, tile, x, row, group);
          break;
        case 4:
          TileGroup<4>(weights, tile, x, row, group);
          break;
        case 2:
          TileGroup<2>(weights, tile, x, row, group);
          break;
        default:
          TileGroup<1>(weights, tile, x, row, group);
          break;
      }
      for (std::size_t r = 0; r < rows; ++r) {
        float* const to = out + (row + r) * stride + begin;
        const float* const from = group + r * kTileOutputs;
        if (store == Store::kAdd) {
          for (std::size_t i = 0; i < outputs; ++i) to[i] = to[i] + from[i];
        } else {
          for (std::size_t i = 0; i < outputs; ++i) to[i] = from[i];
        }
      }
      row += rows;
    }
  }
}

bool QuantizeRowT(const float* values, std::size_t n, std::int16_t* q, float* scales, std::int32_t* sums) {
  const DI di;
  const DF df;
  const hn::Rebind<std::int16_t, DI> d16;
  const VI magnitude = hn::Set(di, 0x7fffffff);
  const VF magic = hn::Set(df, 0x1.8p23f);  // adding it rounds to an integer, halves to even
  bool finite = true;
  for (std::size_t b = 0; b < n / kBlockInputs; ++b, values += kBlockInputs, q += kBlockInputs) {
    VI largest = hn::Zero(di);
    for (std::size_t i = 0; i < kBlockInputs; i += kLanes) {
      largest = hn::Max(largest, hn::And(hn::BitCast(di, hn::LoadU(df, values + i)), magnitude));
    }
    // Bit patterns of magnitudes compare as integers on every target, NaN included.
    const std::int32_t bits = hn::GetLane(hn::MaxOfLanes(di, largest));
    float amax;
    std::memcpy(&amax, &bits, sizeof amax);
    finite = finite && bits < 0x7f800000;
    if (!finite || amax < 0x1p-100f) {
      std::memset(q, 0, kBlockInputs * sizeof *q);
      scales[b] = 0.0f;
      sums[b] = 0;
      continue;
    }
    const VF factor = hn::Set(df, 16383.0f / amax);
    VI sum = hn::Zero(di);
    for (std::size_t i = 0; i < kBlockInputs; i += kLanes) {
      const VF rounded = hn::Add(hn::Mul(hn::LoadU(df, values + i), factor), magic);
      const VI integer = hn::Sub(hn::BitCast(di, rounded), hn::BitCast(di, magic));
      sum = hn::Add(sum, integer);
      hn::StoreU(hn::DemoteTo(d16, integer), d16, q + i);
    }
    scales[b] = amax / 16383.0f;
    sums[b] = hn::GetLane(hn::SumOfLanes(di, sum));
  }
  return finite;
}

}  // namespace decant::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace decant::simd {

HWY_EXPORT(MultiplyTilesT);
HWY_EXPORT(QuantizeRowT);

void MultiplyTiles(const PackedMatrix& weights, const Activations& x, std::size_t first, std::size_t last, Store store,
                   float* out, std::size_t stride) {
  DECANT_CHECK(x.inputs == weights.inputs() && first <= last && last <= weights.tiles());
  HWY_DYNAMIC_DISPATCH(MultiplyTilesT)(weights, x, first, last, store, out, stride);
}

bool QuantizeRow(const float* values, std::size_t n, std::int16_t* q, float* scales, std::int32_t* sums) {
  DECANT_CHECK(n % kBlockInputs == 0);
  const bool finite = HWY_DYNAMIC_DISPATCH(QuantizeRowT)(values, n, q, scales, sums);
  if (!finite) {
    std::fill_n(q, n, std::int16_t{0});
    std::fill_n(scales, n / kBlockInputs, 0.0f);
    std::fill_n(sums, n / kBlockInputs, 0);
  }
  return finite;
}

}  // namespace decant::simd
#endif  // HWY_ONCE
