// decant chat: a conversation at a terminal.
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "chat_talk.h"
#include "commands.h"
#include "draw_seed.h"
#include "environment.h"
#include "flags.h"
#include "models.h"
#include "prompt.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "chat",
    .summary = "a conversation at the terminal",
    .usage = "[-m MODEL] [--system TEXT] [options]",
    .details =
        "Standard output gets the answers, standard error all else. Without --preset: temperature 0.8, top_k 40. The\n"
        "seed, if not given, is drawn and printed; the same seed and the same input give the same conversation.\n"
        "/help lists what can be typed besides messages: /reset /system /undo /retry /save /load /set /params /seed\n"
        "/tokens /stats /model /quit. Ctrl-C stops an answer, Ctrl-D leaves.\n"
        "When the context is full, --ctx-overflow decides: error (the message is refused), truncate_left (the oldest\n"
        "turns leave, the system message stays), truncate_middle (the first turn stays too).",
    .example = "decant chat --system 'Answer in one sentence.' --seed 7\ndecant chat --load talk.json --temperature 0"};

struct ChatCommandFlags {
  explicit ChatCommandFlags(CommandLine& line)
      : model(line),
        system(line.Value("conversation", "--system", "TEXT",
                          "the system message; \"\" leaves out the template's own (default: the template's own)")),
        load(line.Value("conversation", "--load", "FILE", "goes on from a conversation that /save wrote")),
        no_history(line.Flag("conversation", "--no-history", "keeps nothing of what is typed for the next chat")),
        parameters(line, ParameterScope::kRun),
        quiet(line.Flag("output", "-q,--quiet", "no summaries; only answers, and what is asked for")) {}

  ModelFlags model;
  CLI::Option *system, *load, *no_history;
  ParameterFlags parameters;
  CLI::Option* quiet;
};

Result<void> NeedTerminal() {
  if (isatty(STDIN_FILENO) != 1) {
    return UsageError("chat is for a terminal, and standard input is none",
                      "decant run answers one prompt from a pipe or a file: decant run --chat -f FILE");
  }
  if (isatty(STDOUT_FILENO) != 1 && isatty(STDERR_FILENO) != 1) {
    return UsageError("chat is for a terminal, and neither standard output nor standard error is one",
                      "decant run --chat answers one prompt");
  }
  return {};
}

}  // namespace

Result<int> ChatCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const ChatCommandFlags flags(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  ChatSetup setup;
  DECANT_TRY(setup.parameters, flags.parameters.Collect(Environment));
  DECANT_TRY(const auto preset, flags.parameters.ReadPreset(Environment));
  setup.preset = preset.value_or(Preset::kNative);
  if (!preset.has_value()) {
    SetBuiltIns(setup.parameters, "chat");
  }
  if (setup.parameters.Find("seed") == nullptr) SetBuiltIn(setup.parameters, "seed", DrawSeed());
  DECANT_CHECKED(CheckChain(setup.parameters, setup.preset));
  DECANT_TRY(setup.system, TextOf(flags.system));
  DECANT_TRY(const auto load, TextOf(flags.load));
  DECANT_TRY(const bool no_history, IsOn(flags.no_history));
  DECANT_TRY(const bool quiet, IsOn(flags.quiet));
  if (quiet) setup.notes = ChatNotes::kAskedFor;
  DECANT_TRY(setup.threads, flags.model.Threads());
  if (load.has_value() && setup.system.has_value()) {
    return Fail(ErrorCode::kConflict, "--system and --load exclude each other: the file has its own system message",
                {.subject = "--system", .hint = "use /system in the chat"});
  }
  DECANT_CHECKED(NeedTerminal());

  DECANT_TRY(setup.model, flags.model.Load());
  // Says at once whether there is a template.
  DECANT_TRY([[maybe_unused]] const auto tokens, EncodeChat(*setup.model, {}, setup.system));
  const RunSpec trial{.prompt = {0}, .parameters = setup.parameters, .preset = setup.preset};
  DECANT_TRY(const PreparedRun run, PrepareRun(*setup.model, trial));
  setup.grammar = run.grammar;
  if (!no_history) setup.history_path = HistoryFile::DefaultPath();
  ChatTalk talk(session, std::move(setup));
  if (load.has_value()) DECANT_CHECKED(talk.Load(*load));
  return talk.Loop();
}

}  // namespace decant::cli
