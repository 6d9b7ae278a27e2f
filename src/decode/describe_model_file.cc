// DescribeModelFile: the readers of the formats check their headers as they read them.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "core/mapped_file.h"
#include "decant/model.h"
#include "model/tiny_checkpoint.h"
#include "weights/gguf.h"
#include "weights/model_folder.h"

namespace decant {
namespace {

std::string Tensors(std::size_t count) { return std::to_string(count) + (count == 1 ? " tensor" : " tensors"); }

Result<std::string> Describe(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    DECANT_TRY(const weights::ModelFolder folder, weights::ModelFolder::Open(path));
    return "safetensors, " + Tensors(folder.tensors().size());
  }
  DECANT_TRY(const core::MappedFile file, core::MappedFile::Open(path));
  if (model::IsTinyCheckpoint(file.bytes())) {
    DECANT_CHECKED(model::ParseTinyCheckpoint(file.bytes()));
    return std::string("decant.tiny/1");
  }
  DECANT_TRY(const weights::GgufFile gguf, weights::GgufFile::Open(path));
  DECANT_TRY(const std::string_view architecture, gguf.StringOr("general.architecture", "no architecture"));
  return "gguf v" + std::to_string(gguf.version()) + ", " + std::string(architecture) + ", " +
         Tensors(gguf.tensors().size());
}

}  // namespace

Result<std::string> DescribeModelFile(const std::string& path) {
  auto text = Describe(path);
  if (!text.has_value() && !text.error().message.starts_with(path)) {
    text.error().message = path + ": " + text.error().message;
  }
  return text;
}

}  // namespace decant
