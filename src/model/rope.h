// Rotary position embedding, pairs (2i, 2i+1) (docs/determinism.md, "RoPE"; Su et al. 2021).
#ifndef DECANT_MODEL_ROPE_H_
#define DECANT_MODEL_ROPE_H_

#include <cstddef>
#include <span>
#include <vector>

#include "model/llama_config.h"

namespace decant::model {

// The angle of pair i at position 1: exp2(-(2i/d) * log2(base)), divided by the file's factor, in f64.
std::vector<double> RopeFrequencies(const LlamaConfig& config);

// f32(cos), f32(sin) of each pair's angle at a position: table[2i], table[2i + 1].
// REQUIRES: table.size() = 2 * frequencies.size().
void RopeTable(std::span<const double> frequencies, std::size_t position, std::span<float> table);

// Rotates the first table.size() elements of every head: x' = x*c - y*s, y' = x*s + y*c.
void ApplyRope(std::span<const float> table, std::size_t heads, std::size_t head_width, float* x);

}  // namespace decant::model

#endif  // DECANT_MODEL_ROPE_H_
