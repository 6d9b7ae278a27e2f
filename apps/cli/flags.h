// Every parameter of the registry as a flag and as an environment variable.
//
// top_k is --top-k and --top_k on the command line, and DECANT_TOP_K in the environment; its aliases are flags too.
#ifndef DECANT_CLI_FLAGS_H_
#define DECANT_CLI_FLAGS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "config.h"
#include "decant/parameters.h"
#include "decant/sampler.h"
#include "environment.h"

namespace decant::cli {

enum class ParameterScope : std::uint8_t {
  kSampling,       // what one step depends on: the stages, samplers, seed
  kStep,           // and how a prompt becomes one
  kRun,            // all of them
  kConstraint,     // what texts are allowed; then there is no --preset
  kSchemaOptions,  // the same without the constraint itself: how a JSON Schema is read
};
bool IsInScope(const ParameterSpec& spec, ParameterScope scope);

// "--top-k"
std::string FlagOf(const ParameterSpec& spec);
// "DECANT_TOP_K"
std::string EnvironmentNameOf(const ParameterSpec& spec);

// A parameter as one source gives it.
struct GivenValue {
  std::optional<ParameterValue> value;  // nothing: max_tokens "max", no limit
  ParameterSource source;
  std::string where;  // "--top-k", "DECANT_TOP_K", "decant.toml:3:1", a model's path; empty for a built-in value
};

// The flags of the parameters, --preset, --explain-config, and where the line has a model --model-defaults; with
// config.h the files. Whoever asks for a value gets that of the source with the highest precedence: flag, environment,
// project file, user file, model.
class ParameterFlags {
 public:
  // The line must outlive this; a ModelFlags of the same line is made before.
  ParameterFlags(CommandLine& line, ParameterScope scope);
  ParameterFlags(const ParameterFlags&) = delete;
  ParameterFlags& operator=(const ParameterFlags&) = delete;

  // After parsing: the values that hold. Errors name the flag, the variable, or the place in the file. What
  // --model-defaults took is said on standard error.
  Result<ParameterSet> Collect(const EnvironmentLookup& environment) const;
  // --preset, else DECANT_PRESET, else the files', else nothing.
  Result<std::optional<Preset>> ReadPreset(const EnvironmentLookup& environment) const;

 private:
  struct Flag {
    const ParameterSpec* spec;
    CLI::Option* option;
  };
  enum class Extent : std::uint8_t { kDeciding, kAll };

  // What the sources say of a parameter, highest precedence first; the deciding one alone, or all.
  Result<std::vector<GivenValue>> GivenFor(const Flag& flag, const EnvironmentLookup& environment, Extent extent) const;
  Result<void> ReadFiles(const EnvironmentLookup& environment) const;
  Result<std::vector<GivenValue>> PresetsGiven(const EnvironmentLookup& environment) const;
  Result<ParameterSet> Join(const EnvironmentLookup& environment) const;
  Result<std::string> ExplainConfig(const EnvironmentLookup& environment) const;
  void SayWhatTheModelGave() const;

  const CommandLine& line_;
  const ConfigFlags& config_;
  std::vector<Flag> flags_;
  CLI::Option *preset_ = nullptr, *model_defaults_ = nullptr;
  // Read once, after parsing.
  mutable std::span<const ConfigLayer> layers_;
  mutable ParameterSet model_;
  mutable std::string model_path_;
};

// What a command uses where neither a value nor a preset is named.
struct BuiltIn {
  std::string_view name;
  ParameterValue value;
};
std::vector<BuiltIn> BuiltInsOf(std::string_view command);
void SetBuiltIns(ParameterSet& parameters, std::string_view command);

// Sets a parameter whose name and value the program itself chose; one whose stage `samplers` leaves out stays absent.
// REQUIRES: valid.
void SetBuiltIn(ParameterSet& parameters, std::string_view name, ParameterValue value);

}  // namespace decant::cli

#endif  // DECANT_CLI_FLAGS_H_
