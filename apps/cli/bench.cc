// decant bench: how long decant's parts take, beside what bounds them.
#include "bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "commands.h"
#include "core/split.h"
#include "json/writer.h"
#include "signals.h"
#include "terminal.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "bench",
    .summary = "how long sampling takes, beside reading the logits once",
    .usage = "sampler [options]",
    .details =
        "Chains: greedy, top_k:40+temperature, min_p:0.05+temperature, temperature, top_p:0.95+temperature, all\n"
        "(temperature is 0.8; all is three penalties over 1,000 tokens, DRY, a mask, top-k 40, top-p 0.95, min-p "
        "0.05).\n"
        "Others by their stages: top_k:N, top_p:P, min_p:P, joined with + and with temperature last.\n"
        "Sampling and a bare read of the same rows take turns; the ratio is the median of the pairs. Tokens are "
        "checked\n"
        "first. Times are of this machine now: compare within one run. How to read them: docs/benchmarks.md.",
    .example =
        "decant bench sampler --name greedy,temperature --batch 8 --pairs 5\n"
        "decant bench sampler --explain",
    .words = "sampler"};

constexpr std::uint64_t kMostBatch = 65'536;
constexpr std::uint64_t kMostVocabulary = 1 << 19;
constexpr std::uint64_t kMostPairs = 10'000;
constexpr std::uint64_t kMostThreads = 256;
constexpr std::uint64_t kMostPool = 1 << 16;
constexpr std::uint64_t kMostSteps = 4096;

struct BenchFlags {
  explicit BenchFlags(CommandLine& line)
      : names(line.Value("what", "--name", "NAME", "a chain, or several with commas (default: those six)")),
        rows(line.Value("what", "--rows", "model-like|flat|FILE",
                        "the logits; a FILE is NumPy's .npy, f4 or f2, a row a line (default model-like)")),
        batch(line.Value("what", "--batch", "N", "rows a call (default 256)")),
        vocabulary(line.Value("what", "--vocab", "N", "logits a row (default 128256; a FILE has its own)")),
        type(line.Value("what", "--type", "f32|f16|bf16", "how a logit is stored (default f32)")),
        detail(line.Value("what", "--detail", "token|full",
                          "the token alone, or its rank and probability too (default token)")),
        threads(line.Value("how", "--threads", "N",
                           "above 1: also how much faster than one, for sampling and for reading (default 1)")),
        pairs(line.Value("how", "--pairs", "N", "of blocks, one that reads and one that samples (default 15)")),
        pool(line.Value("how", "--pool", "MIB", "rows held, so that they come from memory (default 64)")),
        seed(line.Value("how", "--seed", "N", "of rows, histories and draws (default 0)")),
        explain(line.Flag("instead", "--explain", "prints each chain's plan and ends")),
        record(line.Value("instead", "--record", "FILE",
                          "writes a model's logits as .npy, for --rows, and ends; the file is replaced")),
        model(line.Value("instead", "-m,--model", "MODEL", "of --record; a path or a name")),
        steps(line.Value("instead", "--steps", "N", "of --record: rows (default 256)")),
        output(AddOutput(line)) {}

  CLI::Option *names, *rows, *batch, *vocabulary, *type, *detail, *threads, *pairs, *pool, *seed, *explain, *record,
      *model, *steps, *output;
};

// What is to be measured.
struct BenchPlan {
  std::vector<std::string> names;
  std::vector<std::string> rows;  // "model-like", "flat" or a file
  std::size_t batch = 256, vocabulary = 128'256, pairs = 15, pool_bytes = std::size_t{64} << 20;
  std::uint64_t seed = 0;
  int threads = 1;
  ElementType type = ElementType::kF32;
  Detail detail = Detail::kToken;
};

// Every value of an option, each split at commas.
std::vector<std::string> ListOf(const CLI::Option* option) {
  std::vector<std::string> list;
  for (const std::string& text : TextsOf(option)) {
    for (const std::string_view part : core::Split(text, ',')) list.emplace_back(part);
  }
  return list;
}

bool IsFile(const std::string& rows) { return rows != NameOf(RowKind::kModelLike) && rows != NameOf(RowKind::kFlat); }

Result<void> ReadSizes(const BenchFlags& flags, BenchPlan& plan) {
  DECANT_TRY(const auto batch, CountOf(flags.batch, {.least = 1, .most = kMostBatch}));
  DECANT_TRY(const auto vocabulary, CountOf(flags.vocabulary, {.least = 1, .most = kMostVocabulary}));
  DECANT_TRY(const auto pairs, CountOf(flags.pairs, {.least = 1, .most = kMostPairs}));
  DECANT_TRY(const auto pool, CountOf(flags.pool, {.least = 0, .most = kMostPool}));
  DECANT_TRY(const auto seed, CountOf(flags.seed, {.least = 0, .most = UINT64_MAX}));
  DECANT_TRY(const auto threads, CountOf(flags.threads, {.least = 1, .most = kMostThreads}));
  plan.batch = batch.value_or(plan.batch);
  plan.vocabulary = vocabulary.value_or(plan.vocabulary);
  plan.pairs = pairs.value_or(plan.pairs);
  if (pool.has_value()) plan.pool_bytes = *pool << 20;
  plan.seed = seed.value_or(0);
  plan.threads = static_cast<int>(threads.value_or(1));
  if (vocabulary.has_value() && std::ranges::any_of(plan.rows, IsFile)) {
    return Fail(ErrorCode::kConflict, "--vocab is given, and a file of rows has its own vocabulary",
                {.subject = "--vocab"});
  }
  return {};
}

Result<BenchPlan> ReadPlan(const BenchFlags& flags) {
  BenchPlan plan;
  plan.names = ListOf(flags.names);
  if (plan.names.empty()) plan.names.assign(ChainNames().begin(), ChainNames().end());
  for (const std::string& name : plan.names) {
    if (auto chain = FindNamedChain(name, plan.vocabulary); !chain.has_value()) {
      return std::unexpected(std::move(chain).error());
    }
  }
  plan.rows = TextsOf(flags.rows);
  if (plan.rows.empty()) plan.rows.emplace_back(NameOf(RowKind::kModelLike));
  DECANT_CHECKED(ReadSizes(flags, plan));
  constexpr std::string_view kTypes[] = {"f32", "f16", "bf16"};
  DECANT_TRY(const auto type, WordOf(flags.type, kTypes));
  if (type == "f16") plan.type = ElementType::kF16;
  if (type == "bf16") plan.type = ElementType::kBF16;
  constexpr std::string_view kDetails[] = {"token", "full"};
  DECANT_TRY(const auto detail, WordOf(flags.detail, kDetails));
  if (detail == "full") plan.detail = Detail::kFull;
  return plan;
}

Result<LogitRows> MakeRows(const BenchPlan& plan, const std::string& rows) {
  const std::size_t width = plan.type == ElementType::kF32 ? 4 : 2;
  if (IsFile(rows)) {
    auto table = ReadNpy(rows);
    if (!table.has_value()) {
      if (table.error().code == ErrorCode::kCannotRead) {
        table.error().hint = "--rows takes model-like, flat or a file that decant bench sampler --record wrote";
      }
      return std::unexpected(std::move(table).error());
    }
    const std::size_t count = RowsFor(plan.batch, width * table->columns, plan.pool_bytes);
    return LogitRows::Repeat(*table, count, plan.type);
  }
  return LogitRows::Make({.kind = rows == NameOf(RowKind::kFlat) ? RowKind::kFlat : RowKind::kModelLike,
                          .rows = RowsFor(plan.batch, width * plan.vocabulary, plan.pool_bytes),
                          .vocabulary = plan.vocabulary,
                          .seed = plan.seed,
                          .type = plan.type});
}

Result<std::vector<SamplerTiming>> Measure(Session& session, const BenchPlan& plan) {
  const InterruptScope interrupt;
  ProgressLine progress(session.progress_style());
  std::shared_ptr<Runtime> runtime;
  if (plan.threads > 1) {
    DECANT_TRY(runtime, Runtime::Make({.threads = plan.threads}));
  }
  std::vector<SamplerTiming> timings;
  for (const std::string& kind : plan.rows) {
    progress.Update("making rows: " + kind);
    DECANT_TRY(const LogitRows rows, MakeRows(plan, kind));
    for (const std::string& name : plan.names) {
      DECANT_TRY(const NamedChain chain, FindNamedChain(name, rows.vocabulary()));
      progress.Update(fmt::format("{} rows, {}: checking tokens", NameOf(rows.kind()), name));
      const auto show = [&](std::size_t done, std::size_t pairs) {
        progress.Update(
            fmt::format("{} rows, {}: {} {}/{}", NameOf(rows.kind()), name, ProgressBar(done, pairs, 16), done, pairs));
      };
      auto timing = TimeSampler(chain, rows,
                                {.batch = plan.batch,
                                 .pairs = plan.pairs,
                                 .seed = plan.seed,
                                 .detail = plan.detail,
                                 .runtime = runtime,
                                 .cancel = interrupt.token(),
                                 .on_pair = show});
      if (!timing.has_value()) {
        Error error = std::move(timing).error();
        if (error.code != ErrorCode::kCancelled) error.message = name + ", " + kind + ": " + error.message;
        return std::unexpected(std::move(error));
      }
      timings.push_back(*std::move(timing));
    }
  }
  return timings;
}

Result<int> Explain(Session& session, const BenchPlan& plan, OutputFormat format) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.bench_plans/1");
  w.Key("vocab");
  w.Uint(plan.vocabulary);
  w.Key("plans");
  w.BeginArray();
  for (const std::string& name : plan.names) {
    DECANT_TRY(const NamedChain chain, FindNamedChain(name, plan.vocabulary));
    DECANT_TRY(const auto sampler, MakeSampler(chain.chain, plan.vocabulary, {}));
    const std::string text = sampler->PlanText();
    w.BeginObject();
    w.Key("name");
    w.String(name);
    w.Key("plan");
    w.String(text);
    w.EndObject();
    if (format == OutputFormat::kJson) continue;
    session.WriteLine(session.output_paint().Bold(name));
    for (const std::string_view pass : core::Split(text, '\n')) {
      if (!pass.empty()) session.WriteLine("  " + std::string(pass));
    }
  }
  w.EndArray();
  w.EndObject();
  if (format == OutputFormat::kJson) session.WriteLine(w.text());
  return 0;
}

// --record and the flags that go with it.
Result<std::optional<RecordRequest>> ReadRecord(const BenchFlags& flags) {
  DECANT_TRY(const auto file, TextOf(flags.record));
  DECANT_TRY(const auto model, TextOf(flags.model));
  DECANT_TRY(const auto steps, CountOf(flags.steps, {.least = 1, .most = kMostSteps}));
  DECANT_TRY(const auto threads, CountOf(flags.threads, {.least = 1, .most = kMostThreads}));
  if (!file.has_value()) {
    if (model.has_value()) return UsageError("option --model has no effect without --record");
    if (steps.has_value()) return UsageError("option --steps has no effect without --record");
    return std::nullopt;
  }
  for (const CLI::Option* option : {flags.names, flags.rows, flags.batch, flags.vocabulary, flags.type, flags.detail,
                                    flags.pairs, flags.pool, flags.seed, flags.explain}) {
    if (IsGiven(option)) return UsageError("option " + LongNameOf(option) + " has no effect with --record");
  }
  RecordRequest request{.file = *file, .model = model.value_or("")};
  request.steps = steps.value_or(request.steps);
  request.threads = static_cast<int>(threads.value_or(1));
  return request;
}

}  // namespace

Result<int> BenchCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  line.AllowWords();
  const BenchFlags flags(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  if (line.words().size() != 1 || line.words().front() != "sampler") {
    return UsageError("bench takes one word: sampler", "decant bench sampler");
  }
  DECANT_TRY(const OutputFormat format, OutputOf(flags.output));
  DECANT_TRY(const auto record, ReadRecord(flags));
  if (record.has_value()) return RecordRows(session, *record);
  DECANT_TRY(const BenchPlan plan, ReadPlan(flags));
  DECANT_TRY(const bool explain, IsOn(flags.explain));
  DECANT_TRY([[maybe_unused]] const std::string_view level, SimdLevel());
  if (explain) return Explain(session, plan, format);
  DECANT_TRY(const auto timings, Measure(session, plan));
  if (format == OutputFormat::kJson) {
    session.WriteLine(TimingJson(timings));
  } else {
    session.Write(TimingTable(timings));
  }
  return 0;
}

}  // namespace decant::cli
