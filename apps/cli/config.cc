// toml++ reads the syntax; what a key means and may hold is the registry's business, by way of the JSON reading that
// requests have, so that a value is spelled alike in both.
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

// toml++ 3.3 asserts of its input what the input decides ("[[["); past the assertion it reports the fault.
#define TOML_HEADER_ONLY 1
#include <toml++/impl/preprocessor.h>
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expr) static_assert(true)
#include <toml++/toml.h>

#include "commands.h"
#include "core/number_text.h"
#include "json/writer.h"
#include "schema_text.h"

namespace decant::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = "decant.toml";
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::int64_t kMostThreads = 256;
constexpr std::string_view kSettings[] = {"preset", "model", "threads", "context"};

std::string_view KindOf(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

// Of a node that holds a date or time.
std::string_view DatedKind(const toml::node& node) {
  if (node.is_array()) return "an array with a date or time";
  return node.is_table() ? "a table with a date or time" : KindOf(node);
}

// False: it holds a date or time, which no parameter is.
bool WriteNode(const toml::node& node, json::Writer& writer) {
  if (const toml::table* const table = node.as_table(); table != nullptr) {
    writer.BeginObject();
    for (const auto& [key, value] : *table) {
      writer.Key(key.str());
      if (!WriteNode(value, writer)) return false;
    }
    writer.EndObject();
    return true;
  }
  if (const toml::array* const array = node.as_array(); array != nullptr) {
    writer.BeginArray();
    for (const toml::node& value : *array) {
      if (!WriteNode(value, writer)) return false;
    }
    writer.EndArray();
    return true;
  }
  if (const auto* const text = node.as_string(); text != nullptr) {
    writer.String(text->get());
  } else if (const auto* const whole = node.as_integer(); whole != nullptr) {
    writer.Int(whole->get());
  } else if (const auto* const on = node.as_boolean(); on != nullptr) {
    writer.Bool(on->get());
  } else if (const auto* const number = node.as_floating_point(); number != nullptr) {
    writer.Raw(core::NumberText(number->get()));
  } else {
    return false;
  }
  return true;
}

Result<std::string> ReadText(const std::string& path) {
  const auto failed = [&path](int error_number) {
    return Fail(ErrorCode::kCannotRead, path + ": " + std::strerror(error_number), {.subject = path});
  };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed(errno);
  const std::unique_ptr<const int, void (*)(const int*)> closer(&descriptor, [](const int* open) { close(*open); });
  std::string text;
  while (true) {
    const std::size_t size = text.size();
    text.resize(size + 65536);
    const ssize_t got = read(descriptor, text.data() + size, 65536);
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno != EINTR) return failed(errno);
    if (got == 0) return text;
    if (text.size() > kMostBytes) {
      return Fail(ErrorCode::kCorruptFile, path + " is larger than 1 MiB, which no configuration is",
                  {.subject = path, .allowed = "1048576 bytes"});
    }
  }
}

// Lays `over` upon the section.
void Overlay(ConfigSection& section, const ConfigSection& over) {
  for (const ConfigParameter& parameter : over.parameters) {
    const auto same = std::ranges::find(section.parameters, parameter.spec, &ConfigParameter::spec);
    if (same == section.parameters.end()) {
      section.parameters.push_back(parameter);
    } else {
      *same = parameter;
    }
  }
  if (over.preset.has_value()) section.preset = over.preset;
  if (over.model.has_value()) section.model = over.model;
  if (over.threads.has_value()) section.threads = over.threads;
  if (over.context.has_value()) section.context = over.context;
}

bool IsCommand(std::string_view name) {
  return std::ranges::find(Commands(), name, &Command::name) != Commands().end();
}

}  // namespace

std::unexpected<Error> At(const std::string& place, Error error) {
  error.message = place + ": " + error.message;
  return std::unexpected(std::move(error));
}

// One reading of one text.
class ConfigReader {
 public:
  ConfigReader(std::string_view text, const std::string& path) : text_(text) { file_.path_ = path; }

  Result<ConfigFile> Read() {
    DECANT_TRY(const toml::table parsed, Parse());
    for (const auto& [key, value] : parsed) {
      // A command and a setting or parameter may share a name ("model"): a table is the command's.
      if (value.is_table() && IsCommand(key.str())) {
        DECANT_CHECKED(ReadTable(key, *value.as_table()));
      } else {
        DECANT_CHECKED(ReadEntry(key, value, file_.top_));
      }
    }
    return std::move(file_);
  }

 private:
  Result<toml::table> Parse() const {
    try {
      return toml::parse(text_);
    } catch (const toml::parse_error& error) {
      const Position at = At(error.source().begin);
      return Fail(ErrorCode::kCorruptFile, file_.PlaceOf(at) + ": " + std::string(error.description()),
                  {.subject = file_.path_, .at = at});
    }
  }

  // toml++ counts code points in a column.
  Position At(const toml::source_position& place) const {
    Position at{.offset = 0,
                .line = static_cast<std::uint32_t>(place.line),
                .column = static_cast<std::uint32_t>(place.column)};
    for (std::uint32_t line = 1; line < at.line && at.offset < text_.size(); ++line) {
      at.offset = std::min(text_.find('\n', at.offset), text_.size() - 1) + 1;
    }
    for (std::uint32_t column = 1; column < at.column && at.offset < text_.size(); ++column) {
      do {
        ++at.offset;
      } while (at.offset < text_.size() && (static_cast<unsigned char>(text_[at.offset]) & 0xC0) == 0x80);
    }
    return at;
  }
  Position At(const toml::key& key) const { return At(key.source().begin); }

  // The error of an entry, with its place.
  std::unexpected<Error> Bad(const Position& at, Error error) const {
    error.at = at;
    return cli::At(file_.PlaceOf(at), std::move(error));
  }
  std::unexpected<Error> WrongType(const toml::key& key, std::string_view found, std::string_view expected) const {
    const std::string name(key.str());
    return Bad(At(key), {.code = ErrorCode::kWrongType,
                         .message = name + " is " + std::string(found) + "; expected " + std::string(expected),
                         .subject = name,
                         .allowed = std::string(expected)});
  }

  Result<void> ReadTable(const toml::key& command, const toml::table& table) {
    ConfigSection section;
    for (const auto& [key, value] : table) DECANT_CHECKED(ReadEntry(key, value, section));
    file_.tables_.emplace_back(command.str(), std::move(section));
    return {};
  }

  Result<void> ReadEntry(const toml::key& key, const toml::node& node, ConfigSection& section) const {
    if (std::ranges::find(kSettings, key.str()) != std::end(kSettings)) return ReadSetting(key, node, section);
    const auto spec = FindParameter(key.str());
    if (!spec.has_value()) return Unknown(key, node);
    const Position at = At(key);
    const auto same = std::ranges::find(section.parameters, *spec, &ConfigParameter::spec);
    if (same != section.parameters.end()) {
      const std::string name((*spec)->name);
      return Bad(at, {.code = ErrorCode::kConflict,
                      .message = name + " is given twice, here and in line " + std::to_string(same->at.line),
                      .subject = name,
                      .allowed = "one value"});
    }
    if ((*spec)->name == "max_tokens" && node.value<std::string_view>() == "max") {
      section.parameters.push_back({*spec, std::nullopt, at});
      return {};
    }
    json::Writer json;
    if (!WriteNode(node, json)) return WrongType(key, DatedKind(node), NameOf((*spec)->type));
    auto value = ParameterFromJson(**spec, json.text());
    if (!value.has_value()) return Bad(at, std::move(value).error());
    if ((*spec)->name == "json_schema") value = SchemaPathOf(std::get<std::string>(*value));
    if ((*spec)->name == "schema_document") {
      for (std::string& given : std::get<std::vector<std::string>>(*value)) given = DocumentPathOf(given);
    }
    // What no stage owns is checked here, stages when the chain is built.
    ParameterSet alone;
    auto set = alone.Set(**spec, *value, ParameterSource::kProjectFile);
    if (!set.has_value()) return Bad(at, std::move(set).error());
    section.parameters.push_back({*spec, *std::move(value), at});
    return {};
  }

  Result<void> ReadSetting(const toml::key& key, const toml::node& node, ConfigSection& section) const {
    const Position at = At(key);
    const std::string_view name = key.str();
    if (name == "preset" || name == "model") {
      const auto* const text = node.as_string();
      if (text == nullptr) return WrongType(key, KindOf(node), "a string");
      if (text->get().empty()) return WrongType(key, "\"\"", "a name");
      if (name == "model") {
        section.model = {PathOf(text->get()), at};
        return {};
      }
      auto preset = FindPreset(text->get());
      if (!preset.has_value()) return Bad(at, std::move(preset).error());
      section.preset = {*preset, at};
      return {};
    }
    const std::int64_t most = name == "threads" ? kMostThreads : std::int64_t{UINT32_MAX};
    const std::string range = "1.." + std::to_string(most);
    const auto* const whole = node.as_integer();
    if (whole == nullptr) return WrongType(key, KindOf(node), "a whole number in " + range);
    if (whole->get() < 1 || whole->get() > most) {
      return Bad(at, {.code = ErrorCode::kOutOfRange,
                      .message = std::string(name) + " is " + std::to_string(whole->get()) +
                                 "; expected a whole number in " + range,
                      .subject = std::string(name),
                      .allowed = range});
    }
    (name == "threads" ? section.threads : section.context) = {static_cast<std::uint32_t>(whole->get()), at};
    return {};
  }

  // A path counts from the folder of the file that names it, wherever the program is run; a bare name is looked up.
  std::string PathOf(const std::string& text) const {
    if (text.starts_with("~/")) return Environment("HOME") + text.substr(1);
    if (text.find('/') == std::string::npos || text.starts_with('/')) return text;
    return (fs::path(file_.path_).parent_path() / text).lexically_normal().string();
  }

  // The same of a schema's file, for which there is no other place to look.
  std::string SchemaPathOf(const std::string& text) const {
    if (IsSchemaText(text) || text == "-") return text;
    if (text.starts_with("~/")) return PathOf(text);
    return (fs::path(file_.path_).parent_path() / text).lexically_normal().string();
  }

  // URI=FILE likewise.
  std::string DocumentPathOf(const std::string& text) const {
    const std::size_t end = text.find('=');
    return end == std::string::npos ? text : text.substr(0, end + 1) + SchemaPathOf(text.substr(end + 1));
  }

  std::unexpected<Error> Unknown(const toml::key& key, const toml::node& node) const {
    const std::string name(key.str());
    if (IsCommand(name)) return WrongType(key, KindOf(node), "a table of what holds for that command");
    std::vector<std::string> known(std::begin(kSettings), std::end(kSettings));
    for (const ParameterSpec& spec : Parameters()) {
      known.emplace_back(spec.name);
      known.insert(known.end(), spec.aliases.begin(), spec.aliases.end());
    }
    if (node.is_table()) {
      for (const Command& command : Commands()) known.emplace_back(command.name);
    }
    const auto close = core::Closest(name, known);
    return Bad(At(key),
               {.code = ErrorCode::kUnknownParameter,
                .message = "there is no " + std::string(node.is_table() ? "command or parameter" : "parameter") +
                           " \"" + name + "\"",
                .subject = name,
                .allowed = "preset, model, threads, context, and the names that decant params lists",
                .hint = close.has_value() ? "did you mean " + *close + "?" : "see decant help config"});
  }

  std::string_view text_;
  ConfigFile file_;
};

std::string ConfigFile::PlaceOf(const Position& at) const {
  return path_ + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

const ConfigSection* ConfigFile::Table(std::string_view command) const {
  const auto found = std::ranges::find(tables_, command, &std::pair<std::string, ConfigSection>::first);
  return found == tables_.end() ? nullptr : &found->second;
}

ConfigSection ConfigFile::For(std::string_view command) const {
  ConfigSection section = top_;
  if (const ConfigSection* const table = Table(command); table != nullptr) Overlay(section, *table);
  return section;
}

Result<ParameterSet> ConfigFile::Parameters(std::string_view command, ParameterSource source) const {
  const ConfigSection section = For(command);
  ParameterSet set;
  for (const ConfigParameter& parameter : section.parameters) {
    if (parameter.value.has_value()) DECANT_CHECKED(set.Set(*parameter.spec, *parameter.value, source));
  }
  const auto chain = CheckChain(set, section.preset.has_value() ? section.preset->value : Preset::kNative);
  if (chain.has_value()) return set;
  for (const ConfigParameter& parameter : section.parameters) {
    if (parameter.spec->name != chain.error().subject) continue;
    Error error = chain.error();
    error.at = parameter.at;
    return At(PlaceOf(parameter.at), std::move(error));
  }
  return At(path_, chain.error());
}

Result<ConfigFile> ParseConfig(std::string_view text, const std::string& path) {
  return ConfigReader(text, path).Read();
}

Result<ConfigFile> ReadConfigFile(const std::string& path) {
  DECANT_TRY(const std::string text, ReadText(path));
  return ParseConfig(text, path);
}

std::string FindUserConfig(const EnvironmentLookup& environment) {
  const std::string folder = environment("XDG_CONFIG_HOME"), home = environment("HOME");
  if (folder.empty() && home.empty()) return "";
  const fs::path path = (folder.empty() ? fs::path(home) / ".config" : fs::path(folder)) / "decant" / kFileName;
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored) ? path.string() : "";
}

std::string FindProjectConfig() {
  std::error_code error;
  fs::path folder = fs::current_path(error);
  if (error) return "";
  std::string up;
  while (true) {
    const fs::path path = folder / kFileName;
    if (fs::exists(path, error) && !fs::is_directory(path, error)) return up + std::string(kFileName);
    const fs::path parent = folder.parent_path();
    if (parent == folder) return "";
    folder = parent;
    up += "../";
  }
}

ConfigFlags::ConfigFlags(CommandLine& line)
    : config_(
          line.Value("configuration", "--config", "FILE", "this decant.toml instead of the user's and the project's")),
      no_config_(line.Flag("configuration", "--no-config", "reads no decant.toml")) {}

ConfigFlags& ConfigFlags::Of(CommandLine& line) {
  if (line.config_ == nullptr) line.config_ = std::make_shared<ConfigFlags>(line);
  return *line.config_;
}

Result<void> ConfigFlags::Read(const EnvironmentLookup& environment) const {
  DECANT_TRY(const auto given, TextOf(config_));
  DECANT_TRY(const bool none, IsOn(no_config_));
  if (none && given.has_value()) {
    return Fail(ErrorCode::kConflict, "--config and --no-config exclude each other", {.subject = "--config"});
  }
  std::vector<ConfigLayer> layers;
  const auto add = [&layers, &given](const std::string& path, ParameterSource source) -> Result<void> {
    if (path.empty()) return {};
    std::error_code error;
    // What nobody named must not hang.
    if (!given.has_value() && !fs::is_regular_file(path, error)) {
      return Fail(ErrorCode::kCannotRead, path + " is no regular file",
                  {.subject = path, .hint = "--no-config reads no decant.toml"});
    }
    DECANT_TRY(ConfigFile file, ReadConfigFile(path));
    layers.push_back({std::move(file), source});
    return {};
  };
  if (given.has_value()) {
    if (given->empty()) return UsageError("option --config needs the path of a file", "--no-config reads none");
    DECANT_CHECKED(add(*given, ParameterSource::kProjectFile));
  } else if (!none) {
    const std::string user = FindUserConfig(environment), project = FindProjectConfig();
    DECANT_CHECKED(add(user, ParameterSource::kUserFile));
    std::error_code ignored;
    const bool is_same = !user.empty() && !project.empty() && fs::equivalent(user, project, ignored);
    if (!is_same) DECANT_CHECKED(add(project, ParameterSource::kProjectFile));
  }
  layers_ = std::move(layers);
  return {};
}

Result<std::span<const ConfigLayer>> ConfigFlags::Layers(const EnvironmentLookup& environment) const {
  if (!layers_.has_value()) DECANT_CHECKED(Read(environment));
  return std::span<const ConfigLayer>(*layers_);
}

}  // namespace decant::cli
