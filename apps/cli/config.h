// decant.toml: parameters, and the model to use, from files.
//
//   temperature = 0.7          # any name or alias of decant params
//   model = "smollm2-135m"     # and preset, model, threads, context
//   [step]                     # for one command, over what stands above
//   top_k = 3
//
// The user's file is $XDG_CONFIG_HOME/decant/decant.toml (else ~/.config), the project's the nearest decant.toml from
// the current folder upward; --config FILE stands for both.
#ifndef DECANT_CLI_CONFIG_H_
#define DECANT_CLI_CONFIG_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command_line.h"
#include "decant/parameters.h"
#include "decant/sampler.h"
#include "environment.h"

namespace decant::cli {

// A value and where its key stands.
template <class T>
struct Placed {
  T value;
  Position at;
};

struct ConfigParameter {
  const ParameterSpec* spec;
  std::optional<ParameterValue> value;  // nothing: max_tokens = "max", no limit
  Position at;
};

// What the top of a file, or one of its tables, says.
struct ConfigSection {
  std::vector<ConfigParameter> parameters;  // each at most once
  std::optional<Placed<Preset>> preset;
  std::optional<Placed<std::string>> model;  // a name, or a path that is absolute or counts from the current folder
  std::optional<Placed<std::uint32_t>> threads, context;
};

class ConfigFile {
 public:
  const std::string& path() const { return path_; }
  // What holds for a command: its table, laid over the top of the file. Any other name: the top alone.
  ConfigSection For(std::string_view command) const;
  // The table of a command alone, null when there is none.
  const ConfigSection* Table(std::string_view command) const;
  // The parameters that hold for a command, as a set. An out of range value is told with its place; ranges are those of
  // the preset that holds for the command, native unless the file names one.
  Result<ParameterSet> Parameters(std::string_view command, ParameterSource source) const;
  // "decant.toml:3:1"
  std::string PlaceOf(const Position& at) const;

 private:
  friend class ConfigReader;
  std::string path_;
  ConfigSection top_;
  std::vector<std::pair<std::string, ConfigSection>> tables_;  // by command
};

// kCannotRead; kCorruptFile: no TOML; kUnknownParameter, kWrongType, kOutOfRange, kConflict, kUnknownPreset of an
// entry. Every message of a bad entry starts with "FILE:LINE:COLUMN: ".
Result<ConfigFile> ReadConfigFile(const std::string& path);
// The same from its text; relative paths of models count from the folder of `path`.
Result<ConfigFile> ParseConfig(std::string_view text, const std::string& path);

// "" = there is none. Paths are as short as they can be said.
std::string FindUserConfig(const EnvironmentLookup& environment);
std::string FindProjectConfig();

struct ConfigLayer {
  ConfigFile file;
  ParameterSource source;
};

// --config and --no-config of one command line, and the files they lead to.
class ConfigFlags {
 public:
  explicit ConfigFlags(CommandLine& line);
  // The one of a line, made at the first call: whoever needs the files shares it.
  static ConfigFlags& Of(CommandLine& line);

  // After parsing: the files that count, lowest precedence first. They are read at the first call.
  Result<std::span<const ConfigLayer>> Layers(const EnvironmentLookup& environment) const;

  // -m of the line, if it has one: set by ModelFlags.
  CLI::Option* model = nullptr;

 private:
  Result<void> Read(const EnvironmentLookup& environment) const;
  CLI::Option *config_, *no_config_;
  mutable std::optional<std::vector<ConfigLayer>> layers_;
};

// The same error with its place in front.
std::unexpected<Error> At(const std::string& place, Error error);

}  // namespace decant::cli

#endif  // DECANT_CLI_CONFIG_H_
