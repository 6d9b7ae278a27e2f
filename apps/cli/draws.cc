// decant draws: many draws from one prefix, counted against what chance allows.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "core/number_text.h"
#include "core/split.h"
#include "decant/generate.h"
#include "decant/trace.h"
#include "environment.h"
#include "explain.h"
#include "flags.h"
#include "json/spelling.h"
#include "models.h"
#include "parameter_json.h"
#include "prompt.h"
#include "record_json.h"
#include "signals.h"
#include "statistics.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {.name = "draws",
                               .summary = "many draws from one prefix, with counts",
                               .usage = "[-m MODEL] -p TEXT | --prompt-ids ID,ID | --logits X,X [-N COUNT] [sampling]",
                               .details =
                                   "The draws are sequences 0, 1, ... at one position; with another preset than "
                                   "native, successive draws of one stream.",
                               .example =
                                   "decant draws --logits 0,1,1,2 --top-k 3 --seed 36 --preset reference -N 200\n"
                                   "decant draws -p 'The sky is' --top-k 5 -N 1000"};

constexpr std::uint64_t kDefaultDraws = 200;
constexpr std::uint64_t kMostDraws = std::uint64_t{1} << 24;
constexpr std::size_t kDefaultRows = 20;
constexpr std::size_t kBarColumns = 30;

// One row of logits and what is drawn from it.
struct Setup {
  std::vector<float> logits32;
  std::vector<double> logits64;
  const Tokenizer* tokenizer = nullptr;
  RunSpec spec;
  FittedPrompt fitted;
  std::uint64_t draws = kDefaultDraws;
  std::size_t rows = kDefaultRows;
};

struct Counted {
  std::vector<TokenId> tokens;
  std::vector<std::uint64_t> counts;  // by token id
  StepRecord first;
};

struct CountRow {
  TokenId token = 0;
  double probability = 0, expected = 0;
  CountRange range;
  std::uint64_t drawn = 0;
  bool outside() const { return drawn < range.low || drawn > range.high; }
};

Result<std::vector<double>> ParseLogits(const std::string& text) {
  std::vector<double> logits;
  for (std::string_view part : core::Split(text, ',')) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    const auto number = core::ParseDouble(part);
    const bool is_ban = part == "-inf" || part == "-Infinity";
    if (!number.has_value() && !is_ban) {
      return Fail(ErrorCode::kWrongType, "option --logits: \"" + std::string(part) + "\" is not a number",
                  {.subject = "--logits", .allowed = "numbers separated by commas; -inf is a ban"});
    }
    logits.push_back(is_ban ? -std::numeric_limits<double>::infinity() : *number);
  }
  return logits;
}

Result<void> RefuseWithLogits(const std::vector<std::string>& given) {
  if (given.empty()) return {};
  return Fail(
      ErrorCode::kConflict, "--logits and " + given.front() + " exclude each other",
      {.subject = given.front(), .hint = "--logits stands for the model and the prompt; leave out one of the two"});
}

// The row that --logits gives.
Result<void> TakeLogits(const std::string& text, const PromptFlags& prompt, const ModelFlags& model, Setup& setup) {
  DECANT_CHECKED(RefuseWithLogits(model.Given()));
  DECANT_CHECKED(RefuseWithLogits(prompt.Given()));
  DECANT_TRY(setup.logits64, ParseLogits(text));
  setup.logits32.assign(setup.logits64.size(), 0);
  std::ranges::transform(setup.logits64, setup.logits32.begin(),
                         [](double logit) { return static_cast<float>(logit); });
  return {};
}

// The logits after the prompt.
Result<void> AskModel(const Model& model, Setup& setup) {
  DECANT_TRY(PreparedRun run, PrepareRun(model, setup.spec));
  run.options.max_tokens = 1;
  GenerateEvents events;
  events.on_step = [&setup](const StepEvidence& evidence) -> Result<void> {
    setup.logits32.assign(evidence.logits.begin(), evidence.logits.end());
    return {};
  };
  DECANT_TRY([[maybe_unused]] const Generation generation,
             Generate(model.language_model(), model.tokenizer(), setup.spec.prompt, *run.sampler, run.state,
                      run.options, events));
  setup.logits64.assign(setup.logits32.begin(), setup.logits32.end());
  setup.tokenizer = model.tokenizer();
  return {};
}

Result<Counted> Draw(const Setup& setup) {
  std::vector<TokenId> end_tokens;
  if (setup.tokenizer != nullptr && setup.tokenizer->eos().has_value()) end_tokens.push_back(*setup.tokenizer->eos());
  DECANT_TRY(Chain chain,
             BuildChain(setup.spec.parameters,
                        {.preset = setup.spec.preset, .tokenizer = setup.tokenizer, .end_tokens = end_tokens}));
  DECANT_TRY(const auto sampler, MakeSampler(std::move(chain), setup.logits64.size(), {.preset = setup.spec.preset}));
  const bool is_stream = setup.spec.preset != Preset::kNative;  // one generator, drawn from on and on
  const bool is_f64 = setup.spec.preset == Preset::kReference;
  const RowView row = is_f64 ? RowView::F64(setup.logits64) : RowView::F32(setup.logits32);
  const std::uint64_t seed = setup.spec.parameters.Get<std::uint64_t>("seed").value_or(0);
  SamplerState stream({.seed = seed, .prompt = setup.spec.prompt});
  const InterruptScope interrupt;
  Counted out{.tokens = {}, .counts = std::vector<std::uint64_t>(setup.logits64.size()), .first = {}};
  for (std::uint64_t i = 0; i < setup.draws; ++i) {
    if (interrupt.interrupted()) return Fail(ErrorCode::kCancelled, fmt::format("interrupted after {} draws", i));
    SamplerState addressed({.seed = seed, .sequence = static_cast<std::uint32_t>(i), .prompt = setup.spec.prompt});
    SamplerState& state = is_stream ? stream : addressed;
    DECANT_TRY(const Choice choice, sampler->Sample(row, state, i == 0 ? &out.first : nullptr));
    state.CommitDraw();
    out.tokens.push_back(choice.token);
    ++out.counts[choice.token];
  }
  return out;
}

std::vector<CountRow> RowsOf(const Setup& setup, const Counted& counted) {
  std::vector<CountRow> rows;
  for (std::size_t i = 0; i < counted.first.support.size(); ++i) {
    const TokenId token = counted.first.support[i];
    const double p = counted.first.probabilities[i];
    rows.push_back({.token = token,
                    .probability = p,
                    .expected = static_cast<double>(setup.draws) * p,
                    .range = {},
                    .drawn = counted.counts[token]});
  }
  std::ranges::sort(rows, [](const CountRow& a, const CountRow& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.token < b.token;
  });
  const std::size_t shown = std::min(rows.size(), setup.rows);
  for (std::size_t i = 0; i < shown; ++i) rows[i].range = CentralRange(setup.draws, rows[i].probability);
  return rows;
}

std::optional<ChiSquare> TestOf(const std::vector<CountRow>& rows, const Counted& counted) {
  if (counted.first.draw.kind == DrawKind::kGreedy) return std::nullopt;
  std::vector<std::uint64_t> counts;
  std::vector<double> probabilities;
  for (const CountRow& row : rows) {
    counts.push_back(row.drawn);
    probabilities.push_back(row.probability);
  }
  return ChiSquareOf(counts, probabilities);
}

std::string ChainText(const Setup& setup) {
  std::string text;
  for (const ParameterSet::Entry& entry : setup.spec.parameters.entries()) {
    if (entry.spec->name == "seed") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", entry.spec->name, ParameterText(entry.value));
  }
  if (setup.spec.preset != Preset::kNative)
    text += fmt::format("{}preset {}", text.empty() ? "" : ", ", NameOf(setup.spec.preset));
  return text.empty() ? "temperature 1.0" : text;
}

std::string ChiSquareLine(const std::optional<ChiSquare>& test, DrawKind kind) {
  if (kind == DrawKind::kGreedy)
    return "no randomness: temperature 0 or a greedy chain takes the best token every time";
  if (!test.has_value()) return "too few draws or tokens for a chi-square test";
  const std::string p =
      test->p_value < 0.001 ? fmt::format("{:.2g}", test->p_value) : fmt::format("{:.3f}", test->p_value);
  std::string line = fmt::format("chi-square {:.2f}, {} degree{} of freedom, p = {}", test->statistic,
                                 test->degrees_of_freedom, test->degrees_of_freedom == 1 ? "" : "s", p);
  if (test->p_value < 0.1 && test->p_value > 0) {
    line += fmt::format(" (one run in {:.0f} is this uneven; a fair sampler also does this)", 1 / test->p_value);
  }
  return line;
}

void Print(Session& session, const Setup& setup, const Counted& counted, const std::vector<CountRow>& rows) {
  session.WriteLine(fmt::format("{} draws from one prefix · seed {} · {}", setup.draws,
                                setup.spec.parameters.Get<std::uint64_t>("seed").value_or(0), ChainText(setup)));
  Table table({Align::kRight, Align::kLeft, Align::kLeft, Align::kRight, Align::kLeft, Align::kRight, Align::kLeft});
  table.Add({"id", "text", "p", "expected", "95 %", "drawn", ""});
  double most = 1;
  for (const CountRow& row : rows) most = std::max(most, static_cast<double>(row.drawn));
  const std::size_t shown = std::min(rows.size(), setup.rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const CountRow& row = rows[i];
    table.Add({std::to_string(row.token), ShownToken(setup.tokenizer, row.token),
               fmt::format("{:.4f}", row.probability), fmt::format("{:.1f}", row.expected),
               fmt::format("{}–{}", row.range.low, row.range.high), std::to_string(row.drawn),
               Bar(static_cast<double>(row.drawn), most, kBarColumns) + (row.outside() ? "   outside the range" : "")});
  }
  if (shown < rows.size()) {
    double probability = 0;
    std::uint64_t drawn = 0;
    for (std::size_t i = shown; i < rows.size(); ++i) {
      probability += rows[i].probability;
      drawn += rows[i].drawn;
    }
    table.Add({"", fmt::format("{} more", rows.size() - shown), fmt::format("{:.4f}", probability),
               fmt::format("{:.1f}", static_cast<double>(setup.draws) * probability), "", std::to_string(drawn)});
  }
  session.Write(table.Text(" "));
  session.WriteLine(ChiSquareLine(TestOf(rows, counted), counted.first.draw.kind));
}

void WriteJson(Session& session, const Setup& setup, const Counted& counted, const std::vector<CountRow>& rows) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.draws/1");
  w.Key("draws");
  w.Uint(setup.draws);
  WriteTruncated(w, setup.fitted, setup.spec.parameters);
  w.Key("seed");
  json::WriteSeed(setup.spec.parameters.Get<std::uint64_t>("seed").value_or(0), w);
  w.Key("preset");
  w.String(NameOf(setup.spec.preset));
  w.Key("parameters");
  WriteParameters(w, setup.spec.parameters);
  w.Key("tokens");
  WriteIds(w, counted.tokens);
  w.Key("rows");
  w.BeginArray();
  for (std::size_t i = 0; i < std::min(rows.size(), setup.rows); ++i) {
    const CountRow& row = rows[i];
    w.BeginObject();
    w.Key("id");
    w.Uint(row.token);
    if (setup.tokenizer != nullptr) {
      w.Key("text");
      w.String(setup.tokenizer->Bytes(row.token));
    }
    w.Key("p");
    w.Double(row.probability);
    w.Key("expected");
    w.Double(row.expected);
    w.Key("low");
    w.Uint(row.range.low);
    w.Key("high");
    w.Uint(row.range.high);
    w.Key("drawn");
    w.Uint(row.drawn);
    w.EndObject();
  }
  w.EndArray();
  w.Key("chi_square");
  if (const auto test = TestOf(rows, counted); test.has_value()) {
    w.BeginObject();
    w.Key("statistic");
    w.Double(test->statistic);
    w.Key("degrees_of_freedom");
    w.Uint(test->degrees_of_freedom);
    w.Key("p_value");
    w.Double(test->p_value);
    w.EndObject();
  } else {
    w.Null();
  }
  w.EndObject();
  session.WriteLine(w.text());
}

}  // namespace

Result<int> DrawsCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const ModelFlags model_flags(line);
  PromptFlags prompt(line, ChatFlags::kWith);
  const CLI::Option* const logits = line.Value("prompt", "--logits", "X,X,...", "these logits instead of a model's");
  const ParameterFlags parameters(line, ParameterScope::kStep);
  const CLI::Option* const draws = line.Value("sequence", "-N,--draws", "COUNT", "how many draws (default 200)");
  const CLI::Option* const rows = line.Value("output", "--rows", "N", "rows of the table (default 20)");
  const CLI::Option* const output = AddOutput(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  Setup setup;
  DECANT_TRY(setup.spec.parameters, parameters.Collect(Environment));
  DECANT_TRY(const auto preset, parameters.ReadPreset(Environment));
  setup.spec.preset = preset.value_or(Preset::kNative);
  // Wrong values are told before a model is loaded.
  DECANT_CHECKED(CheckChain(setup.spec.parameters, setup.spec.preset));
  DECANT_TRY(const auto count, CountOf(draws, {.least = 1, .most = kMostDraws}));
  setup.draws = count.value_or(kDefaultDraws);
  DECANT_TRY(const auto shown_rows, CountOf(rows, {}));
  setup.rows = shown_rows.value_or(kDefaultRows);
  DECANT_TRY(const OutputFormat format, OutputOf(output));
  DECANT_TRY(const auto given, TextOf(logits));
  std::shared_ptr<const Model> model;
  if (given.has_value()) {
    DECANT_CHECKED(TakeLogits(*given, prompt, model_flags, setup));
  } else {
    DECANT_CHECKED(prompt.Read());
    DECANT_TRY(model, model_flags.Load());
    DECANT_TRY(setup.fitted, prompt.EncodeToFit(*model, setup.spec.parameters));
    setup.spec.prompt = setup.fitted.tokens;
    if (const std::string note = NoteOn(setup.fitted, *model, setup.spec.parameters); !note.empty()) session.Note(note);
    DECANT_CHECKED(AskModel(*model, setup));
  }
  DECANT_TRY(const Counted counted, Draw(setup));
  const std::vector<CountRow> counts = RowsOf(setup, counted);
  if (format == OutputFormat::kJson) {
    WriteJson(session, setup, counted, counts);
  } else {
    Print(session, setup, counted, counts);
  }
  return 0;
}

}  // namespace decant::cli
