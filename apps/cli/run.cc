// decant run: one answer from a prompt.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "decant/generate.h"
#include "decant/measure.h"
#include "decant/trace.h"
#include "draw_seed.h"
#include "environment.h"
#include "flags.h"
#include "json/spelling.h"
#include "json/writer.h"
#include "models.h"
#include "output_file.h"
#include "parameter_json.h"
#include "prompt.h"
#include "record_json.h"
#include "signals.h"
#include "stop_text.h"
#include "table.h"
#include "terminal_text.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "run",
    .summary = "one answer from a prompt",
    .usage = "[-m MODEL] -p TEXT | -f FILE | - [options]",
    .details =
        "Standard output is the text and nothing else; what else there is to say goes to standard error.\n"
        "Without --preset: temperature 0.8, top_k 40 (of the two, those that --samplers names). The seed, if not "
        "given, is drawn and printed.\n"
        "--json-schema, --regex and --choice say what the text has to be; it ends when nothing may follow.\n"
        "A model without tokenizer takes --prompt-ids and prints token ids.\n"
        "On a terminal, control characters of the text are spelled out (\\u{1b}); files and pipes get its bytes.",
    .example =
        "decant run -p 'The sky is' -n 24 --seed 7\necho 'Once upon a time' | decant run --top-p 0.9 -n 100\n"
        "decant run --chat -p 'Is the sky blue?' --choice yes --choice no"};

using Seconds = std::chrono::duration<double>;

struct RunFlags {
  explicit RunFlags(CommandLine& line)
      : model(line),
        prompt(line, ChatFlags::kWith),
        token_healing(line.Flag("prompt", "--token-healing",
                                "takes the prompt's last token back and lets the model write it anew, in its own "
                                "tokens; the text begins after it")),
        parameters(line, ParameterScope::kRun),
        schema(line.Find("--json-schema")),
        chunk(line.Value("model", "--prefill-chunk", "N",
                         "prompt tokens a model call; the same bits with any (default 512)")),
        no_cache(line.Flag("model", "--no-kv-cache", "computes the whole prefix anew for every token; the same bits")),
        trace(line.Value("output", "--trace", "FILE", "writes every step, for decant replay")),
        trace_detail(
            line.Value("output", "--trace-detail", "summary|top:N|full", "how much of a step (default top:8)")),
        output(AddOutput(line)),
        complete(line.Flag("output", "--require-complete",
                           "exit code 6 when the text was cut: by a limit, or before what the constraint asks for")),
        quiet(line.Flag("output", "-q,--quiet", "nothing on standard error but errors, and that a text was cut")) {}

  ModelFlags model;
  PromptFlags prompt;
  CLI::Option* token_healing;
  ParameterFlags parameters;
  const CLI::Option* schema;
  CLI::Option *chunk, *no_cache, *trace, *trace_detail, *output, *complete, *quiet;
};

Result<RunSpec> ReadSpec(const RunFlags& flags) {
  RunSpec spec;
  DECANT_TRY(spec.parameters, flags.parameters.Collect(Environment));
  DECANT_TRY(const auto preset, flags.parameters.ReadPreset(Environment));
  spec.preset = preset.value_or(Preset::kNative);
  if (!preset.has_value()) {
    SetBuiltIns(spec.parameters, "run");
  }
  if (spec.parameters.Find("seed") == nullptr) SetBuiltIn(spec.parameters, "seed", DrawSeed());
  // Wrong values are told before a model is loaded.
  DECANT_CHECKED(CheckChain(spec.parameters, spec.preset));
  DECANT_CHECKED(CheckConstraint(spec.parameters));
  DECANT_TRY(const auto detail, TextOf(flags.trace_detail));
  if (detail.has_value()) {
    if (!IsGiven(flags.trace)) {
      return Fail(ErrorCode::kConflict, "--trace-detail has no effect without --trace", {.subject = "--trace-detail"});
    }
    DECANT_TRY(spec.detail, ParseTraceDetail(*detail));
  }
  return spec;
}

std::string SourceWord(ParameterSource source) {
  return source == ParameterSource::kBuiltIn ? "default" : std::string(NameOf(source));
}

// The share of runs of four words that occurred before, nothing for short texts.
std::optional<double> RepeatedShare(const std::string& text) {
  WordNumbers numbers;
  const RepeatCounts counts = CountRepeats(numbers.OfText(text), 4);
  return counts.runs < 5 ? std::nullopt : counts.Share();
}

std::string StopTextOf(const Generation& generation, const RunSpec& spec) {
  if (generation.stop != StopReason::kTokenLimit) return StopText(generation);
  return fmt::format("token limit (-n {})", spec.parameters.Get<std::int64_t>("max_tokens").value_or(0));
}

double TokensPerSecond(const Generation& generation) {
  const double seconds = Seconds(generation.decode_time).count();
  if (generation.tokens.size() < 2 || seconds <= 0) return 0;
  return static_cast<double>(generation.tokens.size() - 1) / seconds;
}

// Cut by a limit, or before the constraint's text was whole.
bool IsCut(const Generation& generation) {
  if (generation.complete.has_value()) return !*generation.complete;
  return generation.stop == StopReason::kTokenLimit || generation.stop == StopReason::kContext ||
         generation.stop == StopReason::kTime;
}

// What a constraint had to say of the text; each line may be absent.
void NoteOnConstraint(const Session& session, const RunSpec& spec, const Generation& generation, bool quiet) {
  if (generation.closing_tokens > 0 && !quiet) {
    session.Note(fmt::format(
        "closed: the limit was near, so {} token{} of the shortest way to the end took the place of the model's choice",
        generation.closing_tokens, generation.closing_tokens == 1 ? "" : "s"));
  }
  if (generation.complete != false) return;
  std::string line = "incomplete: the text ended before the constraint was met (" + StopTextOf(generation, spec) + ")";
  if (generation.missing_tokens.has_value()) {
    line += fmt::format("; the shortest end takes {} more token{}", *generation.missing_tokens,
                        *generation.missing_tokens == 1 ? "" : "s");
  }
  session.Note(line);
}

void NoteOnUnenforced(const Session& session, const Grammar& grammar) {
  if (grammar.unenforced().empty()) return;
  session.Note("not enforced, as --allow-unenforced lets it be:");
  for (const std::string& part : grammar.unenforced()) session.Note("  " + HarmlessText(part));
}

void WriteSummary(const Session& session, const RunSpec& spec, const Generation& generation) {
  std::string first =
      fmt::format("{} token{} in {:.2f} s", generation.tokens.size(), generation.tokens.size() == 1 ? "" : "s",
                  Seconds(generation.prefill_time + generation.decode_time).count());
  if (const double rate = TokensPerSecond(generation); rate > 0) first += fmt::format(" ({:.1f} tok/s)", rate);
  first += fmt::format(" · prompt {} · stopped: {} · seed {}", spec.prompt.size(), StopTextOf(generation, spec),
                       *spec.parameters.Get<std::uint64_t>("seed"));
  session.Note(first);

  std::string second;
  for (const ParameterSet::Entry& entry : spec.parameters.entries()) {
    const bool is_sampling = !entry.spec->stages.empty() || entry.spec->name == "samplers";
    if (!is_sampling) continue;
    if (!second.empty()) second += " · ";
    second += fmt::format("{} {} ({})", entry.spec->name, ParameterText(entry.value), SourceWord(entry.source));
  }
  if (spec.preset != Preset::kNative)
    second += fmt::format("{}preset {}", second.empty() ? "" : " · ", NameOf(spec.preset));
  if (const auto repeated = RepeatedShare(generation.text); repeated.has_value()) {
    second += fmt::format("{}repetition {:.1f} % of 4-word runs", second.empty() ? "" : " · ", 100 * *repeated);
  }
  if (!second.empty()) session.Note(second);
  if (session.errors_on_terminal() && generation.stop == StopReason::kTokenLimit &&
      spec.parameters.Find("max_tokens")) {
    session.Note("cut off? yes: -n max goes on until the model stops or the context is full");
  }
}

// Takes the prompt's last token back; what to say when that cannot be.
std::string Heal(const Model& model, RunSpec& spec) {
  if (model.tokenizer() == nullptr) return "token healing does nothing: the model has no tokenizer";
  HealedPrompt healed = HealPrompt(*model.tokenizer(), spec.prompt);
  if (healed.bytes.empty()) return "token healing does nothing: the prompt is one token, or ends in a special one";
  spec.prompt = std::move(healed.tokens);
  spec.healed = std::move(healed.bytes);
  return "";
}

// The members of a constrained run; of another there are none.
void WriteConstraint(json::Writer& w, const RunSpec& spec, const Generation& generation) {
  if (!generation.complete.has_value()) return;
  w.Key("incomplete");
  w.Bool(!*generation.complete);
  if (generation.missing_tokens.has_value()) {
    w.Key("needs_at_least");
    w.Uint(*generation.missing_tokens);
  }
  w.Key("closing_tokens");
  w.Uint(generation.closing_tokens);
  w.Key("unenforced");
  w.BeginArray();
  for (const std::string& part : spec.grammar->unenforced()) w.String(part);
  w.EndArray();
}

void WriteResult(Session& session, const Model& model, const RunSpec& spec, const Generation& generation,
                 const FittedPrompt& fitted) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.run/1");
  w.Key("model");
  w.String(model.description().name);
  w.Key("preset");
  w.String(NameOf(spec.preset));
  w.Key("prompt_ids");
  WriteIds(w, spec.prompt);
  WriteTruncated(w, fitted, spec.parameters);
  if (!spec.healed.empty()) {
    w.Key("healed");
    w.BeginArray();
    for (const char byte : spec.healed) w.Uint(static_cast<unsigned char>(byte));
    w.EndArray();
  }
  w.Key("tokens");
  WriteIds(w, generation.tokens);
  w.Key("text");
  if (model.tokenizer() != nullptr) {
    w.String(generation.text);
  } else {
    w.Null();
  }
  w.Key("stop");
  w.BeginObject();
  w.Key("reason");
  w.String(NameOf(generation.stop));
  if (generation.stop_token.has_value()) {
    w.Key("token");
    w.Uint(*generation.stop_token);
  }
  if (generation.stop_string.has_value()) {
    w.Key("string");
    w.String(*generation.stop_string);
  }
  w.EndObject();
  WriteConstraint(w, spec, generation);
  w.Key("seed");
  json::WriteSeed(*spec.parameters.Get<std::uint64_t>("seed"), w);
  w.Key("parameters");
  WriteParameters(w, spec.parameters);
  w.Key("usage");
  w.BeginObject();
  const std::pair<std::string_view, std::size_t> counts[] = {
      {"prompt_tokens", spec.prompt.size()},
      {"completion_tokens", generation.tokens.size()},
      {"total_tokens", spec.prompt.size() + generation.tokens.size()},
      {"model_calls", generation.model_calls}};
  for (const auto& [key, count] : counts) {
    w.Key(key);
    w.Uint(count);
  }
  w.EndObject();
  w.Key("timings");
  w.BeginObject();
  const std::pair<std::string_view, double> times[] = {{"prefill_s", Seconds(generation.prefill_time).count()},
                                                       {"decode_s", Seconds(generation.decode_time).count()},
                                                       {"tokens_per_s", TokensPerSecond(generation)}};
  for (const auto& [key, time] : times) {
    w.Key(key);
    w.Double(time);
  }
  w.EndObject();
  w.EndObject();
  session.WriteLine(w.text());
}

// The generation with its progress, stream of text and trace.
class LiveRun {
 public:
  LiveRun(Session& session, const Model& model, const RunSpec& spec, OutputFormat format, ProgressStyle style)
      : session_(session),
        model_(model),
        spec_(spec),
        streams_text_(format == OutputFormat::kText && model.tokenizer() != nullptr),
        progress_(style) {}

  Result<Generation> Go(PreparedRun& run, TraceWriter* trace) {
    GenerateEvents events;
    events.on_prefill = [this](std::size_t done, std::size_t total) {
      progress_.Update(fmt::format("reading prompt {} {}/{} tokens", ProgressBar(done, total, 16), done, total));
      if (done == total && session_.output_on_terminal()) progress_.Finish();
    };
    events.on_text = [this](std::string_view text) {
      if (!streams_text_) return;
      if (session_.output_on_terminal()) progress_.Finish();
      session_.WriteNow(session_.output_on_terminal() ? TerminalText(text) : std::string(text));
      ends_line_ = text.ends_with('\n');
      ++pieces_;
      // Where the text does not appear on the same terminal, a count does.
      if (!session_.output_on_terminal())
        progress_.Update(fmt::format("generating, {} pieces of text so far", pieces_));
    };
    if (trace != nullptr) {
      events.on_step = [trace](const StepEvidence& evidence) { return trace->Step(evidence); };
    }
    auto generation = Generate(model_.language_model(), model_.tokenizer(), spec_.prompt, *run.sampler, run.state,
                               run.options, events);
    progress_.Finish();
    return generation;
  }

  // Ends the line that the text left open, where a summary follows it: on the same terminal, file or pipe.
  void SeparateSummary() const {
    if (streams_text_ && session_.streams_are_one()) session_.Note(ends_line_ || pieces_ == 0 ? "" : "\n");
  }

 private:
  Session& session_;
  const Model& model_;
  const RunSpec& spec_;
  bool streams_text_;
  ProgressLine progress_;
  bool ends_line_ = false;
  std::size_t pieces_ = 0;
};

// What is wrong with the arguments together, told before a model is loaded.
Result<void> CheckTogether(const RunFlags& flags, const RunSpec& spec, const std::optional<std::string>& trace_path) {
  DECANT_TRY(const bool heals, IsOn(flags.token_healing));
  if (heals && HasConstraint(spec.parameters)) {
    return Fail(ErrorCode::kConflict, "--token-healing and a constraint exclude each other",
                {.subject = "--token-healing"});
  }
  const auto is_dash = [](const std::string& given) { return given == "-"; };
  if (flags.prompt.file() == "-" && std::ranges::any_of(TextsOf(flags.schema), is_dash)) {
    return Fail(ErrorCode::kConflict, "the prompt and --json-schema - are both read from standard input",
                {.subject = "--json-schema"});
  }
  if (!trace_path.has_value()) return {};
  const OutputFile output{.flag = "--trace", .path = *trace_path, .kind = OutputKind::kTrace};
  return CheckOutput(flags.model, output, {{.what = "the prompt file", .path = flags.prompt.file()}});
}

// The prompt in its tokens, and what to say of it.
Result<FittedPrompt> EncodePrompt(const RunFlags& flags, const Model& model, RunSpec& spec, std::string& notes) {
  DECANT_TRY(const bool heals, IsOn(flags.token_healing));
  DECANT_TRY(FittedPrompt fitted, flags.prompt.EncodeToFit(model, spec.parameters));
  spec.prompt = fitted.tokens;
  notes = NoteOn(fitted, model, spec.parameters);
  if (heals) {
    const std::string note = Heal(model, spec);
    notes += (notes.empty() || note.empty() ? "" : "\n") + note;
  }
  return fitted;
}

Result<PreparedRun> Prepare(const RunFlags& flags, const Model& model, RunSpec& spec) {
  DECANT_TRY(const auto chunk, CountOf(flags.chunk, {.least = 1}));
  DECANT_TRY(const bool no_cache, IsOn(flags.no_cache));
  DECANT_TRY(PreparedRun run, PrepareRun(model, spec));
  spec.grammar = run.grammar;  // the trace need not compile it anew
  if (chunk.has_value()) run.options.prefill_chunk = *chunk;
  if (no_cache) run.options.kv_cache = KvCacheUse::kOff;
  return run;
}

}  // namespace

Result<int> RunCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  RunFlags flags(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(RunSpec spec, ReadSpec(flags));
  DECANT_TRY(const OutputFormat format, OutputOf(flags.output));
  DECANT_TRY(const auto trace_path, TextOf(flags.trace));
  DECANT_CHECKED(flags.prompt.Read());
  DECANT_TRY(const bool quiet, IsOn(flags.quiet));
  DECANT_TRY(const bool requires_complete, IsOn(flags.complete));
  DECANT_CHECKED(CountOf(flags.chunk, {.least = 1}));
  DECANT_CHECKED(CheckTogether(flags, spec, trace_path));

  DECANT_TRY(const auto model, flags.model.Load());
  std::string notes;
  DECANT_TRY(const FittedPrompt fitted, EncodePrompt(flags, *model, spec, notes));
  DECANT_TRY(PreparedRun run, Prepare(flags, *model, spec));
  std::unique_ptr<TraceWriter> trace;
  if (trace_path.has_value()) {
    DECANT_TRY(trace, WriteTrace(*trace_path, *model, spec));
  }
  if (const std::string note = flags.prompt.NoteOn(*model); !quiet && !note.empty()) session.Note(note);
  if (!quiet && !notes.empty()) session.Note(notes);
  if (!quiet && run.grammar != nullptr) NoteOnUnenforced(session, *run.grammar);
  if (!quiet && session.errors_on_terminal()) {
    DECANT_TRY(const int threads, flags.model.Threads());
    session.Note(ModelLine(*model, threads));
  }

  const InterruptScope interrupt;
  run.options.cancel = interrupt.token();
  LiveRun live(session, *model, spec, format, quiet ? ProgressStyle::kSilent : session.progress_style());
  DECANT_TRY(const Generation generation, live.Go(run, trace.get()));
  if (trace != nullptr) DECANT_CHECKED(trace->End(generation));
  if (format == OutputFormat::kJson) {
    WriteResult(session, *model, spec, generation, fitted);
  } else if (model->tokenizer() == nullptr) {
    session.WriteLine(fmt::format("{}", fmt::join(generation.tokens, " ")));
  }
  session.Flush();
  if (!quiet) {
    live.SeparateSummary();
    WriteSummary(session, spec, generation);
  }
  NoteOnConstraint(session, spec, generation, quiet);
  if (generation.stop == StopReason::kCancelled) return kExitInterrupted;
  return requires_complete && IsCut(generation) ? kExitIncomplete : 0;
}

}  // namespace decant::cli
