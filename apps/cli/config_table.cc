// The two forms of --explain-config.
#include "config_table.h"

#include <ranges>

#include "core/check.h"
#include "json/value.h"
#include "json/writer.h"
#include "parameter_json.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr std::size_t kWidth = 100;

std::string TextOf(const ExplainedRow& row, const GivenValue& given) {
  constexpr std::size_t kMost = 60;
  if (!given.value.has_value()) return "max";
  const std::string text = ParameterText(*given.value);
  const bool is_text = std::holds_alternative<std::vector<std::string>>(*given.value) ||
                       (row.spec != nullptr && row.spec->type == ParameterType::kText);
  if (row.spec == nullptr) return HarmlessText(text);
  if (is_text) return VisibleText(text, kMost);
  return text.size() > kMost ? text.substr(0, kMost) + "…" : text;  // numbers and names: ASCII
}

std::string PlaceOf(const GivenValue& given) {
  const std::string source(NameOf(given.source));
  return given.where.empty() ? source : source + ", " + HarmlessText(given.where);
}

void WriteValue(json::Writer& w, const ExplainedRow& row, const GivenValue& given) {
  if (!given.value.has_value()) return w.String("max");
  if (row.spec == nullptr) return w.String(ParameterText(*given.value));
  // The library alone spells values; a set of one holds the spelling.
  ParameterSet set;
  DECANT_CHECK(set.Set(*row.spec, *given.value, given.source).has_value());
  const auto spelled = json::Read(ParametersToJson(set), {});
  DECANT_CHECK(spelled.has_value());
  w.Write(*spelled->Find(row.spec->name)->Find("value"));
}

void WriteGiven(json::Writer& w, const ExplainedRow& row, const GivenValue& given) {
  w.Key("value");
  WriteValue(w, row, given);
  w.Key("source");
  w.String(NameOf(given.source));
  w.Key("where");
  w.String(given.where);
}

}  // namespace

std::string ConfigTable(const ConfigExplanation& explanation) {
  std::string text;
  for (const ConfigLayer& layer : explanation.layers) {
    text += std::string(NameOf(layer.source)) + ": " + HarmlessText(layer.file.path()) + "\n";
  }
  if (explanation.layers.empty()) text += "no decant.toml is read\n";
  Table table({Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft});
  table.Add({"", "value", "source", "instead of"});
  std::vector<std::string_view> absent;
  bool any = false;
  for (const ExplainedRow& row : explanation.rows) {
    if (row.given.empty()) {
      absent.push_back(row.name);
      continue;
    }
    std::string instead;
    for (const GivenValue& other : row.given | std::views::drop(1)) {
      instead += (instead.empty() ? "" : "; ") + TextOf(row, other) + " (" + PlaceOf(other) + ")";
    }
    table.Add({row.name, TextOf(row, row.given.front()), PlaceOf(row.given.front()), instead});
    any = true;
  }
  if (any) text += "\n" + table.Text("");
  text += "\nnot given:";
  std::size_t width = 10;
  for (const std::string_view name : absent) {
    if (width + name.size() + 1 > kWidth) {
      text += "\n          ";
      width = 10;
    }
    text += " " + std::string(name);
    width += name.size() + 1;
  }
  return text + "\n";
}

std::string ConfigJson(const ConfigExplanation& explanation) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.config/1");
  w.Key("command");
  w.String(explanation.command);
  w.Key("files");
  w.BeginArray();
  for (const ConfigLayer& layer : explanation.layers) {
    w.BeginObject();
    w.Key("source");
    w.String(NameOf(layer.source));
    w.Key("path");
    w.String(layer.file.path());
    w.EndObject();
  }
  w.EndArray();
  const auto write_rows = [&](auto belongs) {
    for (const ExplainedRow& row : explanation.rows) {
      if (!belongs(row)) continue;
      w.Key(row.name);
      w.BeginObject();
      if (row.given.empty()) {
        w.Key("value");
        w.Null();
      } else {
        WriteGiven(w, row, row.given.front());
        w.Key("instead_of");
        w.BeginArray();
        for (const GivenValue& other : row.given | std::views::drop(1)) {
          w.BeginObject();
          WriteGiven(w, row, other);
          w.EndObject();
        }
        w.EndArray();
      }
      w.EndObject();
    }
  };
  write_rows([](const ExplainedRow& row) { return row.spec == nullptr; });
  w.Key("parameters");
  w.BeginObject();
  write_rows([](const ExplainedRow& row) { return row.spec != nullptr; });
  w.EndObject();
  w.EndObject();
  return w.Take() + "\n";
}

}  // namespace decant::cli
