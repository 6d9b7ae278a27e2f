// The registry decides names, types and help; the one addition here is the short -n of max_tokens, and its "max".
#include "flags.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/check.h"

namespace decant::cli {
namespace {

constexpr std::string_view kMaxTokens = "max_tokens";

std::string Dashed(std::string_view name) {
  std::string dashed = "--" + std::string(name);
  std::ranges::replace(dashed, '_', '-');
  return dashed;
}

std::string_view PlaceholderOf(const ParameterSpec& spec) {
  if (spec.name == kMaxTokens) return "N|max";
  switch (spec.type) {
    case ParameterType::kBoolean:
      return "";
    case ParameterType::kInteger:
      return "N";
    case ParameterType::kSeed:
      return "N";
    case ParameterType::kNumber:
      return "X";
    case ParameterType::kStrings:
      return "TEXT";
    case ParameterType::kTokens:
      return "ID,ID,...";
    case ParameterType::kTokenBiases:
      return "ID=X,ID=X,...";
    case ParameterType::kStages:
      return "NAME,NAME,...";
  }
  return "VALUE";
}

// The same error with its place in front.
std::unexpected<Error> At(const std::string& place, Error error) {
  error.message = place + ": " + error.message;
  return std::unexpected(std::move(error));
}

}  // namespace

bool IsInScope(const ParameterSpec& spec, ParameterScope scope) {
  return scope == ParameterScope::kRun || spec.stage.has_value() || spec.name == "samplers" || spec.name == "seed";
}

std::string FlagOf(const ParameterSpec& spec) { return Dashed(spec.name); }

std::string EnvironmentNameOf(const ParameterSpec& spec) {
  std::string name = "DECANT_" + std::string(spec.name);
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

EnvironmentLookup ProcessEnvironment() {
  return [](const char* name) { return std::getenv(name); };
}

ParameterFlags::ParameterFlags(CommandLine& line, ParameterScope scope) {
  for (const ParameterSpec& spec : Parameters()) {
    if (!IsInScope(spec, scope)) continue;
    std::vector<std::string> aliases;
    for (const std::string_view alias : spec.aliases) aliases.push_back(Dashed(alias));
    const std::string names = (spec.name == kMaxTokens ? "-n," : "") + FlagOf(spec);
    const std::string_view group = spec.stage.has_value() ? "sampling" : "sequence";
    flags_.push_back({&spec, spec.type == ParameterType::kBoolean
                                 ? line.Flag(group, names, spec.help, aliases)
                                 : line.Value(group, names, PlaceholderOf(spec), spec.help, aliases)});
  }
  preset_ = line.Value("sampling", "--preset", "P",
                       "whose arithmetic and random stream: native or reference; what is left out is then off");
}

Result<ParameterSet> ParameterFlags::Collect(const EnvironmentLookup& environment) const {
  ParameterSet set;
  for (const Flag& flag : flags_) {
    const std::string variable = EnvironmentNameOf(*flag.spec);
    const char* const text = environment(variable.c_str());
    if (text != nullptr && *text != '\0') {
      auto value = ParseParameter(*flag.spec, text);
      if (!value.has_value()) return At(variable, std::move(value).error());
      auto done = set.Set(*flag.spec, *std::move(value), ParameterSource::kEnvironment);
      if (!done.has_value()) return At(variable, std::move(done).error());
    }
  }
  ParameterSet merged;
  for (const Flag& flag : flags_) {
    const std::vector<std::string>& texts = flag.option->results();
    const bool unlimited = flag.spec->name == kMaxTokens &&
                           std::ranges::all_of(texts, [](const std::string& text) { return text == "max"; }) &&
                           !texts.empty();
    if (unlimited) continue;  // said so: not even the environment's limit holds
    if (const ParameterSet::Entry* const entry = set.Find(flag.spec->name); entry != nullptr) {
      DECANT_CHECKED(merged.Set(*flag.spec, entry->value, entry->source));
    }
    for (const std::string& text : texts) {
      auto value = ParseParameter(*flag.spec, text);
      if (!value.has_value()) return At("option " + FlagOf(*flag.spec), std::move(value).error());
      auto done = merged.Set(*flag.spec, *std::move(value), ParameterSource::kFlag);
      if (!done.has_value()) return At("option " + FlagOf(*flag.spec), std::move(done).error());
    }
  }
  return merged;
}

Result<std::optional<Preset>> ParameterFlags::ReadPreset(const EnvironmentLookup& environment) const {
  DECANT_TRY(std::optional<std::string> name, TextOf(preset_));
  if (const char* const text = environment("DECANT_PRESET"); !name.has_value() && text != nullptr && *text != '\0') {
    name = text;
  }
  if (!name.has_value()) return std::nullopt;
  DECANT_TRY(const Preset preset, FindPreset(*name));
  return preset;
}

void SetBuiltIn(ParameterSet& parameters, std::string_view name, ParameterValue value) {
  const auto spec = FindParameter(name);
  DECANT_CHECK(spec.has_value());
  const auto set = parameters.Set(**spec, std::move(value), ParameterSource::kBuiltIn);
  DECANT_CHECK(set.has_value());
}

}  // namespace decant::cli
