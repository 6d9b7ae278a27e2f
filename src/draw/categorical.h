// categorical: one 53-bit random number against the cumulative integer weights, ids ascending (inverse transform).
#ifndef DECANT_DRAW_CATEGORICAL_H_
#define DECANT_DRAW_CATEGORICAL_H_

#include <cstdint>
#include <span>

#include "decant/candidates.h"
#include "decant/step.h"
#include "decant/token.h"

namespace decant::draw {

struct Drawn {
  std::size_t index = 0;  // into the weights
  DrawRecord record;
};

// t = floor(r * Z / 2^53); the answer is the first index whose inclusive prefix sum exceeds t, so a zero weight is
// never drawn. REQUIRES: r < 2^53, total = sum of weights > 0, weights in ascending order of id.
Drawn DrawCategorical(std::span<const std::uint64_t> weights, std::uint64_t total, std::uint64_t r);

}  // namespace decant::draw

#endif  // DECANT_DRAW_CATEGORICAL_H_
