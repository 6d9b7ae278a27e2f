// Where models are looked for, and the flags that load one: folders, names, threads, context.
#include "models.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include "decant/runtime.h"
#include "environment.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr std::uint64_t kMostThreads = 256;

}  // namespace

std::vector<std::string> ModelFolders() {
  std::vector<std::string> folders;
  const std::string listed = Environment("DECANT_MODELS");
  for (std::size_t begin = 0; begin < listed.size();) {
    const std::size_t end = std::min(listed.find(':', begin), listed.size());
    if (end > begin) folders.push_back(listed.substr(begin, end - begin));
    begin = end + 1;
  }
  folders.emplace_back("./models");
  const std::string data = Environment("XDG_DATA_HOME"), home = Environment("HOME");
  if (!data.empty()) {
    folders.push_back(data + "/decant/models");
  } else if (!home.empty()) {
    folders.push_back(home + "/.local/share/decant/models");
  }
  return folders;
}

ModelFlags::ModelFlags(CommandLine& line)
    : model_(line.Value("model", "-m,--model", "MODEL",
                        "a file, or a name in $DECANT_MODELS, ./models, ~/.local/share/decant/models")),
      threads_(line.Value("model", "--threads", "N", "threads, 1..256; no result depends on it (default: one a core)")),
      context_(line.Value("model", "--context", "N", "tokens a sequence may hold (default: what the file says)",
                          {"--ctx"})) {}

std::vector<std::string> ModelFlags::Given() const {
  std::vector<std::string> names;
  if (!model_->empty()) names.emplace_back("-m");
  if (!threads_->empty()) names.emplace_back("--threads");
  if (!context_->empty()) names.emplace_back("--context");
  return names;
}

Result<std::string> ModelFlags::FindPath() const {
  DECANT_TRY(const auto name, TextOf(model_));
  return FindModel(name.value_or(""), ModelFolders());
}

Result<int> ModelFlags::Threads() const {
  DECANT_TRY(const auto threads, CountOf(threads_, {.least = 1, .most = kMostThreads}));
  const std::uint64_t cores = std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  return static_cast<int>(threads.value_or(cores));
}

Result<std::shared_ptr<const Model>> ModelFlags::Load() const {
  DECANT_TRY([[maybe_unused]] const int threads, Threads());  // a wrong flag comes before a missing file
  DECANT_TRY(const std::string path, FindPath());
  return Load(path);
}

Result<std::shared_ptr<const Model>> ModelFlags::Load(const std::string& path) const {
  DECANT_TRY(const int threads, Threads());
  DECANT_TRY(const auto context, CountOf(context_, {.least = 1}));
  DECANT_TRY(std::shared_ptr<Runtime> runtime, Runtime::Make({.threads = threads}));
  return LoadModel(path, std::move(runtime), {.context = static_cast<std::uint32_t>(context.value_or(0))});
}

std::string ShortCount(std::uint64_t count) {
  constexpr std::pair<double, const char*> kUnits[] = {{1e9, "B"}, {1e6, "M"}, {1e3, "K"}};
  for (const auto& [unit, name] : kUnits) {
    const double value = static_cast<double>(count) / unit;
    if (value >= 1) return value < 10 ? fmt::format("{:.1f}{}", value, name) : fmt::format("{:.0f}{}", value, name);
  }
  return std::to_string(count);
}

std::string ModelLine(const Model& model, int threads) {
  const ModelDescription& about = model.description();
  return fmt::format("{} · {} {} · context {} · {} thread{}, {}",
                     HarmlessText(std::filesystem::path(about.path).filename().string()), ShortCount(about.parameters),
                     about.weights, model.language_model().context_length(), threads, threads == 1 ? "" : "s",
                     SimdLevel().value_or("unknown"));
}

}  // namespace decant::cli
