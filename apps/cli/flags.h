// Every parameter of the registry as a flag and as an environment variable.
//
// top_k is --top-k and --top_k on the command line, and DECANT_TOP_K in the environment; its aliases are flags too.
#ifndef DECANT_CLI_FLAGS_H_
#define DECANT_CLI_FLAGS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "decant/parameters.h"
#include "decant/sampler.h"

namespace decant::cli {

enum class ParameterScope : std::uint8_t {
  kSampling,  // what one step depends on: the stages, samplers, seed
  kRun,       // all of them
};
bool IsInScope(const ParameterSpec& spec, ParameterScope scope);

// "--top-k"
std::string FlagOf(const ParameterSpec& spec);
// "DECANT_TOP_K"
std::string EnvironmentNameOf(const ParameterSpec& spec);

// Environment, or a test's own variables; "" = absent.
using EnvironmentLookup = std::function<std::string(const char* name)>;

class ParameterFlags {
 public:
  // Registers the flags, --preset included.
  ParameterFlags(CommandLine& line, ParameterScope scope);

  // After parsing: the values of the environment and the flags. Errors name the flag or the variable.
  Result<ParameterSet> Collect(const EnvironmentLookup& environment) const;
  // --preset, else DECANT_PRESET, else nothing.
  Result<std::optional<Preset>> ReadPreset(const EnvironmentLookup& environment) const;

 private:
  struct Flag {
    const ParameterSpec* spec;
    CLI::Option* option;
  };
  static Result<void> SetFrom(const Flag& flag, const EnvironmentLookup& environment, ParameterSet& set);
  std::vector<Flag> flags_;
  CLI::Option* preset_;
};

// Sets a parameter whose name and value the program itself chose; one whose stage `samplers` leaves out stays absent.
// REQUIRES: valid.
void SetBuiltIn(ParameterSet& parameters, std::string_view name, ParameterValue value);

}  // namespace decant::cli

#endif  // DECANT_CLI_FLAGS_H_
