// What the commands of a chat do.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "chat_talk.h"
#include "core/mapped_file.h"
#include "core/number_text.h"
#include "decant/version.h"
#include "json/spelling.h"
#include "models.h"
#include "parameter_json.h"
#include "prompt.h"
#include "table.h"

namespace decant::cli {
namespace {

std::string SourceWord(ParameterSource source) {
  if (source == ParameterSource::kBuiltIn) return "default";
  return source == ParameterSource::kRequest ? "/set" : std::string(NameOf(source));
}

std::string ValueText(const ParameterSet& parameters, std::string_view name) {
  const ParameterSet::Entry* const entry = parameters.Find(name);
  return entry == nullptr ? "absent" : ParameterText(entry->value);
}

// Table::Text ends each row; a note does so itself.
std::string AsNote(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Result<void> ChatTalk::Obey(const TypedCommand& command) {
  switch (command.id) {
    case ChatCommandId::kHelp:
      return ShowHelp(), Result<void>();
    case ChatCommandId::kReset:
      dialogue_.Clear();
      stream_.reset();
      retries_ = 0;
      Say("the conversation is forgotten");
      return {};
    case ChatCommandId::kSystem:
      return System(command.rest), Result<void>();
    case ChatCommandId::kUndo:
      if (const auto text = dialogue_.Undo()) {
        Say("taken back: " + VisibleText(*text, 60));
      } else {
        Say("there is nothing to take back");
      }
      retries_ = 0;
      return {};
    case ChatCommandId::kRetry:
      return Retry();
    case ChatCommandId::kSave:
      return Save(command.rest);
    case ChatCommandId::kLoad:
      return Load(command.rest);
    case ChatCommandId::kSet:
      return SetOrShow(command.rest);
    case ChatCommandId::kSeed:
      if (!command.rest.empty()) return Set("seed", command.rest);
      Say("seed " + ValueText(setup_.parameters, "seed"));
      return {};
    case ChatCommandId::kParams:
      return ShowParameters(), Result<void>();
    case ChatCommandId::kTokens:
      return ShowTokens(), Result<void>();
    case ChatCommandId::kStats:
      return ShowStats(), Result<void>();
    case ChatCommandId::kModel:
      Say(ModelLine(*setup_.model, setup_.threads));
      Say(HarmlessText(setup_.model->description().path));
      return {};
    case ChatCommandId::kQuit:
      return {};
  }
  return {};
}

Result<void> ChatTalk::Retry() {
  Dialogue before = dialogue_;
  if (dialogue_.TakeAnswerBack()) {
    ++retries_;
  } else if (dialogue_.entries().empty() || dialogue_.entries().back().message.role != "user") {
    Say("there is no message to answer");
    return {};
  }
  return Answer(std::move(before));
}

void ChatTalk::System(const std::string& rest) {
  if (rest.empty()) {
    const std::string& own = setup_.model->description().default_system;
    const std::string text = dialogue_.system().value_or(own);
    const std::string whose = dialogue_.system().has_value() ? "" : " (the template's own)";
    Say(text.empty() ? "there is no system message" : "system: " + VisibleText(text, SIZE_MAX) + whose);
    return;
  }
  dialogue_.set_system(rest == "\"\"" ? "" : rest);
  Say(rest == "\"\"" ? "no system message from here on"
                     : "the system message is set; it holds from the next answer on");
}

Result<void> ChatTalk::SetOrShow(const std::string& rest) {
  const std::size_t space = rest.find_first_of(" \t");
  const std::string name = rest.substr(0, space);
  if (space == std::string::npos) {
    DECANT_TRY(const ParameterSpec* const spec, FindParameter(name));
    Say(fmt::format("{}: {} ({})", spec->name, ValueText(setup_.parameters, spec->name), spec->help));
    return {};
  }
  return Set(name, rest.substr(rest.find_first_not_of(" \t", space)));
}

Result<void> ChatTalk::Set(const std::string& name, const std::string& value) {
  DECANT_TRY(const ParameterSpec* const spec, FindParameter(name));
  DECANT_TRY(ParameterSet changed, Changed(setup_.parameters, start_, name, value, setup_.preset));
  // What only the model can refuse: ids past its vocabulary, another preset's ranges.
  const RunSpec trial{.prompt = {0}, .parameters = changed, .preset = setup_.preset};
  DECANT_TRY(const PreparedRun run, PrepareRun(*setup_.model, trial));
  const std::string before = ValueText(setup_.parameters, spec->name), after = ValueText(changed, spec->name);
  setup_.parameters = std::move(changed);
  setup_.grammar = run.grammar;
  if (spec->name == "seed") {
    stream_.reset();
    retries_ = 0;
  }
  Say(before == after ? fmt::format("{} stays {}", spec->name, HarmlessText(after))
                      : fmt::format("{}: {} -> {}", spec->name, HarmlessText(before), HarmlessText(after)));
  return {};
}

Result<void> ChatTalk::Save(const std::string& path) const {
  const std::vector<ChatEntry> entries = dialogue_.All();
  json::Writer w;
  w.BeginObject();
  w.Key("schema");
  w.String("decant.chat/1");
  w.Key("version");
  w.String(kVersion);
  w.Key("model");
  w.String(setup_.model->description().name);
  w.Key("preset");
  w.String(NameOf(setup_.preset));
  w.Key("seed");
  json::WriteSeed(setup_.parameters.Get<std::uint64_t>("seed").value_or(0), w);
  w.Key("parameters");
  WriteParameters(w, setup_.parameters);
  WriteMessages(w, entries);
  w.EndObject();
  DECANT_CHECKED(SaveTranscript(path, w.text()));
  Say(fmt::format("{} message{} saved in {}", entries.size(), entries.size() == 1 ? "" : "s", HarmlessText(path)));
  return {};
}

Result<void> ChatTalk::Load(const std::string& path) {
  DECANT_TRY(const std::string text, core::ReadFile(path));
  auto transcript = ReadTranscript(text);
  if (!transcript.has_value()) {
    Error error = std::move(transcript).error();
    error.message = path + ": " + error.message;
    return std::unexpected(std::move(error));
  }
  const std::size_t count = transcript->entries.size();
  const std::vector<std::size_t> strange = dialogue_.Replace(std::move(transcript->entries));
  retries_ = 0;
  Say(fmt::format("{} message{} read; parameters and seed stay as they are", count, count == 1 ? "" : "s"));
  for (const std::size_t number : strange) {
    Say(fmt::format("message {}: its ids do not spell its content in this model; the content is encoded", number));
  }
  if (!transcript->unused.empty()) Say(fmt::format("not used: {}", fmt::join(transcript->unused, ", ")));
  if (!dialogue_.entries().empty() && dialogue_.entries().back().message.role == "user") {
    Say("the last message has no answer yet: /retry answers it");
  }
  return {};
}

void ChatTalk::ShowHelp() const {
  Table table({Align::kLeft, Align::kLeft});
  for (const ChatCommandRow& row : ChatCommands()) {
    std::string left(row.name);
    if (!row.alias.empty()) left += fmt::format(" ({})", row.alias);
    if (!row.arguments.empty()) left += fmt::format(" {}", row.arguments);
    table.Add({left, std::string(row.help)});
  }
  Say(table.Text("  ") +
      "A backslash at the end of a line goes on with the next; \"\"\" begins and ends a message of several lines.\n"
      "A message that begins with / is written with two: //. Tab completes commands and parameters.");
}

void ChatTalk::ShowParameters() const {
  Table table({Align::kLeft, Align::kLeft, Align::kLeft});
  for (const ParameterSet::Entry& entry : setup_.parameters.entries()) {
    table.Add({std::string(entry.spec->name), HarmlessText(ParameterText(entry.value)), SourceWord(entry.source)});
  }
  if (setup_.preset != Preset::kNative) table.Add({"preset", std::string(NameOf(setup_.preset)), ""});
  Say(AsNote(table.Text("  ")));
}

void ChatTalk::ShowTokens() const {
  const auto tokens = dialogue_.Encode();
  if (!tokens.has_value()) return Report(tokens.error());
  Table table({Align::kRight, Align::kLeft, Align::kLeft});
  for (const ChatEntry& entry : dialogue_.All()) {
    const std::size_t own = entry.message.tokens.empty()
                                ? setup_.model->tokenizer()->Encode(entry.message.content, SpecialText::kAsText).size()
                                : entry.message.tokens.size();
    const std::string state = entry.dropped ? "  (left the context)" : entry.stopped ? "  (stopped)" : "";
    table.Add({std::to_string(own), entry.message.role, VisibleText(entry.message.content, 50) + state});
  }
  if (!dialogue_.All().empty()) Say(AsNote(table.Text("  ")));
  Say(fmt::format("{} of {} tokens of the context are taken, the template's own included", tokens->size(),
                  setup_.model->language_model().context_length()));
}

void ChatTalk::ShowStats() const {
  const double rate = totals_.decode_seconds > 0 ? static_cast<double>(totals_.decoded) / totals_.decode_seconds : 0;
  Say(fmt::format("{} answer{}, {} tokens in {:.2f} s ({:.1f} tok/s); of {} prompt tokens {} came from the cache",
                  totals_.answers, totals_.answers == 1 ? "" : "s", totals_.tokens, totals_.seconds, rate,
                  totals_.prompt_tokens, totals_.reused_tokens));
}

}  // namespace decant::cli
