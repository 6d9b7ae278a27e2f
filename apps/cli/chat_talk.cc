// Each answer is a run of its own from the whole conversation; the cache spares what the last one computed already.
#include "chat_talk.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "models.h"
#include "prompt.h"
#include "signals.h"
#include "stop_text.h"
#include "table.h"
#include "terminal_text.h"

namespace decant::cli {
namespace {

using Seconds = std::chrono::duration<double>;

std::string Count(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::size_t SharedTokens(const PrefixCache& cache, const std::vector<TokenId>& prompt) {
  if (!cache.sequence.has_value()) return 0;
  const std::size_t most = std::min({cache.tokens.size(), cache.sequence->size(), prompt.size() - 1});
  std::size_t shared = 0;
  while (shared < most && cache.tokens[shared] == prompt[shared]) ++shared;
  return shared;
}

}  // namespace

ChatTalk::ChatTalk(Session& session, ChatSetup setup)
    : session_(session),
      setup_(std::move(setup)),
      start_(setup_.parameters),
      dialogue_(*setup_.model),
      history_(setup_.history_path) {
  dialogue_.set_system(setup_.system);
  editor_ = MakeLineEditor({.history = history_.Load(), .complete = CompleteChatLine});
}

void ChatTalk::Say(const std::string& line) const { session_.Note(line); }

void ChatTalk::Remark(const std::string& line) const {
  if (setup_.notes == ChatNotes::kAll) session_.Note(session_.error_paint().Dim(line));
}

void ChatTalk::Report(const Error& error) const { session_.ReportError(error); }

void ChatTalk::Banner() const {
  Remark(ModelLine(*setup_.model, setup_.threads));
  Remark(fmt::format("seed {} · /help lists the commands · Ctrl-C stops an answer · Ctrl-D leaves",
                     setup_.parameters.Get<std::uint64_t>("seed").value_or(0)));
  if (!history_.fault().empty()) Say("no history is kept: " + HarmlessText(history_.fault()));
  if (!editor_->CanEdit()) Remark("lines cannot be edited and have no history: " + WhyNoEditing());
}

int ChatTalk::Loop() {
  Banner();
  MessageLines lines;
  Typed typed = Typed::kLine;
  bool may_leave = false;  // by one more Ctrl-C
  while (true) {
    const LineReading reading = editor_->Read(lines.IsOpen() ? ". " : "> ");
    if (reading.event == LineReading::Event::kEnd) return 0;
    if (reading.event == LineReading::Event::kInterrupted) {
      const bool was_empty = reading.text.empty() && !lines.IsOpen();
      lines.Clear();
      if (was_empty && may_leave) return kExitInterrupted;
      may_leave = true;
      Remark("Ctrl-C again leaves, as Ctrl-D and /quit do");
      continue;
    }
    may_leave = false;
    if (!lines.IsOpen()) typed = reading.text.starts_with('"') ? Typed::kMessage : Typed::kLine;
    const auto message = lines.Add(reading.text);
    if (!message.has_value()) continue;
    if (message->find_first_not_of(" \t\r\n") == std::string::npos) continue;
    editor_->Remember(*message);
    if (!history_.Append(*message)) Say("the history cannot be written; what is typed is not kept");
    if (!Handle(*message, typed)) return 0;
  }
}

bool ChatTalk::Handle(const std::string& text, Typed typed) {
  Result<void> done;
  const bool has_slash = typed == Typed::kLine && text.starts_with('/');
  if (has_slash && !text.starts_with("//")) {
    const auto command = ParseChatCommand(text);
    if (command.has_value() && command->id == ChatCommandId::kQuit) return false;
    done = command.has_value() ? Obey(*command) : std::unexpected(command.error());
  } else {
    Dialogue before = dialogue_;
    retries_ = 0;
    dialogue_.Add({.message = {.role = "user", .content = has_slash ? text.substr(1) : text}});
    done = Answer(std::move(before));
  }
  if (!done.has_value()) Report(done.error());
  return true;
}

Result<Dialogue::Fitted> ChatTalk::Fit() {
  FitOptions options = FitOptionsOf(*setup_.model, setup_.parameters);
  // A cut makes room for an answer worth having.
  const bool cuts = options.overflow != ContextOverflow::kError;
  if (cuts && !options.max_tokens.has_value()) options.max_tokens = std::max<std::size_t>(1, options.context / 4);
  auto fitted = dialogue_.Fit(options);
  if (fitted.has_value()) return fitted;
  Error error = std::move(fitted).error();
  if (error.code == ErrorCode::kPromptTooLong && !cuts) {
    error.message = "the context is full: the conversation has grown past it (" + error.message + ")";
    error.hint = "/reset, /undo, or /set ctx_overflow truncate_left, which drops the oldest turns";
  }
  return std::unexpected(std::move(error));
}

Result<void> ChatTalk::Answer(Dialogue before) {
  const auto take_back = [&](Error error) {
    dialogue_ = std::move(before);
    return std::unexpected(std::move(error));
  };
  auto fitted = Fit();
  if (!fitted.has_value()) return take_back(std::move(fitted).error());
  if (fitted->dropped_turns > 0) {
    Say(fmt::format("the context is full: {} left it, {}; the model no longer sees them",
                    Count(fitted->dropped_turns, "oldest turn"), Count(fitted->dropped_tokens, "token")));
  }
  const RunSpec spec{.prompt = std::move(fitted->tokens),
                     .parameters = setup_.parameters,
                     .preset = setup_.preset,
                     .sequence = retries_,
                     .grammar = setup_.grammar};
  auto run = PrepareRun(*setup_.model, spec);
  if (!run.has_value()) return take_back(std::move(run).error());
  if (setup_.preset != Preset::kNative && stream_.has_value()) run->state.set_stream(*stream_);
  const std::size_t reused = SharedTokens(cache_, spec.prompt);
  const auto generation = Write(*run, spec.prompt);
  if (!generation.has_value()) return take_back(generation.error());
  stream_ = run->state.stream();
  if (generation->tokens.empty() && generation->stop == StopReason::kCancelled) {
    dialogue_ = std::move(before);
    Say("stopped before the first token; the message is taken back");
    return {};
  }
  Keep(*generation);
  Summarize(*generation, spec.prompt.size(), reused);
  return {};
}

Result<Generation> ChatTalk::Write(PreparedRun& run, const std::vector<TokenId>& prompt) {
  const InterruptScope interrupt;
  run.options.cancel = interrupt.token();
  run.options.cache = &cache_;
  const bool shows = session_.output_on_terminal();
  ProgressLine progress(setup_.notes == ChatNotes::kAll ? session_.progress_style() : ProgressStyle::kSilent);
  bool ends_line = true;
  GenerateEvents events;
  events.on_prefill = [&](std::size_t done, std::size_t total) {
    if (done < total)
      progress.Update(fmt::format("reading {} {}/{} tokens", ProgressBar(done, total, 16), done, total));
  };
  events.on_text = [&](std::string_view text) {
    progress.Finish();
    session_.WriteNow(shows ? TerminalText(text) : std::string(text));
    ends_line = text.ends_with('\n');
  };
  modes_.HideTyping();
  auto generation = Generate(setup_.model->language_model(), setup_.model->tokenizer(), prompt, *run.sampler, run.state,
                             run.options, events);
  progress.Finish();
  if (!ends_line) session_.WriteNow("\n");
  modes_.ShowTyping();
  return generation;
}

// The answer as it stands in the conversation: its tokens without the one that ended it.
void ChatTalk::Keep(const Generation& generation) {
  ChatEntry entry{.message = {.role = "assistant", .content = generation.text},
                  .stopped = generation.stop == StopReason::kCancelled};
  entry.message.tokens = generation.tokens;
  if (generation.stop_token.has_value()) entry.message.tokens.pop_back();
  // The tokens go on past the cut of a stop text.
  if (generation.stop == StopReason::kStopString) entry.message.tokens.clear();
  dialogue_.Add(std::move(entry));
}

void ChatTalk::Summarize(const Generation& generation, std::size_t prompt_tokens, std::size_t reused) {
  const double decode = Seconds(generation.decode_time).count();
  const double seconds = Seconds(generation.prefill_time).count() + decode;
  const std::size_t decoded = generation.tokens.empty() ? 0 : generation.tokens.size() - 1;
  ++totals_.answers;
  totals_.tokens += generation.tokens.size();
  totals_.prompt_tokens += prompt_tokens;
  totals_.reused_tokens += reused;
  totals_.seconds += seconds;
  totals_.decode_seconds += decode;
  totals_.decoded += decoded;
  std::string line = fmt::format("{} in {:.2f} s", Count(generation.tokens.size(), "token"), seconds);
  if (decoded > 0 && decode > 0) line += fmt::format(" ({:.1f} tok/s)", static_cast<double>(decoded) / decode);
  line += fmt::format(" · stopped: {} · context {} of {}, {} reused · seed {}", StopText(generation),
                      prompt_tokens + generation.tokens.size(), setup_.model->language_model().context_length(), reused,
                      setup_.parameters.Get<std::uint64_t>("seed").value_or(0));
  if (retries_ > 0) line += fmt::format(", retry {}", retries_);
  Remark(line);
  if (generation.stop == StopReason::kContext) {
    Say("the context is full and the answer was cut: /reset, /undo, or /set ctx_overflow truncate_left");
  }
  if (generation.stop == StopReason::kCancelled) Remark("the answer stays as far as it came; /retry asks for another");
}

}  // namespace decant::cli
