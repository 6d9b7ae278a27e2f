// CLI11 splits the arguments; values are read here, and everything that a person reads is written here.
#include "command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <sstream>

#include "core/number_text.h"
#include "core/split.h"
#include "decant/parameters.h"
#include "session.h"
#include "table.h"
#include "terminal.h"

namespace decant::cli {
namespace {

constexpr std::string_view kEverywhere = "everywhere";

std::string WithUnderscores(std::string name) {
  std::replace(name.begin() + 2, name.end(), '-', '_');
  return name;
}

std::string Joined(std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
  return list;
}

}  // namespace

CommandLine::CommandLine(const CommandText& text)
    : text_(text), app_(std::make_unique<CLI::App>(std::string(text.summary))) {
  app_->set_help_flag();
  app_->allow_extras();
  help_ = Flag(kEverywhere, "-h,--help", "shows this");
  color_ = Value(kEverywhere, "--color", "auto|never|always", "colour on terminals; NO_COLOR and TERM=dumb are obeyed");
  error_format_ = Value(kEverywhere, "--error-format", "text|json", "how errors are written on standard error");
  option_list_ = app_->add_flag(std::string(kOptionListFlag));
}

CommandLine::~CommandLine() = default;

const CLI::Option* CommandLine::Find(const std::string& name) const { return app_->get_option_no_throw(name); }

std::string CommandLine::AllNames(const std::string& names, const std::vector<std::string>& aliases) const {
  const std::vector<std::string_view> listed = core::Split(names, ',');
  std::vector<std::string> all(listed.begin(), listed.end());
  all.insert(all.end(), aliases.begin(), aliases.end());
  std::string joined;
  for (const std::string& name : all) {
    joined += (joined.empty() ? "" : ",") + name;
    if (name.starts_with("--") && WithUnderscores(name) != name) joined += "," + WithUnderscores(name);
  }
  return joined;
}

CLI::Option* CommandLine::Value(std::string_view group, const std::string& names, std::string_view placeholder,
                                std::string_view help, const std::vector<std::string>& aliases) {
  const std::string shown = Joined(core::Split(names, ','));
  lines_.push_back({std::string(group), shown, std::string(placeholder), std::string(help)});
  return app_->add_option(AllNames(names, aliases))->take_all();
}

CLI::Option* CommandLine::Flag(std::string_view group, const std::string& names, std::string_view help,
                               const std::vector<std::string>& aliases) {
  const std::string shown = Joined(core::Split(names, ','));
  lines_.push_back({std::string(group), shown, "", std::string(help)});
  return app_->add_flag(AllNames(names, aliases))->take_all();
}

std::unexpected<Error> CommandLine::Unknown(const std::string& argument) const {
  if (!argument.starts_with('-') || argument.size() < 2) {
    return UsageError("unexpected argument \"" + argument + "\"", "see decant " + std::string(text_.name) + " --help");
  }
  const std::string name = argument.substr(0, argument.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
  }
  std::string hint = "see decant " + std::string(text_.name) + " --help";
  const auto parameter = FindParameter(name.substr(std::min<std::size_t>(2, name.size())));
  if (name.starts_with("--") && parameter.has_value()) {
    hint = std::string((*parameter)->name) + " has no effect here; decant run has it";
  } else if (const auto close = core::Closest(name, known); close.has_value()) {
    hint = "did you mean " + *close + "?";
  }
  return Fail(
      ErrorCode::kUnknownParameter, "there is no option " + name,
      {.subject = name, .allowed = "the options of decant " + std::string(text_.name) + " --help", .hint = hint});
}

// What CLI11 did not know: words, and options that there are not.
Result<void> CommandLine::SortOut(const std::vector<std::string>& extras) {
  bool only_words = false;
  for (const std::string& extra : extras) {
    if (!only_words && extra == "--") {
      only_words = true;
    } else if ((!only_words && extra.size() > 1 && extra.starts_with('-')) || !allows_words_) {
      return Unknown(extra);
    } else {
      words_.push_back(extra);
    }
  }
  return {};
}

Result<bool> CommandLine::Parse(std::span<const std::string> arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app_->parse(reversed);
  } catch (const CLI::ArgumentMismatch&) {
    return UsageError("option " + (arguments.empty() ? std::string() : arguments.back()) + " needs a value");
  } catch (const CLI::ParseError& error) {
    return UsageError(error.what());
  }
  DECANT_TRY(const bool asks_for_help, IsOn(help_));
  if (asks_for_help) return false;
  if (!option_list_->empty()) {
    answer_ = OptionList();
    return false;
  }
  DECANT_CHECKED(SortOut(app_->remaining()));
  constexpr std::string_view kColors[] = {"auto", "never", "always"};
  constexpr std::string_view kFormats[] = {"text", "json"};
  DECANT_TRY([[maybe_unused]] const auto color, WordOf(color_, kColors));
  DECANT_TRY([[maybe_unused]] const auto format, WordOf(error_format_, kFormats));
  for (const auto& [flag, answer] : answers_) {
    DECANT_TRY(const bool is_asked, IsOn(flag));
    if (!is_asked) continue;
    DECANT_TRY(answer_, answer());
    return false;
  }
  return true;
}

void CommandLine::AnswerInstead(const CLI::Option* flag, std::function<Result<std::string>()> answer) {
  answers_.emplace_back(flag, std::move(answer));
}

// For completion: the words a line, then each option's names, placeholder and help.
std::string CommandLine::OptionList() const {
  std::string list = std::string(text_.words) + "\n";
  for (const Line& line : lines_) {
    if (!line.group.empty()) list += line.names + "\t" + line.placeholder + "\t" + line.help + "\n";
  }
  return list;
}

std::string CommandLine::Help() const {
  if (answer_.has_value()) return *answer_;
  std::string help = "decant " + std::string(text_.name) + ": " + std::string(text_.summary) + "\n\nusage: decant " +
                     std::string(text_.name) + " " + std::string(text_.usage) + "\n";
  if (!text_.details.empty()) help += "\n" + std::string(text_.details) + "\n";
  std::vector<std::string> groups;
  std::size_t width = 0;
  for (const Line& line : lines_) {
    if (line.group.empty()) continue;
    if (std::ranges::find(groups, line.group) == groups.end()) groups.push_back(line.group);
    if (line.Left().size() <= 30) width = std::max(width, line.Left().size());
  }
  // What every command has comes last.
  if (const auto everywhere = std::ranges::find(groups, kEverywhere); everywhere != groups.end()) {
    std::rotate(everywhere, everywhere + 1, groups.end());
  }
  for (const std::string& group : groups) {
    help += "\n" + group + "\n";
    for (const Line& line : lines_) {
      if (line.group != group) continue;
      help += "  " + line.Left();
      if (line.Left().size() > width) help += "\n  " + std::string(width, ' ');
      help += std::string(line.Left().size() > width ? 0 : width - line.Left().size(), ' ') + "  " + line.help + "\n";
    }
  }
  help += "\nexample\n";
  std::istringstream examples{std::string(text_.example)};
  for (std::string line; std::getline(examples, line);) help += "  " + line + "\n";
  return help;
}

bool IsGiven(const CLI::Option* option) { return !option->empty(); }

const std::vector<std::string>& TextsOf(const CLI::Option* option) { return option->results(); }

std::string LongNameOf(const CLI::Option* option) { return option->get_name(false, false); }

std::string ShortNameOf(const CLI::Option* option) {
  return option->get_snames().empty() ? LongNameOf(option) : "-" + option->get_snames().front();
}

Result<std::optional<std::string>> TextOf(const CLI::Option* option) {
  const std::vector<std::string>& values = TextsOf(option);
  if (values.empty()) return std::nullopt;
  if (values.size() > 1) return UsageError("option " + LongNameOf(option) + " is given twice");
  return values.front();
}

Result<bool> IsOn(const CLI::Option* option) {
  const std::string name = LongNameOf(option);
  std::optional<bool> on;
  for (const std::string& text : TextsOf(option)) {
    const bool yes = text == "true" || text == "1";
    if (!yes && text != "false" && text != "0") {
      return Fail(ErrorCode::kWrongType, "option " + name + " is \"" + text + "\"; expected true or false",
                  {.subject = name, .allowed = "true or false"});
    }
    if (on.value_or(yes) != yes) {
      return Fail(ErrorCode::kConflict, "option " + name + " is both true and false", {.subject = name});
    }
    on = yes;
  }
  return on.value_or(false);
}

Result<std::optional<std::uint64_t>> CountOf(const CLI::Option* option, Bounds bounds) {
  DECANT_TRY(const auto text, TextOf(option));
  if (!text.has_value()) return std::nullopt;
  const auto value = core::ParseUint64(*text);
  if (value.has_value() && *value >= bounds.least && *value <= bounds.most) return *value;
  const std::string name = LongNameOf(option);
  const std::string range = std::to_string(bounds.least) + ".." + std::to_string(bounds.most);
  return Fail(ErrorCode::kOutOfRange, "option " + name + " is \"" + *text + "\"; expected a whole number in " + range,
              {.subject = name, .allowed = range});
}

Result<std::optional<std::string>> WordOf(const CLI::Option* option, std::span<const std::string_view> words) {
  DECANT_TRY(auto text, TextOf(option));
  if (!text.has_value() || std::ranges::find(words, *text) != words.end()) return text;
  const std::string name = LongNameOf(option);
  const auto close = core::Closest(*text, words);
  return Fail(
      ErrorCode::kOutOfRange, "option " + name + ": \"" + *text + "\" is none of " + Joined(words),
      {.subject = name, .allowed = Joined(words), .hint = close.has_value() ? "did you mean \"" + *close + "\"?" : ""});
}

Result<std::vector<std::uint32_t>> ParseIds(std::string_view option, std::string_view text) {
  std::vector<std::uint32_t> ids;
  for (const std::string_view part : core::Split(text, ',')) {
    const auto id = core::ParseUint64(part);
    if (!id.has_value() || *id > UINT32_MAX) {
      return Fail(ErrorCode::kWrongType,
                  "option " + std::string(option) + ": \"" + std::string(part) + "\" is not a token id",
                  {.subject = std::string(option), .allowed = "token ids separated by commas, like 1,2,3"});
    }
    ids.push_back(static_cast<std::uint32_t>(*id));
  }
  return ids;
}

CLI::Option* AddOutput(CommandLine& line) {
  return line.Value("output", "--output", "text|json", "for people (the default) or for programs");
}

Result<OutputFormat> OutputOf(const CLI::Option* option) {
  constexpr std::string_view kWords[] = {"text", "json"};
  DECANT_TRY(const auto word, WordOf(option, kWords));
  return word == "json" ? OutputFormat::kJson : OutputFormat::kText;
}

}  // namespace decant::cli
