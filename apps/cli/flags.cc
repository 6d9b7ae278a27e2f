// The registry decides names, types and help; added are the short -n of max_tokens and its "max", for no limit.
#include "flags.h"

#include <algorithm>
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

// The flag's values if it was given, else the variable's.
Result<void> ParameterFlags::SetFrom(const Flag& flag, const EnvironmentLookup& environment, ParameterSet& set) {
  const std::string variable = EnvironmentNameOf(*flag.spec);
  const bool by_flag = !flag.option->empty();
  std::vector<std::string> texts = flag.option->results();
  if (const std::string text = environment(variable.c_str()); !by_flag && !text.empty()) texts.push_back(text);
  const auto is_max = [](const std::string& text) { return text == "max"; };
  if (flag.spec->name == kMaxTokens && std::ranges::all_of(texts, is_max)) return {};  // no limit
  const std::string place = by_flag ? "option " + FlagOf(*flag.spec) : variable;
  for (const std::string& text : texts) {
    auto value = ParseParameter(*flag.spec, text);
    if (!value.has_value()) return At(place, std::move(value).error());
    auto done =
        set.Set(*flag.spec, *std::move(value), by_flag ? ParameterSource::kFlag : ParameterSource::kEnvironment);
    if (!done.has_value()) return At(place, std::move(done).error());
  }
  return {};
}

Result<ParameterSet> ParameterFlags::Collect(const EnvironmentLookup& environment) const {
  ParameterSet set;
  for (const Flag& flag : flags_) DECANT_CHECKED(SetFrom(flag, environment, set));
  return set;
}

Result<std::optional<Preset>> ParameterFlags::ReadPreset(const EnvironmentLookup& environment) const {
  DECANT_TRY(std::optional<std::string> name, TextOf(preset_));
  const std::string place = name.has_value() ? "option --preset" : "DECANT_PRESET";
  if (const std::string text = environment("DECANT_PRESET"); !name.has_value() && !text.empty()) name = text;
  if (!name.has_value()) return std::nullopt;
  const auto preset = FindPreset(*name);
  if (!preset.has_value()) return At(place, preset.error());
  return *preset;
}

void SetBuiltIn(ParameterSet& parameters, std::string_view name, ParameterValue value) {
  const auto spec = FindParameter(name);
  DECANT_CHECK(spec.has_value());
  const auto stages = parameters.Get<std::vector<StageId>>("samplers");
  const auto stage = (*spec)->stage;
  if (stages.has_value() && stage.has_value() && std::ranges::find(*stages, *stage) == stages->end()) return;
  const auto set = parameters.Set(**spec, std::move(value), ParameterSource::kBuiltIn);
  DECANT_CHECK(set.has_value());
}

}  // namespace decant::cli
