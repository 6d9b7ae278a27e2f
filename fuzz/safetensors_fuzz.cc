// Any bytes as each of the files that a model's folder has: tensors, the index of shards, the configuration. All must
// end in a value or an Error; tensors that fit a small model are loaded as one.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.h"
#include "decant/runtime.h"
#include "model/llama_config.h"
#include "model/llama_weights.h"
#include "weights/dequantize.h"
#include "weights/folder_config.h"
#include "weights/model_folder.h"
#include "weights/safetensors.h"

namespace {

void LookAt(const decant::weights::SafetensorsFile& file) {
  for (const auto& tensor : file.tensors()) {
    (void)decant::weights::CheckFinite(tensor);
    std::vector<float> row(static_cast<std::size_t>(tensor.columns()));
    decant::weights::DequantizeRow(tensor, tensor.rows() - 1, std::span(row));
  }
}

// Small shapes whose tensors a fuzzer can spell out.
constexpr std::string_view kConfig =
    R"({"model_type":"llama","vocab_size":3,"max_position_embeddings":4,"num_hidden_layers":1,"hidden_size":2,)"
    R"("intermediate_size":2,"num_attention_heads":1,"rms_norm_eps":1e-5,"tie_word_embeddings":true})";

void RunAsModel(std::string_view config, decant::weights::SafetensorsFile file) {
  static const std::shared_ptr<decant::Runtime> runtime = *decant::Runtime::Make({.threads = 1});
  std::vector<decant::weights::SafetensorsFile> files;
  files.push_back(std::move(file));
  const auto folder = decant::weights::ModelFolder::Make(config, std::move(files));
  if (folder.has_value()) (void)decant::model::LoadLlamaWeights(*folder, *runtime);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)decant::weights::ParseShardIndex(text);
  const auto no_tensors = decant::weights::ModelFolder::Make(text, {});
  if (no_tensors.has_value()) (void)decant::model::ParseLlamaConfig(*no_tensors);
  auto file = decant::weights::SafetensorsFile::Parse(std::as_bytes(std::span(data, size)));
  if (!file.has_value()) return 0;
  LookAt(*file);
  RunAsModel(kConfig, *std::move(file));
  return 0;
}
