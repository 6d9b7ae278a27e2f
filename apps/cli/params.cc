// decant params: the parameter registry.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "commands.h"
#include "decant/parameters.h"
#include "decant/version.h"
#include "flags.h"
#include "json/writer.h"
#include "parameter_json.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {.name = "params",
                               .summary = "the parameters: names, ranges, defaults",
                               .usage = "[NAME] [--output text|json]",
                               .details = "",
                               .example = "decant params\ndecant params top_p"};

std::string Joined(std::span<const std::string_view> names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::string_view RangeOf(const ParameterSpec& spec, Preset preset) {
  const auto found = std::ranges::find(spec.presets, preset, &PresetRange::preset);
  return found == spec.presets.end() ? std::string_view() : found->range;
}

std::string StagesText(const ParameterSpec& spec) {
  std::string text;
  for (const StageId stage : spec.stages) text += (text.empty() ? "" : ", ") + std::string(NameOf(stage));
  return text;
}

std::string TableText() {
  Table table({Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft});
  table.Add({"name", "type", "default", "range", "what it does"});
  for (const ParameterSpec& spec : Parameters()) {
    table.Add({std::string(spec.name), std::string(TypeWord(spec.type)),
               spec.default_text.empty() ? "-" : std::string(spec.default_text),
               std::string(RangeOf(spec, Preset::kNative)), std::string(spec.help)});
  }
  return table.Text("");
}

std::string DetailText(const ParameterSpec& spec) {
  std::string text = fmt::format("{}: {}\n\n", spec.name, spec.help);
  Table table({Align::kLeft, Align::kLeft});
  if (!spec.aliases.empty()) table.Add({"aliases", Joined(spec.aliases)});
  table.Add({"type", std::string(NameOf(spec.type))});
  table.Add({"default", spec.default_text.empty() ? "absent" : std::string(spec.default_text)});
  if (!spec.stages.empty()) table.Add({"stage", StagesText(spec)});
  table.Add({"flag", FlagOf(spec)});
  table.Add({"environment", EnvironmentNameOf(spec)});
  for (const PresetRange& range : spec.presets) {
    const std::string off = range.off.empty() ? "" : fmt::format("; off: {}", range.off);
    table.Add({fmt::format("preset {}", NameOf(range.preset)),
               range.range.empty() ? "does not have it" : std::string(range.range) + off});
  }
  return text + table.Text("  ");
}

void WriteSpec(json::Writer& w, const ParameterSpec& spec) {
  const auto text_or_null = [&w](std::string_view key, std::string_view text) {
    w.Key(key);
    if (text.empty()) {
      w.Null();
    } else {
      w.String(text);
    }
  };
  w.BeginObject();
  w.Key("name");
  w.String(spec.name);
  w.Key("aliases");
  w.BeginArray();
  for (const std::string_view alias : spec.aliases) w.String(alias);
  w.EndArray();
  w.Key("type");
  w.String(TypeWord(spec.type));
  text_or_null("default", spec.default_text);
  w.Key("stages");
  w.BeginArray();
  for (const StageId stage : spec.stages) w.String(NameOf(stage));
  w.EndArray();
  if (!spec.choices.empty()) {
    w.Key("choices");
    w.BeginArray();
    for (const std::string_view choice : spec.choices) w.String(choice);
    w.EndArray();
  }
  w.Key("flag");
  w.String(FlagOf(spec));
  w.Key("environment");
  w.String(EnvironmentNameOf(spec));
  w.Key("presets");
  w.BeginObject();
  for (const PresetRange& range : spec.presets) {
    w.Key(NameOf(range.preset));
    if (range.range.empty()) {
      w.Null();
      continue;
    }
    w.BeginObject();
    w.Key("range");
    w.String(range.range);
    text_or_null("off", range.off);
    w.EndObject();
  }
  w.EndObject();
  w.Key("help");
  w.String(spec.help);
  w.EndObject();
}

}  // namespace

Result<int> ParamsCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  line.AllowWords();
  const CLI::Option* const output = AddOutput(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const OutputFormat format, OutputOf(output));
  if (line.words().size() > 1) return UsageError("params takes at most one name", "decant params top_p");
  const ParameterSpec* one = nullptr;
  if (!line.words().empty()) {
    DECANT_TRY(one, FindParameter(line.words().front()));
  }
  if (format == OutputFormat::kText) {
    session.Write(one != nullptr ? DetailText(*one) : TableText());
    return 0;
  }
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.params/1");
  w.Key("version");
  w.String(kVersion);
  w.Key("parameters");
  w.BeginArray();
  for (const ParameterSpec& spec : Parameters()) {
    if (one == nullptr || one == &spec) WriteSpec(w, spec);
  }
  w.EndArray();
  w.EndObject();
  session.WriteLine(w.text());
  return 0;
}

}  // namespace decant::cli
