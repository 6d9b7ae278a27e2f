// Angles in f64 from our own log2, exp2, sin and cos; one table a row serves all layers and heads.
#include "model/rope.h"

#include "core/math.h"

namespace decant::model {

std::vector<double> RopeFrequencies(const LlamaConfig& config) {
  std::vector<double> frequencies(config.rope_width / 2);
  const double log2_base = core::Log2(static_cast<double>(config.rope_base));
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double exponent = static_cast<double>(2 * i) / static_cast<double>(config.rope_width);
    frequencies[i] = core::Exp2(-exponent * log2_base);
    if (!config.rope_factors.empty()) {
      frequencies[i] = frequencies[i] / static_cast<double>(config.rope_factors[i]);
    } else if (config.rope_linear != 1.0f) {
      frequencies[i] = frequencies[i] / static_cast<double>(config.rope_linear);
    }
  }
  return frequencies;
}

void RopeTable(std::span<const double> frequencies, std::size_t position, std::span<float> table) {
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double angle = static_cast<double>(position) * frequencies[i];
    table[2 * i] = static_cast<float>(core::Cos(angle));
    table[2 * i + 1] = static_cast<float>(core::Sin(angle));
  }
}

void ApplyRope(std::span<const float> table, std::size_t heads, std::size_t head_width, float* x) {
  for (std::size_t head = 0; head < heads; ++head, x += head_width) {
    for (std::size_t i = 0; i < table.size(); i += 2) {
      const float c = table[i], s = table[i + 1];
      const float a = x[i], b = x[i + 1];
      x[i] = a * c - b * s;
      x[i + 1] = a * s + b * c;
    }
  }
}

}  // namespace decant::model
