// Finding model files, and folders with a model, by name.
#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/number_text.h"
#include "decant/model.h"

namespace decant {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtensions[] = {".gguf", ".tiny"};

bool IsModelFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) &&
         std::ranges::find(kExtensions, path.extension().string()) != std::end(kExtensions);
}

// As Hugging Face's transformers writes a model.
bool IsModelFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path / "config.json", ignored);
}

// What -m may call a model: its file name without the extension, or its folder's name, dots and all.
std::string NameOf(const std::string& path) {
  const fs::path place(path);
  return IsModelFolder(place) ? place.filename().string() : place.stem().string();
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string Names(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(fs::path(path).filename().string());
  return Join(names, ", ");
}

}  // namespace

std::vector<std::string> ListModels(const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  std::vector<fs::path> seen;  // one folder under two names holds each model once
  for (const std::string& folder : folders) {
    std::error_code ignored;
    for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored)) {
      if (!IsModelFile(it->path()) && !IsModelFolder(it->path())) continue;
      const fs::path file = fs::weakly_canonical(it->path(), ignored);
      if (std::ranges::find(seen, file) != seen.end()) continue;
      seen.push_back(file);
      paths.push_back(it->path().string());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

Result<std::string> FindModel(const std::string& name, const std::vector<std::string>& folders) {
  std::error_code ignored;
  if (!name.empty() && fs::exists(name, ignored) && (!fs::is_directory(name, ignored) || IsModelFolder(name))) {
    return name;
  }
  const std::vector<std::string> seen = ListModels(folders);
  for (const std::string& path : seen) {
    if (!name.empty() && (fs::path(path).filename().string() == name || NameOf(path) == name)) return path;
  }
  if (!name.empty() && fs::is_directory(name, ignored)) {
    return Fail(ErrorCode::kNotFound, "the folder " + name + " has no config.json",
                {.subject = "model", .hint = "name a folder with config.json, tokenizer.json and weights, or a file"});
  }
  const std::string where = folders.empty() ? "no folder is searched" : "searched " + Join(folders, ", ");
  if (name.empty()) {
    if (seen.size() == 1) return seen.front();
    if (seen.empty()) {
      return Fail(ErrorCode::kNotFound, "no model was found; " + where,
                  {.subject = "model",
                   .hint = "name a file with -m, or set DECANT_MODELS to the folder of your models; `make model` in "
                           "decant's own folder fetches the default one"});
    }
    return Fail(ErrorCode::kNotFound, "there are " + std::to_string(seen.size()) + " models: " + Names(seen),
                {.subject = "model", .allowed = "one model", .hint = "choose one with -m"});
  }
  std::vector<std::string> names;
  for (const std::string& path : seen) names.push_back(NameOf(path));
  const auto close = core::Closest(name, names);
  return Fail(ErrorCode::kNotFound,
              "there is no file and no model \"" + name + "\"; " + where +
                  (seen.empty() ? " and found none" : " and found " + Names(seen)),
              {.subject = "model", .hint = close ? "did you mean \"" + *close + "\"?" : ""});
}

}  // namespace decant
