// Where models are looked for, and the flags that load one: folders, names, threads, context.
#include "models.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <thread>
#include <utility>

#include "core/mapped_file.h"
#include "core/number_text.h"
#include "core/sha256.h"
#include "decant/runtime.h"
#include "environment.h"
#include "known_models.h"
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

Result<std::string> Sha256OfFile(const std::string& path, const std::stop_token& stop) {
  constexpr std::size_t kPart = std::size_t{1} << 22;
  DECANT_TRY(const core::MappedFile file, core::MappedFile::Open(path));
  core::Sha256 hash;
  for (auto rest = file.bytes(); !rest.empty(); rest = rest.subspan(std::min(kPart, rest.size()))) {
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "interrupted");
    hash.Update(rest.first(std::min(kPart, rest.size())));
  }
  return hash.Finish();
}

ModelFlags::ModelFlags(CommandLine& line)
    : line_(line),
      config_(ConfigFlags::Of(line)),
      model_(line.Value("model", "-m,--model", "MODEL",
                        "a file or folder, or a name in $DECANT_MODELS, ./models, ~/.local/share/decant/models")),
      threads_(line.Value("model", "--threads", "N", "threads, 1..256; no result depends on it (default: one a core)")),
      context_(line.Value("model", "--context", "N", "tokens a sequence may hold (default: what the file says)",
                          {"--ctx"})) {
  ConfigFlags::Of(line).model = model_;
}

std::vector<std::string> ModelFlags::Given() const {
  std::vector<std::string> names;
  if (cli::IsGiven(model_)) names.emplace_back("-m");
  if (cli::IsGiven(threads_)) names.emplace_back("--threads");
  if (cli::IsGiven(context_)) names.emplace_back("--context");
  return names;
}

std::vector<FileSetting> SettingsOf(std::span<const ConfigLayer> layers, std::string_view command,
                                    std::string_view setting) {
  std::vector<FileSetting> found;
  for (const ConfigLayer& layer : std::views::reverse(layers)) {
    const ConfigSection section = layer.file.For(command);
    const auto add = [&](const auto& placed, const auto& text) {
      if (placed.has_value()) found.push_back({text(placed->value), layer.source, layer.file.PlaceOf(placed->at)});
    };
    if (setting == "model") add(section.model, [](const std::string& value) { return value; });
    if (setting == "threads") add(section.threads, [](std::uint32_t value) { return std::to_string(value); });
    if (setting == "context") add(section.context, [](std::uint32_t value) { return std::to_string(value); });
    if (setting == "preset") add(section.preset, [](Preset value) { return std::string(NameOf(value)); });
  }
  return found;
}

Result<std::string> FindNamedModel(const std::string& name) {
  auto path = FindModel(name, ModelFolders());
  const KnownModel* const known = FindKnownModel(name);
  if (path.has_value() || known == nullptr) return path;
  if (auto file = FindModel(std::string(known->file), ModelFolders()); file.has_value()) return file;
  path.error().hint = "decant model get " + std::string(known->alias);
  return path;
}

Result<std::string> FindModelPath(const ConfigFlags& config, std::string_view command) {
  DECANT_TRY(const auto name, TextOf(config.model));
  if (name.has_value()) return FindNamedModel(*name);
  DECANT_TRY(const auto layers, config.Layers(Environment));
  const std::vector<FileSetting> settings = SettingsOf(layers, command, "model");
  if (settings.empty()) return FindModel("", ModelFolders());
  auto path = FindNamedModel(settings.front().value);
  if (!path.has_value()) return At(settings.front().where, std::move(path).error());
  return path;
}

Result<std::string> ModelFlags::FindPath() const { return FindModelPath(config_, line_.name()); }

// The flag's number, else the files'.
Result<std::optional<std::uint64_t>> ModelFlags::Count(const CLI::Option* flag, std::string_view name,
                                                       Bounds bounds) const {
  DECANT_TRY(const auto count, CountOf(flag, bounds));
  if (count.has_value()) return count;
  DECANT_TRY(const auto layers, config_.Layers(Environment));
  const std::vector<FileSetting> settings = SettingsOf(layers, line_.name(), name);
  return settings.empty() ? std::nullopt : core::ParseUint64(settings.front().value);
}

Result<int> ModelFlags::Threads() const {
  DECANT_TRY(const auto threads, Count(threads_, "threads", {.least = 1, .most = kMostThreads}));
  const std::uint64_t cores = std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  return static_cast<int>(threads.value_or(cores));
}

Result<std::shared_ptr<const Model>> ModelFlags::Load() const {
  DECANT_TRY([[maybe_unused]] const int threads, Threads());  // a wrong flag comes before a missing file
  DECANT_TRY(const std::string path, FindPath());
  return Load(path);
}

Result<std::shared_ptr<const Model>> ModelFlags::Load(const std::string& path, std::uint64_t context) const {
  DECANT_TRY(const int threads, Threads());
  DECANT_TRY(const auto given, Count(context_, "context", {.least = 1}));
  DECANT_TRY(std::shared_ptr<Runtime> runtime, Runtime::Make({.threads = threads}));
  return LoadModel(path, std::move(runtime), {.context = static_cast<std::uint32_t>(given.value_or(context))});
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
