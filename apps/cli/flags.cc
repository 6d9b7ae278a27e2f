// The registry decides names, types and help; added are the short -n of max_tokens and its "max", for no limit.
#include "flags.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "config_table.h"
#include "core/check.h"
#include "core/utf8.h"
#include "models.h"
#include "parameter_json.h"
#include "schema_text.h"
#include "table.h"
#include "terminal.h"

namespace decant::cli {
namespace {

constexpr std::string_view kMaxTokens = "max_tokens", kJsonSchema = "json_schema", kSchemaDocument = "schema_document";
constexpr std::string_view kConstraints[] = {kJsonSchema, "regex", "choice"};
constexpr std::string_view kSchemaOptions[] = {"whitespace",    "max_whitespace",     "key_order",       "schema_draft",
                                               kSchemaDocument, "format_annotations", "allow_unenforced"};
constexpr std::string_view kConstrainedRun[] = {"constrain_after", "close_on_budget"};

bool IsOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view GroupOf(const ParameterSpec& spec) {
  if (!spec.stages.empty()) return "sampling";
  const bool constrains =
      IsOneOf(spec.name, kConstraints) || IsOneOf(spec.name, kSchemaOptions) || IsOneOf(spec.name, kConstrainedRun);
  return constrains ? "constraint" : "sequence";
}

std::string Dashed(std::string_view name) {
  std::string dashed = "--" + std::string(name);
  std::ranges::replace(dashed, '_', '-');
  return dashed;
}

std::string PlaceholderOf(const ParameterSpec& spec) {
  if (spec.name == kMaxTokens) return "N|max";
  if (spec.name == kJsonSchema) return "FILE|JSON|-";
  if (spec.name == kSchemaDocument) return "URI=FILE";
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
    case ParameterType::kChoice: {
      std::string words;
      for (const std::string_view word : spec.choices) words += (words.empty() ? "" : "|") + std::string(word);
      return words;
    }
    case ParameterType::kTokenSequences:
      return "ID,ID;ID,...";
    case ParameterType::kText:
      return spec.name == "regex" ? "REGEX" : "TEXT";
  }
  return "VALUE";
}

bool IsMax(const ParameterSpec& spec, const std::string& text) { return spec.name == kMaxTokens && text == "max"; }

// Texts of one source, joined; nothing where they say "max".
Result<std::optional<ParameterValue>> ValueOf(const ParameterSpec& spec, const std::vector<std::string>& texts,
                                              ParameterSource source) {
  if (std::ranges::all_of(texts, [&spec](const std::string& text) { return IsMax(spec, text); })) return std::nullopt;
  ParameterSet set;
  for (const std::string& text : texts) {
    DECANT_TRY(ParameterValue value, ParseParameter(spec, text));
    DECANT_CHECKED(set.Set(spec, std::move(value), source));
  }
  return set.Find(spec.name)->value;
}

// URI=FILE with what the file holds.
Result<std::string> LoadedDocument(const std::string& given) {
  const std::size_t end = given.find('=');
  if (end == std::string::npos || given.substr(end + 1) == "-") {
    return Fail(ErrorCode::kOutOfRange,
                core::Quoted(given) +
                    (end == std::string::npos ? " has no \"=\"" : ": standard input is no file here") +
                    "; expected URI=FILE",
                {.subject = std::string(kSchemaDocument),
                 .allowed = "URI=FILE",
                 .hint = "the URI is what the $ref leads to, without fragment"});
  }
  DECANT_TRY(const std::string text, SchemaTextOf(given.substr(end + 1)));
  return given.substr(0, end + 1) + text;
}

// A schema stands in the set as its text, wherever that was; so do the documents that it leads to.
Result<ParameterValue> Loaded(const ParameterSpec& spec, const ParameterValue& value, const std::string& where) {
  if (spec.name == kSchemaDocument) {
    std::vector<std::string> documents;
    for (const std::string& given : std::get<std::vector<std::string>>(value)) {
      auto document = LoadedDocument(given);
      if (!document.has_value()) return At(where, std::move(document).error());
      documents.push_back(*std::move(document));
    }
    return documents;
  }
  if (spec.name != kJsonSchema) return value;
  auto text = SchemaTextOf(std::get<std::string>(value));
  if (!text.has_value()) return At(where, std::move(text).error());
  return *std::move(text);
}

}  // namespace

bool IsInScope(const ParameterSpec& spec, ParameterScope scope) {
  const bool reads_schema = IsOneOf(spec.name, kSchemaOptions);
  if (scope == ParameterScope::kSchemaOptions) return reads_schema;
  if (scope == ParameterScope::kConstraint) return reads_schema || IsOneOf(spec.name, kConstraints);
  if (scope == ParameterScope::kStep && spec.name == "ctx_overflow") return true;
  return scope == ParameterScope::kRun || AffectsStep(spec) || spec.name == "seed";
}

std::string FlagOf(const ParameterSpec& spec) { return Dashed(spec.name); }

std::string EnvironmentNameOf(const ParameterSpec& spec) {
  std::string name = "DECANT_" + std::string(spec.name);
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

ParameterFlags::ParameterFlags(CommandLine& line, ParameterScope scope) : line_(line), config_(ConfigFlags::Of(line)) {
  for (const ParameterSpec& spec : Parameters()) {
    if (!IsInScope(spec, scope)) continue;
    std::vector<std::string> aliases;
    for (const std::string_view alias : spec.aliases) aliases.push_back(Dashed(alias));
    const std::string names = (spec.name == kMaxTokens ? "-n," : "") + FlagOf(spec);
    const std::string_view group = GroupOf(spec);
    flags_.push_back({&spec, spec.type == ParameterType::kBoolean
                                 ? line.Flag(group, names, spec.help, aliases)
                                 : line.Value(group, names, PlaceholderOf(spec), spec.help, aliases)});
  }
  if (scope != ParameterScope::kConstraint && scope != ParameterScope::kSchemaOptions) {
    std::string presets;
    for (const Preset preset : Presets()) presets += (presets.empty() ? "" : ", ") + std::string(NameOf(preset));
    preset_ = line.Value("sampling", "--preset", "P",
                         "whose arithmetic and random stream: " + presets + "; what is left out is then off");
  }
  if (config_.model != nullptr) {
    model_defaults_ = line.Flag("configuration", "--model-defaults",
                                "takes the values that the model's own files recommend, lowest in precedence");
  }
  const CLI::Option* const explain =
      line.Flag("configuration", "--explain-config", "tells each value and where it comes from, and does nothing else");
  line.AnswerInstead(explain, [this] { return ExplainConfig(Environment); });
}

// The files and, where it is asked, the model's own values; tables may hold only what the command has.
Result<void> ParameterFlags::ReadFiles(const EnvironmentLookup& environment) const {
  DECANT_TRY(layers_, config_.Layers(environment));
  for (const ConfigLayer& layer : layers_) {
    const ConfigSection* const table = layer.file.Table(line_.name());
    if (table == nullptr) continue;
    for (const ConfigParameter& parameter : table->parameters) {
      if (std::ranges::find(flags_, parameter.spec, &Flag::spec) != flags_.end()) continue;
      const std::string name(parameter.spec->name);
      return Fail(
          ErrorCode::kUnknownParameter,
          layer.file.PlaceOf(parameter.at) + ": " + name + " has no effect in decant " + std::string(line_.name()),
          {.subject = name,
           .hint = "at the top of the file it holds for the commands that have it",
           .at = parameter.at});
    }
  }
  if (model_defaults_ == nullptr || !model_path_.empty()) return {};
  DECANT_TRY(const bool asks_model, IsOn(model_defaults_));
  if (!asks_model) return {};
  DECANT_TRY(model_path_, FindModelPath(config_, line_.name()));
  DECANT_TRY(model_, ModelDefaults(model_path_));
  return {};
}

Result<std::vector<GivenValue>> ParameterFlags::GivenFor(const Flag& flag, const EnvironmentLookup& environment,
                                                         Extent extent) const {
  const ParameterSpec& spec = *flag.spec;
  std::vector<GivenValue> given;
  const auto is_enough = [&] { return extent == Extent::kDeciding && !given.empty(); };
  const auto add_texts = [&](const std::vector<std::string>& texts, ParameterSource source, const std::string& where,
                             const std::string& place) -> Result<void> {
    if (texts.empty() || is_enough()) return {};
    auto value = ValueOf(spec, texts, source);
    if (!value.has_value()) return At(place, std::move(value).error());
    given.push_back({*std::move(value), source, where});
    return {};
  };
  const std::string name = FlagOf(spec), variable = EnvironmentNameOf(spec);
  DECANT_CHECKED(add_texts(TextsOf(flag.option), ParameterSource::kFlag, name, "option " + name));
  std::vector<std::string> texts;
  if (std::string text = environment(variable.c_str()); !text.empty()) texts.push_back(std::move(text));
  DECANT_CHECKED(add_texts(texts, ParameterSource::kEnvironment, variable, variable));
  for (const ConfigLayer& layer : std::views::reverse(layers_)) {
    const ConfigSection section = layer.file.For(line_.name());
    const auto entry = std::ranges::find(section.parameters, &spec, &ConfigParameter::spec);
    if (entry == section.parameters.end() || is_enough()) continue;
    given.push_back({entry->value, layer.source, layer.file.PlaceOf(entry->at)});
  }
  if (const ParameterSet::Entry* const entry = model_.Find(spec.name); entry != nullptr && !is_enough()) {
    given.push_back({entry->value, ParameterSource::kModel, model_path_});
  }
  return given;
}

// The values that hold, each checked where it stands: a value out of its range is told with the file or the variable.
Result<ParameterSet> ParameterFlags::Join(const EnvironmentLookup& environment) const {
  DECANT_CHECKED(ReadFiles(environment));
  ParameterSet set;
  std::vector<std::pair<const ParameterSpec*, std::string>> places;
  for (const Flag& flag : flags_) {
    DECANT_TRY(const std::vector<GivenValue> given, GivenFor(flag, environment, Extent::kDeciding));
    if (given.empty() || !given.front().value.has_value()) continue;
    const GivenValue& deciding = given.front();
    DECANT_TRY(ParameterValue value, Loaded(*flag.spec, *deciding.value, deciding.where));
    auto done = set.Set(*flag.spec, std::move(value), deciding.source);
    if (!done.has_value()) return At(deciding.where, std::move(done).error());
    if (deciding.source != ParameterSource::kFlag) places.emplace_back(flag.spec, deciding.where);
  }
  const auto preset = ReadPreset(environment);
  if (places.empty() || !preset.has_value()) return set;
  const auto chain = CheckChain(set, preset->value_or(Preset::kNative));
  if (chain.has_value()) return set;
  for (const auto& [spec, place] : places) {
    if (spec->name == chain.error().subject) return At(place, chain.error());
  }
  return set;  // a flag's fault, which whoever builds the chain will tell
}

Result<ParameterSet> ParameterFlags::Collect(const EnvironmentLookup& environment) const {
  DECANT_TRY(ParameterSet set, Join(environment));
  SayWhatTheModelGave();
  return set;
}

void ParameterFlags::SayWhatTheModelGave() const {
  const CLI::Option* const quiet = line_.Find("--quiet");
  if (model_path_.empty() || (quiet != nullptr && IsOn(quiet).value_or(false))) return;
  std::string took;
  for (const ParameterSet::Entry& entry : model_.entries()) {
    took += (took.empty() ? "" : ", ") + std::string(entry.spec->name) + " " + ParameterText(entry.value);
  }
  WriteAll(STDERR_FILENO, "model defaults: " + HarmlessText(took.empty() ? "the model names none" : took) + "\n");
}

// Texts that name a preset, highest precedence first.
Result<std::vector<GivenValue>> ParameterFlags::PresetsGiven(const EnvironmentLookup& environment) const {
  const auto as_value = [](const std::string& text) { return ParameterValue(std::vector<std::string>{text}); };
  std::vector<GivenValue> given;
  if (preset_ == nullptr) return given;
  DECANT_TRY(const std::optional<std::string> name, TextOf(preset_));
  if (name.has_value()) given.push_back({as_value(*name), ParameterSource::kFlag, "--preset"});
  if (const std::string text = environment("DECANT_PRESET"); !text.empty()) {
    given.push_back({as_value(text), ParameterSource::kEnvironment, "DECANT_PRESET"});
  }
  DECANT_TRY(const auto layers, config_.Layers(environment));
  for (const FileSetting& setting : SettingsOf(layers, line_.name(), "preset")) {
    given.push_back({as_value(setting.value), setting.source, setting.where});
  }
  return given;
}

Result<std::optional<Preset>> ParameterFlags::ReadPreset(const EnvironmentLookup& environment) const {
  DECANT_TRY(const std::vector<GivenValue> given, PresetsGiven(environment));
  if (given.empty()) return std::nullopt;
  const GivenValue& deciding = given.front();
  const auto preset = FindPreset(std::get<std::vector<std::string>>(*deciding.value).front());
  if (preset.has_value()) return *preset;
  return At((deciding.source == ParameterSource::kFlag ? "option " : "") + deciding.where, preset.error());
}

Result<std::string> ParameterFlags::ExplainConfig(const EnvironmentLookup& environment) const {
  DECANT_TRY([[maybe_unused]] const ParameterSet set, Join(environment));
  DECANT_TRY(const auto preset, ReadPreset(environment));
  DECANT_CHECKED(CheckChain(set, preset.value_or(Preset::kNative)));
  ConfigExplanation explanation{.command = std::string(line_.name()), .layers = layers_};
  if (preset_ != nullptr) {
    DECANT_TRY(std::vector<GivenValue> presets, PresetsGiven(environment));
    explanation.rows.push_back({.name = "preset", .spec = nullptr, .given = std::move(presets)});
  }
  for (const std::string_view name : {"model", "threads", "context"}) {
    const CLI::Option* const option = line_.Find("--" + std::string(name));
    if (option == nullptr) continue;
    ExplainedRow row{.name = std::string(name), .spec = nullptr, .given = {}};
    DECANT_TRY(const auto text, TextOf(option));
    const auto add = [&row](const std::string& value, ParameterSource source, const std::string& where) {
      row.given.push_back({ParameterValue(std::vector<std::string>{value}), source, where});
    };
    if (text.has_value()) add(*text, ParameterSource::kFlag, "--" + row.name);
    for (const FileSetting& setting : SettingsOf(layers_, line_.name(), name)) {
      add(setting.value, setting.source, setting.where);
    }
    explanation.rows.push_back(std::move(row));
  }
  for (const Flag& flag : flags_) {
    ExplainedRow row{.name = std::string(flag.spec->name), .spec = flag.spec, .given = {}};
    DECANT_TRY(row.given, GivenFor(flag, environment, Extent::kAll));
    if (!preset.has_value()) {
      for (const BuiltIn& value : BuiltInsOf(line_.name())) {
        if (value.name == row.name) row.given.push_back({value.value, ParameterSource::kBuiltIn, ""});
      }
    }
    explanation.rows.push_back(std::move(row));
  }
  const CLI::Option* const output = line_.Find("--output");
  if (output == nullptr) return ConfigTable(explanation);
  DECANT_TRY(const OutputFormat format, OutputOf(output));
  return format == OutputFormat::kJson ? ConfigJson(explanation) : ConfigTable(explanation);
}

std::vector<BuiltIn> BuiltInsOf(std::string_view command) {
  constexpr std::string_view kThatGenerate[] = {"run", "chat", "compare", "eval", "serve"};
  if (std::ranges::find(kThatGenerate, command) == std::end(kThatGenerate)) return {};
  return {{"temperature", 0.8}, {"top_k", std::int64_t{40}}};
}

void SetBuiltIns(ParameterSet& parameters, std::string_view command) {
  for (BuiltIn& value : BuiltInsOf(command)) SetBuiltIn(parameters, value.name, std::move(value.value));
}

void SetBuiltIn(ParameterSet& parameters, std::string_view name, ParameterValue value) {
  const auto spec = FindParameter(name);
  DECANT_CHECK(spec.has_value());
  const auto stages = parameters.Get<std::vector<StageId>>("samplers");
  const auto is_named = [&stages](StageId id) { return std::ranges::find(*stages, id) != stages->end(); };
  if (stages.has_value() && !(*spec)->stages.empty() && std::ranges::none_of((*spec)->stages, is_named)) return;
  const auto set = parameters.Set(**spec, std::move(value), ParameterSource::kBuiltIn);
  DECANT_CHECK(set.has_value());
}

}  // namespace decant::cli
