// decant replay: recomputes a traced run and compares it, bit for bit.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "commands.h"
#include "decant/trace.h"
#include "json/writer.h"
#include "models.h"
#include "signals.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "replay",
    .summary = "recomputes a traced run and compares it, bit for bit",
    .usage = "FILE [-m MODEL] [options]",
    .details =
        "The model is the one of -m, else the traced path, else a model of the traced name.\n"
        "Exit code 5: the trace is broken, or something differs; the first difference is told.",
    .example =
        "decant run -p 'The sky is' -n 24 --trace run.jsonl\ndecant replay run.jsonl --threads 1 --prefill-chunk 7"};

Result<std::string> PathOfModel(const ModelFlags& flags, const TracedModel& traced) {
  if (flags.IsGiven()) return flags.FindPath();
  std::error_code ignored;
  if (!traced.path.empty() && std::filesystem::exists(traced.path, ignored)) return traced.path;
  const std::vector<std::string> folders = ModelFolders();
  auto by_file = FindModel(std::filesystem::path(traced.path).filename().string(), folders);
  if (by_file.has_value() || traced.name.empty()) return by_file;
  auto by_name = FindModel(traced.name, folders);
  if (!by_name.has_value()) {
    Error error = std::move(by_name).error();
    error.hint = "the trace is of " + traced.path + "; name its model with -m";
    return std::unexpected(std::move(error));
  }
  return by_name;
}

struct Replayed {
  std::string model_path;
  ReplayReport report;
};

Result<Replayed> ReplayFile(const std::string& path, const ModelFlags& flags, ReplayOptions options,
                            ProgressStyle style) {
  DECANT_TRY(const TracedModel traced, ModelOfTrace(path));
  Replayed replayed;
  DECANT_TRY(replayed.model_path, PathOfModel(flags, traced));
  DECANT_TRY(const auto model, flags.Load(replayed.model_path, std::min<std::uint64_t>(traced.context, UINT32_MAX)));
  const InterruptScope interrupt;
  ProgressLine progress(style);
  options.cancel = interrupt.token();
  options.on_step = [&progress](std::size_t step, std::size_t total) {
    progress.Update(fmt::format("replaying {} {}/{} steps", ProgressBar(step, total, 16), step, total));
  };
  DECANT_TRY(replayed.report, Replay(path, *model, options));
  return replayed;
}

// Whether the error is what the replay found out, not what kept it from finding out.
bool IsVerdict(ErrorCode code) { return code == ErrorCode::kTraceBroken || code == ErrorCode::kTraceDiffers; }

void WriteJson(Session& session, const Result<Replayed>& replayed) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.replay/1");
  w.Key("equal");
  w.Bool(replayed.has_value());
  if (replayed.has_value()) {
    w.Key("steps");
    w.Uint(replayed->report.steps);
    w.Key("text");
    w.String(replayed->report.text);
  } else {
    w.Key("error");
    WriteError(w, replayed.error());
  }
  w.EndObject();
  session.WriteLine(w.text());
}

}  // namespace

Result<int> ReplayCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  line.AllowWords();
  const ModelFlags model_flags(line);
  const CLI::Option* const chunk =
      line.Value("model", "--prefill-chunk", "N", "prompt tokens a model call (default 512)");
  const CLI::Option* const no_cache =
      line.Flag("model", "--no-kv-cache", "computes the whole prefix anew for every token");
  const CLI::Option* const output = AddOutput(line);
  const CLI::Option* const quiet = line.Flag("output", "-q,--quiet", "no progress on standard error");
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  if (line.words().size() != 1) return UsageError("replay takes one trace file", "decant replay run.jsonl");
  const std::string path = line.words().front();
  DECANT_TRY(const OutputFormat format, OutputOf(output));
  DECANT_TRY(const auto prefill_chunk, CountOf(chunk, {.least = 1}));
  ReplayOptions options;
  if (prefill_chunk.has_value()) options.prefill_chunk = *prefill_chunk;
  DECANT_TRY(const bool computes_anew, IsOn(no_cache));
  if (computes_anew) options.kv_cache = KvCacheUse::kOff;
  DECANT_TRY(const bool is_quiet, IsOn(quiet));
  const ProgressStyle style = is_quiet ? ProgressStyle::kSilent : session.progress_style();
  const Result<Replayed> replayed = ReplayFile(path, model_flags, options, style);
  if (format == OutputFormat::kJson && (replayed.has_value() || IsVerdict(replayed.error().code))) {
    WriteJson(session, replayed);
  }
  if (!replayed.has_value()) return std::unexpected(replayed.error());
  if (format == OutputFormat::kText) {
    const std::size_t steps = replayed->report.steps;
    session.WriteLine(fmt::format("equal, bit for bit: {} step{} recomputed with {}", steps, steps == 1 ? "" : "s",
                                  std::filesystem::path(replayed->model_path).filename().string()));
  }
  return 0;
}

}  // namespace decant::cli
