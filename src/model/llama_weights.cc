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

namespace decant::model {
namespace {

using simd::kTileOutputs;
using weights::GgmlType;
using weights::GgufTensor;

std::string Shape(std::span<const std::uint64_t> dims) {
  std::string text = "[";
  for (const std::uint64_t extent : dims) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

simd::PackedType PackedTypeOf(std::uint32_t type) {
  switch (static_cast<GgmlType>(type)) {
    case GgmlType::kQ4_1:
      return simd::PackedType::kQ4;
    case GgmlType::kQ8_0:
      return simd::PackedType::kQ8;
    default:
      return simd::PackedType::kF32;
  }
}

// Fills one tile of 16 outputs from the file's rows.
void PackTile(const GgufTensor& tensor, std::size_t tile, simd::PackedMatrix& matrix) {
  const std::size_t first = tile * kTileOutputs;
  const std::size_t outputs = std::min(kTileOutputs, matrix.outputs() - first);
  if (!matrix.is_quantized()) {
    std::vector<float> row(matrix.inputs());
    for (std::size_t i = 0; i < outputs; ++i) {
      weights::DequantizeRow(tensor, first + i, std::span(row));
      matrix.SetFloats(first + i, row.data());
    }
    return;
  }
  const std::size_t row_bytes = weights::RowBytes(tensor);
  const std::byte* const rows = tensor.bytes.data() + first * row_bytes;
  for (std::size_t b = 0; b < matrix.blocks(); ++b) {
    if (matrix.type() == simd::PackedType::kQ4) {
      simd::Q4TileBlock block;
      for (std::size_t i = 0; i < outputs; ++i) {
        const weights::Q4_1Block from = weights::UnpackQ4_1(rows + i * row_bytes + b * weights::kQ4_1Bytes);
        block.scale[i] = from.d;
        block.minimum[i] = from.m;
        std::copy(std::begin(from.q), std::end(from.q), block.q[i]);
      }
      matrix.SetBlock(tile, b, block);
    } else {
      simd::Q8TileBlock block;
      for (std::size_t i = 0; i < outputs; ++i) {
        const weights::Q8_0Block from = weights::UnpackQ8_0(rows + i * row_bytes + b * weights::kQ8_0Bytes);
        block.scale[i] = from.d;
        std::copy(std::begin(from.q), std::end(from.q), block.q[i]);
      }
      matrix.SetBlock(tile, b, block);
    }
  }
}

enum class Rows : std::uint8_t { kExactly, kAtLeast };  // of a tensor, beside the number that is expected

// Packed weights may take this much more than the file: small models are mostly padding, F16 doubles.
constexpr std::uint64_t kPackedGrowth = 4;
constexpr std::uint64_t kPackedSlack = std::uint64_t{1} << 30;

// Reads tensors by name and remembers which were used.
class Loader {
 public:
  Loader(const weights::GgufFile& file, Runtime& runtime) : file_(file), runtime_(runtime) {}

  // The tensor, if its dimensions are `dims`; `rows` is about the last one.
  Result<const GgufTensor*> Shaped(const std::string& name, std::vector<std::uint64_t> dims, Rows rows) {
    DECANT_TRY(const GgufTensor* tensor, file_.Tensor(name));
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

  Result<std::vector<float>> Vector(const std::string& name, std::uint64_t size) {
    DECANT_TRY(const GgufTensor* tensor, Shaped(name, {size}, Rows::kExactly));
    std::vector<float> values(static_cast<std::size_t>(size));
    weights::DequantizeRow(*tensor, 0, std::span(values));
    return values;
  }

  Result<simd::PackedMatrix> Matrix(const std::string& name, std::uint64_t inputs, std::uint64_t outputs,
                                    Rows rows = Rows::kExactly) {
    DECANT_TRY(const GgufTensor* tensor, Shaped(name, {inputs, outputs}, rows));
    const simd::PackedType type = PackedTypeOf(tensor->type);
    DECANT_TRY(simd::PackedMatrix matrix, Allocate(*tensor, type, inputs, outputs));
    const auto tiles = static_cast<int>(matrix.tiles());
    const int tasks = std::min(tiles, std::max(1, runtime_.threads()) * 4);
    runtime_.Parallel(tasks, [&](int task) {
      const int end = static_cast<int>(std::int64_t{tiles} * (task + 1) / tasks);
      for (int t = static_cast<int>(std::int64_t{tiles} * task / tasks); t < end; ++t) {
        PackTile(*tensor, static_cast<std::size_t>(t), matrix);
      }
    });
    return matrix;
  }

  // A tensor that nothing read would change what the model computes: biases, adapters, other architectures.
  Result<void> CheckAllUsed() {
    std::sort(used_.begin(), used_.end());
    for (const GgufTensor& tensor : file_.tensors()) {
      if (std::binary_search(used_.begin(), used_.end(), tensor.name)) continue;
      return Fail(ErrorCode::kUnsupportedFile,
                  "tensor " + core::Quoted(tensor.name) + " is not part of architecture llama as decant knows it",
                  {.subject = std::string(tensor.name), .at = Position{.offset = tensor.offset}});
    }
    return {};
  }

  void MarkUsed(std::string_view name) { used_.push_back(name); }

 private:
  Result<simd::PackedMatrix> Allocate(const GgufTensor& tensor, simd::PackedType type, std::uint64_t inputs,
                                      std::uint64_t outputs) {
    packed_bytes_ += simd::PackedMatrix::BytesOf(type, outputs, inputs);
    const std::uint64_t most = kPackedGrowth * file_.size() + kPackedSlack;
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

  const weights::GgufFile& file_;
  Runtime& runtime_;
  std::uint64_t packed_bytes_ = 0;  // of all matrices so far
  std::vector<std::string_view> used_;
};

Result<LlamaLayer> LoadLayer(Loader& loader, const LlamaConfig& c, std::uint32_t index) {
  const std::string at = "blk." + std::to_string(index) + ".";
  LlamaLayer layer;
  DECANT_TRY(layer.attention_norm, loader.Vector(at + "attn_norm.weight", c.width));
  DECANT_TRY(layer.query, loader.Matrix(at + "attn_q.weight", c.width, c.query_width()));
  DECANT_TRY(layer.key, loader.Matrix(at + "attn_k.weight", c.width, c.kv_width()));
  DECANT_TRY(layer.value, loader.Matrix(at + "attn_v.weight", c.width, c.kv_width()));
  DECANT_TRY(layer.output, loader.Matrix(at + "attn_output.weight", c.query_width(), c.width));
  DECANT_TRY(layer.feed_forward_norm, loader.Vector(at + "ffn_norm.weight", c.width));
  DECANT_TRY(layer.gate, loader.Matrix(at + "ffn_gate.weight", c.width, c.feed_forward));
  DECANT_TRY(layer.up, loader.Matrix(at + "ffn_up.weight", c.width, c.feed_forward));
  DECANT_TRY(layer.down, loader.Matrix(at + "ffn_down.weight", c.feed_forward, c.width));
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

Result<LlamaWeights> LoadLlamaWeights(const weights::GgufFile& file, Runtime& runtime) {
  DECANT_CHECKED(SimdLevel());
  LlamaWeights loaded;
  DECANT_TRY(loaded.config, ParseLlamaConfig(file));
  const LlamaConfig& c = loaded.config;
  Loader loader(file, runtime);
  if (!c.rope_factors.empty()) loader.MarkUsed("rope_freqs.weight");
  DECANT_TRY(loaded.output_norm, loader.Vector("output_norm.weight", c.width));
  DECANT_TRY(simd::PackedMatrix embedding, loader.Matrix("token_embd.weight", c.width, c.vocabulary, Rows::kAtLeast));
  loaded.embedding = std::make_shared<const simd::PackedMatrix>(std::move(embedding));
  loaded.head = loaded.embedding;
  if (file.FindTensor("output.weight") != nullptr) {
    DECANT_TRY(simd::PackedMatrix head, loader.Matrix("output.weight", c.width, c.vocabulary, Rows::kAtLeast));
    loaded.head = std::make_shared<const simd::PackedMatrix>(std::move(head));
  }
  for (std::uint32_t i = 0; i < c.layers; ++i) {
    DECANT_TRY(LlamaLayer layer, LoadLayer(loader, c, i));
    loaded.layers.push_back(std::move(layer));
  }
  DECANT_CHECKED(loader.CheckAllUsed());
  return loaded;
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
