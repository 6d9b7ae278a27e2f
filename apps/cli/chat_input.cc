// The table of commands decides what is parsed, completed and shown.
#include "chat_input.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/number_text.h"
#include "core/utf8.h"
#include "session.h"

namespace decant::cli {
namespace {

constexpr std::string_view kQuotes = "\"\"\"";

constexpr ChatCommandRow kCommands[] = {
    {ChatCommandId::kHelp, "/help", "", "", "this list"},
    {ChatCommandId::kReset, "/reset", "/clear", "", "forgets the conversation; system message and parameters stay"},
    {ChatCommandId::kSystem, "/system", "", "[TEXT]", "shows or sets the system message; \"\" leaves it out"},
    {ChatCommandId::kUndo, "/undo", "", "", "takes the last message and its answer back"},
    {ChatCommandId::kRetry, "/retry", "", "", "another answer to the last message, with other random numbers"},
    {ChatCommandId::kSave, "/save", "", "FILE", "writes the conversation as JSON"},
    {ChatCommandId::kLoad, "/load", "", "FILE", "goes on from a conversation that was saved"},
    {ChatCommandId::kSet, "/set", "", "NAME VALUE", "changes a parameter; VALUE default: as it was at the start"},
    {ChatCommandId::kParams, "/params", "", "", "the parameters that have a value, and where it comes from"},
    {ChatCommandId::kSeed, "/seed", "", "[N]", "shows or sets the seed"},
    {ChatCommandId::kTokens, "/tokens", "", "", "how full the context is"},
    {ChatCommandId::kStats, "/stats", "", "", "tokens and speed so far"},
    {ChatCommandId::kModel, "/model", "", "", "the model"},
    {ChatCommandId::kQuit, "/quit", "/exit", "", "leaves, as Ctrl-D does"},
};

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

std::optional<std::string> MessageLines::Add(std::string_view line) {
  if (!is_open_) text_.clear();
  if (!is_open_ && line.starts_with(kQuotes)) {
    is_open_ = is_quoted_ = true;
    line.remove_prefix(kQuotes.size());
    if (line.empty()) return std::nullopt;
  }
  is_open_ = true;
  if (is_quoted_) {
    const std::size_t end = line.find(kQuotes);
    if (end == std::string_view::npos) {
      text_.append(line).append("\n");
      return std::nullopt;
    }
    text_.append(line.substr(0, end)).append(line.substr(end + kQuotes.size()));
    // The line feed before closing quotes that stand alone is not a part of the message.
    if (end == 0 && line.size() == kQuotes.size() && text_.ends_with('\n')) text_.pop_back();
  } else if (line.ends_with('\\')) {
    text_.append(line.substr(0, line.size() - 1)).append("\n");
    return std::nullopt;
  } else {
    text_.append(line);
  }
  is_open_ = is_quoted_ = false;
  return std::exchange(text_, {});
}

void MessageLines::Clear() {
  text_.clear();
  is_open_ = is_quoted_ = false;
}

std::span<const ChatCommandRow> ChatCommands() { return kCommands; }

Result<TypedCommand> ParseChatCommand(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  const std::string name(text.substr(0, end));
  const auto found = std::ranges::find_if(
      kCommands, [&name](const ChatCommandRow& row) { return name == row.name || name == row.alias; });
  if (found == std::end(kCommands)) {
    std::vector<std::string_view> known;
    for (const ChatCommandRow& row : kCommands) {
      known.push_back(row.name);
      if (!row.alias.empty()) known.push_back(row.alias);
    }
    const auto close = core::Closest(name, known);
    return Fail(ErrorCode::kUnknownParameter, "there is no command " + core::Quoted(name),
                {.subject = name,
                 .hint = (close.has_value() ? "did you mean " + *close + "? " : "/help lists them. ") +
                         std::string("A message may begin with //")});
  }
  TypedCommand command{.id = found->id, .rest = std::string(Trimmed(text.substr(end)))};
  const bool needs = !found->arguments.empty() && !found->arguments.starts_with('[');
  if (needs && command.rest.empty()) {
    return UsageError(name + " needs " + std::string(found->arguments), std::string(found->help));
  }
  if (found->arguments.empty() && !command.rest.empty()) {
    return UsageError(name + " takes nothing after it", std::string(found->help));
  }
  return command;
}

std::vector<std::string> CompleteChatLine(std::string_view line) {
  std::vector<std::string> lines;
  if (!line.starts_with('/')) return lines;
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) {
    for (const ChatCommandRow& row : kCommands) {
      for (const std::string_view name : {row.name, row.alias}) {
        if (name.starts_with(line)) lines.push_back(std::string(name) + (row.arguments.empty() ? "" : " "));
      }
    }
    return lines;
  }
  if (line.substr(0, space) != "/set") return lines;
  const std::string_view rest = line.substr(space + 1);
  const std::size_t second = rest.find(' ');
  if (second == std::string_view::npos) {
    for (const ParameterSpec& spec : Parameters()) {
      if (spec.name.starts_with(rest)) lines.push_back("/set " + std::string(spec.name) + " ");
    }
    return lines;
  }
  const auto spec = FindParameter(rest.substr(0, second));
  if (!spec.has_value()) return lines;
  std::vector<std::string_view> values((*spec)->choices.begin(), (*spec)->choices.end());
  if ((*spec)->type == ParameterType::kBoolean) values = {"true", "false"};
  values.emplace_back("default");
  for (const std::string_view value : values) {
    if (value.starts_with(rest.substr(second + 1))) {
      lines.push_back(std::string(line.substr(0, space + second + 2)) + std::string(value));
    }
  }
  return lines;
}

Result<ParameterSet> Changed(const ParameterSet& now, const ParameterSet& start, std::string_view name,
                             std::string_view value, Preset preset) {
  DECANT_TRY(const ParameterSpec* const spec, FindParameter(name));
  ParameterSet changed;
  for (const ParameterSet::Entry& entry : now.entries()) {
    if (entry.spec != spec) DECANT_CHECKED(changed.Set(*entry.spec, entry.value, entry.source));
  }
  if (value != "default") {
    DECANT_TRY(ParameterValue parsed, ParseParameter(*spec, value));
    DECANT_CHECKED(changed.Set(*spec, std::move(parsed), ParameterSource::kRequest));
  } else if (const ParameterSet::Entry* const entry = start.Find(spec->name); entry != nullptr) {
    DECANT_CHECKED(changed.Set(*spec, entry->value, entry->source));
  }
  DECANT_CHECKED(CheckChain(changed, preset));
  return changed;
}

}  // namespace decant::cli
