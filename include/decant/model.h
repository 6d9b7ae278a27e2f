// A model from a file or a folder: weights, tokenizer and what they say about themselves.
#ifndef DECANT_MODEL_H_
#define DECANT_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decant/error.h"
#include "decant/language_model.h"
#include "decant/runtime.h"
#include "decant/tokenizer.h"

namespace decant {

struct ModelDescription {
  std::string path = {};
  std::string name = {};          // general.name, or the file's stem; a folder's name
  std::string architecture = {};  // "llama"
  std::string format = {};        // "gguf v3", "safetensors" or "decant.tiny/1"
  std::string weights = {};       // "Q4_1" : the type most weights have
  std::uint64_t file_bytes = 0;   // of the weights' file or files
  std::uint64_t parameters = 0;
  std::uint32_t vocabulary = 0, context = 0, layers = 0, width = 0, feed_forward = 0, heads = 0, kv_heads = 0,
                head_width = 0;
  std::string tokenizer = {};       // Tokenizer::name(), "none" when the file has none
  std::string chat_template = {};   // "chatml", "none", or "unsupported"
  std::string default_system = {};  // the template's own system message; may be empty
};

struct ModelOptions {
  // Tokens a sequence may hold; 0 = what the file says. Above the file's value is an error.
  std::uint32_t context = 0;
  // Sequences' worth of KV cache that may live at once (each of `context` tokens). Memory is taken as needed.
  std::uint32_t sequences = 4;
};

// Immutable; shared by threads (Forward takes turns).
class Model {
 public:
  virtual ~Model() = default;
  virtual const ModelDescription& description() const = 0;
  virtual const LanguageModel& language_model() const = 0;
  virtual const Tokenizer* tokenizer() const = 0;  // null when the file has none (the tiny checkpoint)
  // SHA-256 of the file, 64 hex digits; computed when first asked. Of a folder: of the lines "<sha256>  <file name>\n",
  // sorted by name, for config.json, tokenizer.json and the safetensors files.
  virtual Result<std::string> Sha256() const = 0;
};

// Loads a GGUF file (v2, v3), a tiny checkpoint, or a folder as Hugging Face's transformers writes it: config.json,
// tokenizer.json, model.safetensors (the path of that file, or of config.json, means the folder too). A hostile file is
// an error (kCorruptFile, kUnsupportedFile), never a crash.
Result<std::shared_ptr<const Model>> LoadModel(const std::string& path, std::shared_ptr<Runtime> runtime,
                                               ModelOptions options);

// What a model file is, by its headers alone: "gguf v3, llama, 272 tensors". Every length, offset and size in them is
// checked, so that a file that was cut short is found; weights are not looked at. Errors as from LoadModel.
Result<std::string> DescribeModelFile(const std::string& path);

// Looks a model up: a path, else a name in `folders` (file name with or without ".gguf", or a folder's name); an empty
// name finds the one model there is. kNotFound lists what was seen.
Result<std::string> FindModel(const std::string& name, const std::vector<std::string>& folders);
// Every model file, and every folder with a config.json, in the folders, by path.
std::vector<std::string> ListModels(const std::vector<std::string>& folders);

}  // namespace decant

#endif  // DECANT_MODEL_H_
