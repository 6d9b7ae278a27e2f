// The tensors of all files in one list by name, less those that transformers does not use either.
#include "weights/model_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "core/mapped_file.h"
#include "core/utf8.h"

namespace decant::weights {
namespace {

namespace fs = std::filesystem;
using core::Quoted;

constexpr std::string_view kWeights = "model.safetensors";
constexpr std::string_view kIndex = "model.safetensors.index.json";
constexpr std::string_view kEmbedding = "model.embed_tokens.weight";
constexpr std::string_view kHead = "lm_head.weight";
constexpr std::uint64_t kMaxJsonBytes = std::uint64_t{1} << 24;

std::string PathIn(const std::string& folder, std::string_view name) { return (fs::path(folder) / name).string(); }

bool IsFile(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The text of a JSON file, which is mapped, not copied.
Result<core::MappedFile> OpenJson(const std::string& path) {
  DECANT_TRY(core::MappedFile file, core::MappedFile::Open(path));
  if (file.bytes().size() > kMaxJsonBytes) {
    return Fail(ErrorCode::kCorruptFile,
                path + " has " + std::to_string(file.bytes().size()) + " bytes; expected at most " +
                    std::to_string(kMaxJsonBytes),
                {.subject = path});
  }
  return file;
}
std::string_view TextOf(const core::MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

template <class T>
Result<T> Within(const std::string& path, Result<T> result) {
  if (!result.has_value() && !result.error().message.starts_with(path)) {
    result.error().message = path + ": " + result.error().message;
  }
  return result;
}

std::unexpected<Error> NoWeights(const std::string& folder) {
  const bool pickled =
      IsFile(PathIn(folder, "pytorch_model.bin")) || IsFile(PathIn(folder, "pytorch_model.bin.index.json"));
  return Fail(ErrorCode::kUnsupportedFile,
              folder + " has no model.safetensors" + (pickled ? ", only pytorch_model.bin" : "") +
                  "; expected model.safetensors or model.safetensors.index.json",
              {.subject = folder, .allowed = "model.safetensors, model.safetensors.index.json"});
}

// Each tensor of the index is in its file, and each tensor of a file is in the index.
Result<void> CheckShard(const SafetensorsFile& file, const std::string& path, std::vector<std::string_view> expected) {
  std::vector<std::string_view> found;
  for (const TensorView& tensor : file.tensors()) found.push_back(tensor.name);
  std::ranges::sort(found);
  std::ranges::sort(expected);
  const auto [f, e] = std::ranges::mismatch(found, expected);
  if (f == found.end() && e == expected.end()) return {};
  const bool missing = f == found.end() || (e != expected.end() && *e < *f);
  const std::string name(missing ? *e : *f);
  return Fail(ErrorCode::kCorruptFile,
              path + (missing ? " has no tensor " + Quoted(name) + ", which the index puts there"
                              : " has tensor " + Quoted(name) + ", which the index does not put there"),
              {.subject = core::ToValidUtf8(std::string_view(name).substr(0, 80))});
}

// Buffers that old versions stored and that follow from config.json: "model.layers.0.self_attn.rotary_emb.inv_freq".
bool IsDerived(std::string_view name) {
  return name.starts_with("model.layers.") && name.ends_with(".self_attn.rotary_emb.inv_freq");
}

}  // namespace

Result<ModelFolder> ModelFolder::Make(std::string_view config, std::vector<SafetensorsFile> files) {
  ModelFolder folder;
  DECANT_TRY(folder.config_, ParseFolderConfig(config));
  folder.files_ = std::move(files);
  DECANT_CHECKED(folder.Collect());
  return folder;
}

Result<ModelFolder> ModelFolder::Open(const std::string& path) {
  ModelFolder folder;
  const std::string config_path = PathIn(path, "config.json");
  DECANT_TRY(const core::MappedFile config, OpenJson(config_path));
  DECANT_TRY(folder.config_, Within(config_path, ParseFolderConfig(TextOf(config))));
  std::map<std::string, std::vector<std::string_view>> shards;  // tensors by file name
  std::vector<std::pair<std::string, std::string>> places;
  const std::string index_path = PathIn(path, kIndex);
  const bool single = IsFile(PathIn(path, kWeights));
  if (single) {
    shards.try_emplace(std::string(kWeights));
  } else if (IsFile(index_path)) {
    DECANT_TRY(const core::MappedFile index, OpenJson(index_path));
    DECANT_TRY(places, Within(index_path, ParseShardIndex(TextOf(index))));
    for (const auto& [tensor, file] : places) shards[file].push_back(tensor);
  } else {
    return NoWeights(path);
  }
  for (auto& [name, tensors] : shards) {
    const std::string file_path = PathIn(path, name);
    DECANT_TRY(SafetensorsFile file, SafetensorsFile::Open(file_path));
    if (!single) DECANT_CHECKED(CheckShard(file, file_path, std::move(tensors)));
    folder.files_.push_back(std::move(file));
    folder.file_names_.push_back(name);
  }
  DECANT_CHECKED(folder.Collect());
  return folder;
}

Result<void> ModelFolder::Collect() {
  for (const SafetensorsFile& file : files_) {
    size_ += file.size();
    for (const TensorView& tensor : file.tensors()) {
      if (!IsDerived(tensor.name)) tensors_.push_back(tensor);
    }
  }
  std::ranges::sort(tensors_, {}, &TensorView::name);
  const auto repeated = std::ranges::adjacent_find(tensors_, {}, &TensorView::name);
  if (repeated != tensors_.end()) {
    return Fail(ErrorCode::kCorruptFile, "tensor " + Quoted(repeated->name) + " is in two files",
                {.subject = core::ToValidUtf8(repeated->name.substr(0, 80))});
  }
  const TensorView* embedding = Find(kEmbedding);
  if (embedding != nullptr && embedding->rows() != config_.shape.vocabulary) {
    return Fail(ErrorCode::kCorruptFile,
                "tensor \"" + std::string(kEmbedding) + "\" has " + std::to_string(embedding->rows()) +
                    " rows; vocab_size is " + std::to_string(config_.shape.vocabulary),
                {.subject = std::string(kEmbedding), .at = Position{.offset = embedding->offset}});
  }
  const TensorView* head = Find(kHead);
  if (config_.tied == TiedHead::kNo) {
    if (head != nullptr) return {};
    return Fail(ErrorCode::kCorruptFile, "tensor \"lm_head.weight\" is missing, and tie_word_embeddings is not true",
                {.subject = std::string(kHead)});
  }
  if (head == nullptr) return {};
  if (embedding != nullptr && (embedding->dims != head->dims || embedding->type != head->type ||
                               !std::ranges::equal(embedding->bytes, head->bytes))) {
    return Fail(ErrorCode::kCorruptFile,
                "tie_word_embeddings is true, but lm_head.weight differs from model.embed_tokens.weight",
                {.subject = std::string(kHead), .at = Position{.offset = head->offset}});
  }
  tensors_.erase(tensors_.begin() + (head - tensors_.data()));
  return {};
}

const TensorView* ModelFolder::Find(std::string_view name) const {
  const auto it = std::ranges::lower_bound(tensors_, name, {}, &TensorView::name);
  return it != tensors_.end() && it->name == name ? &*it : nullptr;
}

Result<void> ModelFolder::SetVocabulary(std::uint64_t tokens) {
  if (tokens > config_.shape.vocabulary) {
    return Fail(ErrorCode::kCorruptFile,
                "the tokenizer has " + std::to_string(tokens) + " tokens; vocab_size is " +
                    std::to_string(config_.shape.vocabulary),
                {.subject = "vocab_size"});
  }
  config_.shape.vocabulary = tokens;
  return {};
}

std::string ModelFolder::NameOf(LlamaTensor tensor, std::uint32_t layer) const {
  const auto of_layer = [layer](const char* name) {
    return "model.layers." + std::to_string(layer) + "." + name + ".weight";
  };
  switch (tensor) {
    case LlamaTensor::kEmbedding:
      return std::string(kEmbedding);
    case LlamaTensor::kOutputNorm:
      return "model.norm.weight";
    case LlamaTensor::kHead:
      return std::string(kHead);
    case LlamaTensor::kRopeFactors:
      return "";  // config.json has them
    case LlamaTensor::kAttentionNorm:
      return of_layer("input_layernorm");
    case LlamaTensor::kQuery:
      return of_layer("self_attn.q_proj");
    case LlamaTensor::kKey:
      return of_layer("self_attn.k_proj");
    case LlamaTensor::kValue:
      return of_layer("self_attn.v_proj");
    case LlamaTensor::kAttentionOutput:
      return of_layer("self_attn.o_proj");
    case LlamaTensor::kFeedForwardNorm:
      return of_layer("post_attention_layernorm");
    case LlamaTensor::kGate:
      return of_layer("mlp.gate_proj");
    case LlamaTensor::kUp:
      return of_layer("mlp.up_proj");
    case LlamaTensor::kDown:
      return of_layer("mlp.down_proj");
  }
  return "";
}

}  // namespace decant::weights
