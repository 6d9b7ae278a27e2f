// decant template: what the model's chat template makes of messages.
#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chat_transcript.h"
#include "commands.h"
#include "core/mapped_file.h"
#include "models.h"
#include "prompt.h"
#include "record_json.h"
#include "terminal_text.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "template",
    .summary = "what the chat template makes of messages",
    .usage = "[-m MODEL] --message ROLE:CONTENT... | -f messages.json | - [options]",
    .details =
        "The text that the model reads, with each special token between ⟦ and ⟧: a message that only looks like one\n"
        "stays text. The last line is the header of the answer. Messages come from --message, or from JSON:\n"
        "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}, as decant chat saves them.",
    .example =
        "decant template --system 'Be brief.' --message 'user:What is rain?'\n"
        "echo '[{\"role\":\"user\",\"content\":\"Hi\"}]' | decant template --ids"};

struct TemplateFlags {
  explicit TemplateFlags(CommandLine& line)
      : model(line),
        system(line.Value("messages", "--system", "TEXT",
                          "the system message; \"\" leaves out the template's own (default: the template's own)")),
        messages(line.Value("messages", "--message", "ROLE:CONTENT", "a message; may be given again")),
        file(line.Value("messages", "-f,--file", "FILE", "a JSON file with the messages; - is standard input")),
        raw(line.Flag("output", "--raw", "the text as it is, special tokens unmarked")),
        ids(line.Flag("output", "--ids", "the token ids on one line, separated by spaces")),
        output(AddOutput(line)) {
    line.AllowWords();
  }
  ModelFlags model;
  CLI::Option *system, *messages, *file, *raw, *ids, *output;
};

Result<std::vector<ChatEntry>> ReadEntries(const Session& session, const CommandLine& line,
                                           const TemplateFlags& flags) {
  const bool reads = IsGiven(flags.file) || !line.words().empty();
  if (reads && IsGiven(flags.messages)) {
    return Fail(ErrorCode::kConflict, "the messages are given more than once", {.subject = "messages"});
  }
  if (!line.words().empty() && (IsGiven(flags.file) || line.words() != std::vector<std::string>{"-"})) {
    return UsageError("unexpected argument \"" + line.words().front() + "\"", "see decant template --help");
  }
  if (IsGiven(flags.messages)) {
    std::vector<ChatEntry> entries;
    for (const std::string& text : TextsOf(flags.messages)) {
      DECANT_TRY(ChatMessage message, ParseMessage(text));
      entries.push_back({.message = std::move(message)});
    }
    return entries;
  }
  std::string path = "-";
  if (IsGiven(flags.file)) {
    DECANT_TRY(const auto named, TextOf(flags.file));
    path = *named;
  } else if (!reads && isatty(STDIN_FILENO) == 1) {
    return UsageError("there are no messages", "give them with --message ROLE:CONTENT or -f messages.json");
  }
  DECANT_TRY(const std::string text, core::ReadFile(path));
  auto transcript = ReadTranscript(text);
  if (!transcript.has_value()) {
    Error error = std::move(transcript).error();
    error.message = (path == "-" ? "standard input" : path) + ": " + error.message;
    return std::unexpected(std::move(error));
  }
  if (!transcript->unused.empty()) {
    session.Note(fmt::format("not used by a template: {}", fmt::join(transcript->unused, ", ")));
  }
  return std::move(transcript->entries);
}

enum class Marks : std::uint8_t { kNone, kBrackets };

// Tokens in a row of one kind, special or text.
struct Segment {
  std::string text;
  bool special;
};

std::vector<Segment> SegmentsOf(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  std::vector<Segment> segments;
  for (const TokenId id : tokens) {
    const bool special = tokenizer.kind(id) == TokenKind::kControl || tokenizer.kind(id) == TokenKind::kUserDefined;
    if (special || segments.empty() || segments.back().special) segments.push_back({.text = "", .special = special});
    segments.back().text += tokenizer.Bytes(id);
  }
  return segments;
}

void WriteJson(Session& session, const Model& model, const std::vector<ChatEntry>& entries,
               const std::vector<TokenId>& tokens) {
  const std::vector<Segment> segments = SegmentsOf(*model.tokenizer(), tokens);
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.template/1");
  w.Key("template");
  w.String(model.description().chat_template);
  WriteMessages(w, entries);
  w.Key("text");
  std::string text;
  for (const Segment& segment : segments) text += segment.text;
  w.String(text);
  w.Key("segments");
  w.BeginArray();
  for (const Segment& segment : segments) {
    w.BeginObject();
    w.Key("text");
    w.String(segment.text);
    w.Key("special");
    w.Bool(segment.special);
    w.EndObject();
  }
  w.EndArray();
  w.Key("ids");
  WriteIds(w, tokens);
  w.Key("count");
  w.Uint(tokens.size());
  w.EndObject();
  session.WriteLine(w.text());
}

void WriteText(Session& session, const Tokenizer& tokenizer, const std::vector<TokenId>& tokens, Marks marks) {
  const bool shows = session.output_on_terminal();
  const Paint paint = session.output_paint();
  for (const Segment& segment : SegmentsOf(tokenizer, tokens)) {
    const std::string text = shows ? TerminalText(segment.text) : segment.text;
    if (!segment.special) {
      session.Write(text);
    } else {
      session.Write(marks == Marks::kNone ? text : paint.Bold("⟦" + text + "⟧"));
    }
  }
}

}  // namespace

Result<int> TemplateCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const TemplateFlags flags(line);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const OutputFormat format, OutputOf(flags.output));
  DECANT_TRY(const bool raw, IsOn(flags.raw));
  DECANT_TRY(const bool ids, IsOn(flags.ids));
  DECANT_TRY(const auto system, TextOf(flags.system));
  if (raw && ids) return Fail(ErrorCode::kConflict, "--raw and --ids exclude each other", {.subject = "--raw"});
  DECANT_TRY(const std::vector<ChatEntry> entries, ReadEntries(session, line, flags));
  std::vector<ChatMessage> messages;
  for (const ChatEntry& entry : entries) messages.push_back(entry.message);
  if (system.has_value() && !system->empty() && !messages.empty() && messages.front().role == "system") {
    return Fail(ErrorCode::kConflict, "--system is given, and the messages begin with a system message",
                {.subject = "--system"});
  }
  DECANT_TRY(const auto model, flags.model.Load());
  const Tokenizer* const tokenizer = model->tokenizer();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].tokens.empty() || tokenizer == nullptr) continue;
    const auto bytes = tokenizer->Decode(messages[i].tokens);
    if (bytes.has_value() && *bytes == messages[i].content) continue;
    session.Note(
        fmt::format("message {}: its ids do not spell its content in this model; the content is encoded", i + 1));
    messages[i].tokens.clear();
  }
  DECANT_TRY(const std::vector<TokenId> tokens, EncodeChat(*model, messages, system));
  if (format == OutputFormat::kJson) {
    WriteJson(session, *model, entries, tokens);
  } else if (ids) {
    session.WriteLine(fmt::format("{}", fmt::join(tokens, " ")));
  } else {
    WriteText(session, *tokenizer, tokens, raw ? Marks::kNone : Marks::kBrackets);
  }
  return 0;
}

}  // namespace decant::cli
