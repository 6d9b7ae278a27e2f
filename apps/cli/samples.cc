// decant samples: fixed prompts, greedy and sampled, into a file, with a report of how much they repeat.
#include "samples.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "command_line.h"
#include "commands.h"
#include "environment.h"
#include "json/writer.h"
#include "line_file.h"
#include "measure_report.h"
#include "models.h"
#include "output_file.h"
#include "prompt_list.h"
#include "signals.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "samples",
    .summary = "fixed prompts, greedy and sampled, and how much they repeat",
    .usage = "[-m MODEL] [--out FILE] [-n N] [--prompts FILE] [--cache-check]",
    .details =
        "Each prompt is continued twice by exactly N tokens: greedily, and at temperature 0.8 with top_k 40 and seed "
        "0.\n"
        "The file has a JSON line a sample (decant.samples/1) and is the same, byte for byte, each time. Ctrl-C keeps "
        "the\n"
        "samples that are finished. A file that is not of samples is not replaced. The report counts over the "
        "continuation, without the prompt: docs/evaluation.md.\n"
        "Exit code 5: --cache-check found tokens that differ without the KV cache.",
    .example =
        "decant samples -n 20 --out samples.jsonl\n"
        "decant eval samples.jsonl\n"
        "decant samples --list-prompts"};

constexpr std::string_view kDefaultFile = "samples.jsonl";
constexpr std::uint64_t kMostTokens = 1 << 20;

struct SamplesFlags {
  explicit SamplesFlags(CommandLine& line)
      : model(line),
        prompts(
            line.Value("prompt", "--prompts", "FILE",
                       "one prompt a line, or a .jsonl file of {\"prompt\":TEXT}; - is standard input (default: ten "
                       "story openings)")),
        list(line.Flag("prompt", "--list-prompts", "prints the prompts and ends")),
        tokens(line.Value("sequence", "-n,--max-tokens", "N", "tokens of each continuation (default 200)")),
        seed(line.Value("sequence", "--seed", "N", "of the sampled continuations (default 0)")),
        preset(line.Value("sampling", "--preset", "P", "whose arithmetic and random stream (default native)")),
        check(line.Flag("model", "--cache-check",
                        "generates each sample without the KV cache too, slowly, and compares the tokens")),
        out(line.Value("output", "--out", "FILE", "where the samples go (default samples.jsonl)")),
        output(AddOutput(line)) {}

  ModelFlags model;
  CLI::Option *prompts, *list, *tokens, *seed, *preset, *check, *out, *output;
};

Result<SamplesPlan> ReadPlan(const SamplesFlags& flags) {
  SamplesPlan plan;
  DECANT_TRY(const auto tokens, CountOf(flags.tokens, {.least = 1, .most = kMostTokens}));
  plan.tokens = tokens.value_or(plan.tokens);
  DECANT_TRY(const auto seed, CountOf(flags.seed, {.least = 0, .most = UINT64_MAX}));
  plan.seed = seed.value_or(0);
  DECANT_TRY(const auto preset, TextOf(flags.preset));
  if (preset.has_value()) {
    DECANT_TRY(plan.preset, FindPreset(*preset));
  }
  DECANT_TRY(const bool check, IsOn(flags.check));
  if (check) plan.cache_check = CacheCheck::kCheck;
  DECANT_TRY(const auto file, TextOf(flags.prompts));
  if (file.has_value()) {
    DECANT_TRY(plan.prompts, ReadPrompts(*file));
  } else {
    plan.prompts.assign(StoryOpenings().begin(), StoryOpenings().end());
  }
  for (const Setting& setting : SettingsOf(plan)) {
    DECANT_CHECKED(CheckChain(setting.parameters, plan.preset));
  }
  return plan;
}

// What a report is made from.
struct Finished {
  std::string model_file;
  std::string out;
  std::vector<Sample> samples;
  std::size_t planned = 0;
};

std::string CacheLine(const CacheReport& cache) {
  const double gain = cache.cached_s > 0 ? cache.uncached_s / cache.cached_s : 0;
  return fmt::format(
      "KV cache: {} of {} samples equal token for token without it; {:.1f} s with, {:.1f} s without: {:.1f} "
      "times as fast",
      cache.same, cache.samples, cache.cached_s, cache.uncached_s, gain);
}

void PrintSetting(Session& session, const Setting& setting, const SettingReport& report) {
  const bool greedy = setting.name == "greedy";
  session.WriteLine(fmt::format("{} ({})", setting.name,
                                greedy ? "temperature 0"
                                       : fmt::format("temperature 0.8, top_k 40, seed {}",
                                                     setting.parameters.Get<std::uint64_t>("seed").value_or(0))));
  std::vector<MeasureRow> rows;
  for (std::size_t i = 0; i < report.corpus.texts.size(); ++i) {
    rows.push_back({.label = std::to_string(report.prompts[i] + 1),
                    .measures = report.corpus.texts[i],
                    .loop = LoopText(report.loops[i], LoopUnit::kTokens)});
  }
  rows.push_back({.label = "all",
                  .measures = report.corpus.all,
                  .loop = fmt::format("{} of {}", report.token_loops(), report.loops.size())});
  session.Write(MeasureTable("prompt", LoopUnit::kTokens, rows));
}

void Print(Session& session, const SamplesPlan& plan, const Finished& done) {
  session.WriteLine(
      fmt::format("{} · {} prompt{}, {} tokens each{}", HarmlessText(done.model_file), plan.prompts.size(),
                  plan.prompts.size() == 1 ? "" : "s", plan.tokens,
                  plan.preset == Preset::kNative ? "" : fmt::format(" · preset {}", NameOf(plan.preset))));
  const std::vector<Setting> settings = SettingsOf(plan);
  std::string summary;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const SettingReport report = ReportOf(done.samples, i);
    PrintSetting(session, settings[i], report);
    const RepeatCounts& runs = report.corpus.all.four_word_runs;
    summary += fmt::format("{}{} {} ({} of {})", summary.empty() ? "four-word runs that repeat an earlier one: " : ", ",
                           settings[i].name, PercentText(runs.Share()), runs.repeats, runs.runs);
  }
  session.WriteLine(summary);
  if (plan.cache_check == CacheCheck::kCheck) {
    session.WriteLine(CacheLine(CacheReportOf(done.samples)));
  } else {
    session.WriteLine("KV cache: used, not checked (--cache-check computes every sample without it too)");
  }
  session.WriteLine(fmt::format("{} of {} samples in {}", done.samples.size(), done.planned, HarmlessText(done.out)));
}

void WriteCacheJson(json::Writer& w, const SamplesPlan& plan, const Finished& done) {
  w.Key("cache_check");
  if (plan.cache_check == CacheCheck::kSkip) return w.Null();
  const CacheReport cache = CacheReportOf(done.samples);
  w.BeginObject();
  w.Key("samples");
  w.Uint(cache.samples);
  w.Key("equal");
  w.Uint(cache.same);
  w.Key("cached_s");
  w.Double(cache.cached_s);
  w.Key("uncached_s");
  w.Double(cache.uncached_s);
  w.EndObject();
}

void WriteJson(Session& session, const SamplesPlan& plan, const Finished& done) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.samples_report/1");
  w.Key("model");
  w.String(done.model_file);
  w.Key("file");
  w.String(done.out);
  w.Key("samples");
  w.Uint(done.samples.size());
  w.Key("planned");
  w.Uint(done.planned);
  w.Key("tokens");
  w.Uint(plan.tokens);
  w.Key("preset");
  w.String(NameOf(plan.preset));
  w.Key("settings");
  w.BeginArray();
  const std::vector<Setting> settings = SettingsOf(plan);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const SettingReport report = ReportOf(done.samples, i);
    w.BeginObject();
    w.Key("setting");
    w.String(settings[i].name);
    w.Key("stories");
    w.BeginArray();
    for (std::size_t j = 0; j < report.corpus.texts.size(); ++j) {
      w.BeginObject();
      w.Key("prompt");
      w.Uint(report.prompts[j]);
      WriteMeasureFields(w, report.corpus.texts[j]);
      WriteLoop(w, "loop", report.corpus.texts[j].loop);
      WriteLoop(w, "token_loop", report.loops[j]);
      w.EndObject();
    }
    w.EndArray();
    w.Key("all");
    WriteCorpus(w, report.corpus);
    w.Key("token_loops");
    w.Uint(report.token_loops());
    w.EndObject();
  }
  w.EndArray();
  WriteCacheJson(w, plan, done);
  w.EndObject();
  session.WriteLine(w.text());
}

// Generates, with progress; every finished sample is a line of the file.
Result<Finished> Generate(Session& session, const Model& model, const SamplesPlan& plan, const std::string& out,
                          std::stop_token cancel) {
  Finished done{.model_file = std::filesystem::path(model.description().path).filename().string(),
                .out = out,
                .samples = {},
                .planned = plan.prompts.size() * SettingsOf(plan).size()};
  DECANT_TRY(LineFile file, LineFile::Create(out));
  DECANT_TRY(const std::string sha256, model.Sha256());
  ProgressLine progress(session.progress_style());
  const SampleEvents events{
      .on_token =
          [&](const Sample& sample, std::size_t pieces, bool cached) {
            progress.Update(fmt::format("sample {} {}/{}{}, {} pieces of text",
                                        ProgressBar(sample.index, done.planned, 16), sample.index + 1, done.planned,
                                        cached ? "" : " without the KV cache", pieces));
          },
      .on_sample = [&](const Sample& sample) -> Result<void> {
        return file.Write(SampleLine(sample, plan, done.model_file, sha256));
      },
      .cancel = std::move(cancel)};
  DECANT_TRY(done.samples, MakeSamples(model, plan, events));
  progress.Finish();
  // An interrupt before the first sample leaves the file of an earlier run alone.
  if (!done.samples.empty()) DECANT_CHECKED(file.Commit());
  return done;
}

}  // namespace

Result<int> SamplesCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const SamplesFlags flags(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const SamplesPlan plan, ReadPlan(flags));
  DECANT_TRY(const OutputFormat format, OutputOf(flags.output));
  DECANT_TRY(const auto out, TextOf(flags.out));
  DECANT_TRY(const bool list, IsOn(flags.list));
  if (list) {
    for (const std::string& prompt : plan.prompts) session.WriteLine(prompt);
    return 0;
  }
  const std::string path = out.value_or(std::string(kDefaultFile));
  DECANT_TRY(const auto prompts, TextOf(flags.prompts));
  const OutputFile output{.flag = "--out", .path = path, .kind = OutputKind::kSamples};
  DECANT_CHECKED(CheckOutput(flags.model, output, {{.what = "the file of prompts", .path = prompts.value_or("")}}));
  DECANT_TRY(const auto model, flags.model.Load());
  const InterruptScope interrupt;
  DECANT_TRY(const Finished done, Generate(session, *model, plan, path, interrupt.token()));
  if (format == OutputFormat::kJson) {
    WriteJson(session, plan, done);
  } else {
    Print(session, plan, done);
  }
  if (done.samples.size() < done.planned) {
    session.Note(fmt::format("interrupted: {} of {} samples are in {}", done.samples.size(), done.planned,
                             HarmlessText(done.out)));
    return kExitInterrupted;
  }
  const CacheReport cache = CacheReportOf(done.samples);
  return cache.same == cache.samples ? 0 : RowOf(ErrorCode::kTraceDiffers).exit_code;
}

}  // namespace decant::cli
