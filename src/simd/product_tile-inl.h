// The inner loops of product.cc: one tile of 16 outputs times a few rows of activations.
//
// Included several times a target: DECANT_TILE_NAMESPACE names the copy, DECANT_TILE_ATTR adds an instruction set to
// its functions, DECANT_PAIR_DOT(sum, w, a) adds the products of int16 pairs to i32 lanes. No include guard, on
// purpose.

namespace DECANT_TILE_NAMESPACE {

// Adds block `b` of all rows to the accumulators: acc = acc + (dw*dx)*f32(I), then, with a minimum,
// acc = acc + (mw*dx)*f32(S).
template <PackedType kType, std::size_t kRows, std::size_t kVectors>
DECANT_TILE_ATTR HWY_INLINE void FinishQ4Block(const std::uint16_t* scales, const QuantizedOperand& x, std::size_t b,
                                               const VI (&sums)[kRows][kVectors], VF (&acc)[kRows][kVectors]) {
  const DF df;
  for (std::size_t v = 0; v < kVectors; ++v) {
    const VF scale = LoadHalves(df, scales + v * kLanes);
    VF minimum = hn::Zero(df);
    if constexpr (kType == PackedType::kQ4) minimum = LoadHalves(df, scales + kTileOutputs + v * kLanes);
    for (std::size_t r = 0; r < kRows; ++r) {
      const VF dx = hn::Set(df, x.scales[r * x.block_stride + b]);
      acc[r][v] = hn::Add(acc[r][v], hn::Mul(hn::Mul(scale, dx), hn::ConvertTo(df, sums[r][v])));
      if constexpr (kType == PackedType::kQ4) {
        const VF s = hn::Set(df, static_cast<float>(x.sums[r * x.block_stride + b]));
        acc[r][v] = hn::Add(acc[r][v], hn::Mul(hn::Mul(minimum, dx), s));
      }
    }
  }
}

// Pair `kPair` (0...3) of a Q4 word, for all rows.
template <std::size_t kPair, std::size_t kRows, std::size_t kVectors>
DECANT_TILE_ATTR HWY_INLINE void AddQ4Pair(const VU (&word)[kVectors], const std::int16_t* q, std::size_t stride,
                                           VI (&sums)[kRows][kVectors]) {
  const DU du;
  const DI di;
  VI w[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    w[v] = hn::BitCast(di, hn::And(hn::ShiftRight<4 * kPair>(word[v]), hn::Set(du, 0x000f000fu)));
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    const VI a = hn::Set(di, LoadPair(q + r * stride + 2 * kPair));
    for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = DECANT_PAIR_DOT(sums[r][v], w[v], a);
  }
}

// kQ4 or kQ4Centered.
template <PackedType kType, std::size_t kRows, std::size_t kVectors>
DECANT_TILE_ATTR HWY_NOINLINE void TileQ4(const std::byte* tile, const QuantizedOperand& x, std::size_t lane,
                                          float* out) {
  const DI di;
  const DU du;
  const DF df;
  VF acc[kRows][kVectors];
  for (auto& row : acc) {
    for (VF& a : row) a = hn::Zero(df);
  }
  constexpr std::size_t kBytes = kType == PackedType::kQ4 ? kQ4BlockBytes : kQ4CenteredBlockBytes;
  for (std::size_t b = 0; b < x.blocks; ++b, tile += kBytes) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(tile) + lane;
    const std::int16_t* q = x.q + b * kBlockInputs;
    VI sums[kRows][kVectors];
    for (std::size_t r = 0; r < kRows; ++r) {
      // The stored weights of kQ4Centered are 8 too large.
      const VI start = kType == PackedType::kQ4 ? hn::Zero(di) : hn::Set(di, -8 * x.sums[r * x.block_stride + b]);
      for (VI& s : sums[r]) s = start;
    }
    for (std::size_t w = 0; w < 4; ++w, words += kTileOutputs, q += 8) {
      VU word[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) word[v] = hn::LoadU(du, words + v * kLanes);
      AddQ4Pair<0>(word, q, x.stride, sums);
      AddQ4Pair<1>(word, q, x.stride, sums);
      AddQ4Pair<2>(word, q, x.stride, sums);
      AddQ4Pair<3>(word, q, x.stride, sums);
    }
    const auto* scales = reinterpret_cast<const std::uint16_t*>(tile + kQ4WordBytes);
    FinishQ4Block<kType>(scales + lane, x, b, sums, acc);
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(acc[r][v], df, out + r * kTileOutputs + lane + v * kLanes);
  }
}

template <std::size_t kRows, std::size_t kVectors>
DECANT_TILE_ATTR HWY_NOINLINE void TileQ8(const std::byte* tile, const QuantizedOperand& x, std::size_t lane,
                                          float* out) {
  const DI di;
  const DU du;
  const DF df;
  VF acc[kRows][kVectors];
  for (auto& row : acc) {
    for (VF& a : row) a = hn::Zero(df);
  }
  const auto* words = reinterpret_cast<const std::uint32_t*>(tile) + lane;
  const auto* scales = reinterpret_cast<const std::uint16_t*>(tile + x.blocks * kQ8WordBytes) + lane;
  const std::int16_t* q = x.q;
  for (std::size_t b = 0; b < x.blocks; ++b, scales += kTileOutputs) {
    VI sums[kRows][kVectors];
    for (std::size_t r = 0; r < kRows; ++r) {
      // The stored weights are 128 too large.
      const VI bias = hn::Set(di, -128 * x.sums[r * x.block_stride + b]);
      for (VI& s : sums[r]) s = bias;
    }
    for (std::size_t w = 0; w < 8; ++w, words += kTileOutputs, q += 4) {
      VI first[kVectors], second[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) {
        const VU word = hn::LoadU(du, words + v * kLanes);
        const VU mask = hn::Set(du, 0x00ff00ffu);
        first[v] = hn::BitCast(di, hn::And(word, mask));
        second[v] = hn::BitCast(di, hn::And(hn::ShiftRight<8>(word), mask));
      }
      for (std::size_t r = 0; r < kRows; ++r) {
        const VI a = hn::Set(di, LoadPair(q + r * x.stride));
        const VI c = hn::Set(di, LoadPair(q + r * x.stride + 2));
        for (std::size_t v = 0; v < kVectors; ++v) {
          sums[r][v] = DECANT_PAIR_DOT(sums[r][v], first[v], a);
          sums[r][v] = DECANT_PAIR_DOT(sums[r][v], second[v], c);
        }
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      const VF scale = LoadHalves(df, scales + v * kLanes);
      for (std::size_t r = 0; r < kRows; ++r) {
        const VF dx = hn::Set(df, x.scales[r * x.block_stride + b]);
        acc[r][v] = hn::Add(acc[r][v], hn::Mul(hn::Mul(scale, dx), hn::ConvertTo(df, sums[r][v])));
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(acc[r][v], df, out + r * kTileOutputs + lane + v * kLanes);
  }
}

// kRows rows by the whole tile.
template <std::size_t kRows>
DECANT_TILE_ATTR void TileRows(PackedType type, const std::byte* tile, const QuantizedOperand& x, float* out) {
  constexpr std::size_t kVectors = VectorsAtOnce(kRows);
  for (std::size_t lane = 0; lane < kTileOutputs; lane += kVectors * kLanes) {
    if (type == PackedType::kQ4) {
      TileQ4<PackedType::kQ4, kRows, kVectors>(tile, x, lane, out);
    } else if (type == PackedType::kQ4Centered) {
      TileQ4<PackedType::kQ4Centered, kRows, kVectors>(tile, x, lane, out);
    } else {
      TileQ8<kRows, kVectors>(tile, x, lane, out);
    }
  }
}

}  // namespace DECANT_TILE_NAMESPACE
