// One command's arguments, over CLI11: values stay text, unknown options get a did-you-mean, help is ours. Only
// command_line.cc includes CLI11, which takes longer to compile than most commands.
#ifndef DECANT_CLI_COMMAND_LINE_H_
#define DECANT_CLI_COMMAND_LINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decant/error.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class Option;
}  // namespace CLI

namespace decant::cli {

struct CommandText {
  std::string_view name;        // "run"
  std::string_view summary;     // one line
  std::string_view usage;       // what follows "decant run"
  std::string_view details;     // paragraphs; may be empty
  std::string_view example;     // commands, one a line
  std::string_view words = "";  // that the first word may be, separated by spaces: for completion
};

// Asks any command for its words and options, a line each: "--top-k", a tab, "N", a tab, the help.
inline constexpr std::string_view kOptionListFlag = "--list-options";

class ConfigFlags;

class CommandLine {
 public:
  explicit CommandLine(const CommandText& text);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  std::string_view name() const { return text_.name; }

  // An option with a value, given as often as the user likes. names: "-p,--prompt"; a long name with '-' is also known
  // with '_'. `aliases` are accepted and not listed. An empty group hides the option from help.
  CLI::Option* Value(std::string_view group, const std::string& names, std::string_view placeholder,
                     std::string_view help, const std::vector<std::string>& aliases = {});
  CLI::Option* Flag(std::string_view group, const std::string& names, std::string_view help,
                    const std::vector<std::string>& aliases = {});
  // Lets words without a dash stand, and anything after "--": words(), after parsing.
  void AllowWords() { allows_words_ = true; }
  const std::vector<std::string>& words() const { return words_; }

  // Lets a flag ask for a text that is written instead of running the command.
  void AnswerInstead(const CLI::Option* flag, std::function<Result<std::string>()> answer);
  // By any of its names; null = the line has no such option.
  const CLI::Option* Find(const std::string& name) const;

  // False: the command is not to run; Help() is to be written instead. Errors have exit code 2.
  Result<bool> Parse(std::span<const std::string> arguments);
  // The help, or what another flag asked for.
  std::string Help() const;

 private:
  friend class ConfigFlags;
  struct Line {
    std::string group, names, placeholder, help;
    std::string Left() const { return placeholder.empty() ? names : names + " " + placeholder; }
  };
  std::string OptionList() const;
  std::string AllNames(const std::string& names, const std::vector<std::string>& aliases) const;
  std::unexpected<Error> Unknown(const std::string& argument) const;
  Result<void> SortOut(const std::vector<std::string>& extras);

  CommandText text_;
  std::unique_ptr<CLI::App> app_;
  std::vector<Line> lines_;
  bool allows_words_ = false;
  std::vector<std::string> words_;
  std::vector<std::pair<const CLI::Option*, std::function<Result<std::string>()>>> answers_;
  std::optional<std::string> answer_;
  std::shared_ptr<ConfigFlags> config_;  // where a part of the command needs it
  CLI::Option *help_ = nullptr, *color_ = nullptr, *error_format_ = nullptr, *option_list_ = nullptr;
};

bool IsGiven(const CLI::Option* option);
// The values in the order given, as they were written.
const std::vector<std::string>& TextsOf(const CLI::Option* option);
std::string LongNameOf(const CLI::Option* option);   // "--prompt"
std::string ShortNameOf(const CLI::Option* option);  // "-p", or the long name where there is nothing shorter

// The one value of an option, nothing when it was not given; given twice is an error.
Result<std::optional<std::string>> TextOf(const CLI::Option* option);
// Whether an option without a value is on: --quiet, --quiet=true, =1; off: absent, =false, =0. Anything else, and two
// that differ, are errors.
Result<bool> IsOn(const CLI::Option* option);
struct Bounds {
  std::uint64_t least = 0, most = UINT32_MAX;
};
// The one value as a whole number within bounds, both included.
Result<std::optional<std::uint64_t>> CountOf(const CLI::Option* option, Bounds bounds);
// The same as one of a few words.
Result<std::optional<std::string>> WordOf(const CLI::Option* option, std::span<const std::string_view> words);
// "1,2,3"
Result<std::vector<std::uint32_t>> ParseIds(std::string_view option, std::string_view text);

enum class OutputFormat { kText, kJson };
CLI::Option* AddOutput(CommandLine& line);  // --output text|json
Result<OutputFormat> OutputOf(const CLI::Option* option);

}  // namespace decant::cli

#endif  // DECANT_CLI_COMMAND_LINE_H_
