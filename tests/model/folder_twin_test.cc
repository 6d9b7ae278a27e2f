// A folder as transformers writes it gives the bits of the GGUF file that llama.cpp's converter would make of it: same
// weights, rows of Q and K in another order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "model/llama_model.h"
#include "random_model.h"
#include "weights/gguf_llama.h"
#include "weights/model_folder.h"
#include "weights/safetensors_writer_for_test.h"

namespace decant::model {
namespace {

using decant::testing::ModelSpec;
using decant::testing::RandomModel;
using weights::GgmlType;
using weights::LlamaTensor;
using weights::TensorView;

// The converter's permutation, backwards: rows 2i and 2i + 1 of a head become i and i + d/2.
std::vector<std::byte> WithHalves(const TensorView& tensor, std::size_t head_width) {
  const std::size_t row_bytes = tensor.bytes.size() / tensor.rows();
  std::vector<std::byte> out(tensor.bytes.size());
  for (std::size_t row = 0; row < tensor.rows(); ++row) {
    const std::size_t head = row / head_width, within = row % head_width;
    const std::size_t to = head * head_width + within / 2 + (within % 2 == 0 ? 0 : head_width / 2);
    std::memcpy(out.data() + to * row_bytes, tensor.bytes.data() + row * row_bytes, row_bytes);
  }
  return out;
}

std::string DtypeOf(std::uint32_t type) {
  return static_cast<GgmlType>(type) == GgmlType::kF32   ? "F32"
         : static_cast<GgmlType>(type) == GgmlType::kF16 ? "F16"
                                                         : "BF16";
}

std::vector<std::byte> Safetensors(const weights::GgufFile& file, const ModelSpec& spec) {
  const weights::GgufLlama gguf(file);
  const weights::ModelFolder names = *weights::ModelFolder::Make(
      R"({"model_type":"llama","vocab_size":1,"max_position_embeddings":1,"num_hidden_layers":1,"hidden_size":1,)"
      R"("intermediate_size":1,"num_attention_heads":1,"rms_norm_eps":1e-5,"tie_word_embeddings":true})",
      {});
  // By the size of their elements, as the format's own writer sorts them, so that all are aligned.
  weights::SafetensorsWriter writer;
  for (const bool wide : {true, false}) {
    const auto add = [&](LlamaTensor which, std::uint32_t layer) {
      const TensorView* tensor = gguf.Find(gguf.NameOf(which, layer));
      if (tensor == nullptr || (DtypeOf(tensor->type) == "F32") != wide) return;
      const bool rotated = which == LlamaTensor::kQuery || which == LlamaTensor::kKey;
      std::vector<std::byte> data(tensor->bytes.begin(), tensor->bytes.end());
      if (rotated) data = WithHalves(*tensor, spec.head_width);
      const std::vector<std::uint64_t> shape(tensor->dims.rbegin(), tensor->dims.rend());
      writer.Add(names.NameOf(which, layer), DtypeOf(tensor->type), shape, data);
    };
    using enum LlamaTensor;
    for (const LlamaTensor which : {kEmbedding, kOutputNorm, kHead}) add(which, 0);
    for (std::uint32_t layer = 0; layer < spec.layers; ++layer) {
      for (const LlamaTensor which :
           {kAttentionNorm, kQuery, kKey, kValue, kAttentionOutput, kFeedForwardNorm, kGate, kUp, kDown}) {
        add(which, layer);
      }
    }
  }
  return writer.Finish();
}

std::string Config(const ModelSpec& spec) {
  std::string text = R"({"model_type":"llama","rms_norm_eps":1e-05,"rope_theta":10000.0)";
  const std::pair<const char*, std::uint32_t> numbers[] = {
      {"vocab_size", spec.vocabulary},          {"max_position_embeddings", spec.context},
      {"num_hidden_layers", spec.layers},       {"hidden_size", spec.width},
      {"intermediate_size", spec.feed_forward}, {"num_attention_heads", spec.heads},
      {"num_key_value_heads", spec.kv_heads},   {"head_dim", spec.head_width}};
  for (const auto& [key, value] : numbers) text += ",\"" + std::string(key) + "\":" + std::to_string(value);
  if (spec.rope_linear != 1.0f) {
    text += R"(,"rope_scaling":{"type":"linear","factor":)" + std::to_string(spec.rope_linear) + "}";
  }
  return text + R"(,"tie_word_embeddings":)" + (spec.tied ? "true}" : "false}");
}

std::vector<float> Logits(const weights::LlamaSource& source) {
  const auto runtime = *Runtime::Make({.threads = 2});
  auto loaded = LoadLlamaWeights(source, *runtime);
  EXPECT_TRUE(loaded.has_value()) << loaded.error().message;
  const auto model = *MakeLlama(*std::move(loaded), runtime, {});
  KvSequence sequence = model->Start();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < 40; ++i) {
    rows.push_back({&sequence, static_cast<TokenId>(i * 7 % model->vocabulary_size()), i, true});
  }
  std::vector<float> logits(rows.size() * model->vocabulary_size());
  const auto failed = model->Forward(rows, logits);
  EXPECT_TRUE(failed.has_value() && failed->empty());
  return logits;
}

TEST(FolderTwinTest, GivesTheBitsOfTheConvertedFile) {
  using enum GgmlType;
  const ModelSpec specs[] = {
      {.name = "f32", .types = {kF32}, .embedding = kF32, .seed = 21},
      {.name = "bf16",
       .heads = 3,
       .kv_heads = 3,
       .head_width = 12,
       .rope_width = 12,
       .types = {kBF16},
       .embedding = kBF16,
       .tied = false,
       .seed = 22},
      {.name = "mixed",
       .heads = 6,
       .kv_heads = 2,
       .head_width = 10,
       .rope_width = 10,
       .types = {kF16, kBF16, kF32},
       .embedding = kF16,
       .rope_linear = 2.5f,
       .seed = 23},
  };
  for (const ModelSpec& spec : specs) {
    const auto bytes = RandomModel(spec);
    const auto file = *weights::GgufFile::Parse(bytes);
    const auto converted = Safetensors(file, spec);
    auto tensors = weights::SafetensorsFile::Parse(converted);
    ASSERT_TRUE(tensors.has_value()) << spec.name << ": " << tensors.error().message;
    std::vector<weights::SafetensorsFile> files;
    files.push_back(*std::move(tensors));
    const auto folder = weights::ModelFolder::Make(Config(spec), std::move(files));
    ASSERT_TRUE(folder.has_value()) << spec.name << ": " << folder.error().message;
    const std::vector<float> expected = Logits(weights::GgufLlama(file)), found = Logits(*folder);
    ASSERT_EQ(expected.size(), found.size()) << spec.name;
    EXPECT_EQ(std::memcmp(expected.data(), found.data(), found.size() * sizeof(float)), 0) << spec.name;
  }
}

}  // namespace
}  // namespace decant::model
