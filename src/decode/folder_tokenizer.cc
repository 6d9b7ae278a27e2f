// Each JSON file is optional but config.json and tokenizer.json; what is there must be well-formed.
#include "decode/folder_tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/mapped_file.h"
#include "json/value.h"
#include "text/tokenizer_json.h"

namespace decant::decode {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 24;

std::unexpected<Error> Corrupt(const std::string& path, const std::string& what) {
  return Fail(ErrorCode::kCorruptFile, path + ": " + what, {.subject = path});
}

// A JSON object of the folder with its path; null when the file is not there.
struct JsonFile {
  std::string path;
  json::Value value;
};

Result<JsonFile> ReadOptional(const std::string& folder, std::string_view name) {
  JsonFile file{.path = (fs::path(folder) / name).string(), .value = {}};
  std::error_code ignored;
  if (!fs::exists(file.path, ignored)) return file;
  DECANT_TRY(const core::MappedFile mapped, core::MappedFile::Open(file.path));
  if (mapped.bytes().size() > kMaxBytes) {
    return Corrupt(file.path,
                   std::to_string(mapped.bytes().size()) + " bytes; expected at most " + std::to_string(kMaxBytes));
  }
  const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
  Result<json::Value> value = json::Read(text, {});
  if (!value.has_value()) {
    return Fail(ErrorCode::kCorruptFile, file.path + ": not JSON: " + value.error().message,
                {.subject = file.path, .at = value.error().at});
  }
  if (value->if_object() == nullptr) return Corrupt(file.path, "no JSON object");
  file.value = *std::move(value);
  return file;
}

// The member, or null when it is absent or null.
const json::Value* Member(const JsonFile& file, std::string_view key) {
  if (file.value.is_null()) return nullptr;
  const json::Value* member = file.value.Find(key);
  return member == nullptr || member->is_null() ? nullptr : member;
}

// "eos_token": "<|end|>", or an object with that as its "content".
Result<std::optional<std::string>> TokenText(const JsonFile& file, std::string_view key) {
  const json::Value* value = Member(file, key);
  if (value == nullptr) return std::nullopt;
  if (value->if_object() != nullptr) value = value->Find("content");
  const std::string* text = value != nullptr ? value->if_string() : nullptr;
  if (text == nullptr) return Corrupt(file.path, std::string(key) + " is no string and no object with a content");
  return *text;
}

// "eos_token_id": 2, or [2, 3], of which the first counts.
Result<std::optional<TokenId>> TokenNumber(const JsonFile& file, std::string_view key) {
  const json::Value* value = Member(file, key);
  if (value == nullptr) return std::nullopt;
  if (const json::Array* several = value->if_array()) {
    if (several->empty()) return std::nullopt;
    value = &several->front();
  }
  const std::optional<std::uint64_t> id = value->AsUint64();
  if (!id || *id > UINT32_MAX) return Corrupt(file.path, std::string(key) + " is no token id");
  return static_cast<TokenId>(*id);
}

Result<ChatTemplate> ReadTemplate(const std::string& folder, const JsonFile& config) {
  const std::string path = (fs::path(folder) / "chat_template.jinja").string();
  std::error_code ignored;
  if (fs::exists(path, ignored)) {
    DECANT_TRY(const core::MappedFile file, core::MappedFile::Open(path));
    return RecognizeChatTemplate({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  }
  const json::Value* value = Member(config, "chat_template");
  if (value == nullptr) return RecognizeChatTemplate("");
  if (const std::string* text = value->if_string()) return RecognizeChatTemplate(*text);
  if (const json::Array* several = value->if_array()) {
    for (const json::Value& entry : *several) {
      if (entry.if_object() == nullptr) continue;
      const json::Value* name = entry.Find("name");
      const json::Value* text = entry.Find("template");
      if (name == nullptr || name->if_string() == nullptr || *name->if_string() != "default") continue;
      if (text != nullptr && text->if_string() != nullptr) return RecognizeChatTemplate(*text->if_string());
    }
    return ChatTemplate{.kind = "unsupported", .default_system = ""};
  }
  return Corrupt(config.path, "chat_template is no string and no list");
}

}  // namespace

Result<FolderTokenizer> LoadFolderTokenizer(const std::string& folder) {
  DECANT_TRY(const JsonFile words, ReadOptional(folder, "tokenizer_config.json"));
  DECANT_TRY(const JsonFile config, ReadOptional(folder, "config.json"));
  DECANT_TRY(const JsonFile generation, ReadOptional(folder, "generation_config.json"));
  text::TokenizerJsonOptions options;
  DECANT_TRY(options.bos, TokenText(words, "bos_token"));
  DECANT_TRY(options.eos, TokenText(words, "eos_token"));
  for (const JsonFile* file : {&config, &generation}) {
    DECANT_TRY(const auto bos, TokenNumber(*file, "bos_token_id"));
    DECANT_TRY(const auto eos, TokenNumber(*file, "eos_token_id"));
    if (!options.bos_id) options.bos_id = bos;
    if (!options.eos_id) options.eos_id = eos;
  }
  FolderTokenizer loaded;
  DECANT_TRY(loaded.tokenizer, text::LoadTokenizerJson((fs::path(folder) / "tokenizer.json").string(), options));
  DECANT_TRY(loaded.chat, ReadTemplate(folder, words));
  return loaded;
}

}  // namespace decant::decode
