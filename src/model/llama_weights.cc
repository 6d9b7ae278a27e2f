// Tensors are read by name, checked against the configuration, and packed tile by tile on all threads. A tensor that
// nothing asked for is an error, as it would change what the model computes.
#include "model/llama_weights.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/utf8.h"
#include "simd/row_kernels.h"
#include "weights/dequantize.h"
#include "weights/ggml_type.h"
#include "weights/gguf_llama.h"

namespace decant::model {
namespace {

using simd::kTileOutputs;
using weights::GgmlType;
using weights::LlamaTensor;
using weights::TensorView;

std::string Shape(std::span<const std::uint64_t> dims) {
  std::string text = "[";
  for (const std::uint64_t extent : dims) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

simd::PackedType PackedTypeOf(std::uint32_t type) {
  switch (static_cast<GgmlType>(type)) {
    case GgmlType::kQ4_1:
      return simd::PackedType::kQ4;
    case GgmlType::kQ4_0:
      return simd::PackedType::kQ4Centered;
    case GgmlType::kQ8_0:
      return simd::PackedType::kQ8;
    default:
      return simd::PackedType::kF32;
  }
}

// Which row of a tensor is output `output`, for weights whose heads are `head_width` rows: the row itself, or, where
// the halves of a head pair up, row i or i + d/2 for elements 2i and 2i + 1.
struct RowOrder {
  weights::RopePairs pairs = weights::RopePairs::kAdjacent;
  std::size_t head_width = 0;  // read for kHalves
  std::size_t RowOf(std::size_t output) const {
    if (pairs == weights::RopePairs::kAdjacent) return output;
    const std::size_t within = output % head_width;
    return output - within + within / 2 + within % 2 * (head_width / 2);
  }
};

// Fills one tile of 16 outputs from the file's rows.
void PackTile(const TensorView& tensor, const RowOrder& order, std::size_t tile, simd::PackedMatrix& matrix) {
  const std::size_t first = tile * kTileOutputs;
  const std::size_t outputs = std::min(kTileOutputs, matrix.outputs() - first);
  if (!matrix.is_quantized()) {
    std::vector<float> row(matrix.inputs());
    for (std::size_t i = 0; i < outputs; ++i) {
      weights::DequantizeRow(tensor, order.RowOf(first + i), std::span(row));
      matrix.SetFloats(first + i, row.data());
    }
    return;
  }
  const std::byte* rows[kTileOutputs] = {};
  for (std::size_t i = 0; i < outputs; ++i) {
    rows[i] = tensor.bytes.data() + order.RowOf(first + i) * weights::RowBytes(tensor);
  }
  for (std::size_t b = 0; b < matrix.blocks(); ++b) {
    simd::Q4TileBlock q4;
    simd::Q8TileBlock q8;
    for (std::size_t i = 0; i < outputs; ++i) {
      if (matrix.type() == simd::PackedType::kQ4) {
        const weights::Q4_1Block from = weights::UnpackQ4_1(rows[i] + b * weights::kQ4_1Bytes);
        q4.scale[i] = from.d;
        q4.minimum[i] = from.m;
        std::copy(std::begin(from.q), std::end(from.q), q4.q[i]);
      } else if (matrix.type() == simd::PackedType::kQ4Centered) {
        const weights::Q4_0Block from = weights::UnpackQ4_0(rows[i] + b * weights::kQ4_0Bytes);
        q4.scale[i] = from.d;
        std::copy(std::begin(from.q), std::end(from.q), q4.q[i]);
      } else {
        const weights::Q8_0Block from = weights::UnpackQ8_0(rows[i] + b * weights::kQ8_0Bytes);
        q8.scale[i] = from.d;
        std::copy(std::begin(from.q), std::end(from.q), q8.q[i]);
      }
    }
    if (matrix.type() == simd::PackedType::kQ8) {
      matrix.SetBlock(tile, b, q8);
    } else {
      matrix.SetBlock(tile, b, q4);
    }
  }
}

enum class Rows : std::uint8_t { kExactly, kAtLeast };  // of a tensor, beside the number that is expected

// Packed weights may take this much more than the file: small models are mostly padding, F16 doubles.
constexpr std::uint64_t kPackedGrowth = 4;
constexpr std::uint64_t kPackedSlack = std::uint64_t{1} << 30;

struct MatrixShape {
  std::uint64_t inputs = 0, outputs = 0;
  Rows rows = Rows::kExactly;
  RowOrder order = {};
};

// Reads tensors by what they are for and remembers which were used.
class Loader {
 public:
  Loader(const weights::LlamaSource& source, Runtime& runtime) : source_(source), runtime_(runtime) {}

  // The tensor, if its dimensions are `dims`; `rows` is about the last one.
  Result<const TensorView*> Shaped(const std::string& name, std::vector<std::uint64_t> dims, Rows rows) {
    DECANT_TRY(const TensorView* tensor, weights::RequireTensor(source_.Find(name), name));
    used_.push_back(tensor->name);
    std::vector<std::uint64_t> found = tensor->dims;
    while (found.size() > dims.size() && found.back() == 1) found.pop_back();
    bool same = found.size() == dims.size() && std::equal(found.begin(), found.end() - 1, dims.begin());
    same = same && (found.back() == dims.back() || (rows == Rows::kAtLeast && found.back() > dims.back()));
    if (!same) {
      return Fail(ErrorCode::kCorruptFile,
                  "tensor \"" + name + "\" has shape " + Shape(tensor->dims) + "; expected " + Shape(dims),
                  {.subject = name, .allowed = Shape(dims), .at = Position{.offset = tensor->offset}});
    }
    DECANT_CHECKED(weights::CheckFinite(*tensor));
    return tensor;
  }

  Result<std::vector<float>> Vector(LlamaTensor which, std::uint32_t layer, std::uint64_t size) {
    DECANT_TRY(const TensorView* tensor, Shaped(source_.NameOf(which, layer), {size}, Rows::kExactly));
    std::vector<float> values(static_cast<std::size_t>(size));
    weights::DequantizeRow(*tensor, 0, std::span(values));
    return values;
  }

  Result<simd::PackedMatrix> Matrix(LlamaTensor which, std::uint32_t layer, const MatrixShape& shape) {
    const std::string name = source_.NameOf(which, layer);
    DECANT_TRY(const TensorView* tensor, Shaped(name, {shape.inputs, shape.outputs}, shape.rows));
    const simd::PackedType type = PackedTypeOf(tensor->type);
    DECANT_TRY(simd::PackedMatrix matrix, Allocate(*tensor, type, shape.inputs, shape.outputs));
    const auto tiles = static_cast<int>(matrix.tiles());
    const int tasks = std::min(tiles, std::max(1, runtime_.threads()) * 4);
    runtime_.Parallel(tasks, [&](int task) {
      const int end = static_cast<int>(std::int64_t{tiles} * (task + 1) / tasks);
      for (int t = static_cast<int>(std::int64_t{tiles} * task / tasks); t < end; ++t) {
        PackTile(*tensor, shape.order, static_cast<std::size_t>(t), matrix);
      }
    });
    return matrix;
  }

  // A tensor that nothing read would change what the model computes: biases, adapters, other architectures.
  Result<void> CheckAllUsed() {
    std::sort(used_.begin(), used_.end());
    for (const TensorView& tensor : source_.tensors()) {
      if (std::binary_search(used_.begin(), used_.end(), tensor.name)) continue;
      return Fail(ErrorCode::kUnsupportedFile,
                  "tensor " + core::Quoted(tensor.name) + " is not part of architecture llama as decant knows it",
                  {.subject = std::string(tensor.name), .at = Position{.offset = tensor.offset}});
    }
    return {};
  }

  bool Has(LlamaTensor which) const { return source_.Find(source_.NameOf(which, 0)) != nullptr; }
  // For what the configuration has read.
  void MarkUsed(LlamaTensor which) {
    if (const TensorView* tensor = source_.Find(source_.NameOf(which, 0))) used_.push_back(tensor->name);
  }

 private:
  Result<simd::PackedMatrix> Allocate(const TensorView& tensor, simd::PackedType type, std::uint64_t inputs,
                                      std::uint64_t outputs) {
    packed_bytes_ += simd::PackedMatrix::BytesOf(type, outputs, inputs);
    const std::uint64_t most = kPackedGrowth * source_.size() + kPackedSlack;
    const std::string name = "tensor " + core::Quoted(tensor.name);
    if (packed_bytes_ > most) {
      return Fail(ErrorCode::kUnsupportedFile,
                  "with " + name + " the weights would take " + std::to_string(packed_bytes_) +
                      " bytes; expected at most " + std::to_string(most) + " of a file of this size",
                  {.subject = std::string(tensor.name), .at = Position{.offset = tensor.offset}});
    }
    auto matrix =
        simd::PackedMatrix::TryMake(type, static_cast<std::size_t>(outputs), static_cast<std::size_t>(inputs));
    if (matrix) return *std::move(matrix);
    return Fail(
        ErrorCode::kUnsupportedMachine,
        "there is no memory for " + name + ": with it the weights take " + std::to_string(packed_bytes_) + " bytes",
        {.subject = std::string(tensor.name), .hint = "use a smaller model, or more memory"});
  }

  const weights::LlamaSource& source_;
  Runtime& runtime_;
  std::uint64_t packed_bytes_ = 0;  // of all matrices so far
  std::vector<std::string_view> used_;
};

Result<LlamaLayer> LoadLayer(Loader& loader, const LlamaConfig& c, weights::RopePairs pairs, std::uint32_t index) {
  using enum LlamaTensor;
  const RowOrder rotated{.pairs = pairs, .head_width = c.head_width};
  LlamaLayer layer;
  DECANT_TRY(layer.attention_norm, loader.Vector(kAttentionNorm, index, c.width));
  DECANT_TRY(layer.query,
             loader.Matrix(kQuery, index, {.inputs = c.width, .outputs = c.query_width(), .order = rotated}));
  DECANT_TRY(layer.key, loader.Matrix(kKey, index, {.inputs = c.width, .outputs = c.kv_width(), .order = rotated}));
  DECANT_TRY(layer.value, loader.Matrix(kValue, index, {.inputs = c.width, .outputs = c.kv_width()}));
  DECANT_TRY(layer.output, loader.Matrix(kAttentionOutput, index, {.inputs = c.query_width(), .outputs = c.width}));
  DECANT_TRY(layer.feed_forward_norm, loader.Vector(kFeedForwardNorm, index, c.width));
  DECANT_TRY(layer.gate, loader.Matrix(kGate, index, {.inputs = c.width, .outputs = c.feed_forward}));
  DECANT_TRY(layer.up, loader.Matrix(kUp, index, {.inputs = c.width, .outputs = c.feed_forward}));
  DECANT_TRY(layer.down, loader.Matrix(kDown, index, {.inputs = c.feed_forward, .outputs = c.width}));
  return layer;
}

// From vectors in memory, with the same checks.
Result<void> CheckNumbers(std::string_view name, const std::vector<float>& values, std::uint64_t expected) {
  if (values.size() != expected) {
    return Fail(
        ErrorCode::kCorruptFile,
        std::string(name) + " has " + std::to_string(values.size()) + " numbers; expected " + std::to_string(expected),
        {.subject = std::string(name)});
  }
  if (!simd::AllFinite(values.data(), values.size())) {
    return Fail(ErrorCode::kCorruptFile, std::string(name) + " holds an infinity or NaN",
                {.subject = std::string(name)});
  }
  return {};
}

Result<simd::PackedMatrix> PackFloats(std::string_view name, const std::vector<float>& values, std::uint32_t outputs,
                                      std::uint32_t inputs) {
  DECANT_CHECKED(CheckNumbers(name, values, std::uint64_t{outputs} * inputs));
  simd::PackedMatrix matrix(simd::PackedType::kF32, outputs, inputs);
  for (std::size_t i = 0; i < outputs; ++i) matrix.SetFloats(i, values.data() + i * inputs);
  return matrix;
}

Result<LlamaLayer> MakeLayer(const F32Llama::Layer& from, const LlamaConfig& c) {
  LlamaLayer layer;
  DECANT_CHECKED(CheckNumbers("attention_norm", from.attention_norm, c.width));
  DECANT_CHECKED(CheckNumbers("feed_forward_norm", from.feed_forward_norm, c.width));
  layer.attention_norm = from.attention_norm;
  layer.feed_forward_norm = from.feed_forward_norm;
  DECANT_TRY(layer.query, PackFloats("query", from.query, c.query_width(), c.width));
  DECANT_TRY(layer.key, PackFloats("key", from.key, c.kv_width(), c.width));
  DECANT_TRY(layer.value, PackFloats("value", from.value, c.kv_width(), c.width));
  DECANT_TRY(layer.output, PackFloats("output", from.output, c.width, c.query_width()));
  DECANT_TRY(layer.gate, PackFloats("gate", from.gate, c.feed_forward, c.width));
  DECANT_TRY(layer.up, PackFloats("up", from.up, c.feed_forward, c.width));
  DECANT_TRY(layer.down, PackFloats("down", from.down, c.width, c.feed_forward));
  return layer;
}

}  // namespace

Result<LlamaWeights> LoadLlamaWeights(const weights::LlamaSource& source, Runtime& runtime) {
  using enum LlamaTensor;
  DECANT_CHECKED(SimdLevel());
  LlamaWeights loaded;
  DECANT_TRY(loaded.config, ParseLlamaConfig(source));
  const LlamaConfig& c = loaded.config;
  const MatrixShape tokens{.inputs = c.width, .outputs = c.vocabulary, .rows = Rows::kAtLeast};
  Loader loader(source, runtime);
  loader.MarkUsed(kRopeFactors);
  DECANT_TRY(loaded.output_norm, loader.Vector(kOutputNorm, 0, c.width));
  DECANT_TRY(simd::PackedMatrix embedding, loader.Matrix(kEmbedding, 0, tokens));
  loaded.embedding = std::make_shared<const simd::PackedMatrix>(std::move(embedding));
  loaded.head = loaded.embedding;
  if (loader.Has(kHead)) {
    DECANT_TRY(simd::PackedMatrix head, loader.Matrix(kHead, 0, tokens));
    loaded.head = std::make_shared<const simd::PackedMatrix>(std::move(head));
  }
  for (std::uint32_t i = 0; i < c.layers; ++i) {
    DECANT_TRY(LlamaLayer layer, LoadLayer(loader, c, source.rope_pairs(), i));
    loaded.layers.push_back(std::move(layer));
  }
  DECANT_CHECKED(loader.CheckAllUsed());
  return loaded;
}

Result<LlamaWeights> LoadLlamaWeights(const weights::GgufFile& file, Runtime& runtime) {
  return LoadLlamaWeights(weights::GgufLlama(file), runtime);
}

Result<LlamaWeights> MakeLlamaWeights(const F32Llama& model) {
  DECANT_CHECKED(SimdLevel());
  DECANT_CHECKED(CheckLlamaConfig(model.config));
  const LlamaConfig& c = model.config;
  LlamaWeights made;
  made.config = c;
  DECANT_CHECKED(CheckNumbers("output_norm", model.output_norm, c.width));
  made.output_norm = model.output_norm;
  DECANT_TRY(simd::PackedMatrix embedding, PackFloats("embedding", model.embedding, c.vocabulary, c.width));
  made.embedding = std::make_shared<const simd::PackedMatrix>(std::move(embedding));
  made.head = made.embedding;
  if (!model.head.empty()) {
    DECANT_TRY(simd::PackedMatrix head, PackFloats("head", model.head, c.vocabulary, c.width));
    made.head = std::make_shared<const simd::PackedMatrix>(std::move(head));
  }
  if (model.layers.size() != c.layers) {
    return Fail(
        ErrorCode::kCorruptFile,
        "the model has " + std::to_string(model.layers.size()) + " layers; expected " + std::to_string(c.layers),
        {.subject = "layers"});
  }
  for (const F32Llama::Layer& from : model.layers) {
    DECANT_TRY(LlamaLayer layer, MakeLayer(from, c));
    made.layers.push_back(std::move(layer));
  }
  return made;
}

}  // namespace decant::model
