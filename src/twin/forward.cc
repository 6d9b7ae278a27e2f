// Every position from the start for every layer: keys and values are rounded to f16 as a cache would, but none is kept.
#include "twin/forward.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/float16.h"
#include "core/math.h"
#include "weights/dequantize.h"
#include "weights/ggml_type.h"

namespace decant::twin {
namespace {

using weights::GgmlType;
using weights::GgufFile;
using weights::TensorView;
using Rows = std::vector<std::vector<float>>;

bool IsFinite(float x) { return (std::bit_cast<std::uint32_t>(x) & 0x7f800000u) != 0x7f800000u; }
bool AllFinite(std::span<const float> x) { return std::all_of(x.begin(), x.end(), IsFinite); }

struct Shape {
  std::size_t vocabulary, layers, heads, kv_heads, head_width, rope_width;
  float epsilon, rope_base, rope_linear;
};

Result<Shape> ReadShape(const GgufFile& file) {
  Shape shape{};
  DECANT_TRY(const std::uint64_t layers, file.Unsigned("llama.block_count"));
  DECANT_TRY(const std::uint64_t width, file.Unsigned("llama.embedding_length"));
  DECANT_TRY(const std::uint64_t heads, file.Unsigned("llama.attention.head_count"));
  DECANT_TRY(const std::uint64_t kv_heads, file.UnsignedOr("llama.attention.head_count_kv", heads));
  DECANT_TRY(const std::uint64_t head_width, file.UnsignedOr("llama.attention.key_length", width / heads));
  DECANT_TRY(const std::uint64_t rope_width, file.UnsignedOr("llama.rope.dimension_count", head_width));
  DECANT_TRY(const double epsilon, file.Float("llama.attention.layer_norm_rms_epsilon"));
  DECANT_TRY(const double base, file.FloatOr("llama.rope.freq_base", 10000));
  DECANT_TRY(const auto scaling, file.StringOr("llama.rope.scaling.type", "none"));
  double linear = 1;
  if (scaling == "linear") {
    DECANT_TRY(linear, file.Float("llama.rope.scaling.factor"));
  }
  DECANT_TRY(const TensorView* embedding, file.Tensor("token_embd.weight"));
  shape.vocabulary = embedding->rows();
  if (const weights::GgufValue* tokens = file.Find("tokenizer.ggml.tokens")) shape.vocabulary = tokens->count;
  shape.layers = layers;
  shape.heads = heads;
  shape.kv_heads = kv_heads;
  shape.head_width = head_width;
  shape.rope_width = rope_width;
  shape.epsilon = static_cast<float>(epsilon);
  shape.rope_base = static_cast<float>(base);
  shape.rope_linear = static_cast<float>(linear);
  return shape;
}

std::vector<float> RowOf(const TensorView& tensor, std::size_t row) {
  std::vector<float> values(tensor.columns());
  weights::DequantizeRow(tensor, row, std::span(values));
  return values;
}

std::vector<float> Multiply(const TensorView& tensor, std::size_t outputs, std::span<const float> x) {
  std::vector<float> y(outputs);
  for (std::size_t i = 0; i < outputs; ++i) y[i] = Product(tensor, i, x);
  return y;
}

void Rotate(const Shape& shape, const std::vector<float>& factors, std::size_t position, std::span<float> head) {
  for (std::size_t i = 0; i < shape.rope_width / 2; ++i) {
    double inverse = core::Exp2(-(static_cast<double>(2 * i) / static_cast<double>(shape.rope_width)) *
                                core::Log2(static_cast<double>(shape.rope_base)));
    if (!factors.empty()) {
      inverse = inverse / static_cast<double>(factors[i]);
    } else if (shape.rope_linear != 1.0f) {
      inverse = inverse / static_cast<double>(shape.rope_linear);
    }
    const double angle = static_cast<double>(position) * inverse;
    const auto c = static_cast<float>(core::Cos(angle));
    const auto s = static_cast<float>(core::Sin(angle));
    const float x = head[2 * i];
    const float y = head[2 * i + 1];
    head[2 * i] = x * c - y * s;
    head[2 * i + 1] = x * s + y * c;
  }
}

// What the cache gives back; nothing if a number does not fit f16.
std::optional<std::vector<float>> ThroughHalf(std::span<const float> values) {
  std::vector<float> back;
  for (const float value : values) {
    const std::uint16_t half = core::FloatToHalf(value);
    if (!core::IsFiniteHalf(half)) return std::nullopt;
    back.push_back(core::HalfToFloat(half));
  }
  return back;
}

class ForwardPass {
 public:
  ForwardPass(const GgufFile& file, const Shape& shape, std::span<const TokenId> ids)
      : file_(file), shape_(shape), count_(ids.size()) {
    const TensorView& embedding = Tensor("token_embd.weight");
    for (const TokenId id : ids) x_.push_back(RowOf(embedding, id));
    if (file.FindTensor("rope_freqs.weight") != nullptr) factors_ = RowOf(Tensor("rope_freqs.weight"), 0);
  }

  ForwardResult Run() {
    for (std::size_t layer = 0; layer < shape_.layers; ++layer) {
      prefix_ = "blk." + std::to_string(layer) + ".";
      AttentionBlock();
      FeedForwardBlock();
    }
    prefix_.clear();
    const TensorView* head = file_.FindTensor("output.weight");
    if (head == nullptr) head = &Tensor("token_embd.weight");
    const std::vector<float> norm = RowOf(Tensor("output_norm.weight"), 0);
    ForwardResult result;
    for (std::size_t t = 0; t < count_; ++t) {
      const std::vector<float> y = RmsNorm(x_[t], norm, shape_.epsilon);
      if (!AllFinite(y)) FailAt(t, "output_norm");
      if (t < count_) result.logits.push_back(Multiply(*head, shape_.vocabulary, y));
    }
    result.failed_at = failed_at_;
    return result;
  }

 private:
  const TensorView& Tensor(const std::string& name) { return **file_.Tensor(name); }

  // Position t fails: it and what follows it no longer exist.
  void FailAt(std::size_t t, const std::string& what) {
    count_ = t;
    failed_at_ = prefix_ + what;
  }

  void AttentionBlock() {
    const TensorView& q_weight = Tensor(prefix_ + "attn_q.weight");
    const TensorView& k_weight = Tensor(prefix_ + "attn_k.weight");
    const TensorView& v_weight = Tensor(prefix_ + "attn_v.weight");
    const TensorView& o_weight = Tensor(prefix_ + "attn_output.weight");
    const std::vector<float> norm = RowOf(Tensor(prefix_ + "attn_norm.weight"), 0);
    const std::size_t d = shape_.head_width;
    std::vector<Rows> keys(shape_.kv_heads), values(shape_.kv_heads);  // head, position
    for (std::size_t t = 0; t < count_; ++t) {
      const std::vector<float> y = RmsNorm(x_[t], norm, shape_.epsilon);
      if (!AllFinite(y)) return FailAt(t, "attn_norm");
      std::vector<float> q = Multiply(q_weight, shape_.heads * d, y);
      std::vector<float> k = Multiply(k_weight, shape_.kv_heads * d, y);
      const std::vector<float> v = Multiply(v_weight, shape_.kv_heads * d, y);
      for (std::size_t h = 0; h < shape_.heads; ++h) Rotate(shape_, factors_, t, std::span(q).subspan(h * d, d));
      for (std::size_t h = 0; h < shape_.kv_heads; ++h) Rotate(shape_, factors_, t, std::span(k).subspan(h * d, d));
      const auto k16 = ThroughHalf(k);
      if (!k16) return FailAt(t, "attn_k");
      const auto v16 = ThroughHalf(v);
      if (!v16) return FailAt(t, "attn_v");
      for (std::size_t h = 0; h < shape_.kv_heads; ++h) {
        const auto at = static_cast<std::ptrdiff_t>(h * d);
        keys[h].emplace_back(k16->begin() + at, k16->begin() + at + static_cast<std::ptrdiff_t>(d));
        values[h].emplace_back(v16->begin() + at, v16->begin() + at + static_cast<std::ptrdiff_t>(d));
      }
      // Position t sees positions 0 to t, itself included.
      std::vector<float> mixed;
      for (std::size_t h = 0; h < shape_.heads; ++h) {
        const std::size_t kv = h * shape_.kv_heads / shape_.heads;
        std::vector<float> out;
        if (!Attend(std::span<const float>(q).subspan(h * d, d), keys[kv], values[kv], out)) {
          return FailAt(t, "attn_scores");
        }
        mixed.insert(mixed.end(), out.begin(), out.end());
      }
      if (!AllFinite(mixed)) return FailAt(t, "attn_output");
      const std::vector<float> product = Multiply(o_weight, x_[t].size(), mixed);
      for (std::size_t i = 0; i < x_[t].size(); ++i) x_[t][i] = x_[t][i] + product[i];
    }
  }

  void FeedForwardBlock() {
    const TensorView& gate_weight = Tensor(prefix_ + "ffn_gate.weight");
    const TensorView& up_weight = Tensor(prefix_ + "ffn_up.weight");
    const TensorView& down_weight = Tensor(prefix_ + "ffn_down.weight");
    const std::vector<float> norm = RowOf(Tensor(prefix_ + "ffn_norm.weight"), 0);
    for (std::size_t t = 0; t < count_; ++t) {
      const std::vector<float> y = RmsNorm(x_[t], norm, shape_.epsilon);
      if (!AllFinite(y)) return FailAt(t, "ffn_norm");
      const std::vector<float> gate = Multiply(gate_weight, gate_weight.rows(), y);
      const std::vector<float> up = Multiply(up_weight, up_weight.rows(), y);
      std::vector<float> a(gate.size());
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = SwiGlu(gate[i], up[i]);
      if (!AllFinite(a)) return FailAt(t, "ffn_down");
      const std::vector<float> product = Multiply(down_weight, x_[t].size(), a);
      for (std::size_t i = 0; i < x_[t].size(); ++i) x_[t][i] = x_[t][i] + product[i];
    }
  }

  const GgufFile& file_;
  Shape shape_;
  std::size_t count_;  // positions that have not failed
  Rows x_;             // the residual stream
  std::vector<float> factors_;
  std::string prefix_, failed_at_;
};

float QuantizedProduct(const TensorView& tensor, std::size_t row, std::span<const float> x) {
  const auto type = static_cast<GgmlType>(tensor.type);
  const bool has_minimum = type == GgmlType::kQ4_1;
  const std::byte* bytes = tensor.bytes.data() + row * weights::RowBytes(tensor);
  float acc = 0;
  for (std::size_t b = 0; b < x.size() / 32; ++b) {
    const QuantizedBlock block = Quantize(x.subspan(32 * b, 32));
    int w[32];
    float dw = 0, mw = 0;
    if (has_minimum) {
      const weights::Q4_1Block from = weights::UnpackQ4_1(bytes + b * weights::kQ4_1Bytes);
      dw = core::HalfToFloat(from.d);
      mw = core::HalfToFloat(from.m);
      std::copy(std::begin(from.q), std::end(from.q), w);
    } else if (type == GgmlType::kQ4_0) {
      const weights::Q4_0Block from = weights::UnpackQ4_0(bytes + b * weights::kQ4_0Bytes);
      dw = core::HalfToFloat(from.d);
      for (std::size_t i = 0; i < 32; ++i) w[i] = from.q[i] - 8;
    } else {
      const weights::Q8_0Block from = weights::UnpackQ8_0(bytes + b * weights::kQ8_0Bytes);
      dw = core::HalfToFloat(from.d);
      std::copy(std::begin(from.q), std::end(from.q), w);
    }
    int sum = 0;
    for (std::size_t i = 0; i < 32; ++i) sum += block.q[i] * w[i];
    acc = acc + (dw * block.scale) * static_cast<float>(sum);
    if (has_minimum) acc = acc + (mw * block.scale) * static_cast<float>(block.sum);
  }
  return acc;
}

}  // namespace

QuantizedBlock Quantize(std::span<const float> values) {
  QuantizedBlock block{.q = std::vector<int>(values.size())};
  float amax = 0;
  for (const float x : values) amax = std::max(amax, std::fabs(x));
  if (amax < 0x1p-100f) return block;
  const float factor = 16383.0f / amax;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float scaled = values[i] * factor;
    block.q[i] = static_cast<int>(core::RoundHalfEven(static_cast<double>(scaled)));
    block.sum += block.q[i];
  }
  block.scale = amax / 16383.0f;
  return block;
}

float LaneSum(std::span<const float> terms) {
  float lanes[16] = {};
  for (std::size_t i = 0; i < terms.size(); ++i) lanes[i % 16] = lanes[i % 16] + terms[i];
  for (std::size_t i = 0; i < 8; ++i) lanes[i] = lanes[i] + lanes[i + 8];
  for (std::size_t i = 0; i < 4; ++i) lanes[i] = lanes[i] + lanes[i + 4];
  for (std::size_t i = 0; i < 2; ++i) lanes[i] = lanes[i] + lanes[i + 2];
  return lanes[0] + lanes[1];
}

float Product(const TensorView& tensor, std::size_t row, std::span<const float> x) {
  const auto type = static_cast<GgmlType>(tensor.type);
  if (type == GgmlType::kQ4_0 || type == GgmlType::kQ4_1 || type == GgmlType::kQ8_0)
    return QuantizedProduct(tensor, row, x);
  const std::vector<float> w = RowOf(tensor, row);
  float acc = 0;
  for (std::size_t k = 0; k < x.size(); ++k) acc = acc + w[k] * x[k];
  return acc;
}

std::vector<float> RmsNorm(std::span<const float> x, std::span<const float> weights, float epsilon) {
  std::vector<float> squares;
  for (const float value : x) squares.push_back(value * value);
  const float ms = LaneSum(squares) / static_cast<float>(x.size());
  const float s = 1.0f / std::sqrt(ms + epsilon);
  std::vector<float> y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back((x[i] * s) * weights[i]);
  return y;
}

float SwiGlu(float gate, float up) {
  if (gate != gate) return gate;
  return (gate / (1.0f + core::Exp32(-gate))) * up;
}

bool Attend(std::span<const float> query, const std::vector<std::vector<float>>& keys,
            const std::vector<std::vector<float>>& values, std::vector<float>& out) {
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(query.size())));
  std::vector<float> scores;
  for (const std::vector<float>& key : keys) {
    std::vector<float> terms;
    for (std::size_t i = 0; i < query.size(); ++i) terms.push_back(query[i] * key[i]);
    scores.push_back(LaneSum(terms) * scale);
  }
  if (!AllFinite(scores)) return false;
  const float largest = *std::max_element(scores.begin(), scores.end());
  std::vector<float> weights;
  for (const float score : scores) weights.push_back(core::Exp32(score - largest));
  const float denominator = LaneSum(weights);
  out.assign(query.size(), 0.0f);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] + weights[j] * values[j][i];
  }
  for (float& o : out) o = o / denominator;
  return true;
}

Result<ForwardResult> Forward(const GgufFile& file, std::span<const TokenId> ids) {
  DECANT_TRY(const Shape shape, ReadShape(file));
  return ForwardPass(file, shape, ids).Run();
}

}  // namespace decant::twin
