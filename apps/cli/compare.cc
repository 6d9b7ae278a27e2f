// decant compare: two configurations, the same draws, and where they part.
#include "compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "command_line.h"
#include "commands.h"
#include "config.h"
#include "environment.h"
#include "explain.h"
#include "flags.h"
#include "json/writer.h"
#include "measure_report.h"
#include "models.h"
#include "parameter_json.h"
#include "prompt_list.h"
#include "record_json.h"
#include "signals.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "compare",
    .summary = "two configurations, the same draws: where they part",
    .usage = "[A.toml [B.toml]] [--a SETTINGS] [--b SETTINGS] -p TEXT... | -f FILE [-m MODEL] [options]",
    .details =
        "A.toml and B.toml are decant.toml files, read as decant run reads them. SETTINGS are NAME=VALUE,NAME=VALUE, "
        "any\n"
        "parameter or preset. Both sides have the flags in common; what a side says of its own wins. What nobody says "
        "is as in\n"
        "decant run, with seed 0 and 200 tokens. -f has one prompt a line, or is a .jsonl file of {\"prompt\":TEXT}.\n"
        "Entropy and surprise are those of the model's own distribution: docs/evaluation.md.\n"
        "Exit code 5: --expect-equal, and something differs.",
    .example =
        "decant compare --b top_k=5 -p 'Once upon a time' -n 20\n"
        "decant compare --a temperature=0 --b temperature=0,top_p=0.5 -p 'The sky is' -n 8 --expect-equal"};

constexpr std::size_t kTokensBefore = 4, kTokensAfter = 8;
constexpr std::size_t kPromptColumns = 48, kTextColumns = 64;

struct CompareFlags {
  explicit CompareFlags(CommandLine& line)
      : model(line),
        a(line.Value("sides", "--a", "SETTINGS", "settings of side A, over those of A.toml")),
        b(line.Value("sides", "--b", "SETTINGS", "settings of side B, over those of B.toml")),
        prompts(line.Value("prompt", "-p,--prompt", "TEXT", "a prompt; may be given more than once")),
        file(line.Value("prompt", "-f,--file", "FILE", "a file of prompts; - is standard input")),
        ids(line.Value("prompt", "--prompt-ids", "ID,ID,...", "one prompt as token ids")),
        parameters(line, ParameterScope::kRun),
        expect_equal(line.Flag("output", "--expect-equal", "exit code 5 if anything differs")),
        output(AddOutput(line)) {
    line.AllowWords();
  }

  ModelFlags model;
  CLI::Option *a, *b, *prompts, *file, *ids;
  ParameterFlags parameters;
  CLI::Option *expect_equal, *output;
};

struct Prompt {
  std::string text;  // as shown: the text, or the ids
  std::vector<TokenId> ids;
};

// The prompts as they are given; tokens come when there is a model.
Result<std::vector<Prompt>> ReadGiven(const CompareFlags& flags) {
  if (IsGiven(flags.prompts) + IsGiven(flags.file) + IsGiven(flags.ids) != 1) {
    return UsageError(!IsGiven(flags.prompts) && !IsGiven(flags.file) && !IsGiven(flags.ids)
                          ? "there is no prompt"
                          : "prompts are given in more than one way",
                      "give them with -p TEXT, -f FILE or --prompt-ids");
  }
  std::vector<Prompt> prompts;
  if (IsGiven(flags.ids)) {
    DECANT_TRY(const auto text, TextOf(flags.ids));
    DECANT_TRY(std::vector<TokenId> ids, ParseIds("--prompt-ids", *text));
    prompts.push_back({.text = *text, .ids = std::move(ids)});
    return prompts;
  }
  std::vector<std::string> texts = TextsOf(flags.prompts);
  if (IsGiven(flags.file)) {
    DECANT_TRY(const auto path, TextOf(flags.file));
    DECANT_TRY(texts, ReadPrompts(*path));
  }
  for (std::string& text : texts) prompts.push_back({.text = std::move(text), .ids = {}});
  return prompts;
}

Result<SideSettings> ReadSide(const CLI::Option* option, const std::string& path) {
  SideSettings settings;
  if (!path.empty()) {
    DECANT_TRY(const ConfigFile file, ReadConfigFile(path));
    DECANT_TRY([[maybe_unused]] const ParameterSet checked, file.Parameters("run", ParameterSource::kRequest));
    const ConfigSection section = file.For("run");
    for (const ConfigParameter& parameter : section.parameters) {
      settings.values.emplace_back(parameter.spec, parameter.value);
    }
    if (section.preset.has_value()) settings.preset = section.preset->value;
  }
  DECANT_TRY(const auto text, TextOf(option));
  if (!text.has_value()) return settings;
  auto own = ParseSettings(*text);
  if (!own.has_value()) {
    Error error = std::move(own).error();
    error.message = "option " + LongNameOf(option) + ": " + error.message;
    return std::unexpected(std::move(error));
  }
  return Overlay(std::move(settings), *own);
}

struct Sides {
  Side a, b;
};

Result<Sides> ReadSides(const CompareFlags& flags, const std::vector<std::string>& files) {
  if (files.size() > 2) return UsageError("compare takes two files at most", "decant compare A.toml B.toml -p TEXT");
  if (files.empty() && !IsGiven(flags.a) && !IsGiven(flags.b)) {
    return UsageError("there is nothing to compare", "name A.toml and B.toml, or settings with --a and --b");
  }
  DECANT_TRY(const ParameterSet common, flags.parameters.Collect(Environment));
  DECANT_TRY(const auto preset, flags.parameters.ReadPreset(Environment));
  DECANT_TRY(const SideSettings a, ReadSide(flags.a, files.empty() ? "" : files[0]));
  DECANT_TRY(const SideSettings b, ReadSide(flags.b, files.size() < 2 ? "" : files[1]));
  Sides sides;
  DECANT_TRY(sides.a, MakeSide(common, preset, a));
  DECANT_TRY(sides.b, MakeSide(common, preset, b));
  return sides;
}

std::string SideText(const Side& side) {
  std::string text;
  for (const ParameterSet::Entry& entry : side.parameters.entries()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", entry.spec->name, ParameterText(entry.value));
  }
  if (side.preset != Preset::kNative) text += fmt::format(", preset {}", NameOf(side.preset));
  return text;
}

// The text around the first difference, "…" where it goes on.
std::string ContextText(const Tokenizer* tokenizer, const Generation& generation, std::size_t at) {
  const std::size_t begin = at - std::min(at, kTokensBefore);
  const std::size_t end = std::min(generation.tokens.size(), at + kTokensAfter);
  if (tokenizer == nullptr) {
    return fmt::format("{}", fmt::join(generation.tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                       generation.tokens.begin() + static_cast<std::ptrdiff_t>(end), " "));
  }
  std::string bytes;
  for (std::size_t i = begin; i < end; ++i) bytes += tokenizer->Bytes(generation.tokens[i]);
  return (begin > 0 ? "…" : "") + VisibleText(bytes, kTextColumns) + (end < generation.tokens.size() ? "…" : "");
}

std::string DrawText(const DrawRecord& draw) {
  switch (draw.kind) {
    case DrawKind::kGreedy:
      return "greedy";
    case DrawKind::kInverseCdf:
      return fmt::format("u {:.6f} in [{:.6f}, {:.6f})", draw.u, draw.interval[0], draw.interval[1]);
    case DrawKind::kRace:
      return fmt::format("race won with {:.6g}, the next has {:.6g}", draw.score, draw.runner_up);
  }
  return "";
}

std::vector<std::string> DifferenceRow(char side, const SideRun& run, std::size_t at, const Tokenizer* tokenizer) {
  const std::string name(1, side);
  const std::string context = ContextText(tokenizer, run.generation, at);
  if (at >= run.steps.size()) return {name, "ended", fmt::format("stopped: {}", NameOf(run.generation.stop)), context};
  const StepFacts& step = run.steps[at];
  return {name, ShownToken(tokenizer, step.token), DrawText(step.draw), context};
}

std::vector<std::string> TotalsRow(const std::string& name, const SideTotals& totals) {
  return {name,
          std::to_string(totals.tokens),
          fmt::format("{:.2f} → {:.2f}", totals.first_entropy, totals.last_entropy),
          PercentText(totals.four_word_runs.Share()),
          PercentText(totals.ArticleShare()),
          fmt::format("{:.2f}", totals.surprise_bits)};
}

std::string TotalsTable(const SideTotals& a, const SideTotals& b) {
  Table table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  table.Add({"", "tokens", "entropy, first → last quarter (bits)", "repeated 4-word runs", "articles",
             "surprise (bits/token)"});
  table.Add(TotalsRow("A", a));
  table.Add(TotalsRow("B", b));
  return table.Text("   ");
}

std::string DistributionText(const Comparison& comparison) {
  if (!comparison.distribution_difference.has_value()) return "distributions equal as far as the tokens are";
  return fmt::format("distributions differ from token {} (total variation {:.4f})",
                     *comparison.distribution_difference + 1, comparison.total_variation);
}

void PrintComparison(Session& session, std::size_t number, const Prompt& prompt, const Comparison& comparison,
                     const Tokenizer* tokenizer) {
  const std::string shown = tokenizer == nullptr ? prompt.text : VisibleText(prompt.text, kPromptColumns);
  const std::size_t same = comparison.token_difference.value_or(comparison.a.generation.tokens.size());
  const std::string tokens = fmt::format("{} token{}", same, same == 1 ? "" : "s");
  if (comparison.token_difference.has_value()) {
    session.WriteLine(fmt::format("prompt {}  {}  the same for {}, then", number, shown, tokens));
    Table table({Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft});
    table.Add(DifferenceRow('A', comparison.a, same, tokenizer));
    table.Add(DifferenceRow('B', comparison.b, same, tokenizer));
    session.Write(table.Text("   "));
  } else if (comparison.equal()) {
    session.WriteLine(fmt::format("prompt {}  {}  the same, all {}", number, shown, tokens));
  } else {
    session.WriteLine(fmt::format("prompt {}  {}  the same {}, but A stopped: {}, B stopped: {}", number, shown, tokens,
                                  NameOf(comparison.a.generation.stop), NameOf(comparison.b.generation.stop)));
  }
  const SideRun* const a = &comparison.a;
  const SideRun* const b = &comparison.b;
  session.Write(TotalsTable(TotalsOf({&a, 1}), TotalsOf({&b, 1})));
  session.WriteLine("   " +
                    (comparison.token_difference.has_value() ? fmt::format("first difference: token {} · ", same + 1)
                                                             : std::string()) +
                    DistributionText(comparison));
  session.Flush();
}

void WriteTotals(json::Writer& w, const SideTotals& totals) {
  w.Key("tokens_count");
  w.Uint(totals.tokens);
  w.Key("first_quarter_entropy_bits");
  w.Double(totals.first_entropy);
  w.Key("last_quarter_entropy_bits");
  w.Double(totals.last_entropy);
  w.Key("runs");
  w.Uint(totals.four_word_runs.runs);
  w.Key("repeated_4grams");
  w.Uint(totals.four_word_runs.repeats);
  w.Key("words");
  w.Uint(totals.words);
  w.Key("articles");
  w.Uint(totals.articles);
  w.Key("surprise_bits");
  w.Double(totals.surprise_bits);
}

void WriteRun(json::Writer& w, const SideRun& run, const Tokenizer* tokenizer, std::optional<std::size_t> at,
              Preset preset) {
  w.BeginObject();
  w.Key("tokens");
  WriteIds(w, run.generation.tokens);
  if (tokenizer != nullptr) {
    w.Key("text");
    w.String(run.generation.text);
  }
  w.Key("stop");
  w.String(NameOf(run.generation.stop));
  const SideRun* const self = &run;
  WriteTotals(w, TotalsOf({&self, 1}));
  if (at.has_value() && *at < run.steps.size()) {
    w.Key("difference");
    w.BeginObject();
    w.Key("token");
    w.Uint(run.steps[*at].token);
    w.Key("draw");
    WriteDraw(w, run.steps[*at].draw, preset);
    w.EndObject();
  }
  w.EndObject();
}

void WriteIndex(json::Writer& w, std::string_view key, std::optional<std::size_t> index) {
  w.Key(key);
  if (index.has_value()) {
    w.Uint(*index);
  } else {
    w.Null();
  }
}

void WriteSide(json::Writer& w, const Side& side, std::span<const SideRun* const> runs) {
  w.BeginObject();
  w.Key("preset");
  w.String(NameOf(side.preset));
  w.Key("parameters");
  WriteParameters(w, side.parameters);
  WriteTotals(w, TotalsOf(runs));
  w.EndObject();
}

// What all prompts came to.
struct Finished {
  std::vector<Comparison> comparisons;
  std::vector<const SideRun*> a, b;
  std::size_t differing = 0;
};

void WriteJson(Session& session, const Model& model, const Sides& sides, const std::vector<Prompt>& prompts,
               const Finished& done) {
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.compare/1");
  w.Key("model");
  w.String(std::filesystem::path(model.description().path).filename().string());
  w.Key("equal");
  w.Bool(done.differing == 0);
  w.Key("differing");
  w.Uint(done.differing);
  w.Key("a");
  WriteSide(w, sides.a, done.a);
  w.Key("b");
  WriteSide(w, sides.b, done.b);
  w.Key("prompts");
  w.BeginArray();
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const Comparison& comparison = done.comparisons[i];
    w.BeginObject();
    w.Key("prompt_ids");
    WriteIds(w, prompts[i].ids);
    if (model.tokenizer() != nullptr) {
      w.Key("prompt");
      w.String(prompts[i].text);
    }
    w.Key("equal");
    w.Bool(comparison.equal());
    WriteIndex(w, "token_difference", comparison.token_difference);
    WriteIndex(w, "distribution_difference", comparison.distribution_difference);
    w.Key("total_variation");
    w.Double(comparison.total_variation);
    w.Key("a");
    WriteRun(w, comparison.a, model.tokenizer(), comparison.token_difference, sides.a.preset);
    w.Key("b");
    WriteRun(w, comparison.b, model.tokenizer(), comparison.token_difference, sides.b.preset);
    w.EndObject();
  }
  w.EndArray();
  w.EndObject();
  session.WriteLine(w.text());
}

Result<void> EncodeAll(const Model& model, std::vector<Prompt>& prompts) {
  for (Prompt& prompt : prompts) {
    if (!prompt.ids.empty()) continue;
    DECANT_TRY(prompt.ids, EncodePrompt(model, prompt.text, 0));
  }
  return {};
}

// All prompts, each printed as soon as it is done.
Result<Finished> CompareAll(Session& session, const Model& model, const Sides& sides,
                            const std::vector<Prompt>& prompts, OutputFormat format) {
  Finished done;
  const InterruptScope interrupt;
  ProgressLine progress(session.progress_style());
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const CompareEvents events{
        .on_token =
            [&](char side, std::size_t tokens) {
              progress.Update(fmt::format("prompt {} of {}, side {}, {} tokens", i + 1, prompts.size(), side, tokens));
            },
        .cancel = interrupt.token()};
    auto comparison = CompareSides(model, prompts[i].ids, sides.a, sides.b, events);
    progress.Finish();
    if (!comparison.has_value() && comparison.error().code == ErrorCode::kCancelled) {
      return Fail(ErrorCode::kCancelled, fmt::format("interrupted after {} of {} prompts", i, prompts.size()));
    }
    DECANT_TRY(Comparison one, std::move(comparison));
    if (!one.equal()) ++done.differing;
    if (format == OutputFormat::kText) PrintComparison(session, i + 1, prompts[i], one, model.tokenizer());
    done.comparisons.push_back(std::move(one));
  }
  for (const Comparison& comparison : done.comparisons) {
    done.a.push_back(&comparison.a);
    done.b.push_back(&comparison.b);
  }
  return done;
}

}  // namespace

Result<int> CompareCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const CompareFlags flags(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const OutputFormat format, OutputOf(flags.output));
  DECANT_TRY(const bool expect_equal, IsOn(flags.expect_equal));
  DECANT_TRY(const Sides sides, ReadSides(flags, line.words()));
  DECANT_TRY(std::vector<Prompt> prompts, ReadGiven(flags));
  DECANT_TRY(const auto model, flags.model.Load());
  DECANT_CHECKED(EncodeAll(*model, prompts));
  if (format == OutputFormat::kText) {
    session.WriteLine("A  " + SideText(sides.a));
    session.WriteLine("B  " + SideText(sides.b));
  }
  DECANT_TRY(const Finished done, CompareAll(session, *model, sides, prompts, format));
  if (format == OutputFormat::kJson) {
    WriteJson(session, *model, sides, prompts, done);
  } else if (prompts.size() > 1) {
    session.WriteLine(fmt::format("all {} prompts, {} of them different", prompts.size(), done.differing));
    session.Write(TotalsTable(TotalsOf(done.a), TotalsOf(done.b)));
  }
  if (!expect_equal || done.differing == 0) return 0;
  session.Note(fmt::format("not equal: {} of {} prompts differ", done.differing, prompts.size()));
  return RowOf(ErrorCode::kTraceDiffers).exit_code;
}

}  // namespace decant::cli
