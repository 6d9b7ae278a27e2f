// LoadModel: a GGUF file, a folder with safetensors or a tiny checkpoint becomes weights, tokenizer and description.
#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/mapped_file.h"
#include "core/sha256.h"
#include "decant/model.h"
#include "decode/folder_tokenizer.h"
#include "decode/gguf_vocabulary.h"
#include "model/llama_config.h"
#include "model/llama_model.h"
#include "model/llama_weights.h"
#include "model/tiny_checkpoint.h"
#include "model/tiny_llama.h"
#include "text/vocabulary.h"
#include "weights/ggml_type.h"
#include "weights/gguf.h"
#include "weights/gguf_llama.h"
#include "weights/llama_source.h"
#include "weights/model_folder.h"

namespace decant {
namespace {

namespace fs = std::filesystem;

Result<std::string> Sha256OfFile(const std::string& path) {
  DECANT_TRY(const core::MappedFile file, core::MappedFile::Open(path));
  core::Sha256 hash;
  hash.Update(file.bytes());
  return hash.Finish();
}

// Of the lines "<sha256 of the file>  <name>\n", as sha256sum writes them.
Result<std::string> Sha256OfFolder(const std::string& folder, const std::vector<std::string>& names) {
  core::Sha256 hash;
  for (const std::string& name : names) {
    DECANT_TRY(const std::string one, Sha256OfFile((fs::path(folder) / name).string()));
    hash.Update(one + "  " + name + "\n");
  }
  return hash.Finish();
}

class LoadedModel final : public Model {
 public:
  // `names` are the files of a folder, sorted; none when the path is that of the one file.
  LoadedModel(ModelDescription description, std::unique_ptr<LanguageModel> language_model,
              std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::string> names)
      : description_(std::move(description)),
        language_model_(std::move(language_model)),
        tokenizer_(std::move(tokenizer)),
        names_(std::move(names)) {}

  const ModelDescription& description() const override { return description_; }
  const LanguageModel& language_model() const override { return *language_model_; }
  const Tokenizer* tokenizer() const override { return tokenizer_.get(); }

  Result<std::string> Sha256() const override {
    const std::lock_guard lock(mutex_);
    if (sha256_.empty()) {
      const std::string& path = description_.path;
      DECANT_TRY(sha256_, names_.empty() ? Sha256OfFile(path) : Sha256OfFolder(path, names_));
    }
    return sha256_;
  }

 private:
  ModelDescription description_;
  std::unique_ptr<LanguageModel> language_model_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<std::string> names_;
  mutable std::mutex mutex_;
  mutable std::string sha256_;
};

void DescribeShape(const model::LlamaConfig& config, ModelDescription& description) {
  description.vocabulary = config.vocabulary;
  description.context = config.context;
  description.layers = config.layers;
  description.width = config.width;
  description.feed_forward = config.feed_forward;
  description.heads = config.heads;
  description.kv_heads = config.kv_heads;
  description.head_width = config.head_width;
}

// The type that most of the weights have.
std::string MainType(const weights::LlamaSource& source) {
  std::map<std::uint32_t, std::uint64_t> elements;
  for (const weights::TensorView& tensor : source.tensors()) elements[tensor.type] += tensor.elements;
  const auto most = std::ranges::max_element(elements, {}, [](const auto& entry) { return entry.second; });
  return most == elements.end() ? "none" : std::string(weights::GgmlTypeName(most->first));
}

std::uint64_t CountParameters(const weights::LlamaSource& source) {
  std::uint64_t count = 0;
  for (const weights::TensorView& tensor : source.tensors()) count += tensor.elements;
  return count;
}

Result<std::shared_ptr<const Model>> LoadGguf(const std::string& path, std::shared_ptr<Runtime> runtime,
                                              const ModelOptions& options) {
  DECANT_TRY(const weights::GgufFile file, weights::GgufFile::Open(path));
  const weights::GgufLlama llama(file);
  DECANT_CHECKED(model::ParseLlamaConfig(llama));  // another architecture is refused for what it is
  DECANT_TRY(text::VocabularySource source, decode::ReadVocabulary(file));
  DECANT_TRY(std::shared_ptr<const Tokenizer> tokenizer, text::MakeBpeTokenizer(std::move(source)));
  DECANT_TRY(model::LlamaWeights weights, model::LoadLlamaWeights(llama, *runtime));
  if (tokenizer->vocabulary_size() != weights.config.vocabulary) {
    return Fail(ErrorCode::kCorruptFile,
                path + ": the tokenizer has " + std::to_string(tokenizer->vocabulary_size()) + " tokens, the model " +
                    std::to_string(weights.config.vocabulary),
                {.subject = path});
  }
  DECANT_TRY(const std::string_view name, file.StringOr("general.name", ""));
  DECANT_TRY(decode::ChatTemplate chat, decode::ReadChatTemplate(file));
  ModelDescription description{.path = path,
                               .name = name.empty() ? fs::path(path).stem().string() : std::string(name),
                               .architecture = "llama",
                               .format = "gguf v" + std::to_string(file.version()),
                               .weights = MainType(llama),
                               .file_bytes = file.size(),
                               .parameters = CountParameters(llama),
                               .tokenizer = std::string(tokenizer->name()),
                               .chat_template = std::move(chat.kind),
                               .default_system = std::move(chat.default_system)};
  DescribeShape(weights.config, description);
  DECANT_TRY(auto language_model, model::MakeLlama(std::move(weights), std::move(runtime),
                                                   {.context = options.context, .sequences = options.sequences}));
  return std::make_shared<const LoadedModel>(std::move(description), std::move(language_model), std::move(tokenizer),
                                             std::vector<std::string>());
}

Result<std::shared_ptr<const Model>> LoadFolder(const std::string& path, std::shared_ptr<Runtime> runtime,
                                                const ModelOptions& options) {
  DECANT_TRY(weights::ModelFolder folder, weights::ModelFolder::Open(path));
  DECANT_CHECKED(model::ParseLlamaConfig(folder));  // a shape that does not fit is refused for what it is
  DECANT_TRY(decode::FolderTokenizer text, decode::LoadFolderTokenizer(path));
  DECANT_CHECKED(folder.SetVocabulary(text.tokenizer->vocabulary_size()));
  DECANT_TRY(model::LlamaWeights weights, model::LoadLlamaWeights(folder, *runtime));
  std::vector<std::string> names = folder.file_names();
  names.insert(names.end(), {"config.json", "tokenizer.json"});
  std::ranges::sort(names);
  std::error_code ignored;
  const fs::path place = fs::weakly_canonical(path, ignored);
  ModelDescription description{.path = path,
                               .name = place.filename().string(),
                               .architecture = "llama",
                               .format = "safetensors",
                               .weights = MainType(folder),
                               .file_bytes = folder.size(),
                               .parameters = CountParameters(folder),
                               .tokenizer = std::string(text.tokenizer->name()),
                               .chat_template = std::move(text.chat.kind),
                               .default_system = std::move(text.chat.default_system)};
  DescribeShape(weights.config, description);
  DECANT_TRY(auto language_model, model::MakeLlama(std::move(weights), std::move(runtime),
                                                   {.context = options.context, .sequences = options.sequences}));
  return std::make_shared<const LoadedModel>(std::move(description), std::move(language_model),
                                             std::move(text.tokenizer), std::move(names));
}

// The folder that a path means, without a slash at its end: itself, or the one around its config.json or weights.
// Nothing for other files.
std::optional<std::string> FolderOf(const std::string& path) {
  std::error_code ignored;
  const fs::path given(path);
  if (fs::is_directory(given, ignored)) {
    return given.has_filename() || !given.has_relative_path() ? path : given.parent_path().string();
  }
  const std::string name = given.filename().string();
  if (name != "config.json" && name != "model.safetensors" && name != "model.safetensors.index.json") {
    return std::nullopt;
  }
  return given.has_parent_path() ? given.parent_path().string() : ".";
}

std::uint64_t CountParameters(const model::F32Llama& model) {
  std::uint64_t count = model.embedding.size() + model.output_norm.size() + model.head.size();
  for (const model::F32Llama::Layer& layer : model.layers) {
    for (const std::vector<float>* part : {&layer.attention_norm, &layer.feed_forward_norm, &layer.query, &layer.key,
                                           &layer.value, &layer.output, &layer.gate, &layer.up, &layer.down}) {
      count += part->size();
    }
  }
  return count;
}

Result<std::shared_ptr<const Model>> LoadTiny(const core::MappedFile& file, std::shared_ptr<Runtime> runtime,
                                              const ModelOptions& options) {
  DECANT_TRY(const model::TinyCheckpoint checkpoint, model::ParseTinyCheckpoint(file.bytes()));
  DECANT_TRY(const model::F32Llama numbers, model::ToF32Llama(checkpoint));
  DECANT_TRY(model::LlamaWeights weights, model::MakeLlamaWeights(numbers));
  ModelDescription description{.path = file.path(),
                               .name = fs::path(file.path()).stem().string(),
                               .architecture = "llama",
                               .format = "decant.tiny/1",
                               .weights = "F32",
                               .file_bytes = file.bytes().size(),
                               .parameters = CountParameters(numbers),
                               .tokenizer = "none",
                               .chat_template = "none"};
  DescribeShape(weights.config, description);
  DECANT_TRY(auto language_model, model::MakeLlama(std::move(weights), std::move(runtime),
                                                   {.context = options.context, .sequences = options.sequences}));
  return std::make_shared<const LoadedModel>(std::move(description), std::move(language_model), nullptr,
                                             std::vector<std::string>());
}

}  // namespace

Result<std::shared_ptr<const Model>> LoadModel(const std::string& path, std::shared_ptr<Runtime> runtime,
                                               ModelOptions options) {
  if (const auto folder = FolderOf(path)) {
    auto model = LoadFolder(*folder, std::move(runtime), options);
    if (!model.has_value() && !model.error().message.contains(*folder)) {
      model.error().message = *folder + ": " + model.error().message;
    }
    return model;
  }
  if (fs::path(path).extension() == ".safetensors") {
    return Fail(ErrorCode::kUnsupportedFile, path + " is a part of a model; expected the folder with its config.json",
                {.subject = path, .hint = "name the folder"});
  }
  DECANT_TRY(const core::MappedFile file, core::MappedFile::Open(path));
  auto model = model::IsTinyCheckpoint(file.bytes()) ? LoadTiny(file, std::move(runtime), options)
                                                     : LoadGguf(path, std::move(runtime), options);
  if (!model.has_value() && !model.error().message.starts_with(path)) {
    model.error().message = path + ": " + model.error().message;
  }
  return model;
}

}  // namespace decant
