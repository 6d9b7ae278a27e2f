// decant eval: the measures of texts, and how surprising a text is to a model.
#include "eval.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "chart.h"
#include "command_line.h"
#include "commands.h"
#include "core/mapped_file.h"
#include "environment.h"
#include "flags.h"
#include "json/value.h"
#include "json/writer.h"
#include "line_file.h"
#include "measure_report.h"
#include "models.h"
#include "output_file.h"
#include "prompt_list.h"
#include "signals.h"
#include "surprise.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "eval",
    .summary = "how much texts repeat, and how surprising a text is to a model",
    .usage = "[FILE.txt | FILE.jsonl | -]... | --surprise FILE.txt [-m MODEL] [options]",
    .details =
        "A .jsonl file has a text a line, in \"text\"; lines with a \"setting\" are summed up by it too. What each "
        "figure means\n"
        "is in docs/evaluation.md.\n"
        "--surprise takes one text, continues its beginning greedily and by sampling, and shows how probable each "
        "token of the\n"
        "three is to the model. Without --preset: temperature 0.8, top_k 40, as in decant run; seed 0.",
    .example =
        "printf 'It was good. It was very good. It was good. It was very good.' | decant eval\n"
        "decant run -p 'Once upon a time' -n 40 --seed 1 -q > story.txt; decant eval story.txt\n"
        "decant eval --surprise story.txt --given 8 -n 20 --svg surprise.svg"};

constexpr std::uint64_t kMostTokens = 1 << 20;
constexpr std::uint64_t kMostColumns = 1000;

struct EvalFlags {
  explicit EvalFlags(CommandLine& line)
      : model(line),
        form(line.Value("input", "--form", "auto|text|jsonl", "what the input is (default: by the file's name)")),
        surprise(line.Flag("surprise", "--surprise", "compares the text with what the model would have said")),
        given(line.Value("surprise", "--given", "N", "tokens of the text that are its beginning (default 32)")),
        tokens(line.Value("surprise", "-n,--max-tokens", "N", "tokens to compare (default 100)")),
        svg(line.Value("surprise", "--svg", "FILE", "writes the chart as a standalone SVG")),
        chart(line.Value("surprise", "--chart", "auto|unicode|ascii|none", "the chart in the terminal (default auto)")),
        columns(line.Value("surprise", "--columns", "N", "its width (default: the terminal's, else 80)")),
        parameters(line, ParameterScope::kSampling),
        output(AddOutput(line)) {
    line.AllowWords();
  }

  ModelFlags model;
  CLI::Option *form, *surprise, *given, *tokens, *svg, *chart, *columns;
  ParameterFlags parameters;
  CLI::Option* output;
};

Result<TextForm> FormOf(const EvalFlags& flags, const std::string& path) {
  constexpr std::string_view kWords[] = {"auto", "text", "jsonl"};
  DECANT_TRY(const auto word, WordOf(flags.form, kWords));
  if (word == "text") return TextForm::kPlain;
  if (word == "jsonl") return TextForm::kJsonLines;
  return path.ends_with(".jsonl") ? TextForm::kJsonLines : TextForm::kPlain;
}

Result<std::vector<EvalText>> ReadTexts(const EvalFlags& flags, std::vector<std::string> paths) {
  if (paths.empty()) {
    if (isatty(STDIN_FILENO) == 1) return UsageError("there is no text", "name files, or send a text through a pipe");
    paths.emplace_back("-");
  }
  if (std::ranges::count(paths, "-") > 1) {
    return UsageError("- is given twice; standard input can be read once", "decant eval - story.txt");
  }
  std::vector<EvalText> texts;
  for (const std::string& path : paths) {
    DECANT_TRY(const TextForm form, FormOf(flags, path));
    DECANT_TRY(const std::string bytes, core::ReadFile(path));
    DECANT_TRY(std::vector<EvalText> some, ParseTexts(bytes, path == "-" ? "standard input" : path, form));
    std::ranges::move(some, std::back_inserter(texts));
  }
  return texts;
}

// Options that --surprise alone gives a meaning.
Result<void> RefuseSurpriseFlags(const EvalFlags& flags) {
  std::vector<std::string> given = flags.model.Given();
  for (const CLI::Option* option : {flags.given, flags.tokens, flags.svg, flags.chart, flags.columns}) {
    if (IsGiven(option)) given.push_back(LongNameOf(option));
  }
  DECANT_TRY(const ParameterSet parameters, flags.parameters.Collect(Environment));
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    if (entry.source == ParameterSource::kFlag) given.push_back(FlagOf(*entry.spec));
  }
  if (given.empty()) return {};
  return Fail(ErrorCode::kConflict, given.front() + " has no effect without --surprise", {.subject = given.front()});
}

// Texts of one set, measured.
struct Group {
  std::string set;  // "" = all of them
  CorpusMeasures corpus;
};

std::vector<Group> GroupsOf(const std::vector<EvalText>& texts) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sets;
  std::vector<std::string> all;
  for (const EvalText& text : texts) {
    all.push_back(text.text);
    if (text.set.empty()) continue;
    auto set = std::ranges::find(sets, text.set, &std::pair<std::string, std::vector<std::string>>::first);
    if (set == sets.end()) set = sets.insert(sets.end(), {text.set, {}});
    set->second.push_back(text.text);
  }
  std::vector<Group> groups;
  for (const auto& [name, members] : sets) groups.push_back({.set = name, .corpus = MeasureTexts(members)});
  groups.push_back({.set = "", .corpus = MeasureTexts(all)});
  return groups;
}

void PrintMeasures(Session& session, const std::vector<EvalText>& texts, const std::vector<Group>& groups) {
  std::vector<MeasureRow> rows;
  const CorpusMeasures& all = groups.back().corpus;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string label = HarmlessText(texts[i].label);
    if (!texts[i].set.empty()) label += " " + HarmlessText(texts[i].set);
    rows.push_back(
        {.label = std::move(label), .measures = all.texts[i], .loop = LoopText(all.texts[i].loop, LoopUnit::kWords)});
  }
  for (const Group& group : groups) {
    if (texts.size() < 2) continue;
    rows.push_back({.label = group.set.empty() ? "all" : "all " + HarmlessText(group.set),
                    .measures = group.corpus.all,
                    .loop = fmt::format("{} of {}", group.corpus.loops, group.corpus.texts.size())});
  }
  session.Write(MeasureTable("text", LoopUnit::kWords, rows));
}

void WriteMeasuresJson(Session& session, const std::vector<EvalText>& texts, const std::vector<Group>& groups) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.eval/1");
  w.Key("texts");
  w.BeginArray();
  const CorpusMeasures& all = groups.back().corpus;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    w.BeginObject();
    w.Key("text");
    w.String(texts[i].label);
    if (!texts[i].set.empty()) {
      w.Key("setting");
      w.String(texts[i].set);
    }
    WriteMeasureFields(w, all.texts[i]);
    WriteLoop(w, "loop", all.texts[i].loop);
    w.EndObject();
  }
  w.EndArray();
  w.Key("settings");
  w.BeginObject();
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    w.Key(groups[i].set);
    WriteCorpus(w, groups[i].corpus);
  }
  w.EndObject();
  w.Key("all");
  WriteCorpus(w, all);
  w.EndObject();
  session.WriteLine(w.text());
}

Result<int> MeasureTextsOf(Session& session, const EvalFlags& flags, const std::vector<std::string>& paths,
                           OutputFormat format) {
  DECANT_CHECKED(RefuseSurpriseFlags(flags));
  DECANT_TRY(const std::vector<EvalText> texts, ReadTexts(flags, paths));
  const std::vector<Group> groups = GroupsOf(texts);
  if (format == OutputFormat::kJson) {
    WriteMeasuresJson(session, texts, groups);
  } else {
    PrintMeasures(session, texts, groups);
  }
  return 0;
}

Result<SurprisePlan> ReadPlan(const EvalFlags& flags) {
  SurprisePlan plan;
  DECANT_TRY(const auto given, CountOf(flags.given, {.least = 1, .most = kMostTokens}));
  plan.given = given.value_or(plan.given);
  DECANT_TRY(const auto tokens, CountOf(flags.tokens, {.least = 1, .most = kMostTokens}));
  plan.tokens = tokens.value_or(plan.tokens);
  DECANT_TRY(plan.sampling, flags.parameters.Collect(Environment));
  DECANT_TRY(const auto preset, flags.parameters.ReadPreset(Environment));
  plan.preset = preset.value_or(Preset::kNative);
  if (!preset.has_value()) {
    SetBuiltIns(plan.sampling, "eval");
  }
  SetBuiltIn(plan.sampling, "seed", std::uint64_t{0});
  DECANT_CHECKED(CheckChain(plan.sampling, plan.preset));
  return plan;
}

// How the chart is to look, nothing when there is to be none.
Result<std::optional<TerminalChart>> ChartOf(const EvalFlags& flags, bool output_on_terminal) {
  constexpr std::string_view kWords[] = {"auto", "unicode", "ascii", "none"};
  DECANT_TRY(const auto word, WordOf(flags.chart, kWords));
  DECANT_TRY(const auto columns, CountOf(flags.columns, {.least = 20, .most = kMostColumns}));
  if (word == "none") return std::nullopt;
  TerminalChart chart{.columns = columns.has_value() ? static_cast<std::size_t>(*columns) : ColumnsOf(STDOUT_FILENO)};
  const bool decides_itself = word.value_or("auto") == "auto";
  if (word == "ascii" || (decides_itself && output_on_terminal && GlyphsOf(Environment) == ChartGlyphs::kAscii)) {
    chart.glyphs = ChartGlyphs::kAscii;
  }
  return chart;
}

void PrintSurprise(Session& session, const SurpriseReport& report, const std::string& what,
                   const std::optional<TerminalChart>& chart) {
  session.WriteLine(fmt::format("{} · the first {} tokens are given", what, report.given));
  if (chart.has_value()) {
    const std::vector<Series> series = SeriesOf(report);
    const std::size_t per_column = ValuesPerColumn(series, *chart);
    session.WriteLine(fmt::format(
        "probability of each token to the model, {}",
        per_column == 1 ? "one token a column" : fmt::format("a column is the mean of {} tokens", per_column)));
    for (const Series& one : series) session.Write(DrawChart(one, per_column, *chart));
  }
  session.Write(SurpriseTable(report));
}

Result<int> Surprise(Session& session, const EvalFlags& flags, const std::vector<std::string>& paths,
                     OutputFormat format) {
  if (paths.size() > 1) return UsageError("--surprise takes one text", "decant eval --surprise story.txt");
  DECANT_TRY(const SurprisePlan plan, ReadPlan(flags));
  DECANT_TRY(const auto chart, ChartOf(flags, session.output_on_terminal()));
  DECANT_TRY(const auto svg, TextOf(flags.svg));
  DECANT_TRY(const std::vector<EvalText> texts, ReadTexts(flags, paths));
  if (texts.size() != 1) {
    return UsageError(fmt::format("--surprise takes one text; {} has {}", texts.empty() ? "the input" : texts[0].label,
                                  texts.size()));
  }
  if (svg.has_value()) {
    const OutputFile output{.flag = "--svg", .path = *svg, .kind = OutputKind::kSvg};
    DECANT_CHECKED(
        CheckOutput(flags.model, output, {{.what = "the text", .path = paths.empty() ? "-" : paths.front()}}));
  }
  DECANT_TRY(const auto model, flags.model.Load());
  const InterruptScope interrupt;
  ProgressLine progress(session.progress_style());
  DECANT_TRY(const SurpriseReport report,
             CompareSurprise(*model, texts[0].text, plan,
                             {.on_progress = [&](std::string_view doing) { progress.Update(doing); },
                              .cancel = interrupt.token()}));
  progress.Finish();
  const std::string model_file = std::filesystem::path(model->description().path).filename().string();
  const std::string text_file = std::filesystem::path(texts[0].label).filename().string();
  if (svg.has_value()) {
    DECANT_TRY(LineFile file, LineFile::Create(*svg));
    std::string picture = DrawSvg(SeriesOf(report), SvgTextOf(report, model_file, text_file));
    picture.pop_back();  // the file ends its lines itself
    DECANT_CHECKED(file.Write(picture));
    DECANT_CHECKED(file.Commit());
  }
  if (format == OutputFormat::kText) {
    PrintSurprise(session, report, HarmlessText(model_file + " · " + text_file), chart);
    return 0;
  }
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.surprise/1");
  w.Key("model");
  w.String(model_file);
  w.Key("file");
  w.String(texts[0].label);
  WriteSurpriseFields(w, report);
  w.EndObject();
  session.WriteLine(w.text());
  return 0;
}

// One line of JSON Lines.
Result<EvalText> TextOfLine(std::string_view line, const std::string& place) {
  DECANT_TRY(const json::Value value, ReadJsonLine(line, place));
  const json::Value* const text = value.Find("text");
  if (text == nullptr || text->if_string() == nullptr) {
    return Fail(ErrorCode::kInvalidJson, place + ": expected an object with a string \"text\"", {.subject = "text"});
  }
  const json::Value* const setting = value.Find("setting");
  if (setting != nullptr && setting->if_string() == nullptr) {
    return Fail(ErrorCode::kInvalidJson, place + ": setting is " + std::string(setting->kind()) + "; expected a string",
                {.subject = "setting"});
  }
  return EvalText{.label = place, .set = setting != nullptr ? *setting->if_string() : "", .text = *text->if_string()};
}

}  // namespace

Result<std::vector<EvalText>> ParseTexts(std::string_view bytes, const std::string& name, TextForm form) {
  if (form == TextForm::kPlain) return std::vector<EvalText>{{.label = name, .set = "", .text = std::string(bytes)}};
  std::vector<EvalText> texts;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string_view line = bytes.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    DECANT_TRY(EvalText text, TextOfLine(line, fmt::format("{}:{}", name, number)));
    texts.push_back(std::move(text));
  }
  if (texts.empty()) return Fail(ErrorCode::kInvalidJson, name + " has no lines", {.subject = name});
  return texts;
}

Result<int> EvalCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const EvalFlags flags(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const OutputFormat format, OutputOf(flags.output));
  DECANT_TRY(const bool surprise, IsOn(flags.surprise));
  return surprise ? Surprise(session, flags, line.words(), format)
                  : MeasureTextsOf(session, flags, line.words(), format);
}

}  // namespace decant::cli
