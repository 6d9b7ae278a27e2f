// A folder as Hugging Face's transformers writes it, as a LlamaSource: config.json, and model.safetensors or the files
// that model.safetensors.index.json names.
#ifndef DECANT_WEIGHTS_MODEL_FOLDER_H_
#define DECANT_WEIGHTS_MODEL_FOLDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decant/error.h"
#include "weights/folder_config.h"
#include "weights/llama_source.h"
#include "weights/safetensors.h"

namespace decant::weights {

class ModelFolder final : public LlamaSource {
 public:
  // kCannotRead; kCorruptFile and kUnsupportedFile as for the parts, the message starting with the file's path.
  static Result<ModelFolder> Open(const std::string& folder);
  // Of parts in memory: the text of config.json and the files, whose bytes the caller keeps alive.
  static Result<ModelFolder> Make(std::string_view config, std::vector<SafetensorsFile> files);

  Result<LlamaShape> Shape() const override { return config_.shape; }
  std::string NameOf(LlamaTensor tensor, std::uint32_t layer) const override;
  RopePairs rope_pairs() const override { return RopePairs::kHalves; }
  std::span<const TensorView> tensors() const override { return tensors_; }
  const TensorView* Find(std::string_view name) const override;
  std::uint64_t size() const override { return size_; }

  // The tokens that the tokenizer has: rows of the embedding past them are padding and are not read. kCorruptFile if
  // the model has fewer rows.
  Result<void> SetVocabulary(std::uint64_t tokens);

  const std::vector<std::string>& file_names() const { return file_names_; }  // of the safetensors files, sorted

 private:
  ModelFolder() = default;
  Result<void> Collect();

  FolderConfig config_;
  std::vector<SafetensorsFile> files_;
  std::vector<std::string> file_names_;
  std::vector<TensorView> tensors_;  // by name
  std::uint64_t size_ = 0;
};

}  // namespace decant::weights

#endif  // DECANT_WEIGHTS_MODEL_FOLDER_H_
