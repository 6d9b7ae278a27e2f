// The random number is scaled to the total, exactly; the first prefix of the weights above it wins.
#include "draw/categorical.h"

#include "core/check.h"
#include "core/wide.h"

namespace decant::draw {

Drawn DrawCategorical(std::span<const std::uint64_t> weights, std::uint64_t total, std::uint64_t r) {
  const auto t = static_cast<std::uint64_t>(core::Multiply(r, total) >> 53);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint64_t after = before + weights[i];
    if (after > t) {
      return {.index = i,
              .record = {.kind = DrawKind::kInverseCdf,
                         .r = r,
                         .t = t,
                         .z = total,
                         .lo = before,
                         .hi = after,
                         .u = static_cast<double>(r) * 0x1p-53,
                         .interval = {core::Ratio(before, total), core::Ratio(after, total)}}};
    }
    before = after;
  }
  // t < total, so some prefix exceeds it.
  core::CheckFailed(__FILE__, __LINE__, "the weights sum to total");
}

}  // namespace decant::draw
