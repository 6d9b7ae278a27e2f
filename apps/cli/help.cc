// decant help, --version, and the table of commands.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "command_line.h"
#include "commands.h"
#include "core/number_text.h"
#include "decant/parameters.h"
#include "decant/runtime.h"
#include "decant/version.h"
#include "signals.h"
#include "table.h"

namespace decant::cli {
namespace {

constexpr Command kCommands[] = {
    {"run", "one answer from a prompt", RunCommand},
    {"chat", "a conversation at the terminal", ChatCommand},
    {"step", "one step: who left, why, and the draw", StepCommand},
    {"draws", "many draws from one prefix, with counts", DrawsCommand},
    {"sample", "tokens from rows of logits: a JSON line in, a JSON line out", SampleCommand},
    {"reference", "the report of preset reference, digit by digit", ReferenceCommand},
    {"replay", "recomputes a traced run and compares it, bit for bit", ReplayCommand},
    {"compare", "two configurations, the same draws: where they part", CompareCommand},
    {"samples", "fixed prompts, greedy and sampled, and how much they repeat", SamplesCommand},
    {"eval", "how much texts repeat, and how surprising a text is to a model", EvalCommand},
    {"tokenize", "text to token ids, and what each stands for", TokenizeCommand},
    {"detokenize", "token ids to the bytes they stand for", DetokenizeCommand},
    {"template", "what the chat template makes of messages", TemplateCommand},
    {"grammar", "a constraint without a model: check, mask, why, sample", GrammarCommand},
    {"schema", "a JSON Schema as a constraint: check, unsupported, example", SchemaCommand},
    {"params", "the parameters: names, ranges, defaults", ParamsCommand},
    {"model", "the models there are (list), what one is (show), get one, verify one", ModelCommand},
    {"bench", "how long sampling takes, beside reading the logits once", BenchCommand},
    {"doctor", "can this machine run decant, and if not, why not", DoctorCommand},
    {"completion", "a script that completes commands and options: bash, zsh, fish", CompletionCommand},
    {"help", "a command or a topic: config, exit-codes, seeds, samplers, formats", HelpCommand},
};

constexpr CommandText kHelpText = {.name = "help",
                                   .summary = "",
                                   .usage = "",
                                   .details = "",
                                   .example = "",
                                   .words = "config exit-codes seeds samplers formats"};

constexpr std::string_view kSeeds =
    R"(A seed names the randomness. With equal model, prompt, parameters and seed, decant gives equal bits, with any number of
threads, any prefill chunk, with or without the KV cache, on any machine.

  run               a seed that is not given is drawn by the operating system and printed
  chat              the same; retries of an answer are numbered sequences of one seed
  step draws sample 0, unless given
  values            0..18446744073709551615; -2 and below are read as two's complement; -1 is refused: leave the seed out

Preset native addresses its random numbers: Philox4x32-10 with the seed as the key, and position and sequence as the
counter. Position is the number of tokens before, prompt included; a token depends on nothing that was drawn earlier.
Preset reference has one stream, SplitMix64, that starts at the seed and moves one number a token.
)";

constexpr std::string_view kConfig =
    R"(decant.toml holds parameters, by the names and aliases of decant params, and the model to use.

  temperature = 0.7            # any parameter, as JSON would have it: numbers, true, "text", ["a", "b"]
  stop = ["\n\n"]
  max_tokens = 200             # or "max"
  model = "smollm2-135m"       # a name, or a path from this file's folder
  threads = 2                  # and preset, context
  [step]                       # for one command, over what stands above
  top_k = 3

Two files are read, the second over the first:
  yours          $XDG_CONFIG_HOME/decant/decant.toml, else ~/.config/decant/decant.toml
  the project's  the nearest decant.toml from the current folder upward
--config FILE reads that file instead of both; --no-config reads none.

A value holds over another in this order, lowest first: built in, the model's own (--model-defaults), your file, the
project's file, the environment (DECANT_TOP_K), the flag. --explain-config on a command tells each value, where it comes
from and what it stands instead of. A parameter that a command does not have may stand at the top of a file, not in the
command's table. decant doctor says whether the files are valid.
)";

constexpr std::string_view kFormats =
    R"(decant sample reads a JSON object a line and answers with one a line.

  in   {"logits":[...],"prompt_ids":[...],"output_ids":[...],"params":{"top_k":3},"preset":"native","seed":0,"draws":1,"id":1}
       All but logits may be left out. A ban is null, "-inf" or -Infinity. The position is the number of ids given.
  out  {"id":1,"token":2,"tokens":[2],"kept":[...],"support":[...],"probs":[...],"stages":[...],"draw":{...}}
  or   {"id":1,"error":{"code":"NonFiniteLogit","message":"line 1: ..."}}
       The exit code is 0 when the whole input was answered, also with errors.

--output json of the other commands is one object with a "schema" field: decant.run/1, decant.step/1, decant.draws/1,
decant.replay/1, decant.compare/1, decant.samples_report/1, decant.eval/1, decant.surprise/1, decant.params/1,
decant.model/1, decant.model_list/1, decant.model_get/1, decant.model_verify/1, decant.tokenize/1, decant.template/1,
decant.config/1, decant.doctor/1, decant.bench/1, decant.bench_plans/1, decant.grammar_check/1, decant.grammar_mask/1,
decant.grammar_why/1, decant.grammar_sample/1, decant.schema_check/1. Fields may be added, none changes within a number. decant samples writes JSON Lines, decant.samples/1; decant chat saves decant.chat/1.
Traces (decant run --trace FILE) are JSON Lines, decant.trace/1, each line sealed by a hash over itself and all before.
Models are GGUF files (v2, v3) and tiny checkpoints (decant.tiny/1).
)";

std::string ExitCodes() {
  const std::map<int, std::string_view> meanings = {
      {0, "done"},
      {1, "failed while running (writing to standard output too)"},
      {2, "wrong usage: an unknown option, a value out of its range"},
      {3, "a value that only the model or the data shows to be wrong"},
      {4, "a model or file cannot be found, read or written"},
      {5, "verification failed: a trace is broken or differs"},
      {6, "the output is incomplete: run --require-complete, grammar why"},
      {7, "a server cannot be reached (reserved)"},
      {kExitInterrupted, "interrupted by Ctrl-C; what was there by then has been written"},
      {kExitPipeClosed, "the reader of standard output went away"}};
  Table table({Align::kRight, Align::kLeft});
  for (const auto& [code, meaning] : meanings) {
    table.Add({std::to_string(code), std::string(meaning)});
    std::vector<std::string_view> names;
    for (const ErrorCodeRow& info : ErrorCodes()) {
      if (info.exit_code == code) names.push_back(info.name);
    }
    for (std::size_t i = 0; i < names.size(); i += 5) {
      table.Add(
          {"", fmt::format("  {}", fmt::join(names.begin() + static_cast<std::ptrdiff_t>(i),
                                             names.begin() + static_cast<std::ptrdiff_t>(std::min(i + 5, names.size())),
                                             ", "))});
    }
  }
  return table.Text("");
}

std::string Samplers() {
  std::string text =
      "Stages run in this order unless --samplers names another; a stage at its off value does nothing.\n\n";
  Table table({Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft});
  table.Add({"stage", "range", "off", "what it does"});
  for (const ParameterSpec& spec : Parameters()) {
    if (spec.stages.empty()) continue;
    const auto native = std::ranges::find(spec.presets, Preset::kNative, &PresetRange::preset);
    if (native == spec.presets.end()) continue;
    table.Add({std::string(spec.name), std::string(native->range), native->off.empty() ? "-" : std::string(native->off),
               std::string(spec.help)});
  }
  return text + table.Text("  ") +
         "\nThen the token is drawn: categorical, one random number against the cumulative weights, ids ascending; at\n"
         "temperature 0 the best token is taken without randomness, and filters have no say.\n"
         "decant params NAME tells more of one parameter; decant step shows the stages at work.\n";
}

struct Topic {
  std::string_view name;
  std::string (*text)();
};
constexpr Topic kTopics[] = {{"config", [] { return std::string(kConfig); }},
                             {"exit-codes", ExitCodes},
                             {"seeds", [] { return std::string(kSeeds); }},
                             {"samplers", Samplers},
                             {"formats", [] { return std::string(kFormats); }}};

std::unexpected<Error> Unknown(const std::string& what, const std::string& name, const std::vector<std::string>& known,
                               const std::string& way_out) {
  const auto close = core::Closest(name, known);
  return Fail(ErrorCode::kUnknownParameter, "there is no " + what + " \"" + name + "\"",
              {.subject = name,
               .allowed = fmt::format("{}", fmt::join(known, ", ")),
               .hint = close.has_value() ? "did you mean " + *close + "?" : way_out});
}

}  // namespace

std::span<const Command> Commands() { return kCommands; }

std::unexpected<Error> UnknownCommand(const std::string& name) {
  std::vector<std::string> known;
  for (const Command& command : kCommands) known.emplace_back(command.name);
  return Unknown(name.starts_with('-') ? "option" : "command", name, known, "see decant help");
}

std::string Overview() {
  Table table({Align::kLeft, Align::kLeft});
  for (const Command& command : kCommands) table.Add({std::string(command.name), std::string(command.summary)});
  return fmt::format(
             "decant {}: text from a language model, exact, reproducible, explained\n\nusage: decant COMMAND "
             "[options]\n\n",
             kVersion) +
         table.Text("  ") +
         "\ndecant COMMAND --help tells more; decant --version says what this build is.\n\nexample\n"
         "  decant run -p 'The sky is' -n 24 --seed 7\n";
}

Result<std::string> VersionText() {
  DECANT_TRY(const std::string_view simd, SimdLevel());
#if defined(__clang__)
  const std::string compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  const std::string compiler = fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  return fmt::format("decant {}\n{}\nsimd {}\ncompiler {}\nmodels gguf v2, v3; safetensors folders; decant.tiny/1\n",
                     kVersion, kNumerics, simd, compiler);
}

Result<int> HelpCommand(Session& session, Arguments arguments) {
  CommandLine line(kHelpText);
  line.AllowWords();
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go || line.words().empty()) {
    const bool is_listed = !arguments.empty() && arguments.front() == kOptionListFlag;
    session.Write(is_listed ? line.Help() : Overview());
    return 0;
  }
  if (line.words().size() > 1) return UsageError("help takes one command or topic", "decant help run");
  const std::string& name = line.words().front();
  if (const auto topic = std::ranges::find(kTopics, name, &Topic::name); topic != std::end(kTopics)) {
    session.Write(topic->text());
    return 0;
  }
  const auto command = std::ranges::find(kCommands, name, &Command::name);
  if (command != std::end(kCommands) && command->run != HelpCommand) {
    const std::vector<std::string> help = {"--help"};
    return command->run(session, help);
  }
  if (name == "help") {
    session.Write(Overview());
    return 0;
  }
  std::vector<std::string> known;
  for (const Topic& topic : kTopics) known.emplace_back(topic.name);
  for (const Command& each : kCommands) known.emplace_back(each.name);
  return Unknown("command or topic", name, known, "topics: config, exit-codes, seeds, samplers, formats");
}

}  // namespace decant::cli
