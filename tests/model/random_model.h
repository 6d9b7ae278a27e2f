// Small random Llama models as GGUF bytes, and random rows: tests make their own data. The same seed gives the same
// bytes everywhere.
#ifndef DECANT_TESTS_MODEL_RANDOM_MODEL_H_
#define DECANT_TESTS_MODEL_RANDOM_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/float16.h"
#include "weights/ggml_type.h"
#include "weights/gguf_writer_for_test.h"

namespace decant::testing {

// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t Below(std::size_t n) { return static_cast<std::size_t>(Next() % n); }
  // Uniform in (-scale, scale), 24 bits.
  float Uniform(float scale) { return (static_cast<float>(Next() >> 40) * 0x1p-23f - 1.0f) * scale; }
  std::vector<float> Row(std::size_t n, float scale) {
    std::vector<float> row(n);
    for (float& x : row) x = Uniform(scale);
    return row;
  }

 private:
  std::uint64_t state_;
};

struct ModelSpec {
  std::string name;
  std::uint32_t width = 64, feed_forward = 96, heads = 2, kv_heads = 1, head_width = 32, rope_width = 32, layers = 2;
  std::uint32_t vocabulary = 40, context = 256;
  std::vector<weights::GgmlType> types = {weights::GgmlType::kQ4_1};  // matrices take them in turn
  weights::GgmlType embedding = weights::GgmlType::kQ8_0;
  bool tied = true;
  bool rope_factors = false;
  float rope_linear = 1.0f;
  float embedding_scale = 1.0f;
  std::uint64_t seed = 1;
};

// Rows of a tensor whose dequantised weights are about uniform in (-scale, scale).
inline std::vector<std::byte> RandomTensor(Random& random, weights::GgmlType type, std::size_t elements, float scale) {
  using weights::GgmlType;
  weights::ByteWriter out;
  switch (type) {
    case GgmlType::kF32:
      for (std::size_t i = 0; i < elements; ++i) out.Put(random.Uniform(scale));
      break;
    case GgmlType::kF16:
      for (std::size_t i = 0; i < elements; ++i) out.Put(core::FloatToHalf(random.Uniform(scale)));
      break;
    case GgmlType::kBF16:
      for (std::size_t i = 0; i < elements; ++i) {
        const float value = random.Uniform(scale);
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        out.Put(static_cast<std::uint16_t>(bits >> 16));
      }
      break;
    case GgmlType::kQ8_0:
      for (std::size_t b = 0; b < elements / 32; ++b) {
        out.Put(core::FloatToHalf((1.5f + random.Uniform(0.5f)) * scale / 254.0f));
        for (int i = 0; i < 32; ++i) out.Put(static_cast<std::uint8_t>(random.Next() >> 56));
      }
      break;
    case GgmlType::kQ4_0:
      for (std::size_t b = 0; b < elements / 32; ++b) {
        out.Put(core::FloatToHalf((1.5f + random.Uniform(0.5f)) * scale / 15.0f));
        for (int i = 0; i < 16; ++i) out.Put(static_cast<std::uint8_t>(random.Next() >> 56));
      }
      break;
    case GgmlType::kQ4_1:
      for (std::size_t b = 0; b < elements / 32; ++b) {
        const float d = (1.5f + random.Uniform(0.5f)) * scale / 15.0f;
        out.Put(core::FloatToHalf(d)).Put(core::FloatToHalf(-7.5f * d + random.Uniform(d)));
        for (int i = 0; i < 16; ++i) out.Put(static_cast<std::uint8_t>(random.Next() >> 56));
      }
      break;
  }
  return out.bytes();
}

inline std::vector<std::byte> RandomModel(const ModelSpec& spec) {
  using weights::GgmlType;
  Random random(spec.seed);
  weights::GgufWriter writer;
  writer.AddString("general.architecture", "llama");
  writer.AddU32("llama.block_count", spec.layers);
  writer.AddU32("llama.context_length", spec.context);
  writer.AddU32("llama.embedding_length", spec.width);
  writer.AddU32("llama.feed_forward_length", spec.feed_forward);
  writer.AddU32("llama.attention.head_count", spec.heads);
  writer.AddU32("llama.attention.head_count_kv", spec.kv_heads);
  writer.AddU32("llama.attention.key_length", spec.head_width);
  writer.AddU32("llama.attention.value_length", spec.head_width);
  writer.AddU32("llama.rope.dimension_count", spec.rope_width);
  writer.AddF32("llama.rope.freq_base", 10000.0f);
  writer.AddF32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  if (spec.rope_linear != 1.0f) {
    writer.AddString("llama.rope.scaling.type", "linear");
    writer.AddF32("llama.rope.scaling.factor", spec.rope_linear);
  }
  std::size_t next = 0;
  const auto add = [&](const std::string& name, std::uint64_t columns, std::uint64_t rows, GgmlType type, float scale) {
    writer.AddTensor(name, {columns, rows}, static_cast<std::uint32_t>(type),
                     RandomTensor(random, type, columns * rows, scale));
  };
  const auto matrix = [&](const std::string& name, std::uint64_t columns, std::uint64_t rows) {
    add(name, columns, rows, spec.types[next++ % spec.types.size()], 0.3f);
  };
  const auto norm = [&](const std::string& name) {
    writer.AddTensor(name, {spec.width}, 0, RandomTensor(random, GgmlType::kF32, spec.width, 1.5f));
  };
  add("token_embd.weight", spec.width, spec.vocabulary, spec.embedding, spec.embedding_scale);
  norm("output_norm.weight");
  if (!spec.tied) matrix("output.weight", spec.width, spec.vocabulary);
  if (spec.rope_factors) {
    weights::ByteWriter factors;
    for (std::uint32_t i = 0; i < spec.rope_width / 2; ++i) factors.Put(1.0f + 0.25f * static_cast<float>(i));
    writer.AddTensor("rope_freqs.weight", {spec.rope_width / 2}, 0, factors.bytes());
  }
  const std::uint64_t query = std::uint64_t{spec.heads} * spec.head_width;
  const std::uint64_t kv = std::uint64_t{spec.kv_heads} * spec.head_width;
  for (std::uint32_t layer = 0; layer < spec.layers; ++layer) {
    const std::string at = "blk." + std::to_string(layer) + ".";
    norm(at + "attn_norm.weight");
    norm(at + "ffn_norm.weight");
    matrix(at + "attn_q.weight", spec.width, query);
    matrix(at + "attn_k.weight", spec.width, kv);
    matrix(at + "attn_v.weight", spec.width, kv);
    matrix(at + "attn_output.weight", query, spec.width);
    matrix(at + "ffn_gate.weight", spec.width, spec.feed_forward);
    matrix(at + "ffn_up.weight", spec.width, spec.feed_forward);
    matrix(at + "ffn_down.weight", spec.feed_forward, spec.width);
  }
  return writer.Finish();
}

}  // namespace decant::testing

#endif  // DECANT_TESTS_MODEL_RANDOM_MODEL_H_
