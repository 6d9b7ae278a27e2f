// decant completion: scripts made from the commands' own options, so that none can be forgotten.
//
// The scripts hold every name and word; at TAB they only look at files and model folders, and run nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command_line.h"
#include "commands.h"
#include "core/stage_table.h"
#include "decant/parameters.h"
#include "decant/sampler.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {.name = "completion",
                               .summary = "a script that completes commands and options: bash, zsh, fish",
                               .usage = "bash | zsh | fish",
                               .details =
                                   "bash: eval \"$(decant completion bash)\" in ~/.bashrc, or a file decant in\n"
                                   "      ~/.local/share/bash-completion/completions\n"
                                   "zsh:  a file _decant in a folder of $fpath\n"
                                   "fish: a file ~/.config/fish/completions/decant.fish",
                               .example = "decant completion bash",
                               .words = "bash zsh fish"};

enum class ValueKind : std::uint8_t { kNone, kAny, kWords, kList, kFiles, kFolders, kModels };

struct OptionText {
  std::vector<std::string> names;  // "-m", "--model"
  ValueKind kind = ValueKind::kNone;
  std::vector<std::string> words = {};  // of kWords and kList
  std::string placeholder;
  std::string help;
};
struct CommandOptions {
  std::string name, summary;
  std::vector<std::string> words;
  std::vector<OptionText> options;
};

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);) {
    while (part.starts_with(' ')) part.erase(0, 1);
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::vector<std::string> StageNames() {
  std::vector<std::string> names;
  for (const core::StageRow& stage : core::Stages()) names.emplace_back(stage.name);
  return names;
}

// What a placeholder says of the value: "text|json" are words, "FILE" is a file.
void Classify(OptionText& option) {
  const std::string& text = option.placeholder;
  const auto is_word = [](const std::string& part) {
    return part.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-.") == std::string::npos;
  };
  if (text.empty()) return;
  option.kind = ValueKind::kAny;
  if (text.contains('|')) {
    for (const std::string& part : Split(text, '|')) {
      if (is_word(part)) option.words.push_back(part);
    }
    if (!option.words.empty()) option.kind = ValueKind::kWords;
  } else if (text == "P") {
    for (const Preset preset : Presets()) option.words.emplace_back(NameOf(preset));
    option.kind = ValueKind::kWords;
  } else if (text == "NAME,NAME,...") {
    option.words = StageNames();
    option.kind = ValueKind::kList;
  } else if (text.starts_with("FILE") || text == "PATH") {
    option.kind = ValueKind::kFiles;
  } else if (text == "FOLDER") {
    option.kind = ValueKind::kFolders;
  } else if (text == "MODEL") {
    option.kind = ValueKind::kModels;
  }
}

// The words and options of a command, as it lists them itself; none for one that does not.
CommandOptions OptionsOf(const Command& command) {
  CommandOptions found{
      .name = std::string(command.name), .summary = std::string(command.summary), .words = {}, .options = {}};
  Session session({});
  session.Capture();
  const std::vector<std::string> arguments = {std::string(kOptionListFlag)};
  if (!command.run(session, arguments).has_value()) return found;
  std::istringstream lines{session.TakeCaptured()};
  std::string line;
  std::getline(lines, line);
  found.words = Split(line, ' ');
  while (std::getline(lines, line)) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (second == std::string::npos) continue;
    OptionText option;
    option.names = Split(line.substr(0, first), ',');
    option.placeholder = line.substr(first + 1, second - first - 1);
    option.help = line.substr(second + 1);
    Classify(option);
    found.options.push_back(std::move(option));
  }
  if (found.name == "help") {
    for (const Command& other : Commands()) found.words.emplace_back(other.name);
  }
  if (found.name == "params") {
    for (const ParameterSpec& spec : Parameters()) found.words.emplace_back(spec.name);
  }
  return found;
}

std::string Join(const std::vector<std::string>& words, std::string_view separator = " ") {
  return fmt::format("{}", fmt::join(words, separator));
}

// In single quotes of any shell; fish alone also reads backslashes in them.
enum class Shell : std::uint8_t { kPosix, kFish };
std::string Quoted(std::string_view text, Shell shell) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += shell == Shell::kFish ? "\\'" : "'\\''";
    } else {
      if (c == '\\' && shell == Shell::kFish) quoted += '\\';
      quoted += c;
    }
  }
  return quoted + "'";
}

constexpr std::string_view kBashHead = R"BASH(# Completion of decant for bash: decant completion bash
# A name in a folder may hold anything: none is ever expanded, and those with control characters are left out.
_decant_offer() {
  [[ $1 == *[[:cntrl:]]* || $1 != "$plain"* ]] || COMPREPLY+=("$1")
}

_decant_models() {
  local folder file
  local -a folders
  IFS=: read -r -a folders <<<"${DECANT_MODELS:-}:./models:${XDG_DATA_HOME:-$HOME/.local/share}/decant/models"
  for folder in "${folders[@]}"; do
    [[ -n $folder ]] || continue
    for file in "$folder"/*.gguf "$folder"/*.tiny "$folder"/*/config.json; do
      [[ -e $file ]] || continue
      [[ $file == */config.json ]] && file=${file%/config.json}
      file=${file##*/}
      _decant_offer "${file%.gguf}"
    done
  done
}

# -f: files and folders; -d: folders alone.
_decant_files() {
  local file
  while IFS= read -r file; do
    # a part of a name with a newline is no file
    [[ -e $file || $file == '~'* ]] && _decant_offer "$file"
  done < <(compgen "$1" -- "$plain")
  compopt -o filenames 2>/dev/null
}

_decant() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev='' command='' i
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
  # bash splits --name=value at the '='
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    ((COMP_CWORD > 1)) && prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      --color | --error-format)
        ((++i))
        [[ ${COMP_WORDS[i]} == '=' ]] && ((++i))
        ;;
      -*) ;;
      *)
        command=${COMP_WORDS[i]}
        break
        ;;
    esac
  done
  # what is typed, without its quotes
  local plain=${cur//\\/}
  plain=${plain#[\'\"]}
  COMPREPLY=()
)BASH";

void AppendCase(std::string& script, const std::vector<std::string>& patterns, const std::string& action) {
  if (patterns.empty()) return;
  script += "    " + Join(patterns, " | ") + ")\n      " + action + "\n      return\n      ;;\n";
}

// What bash does for a value of the option.
std::string BashAction(const OptionText& option) {
  switch (option.kind) {
    case ValueKind::kNone:
      return "";
    case ValueKind::kAny:
      return ":";
    case ValueKind::kWords:
      return "mapfile -t COMPREPLY < <(compgen -W " + Quoted(Join(option.words), Shell::kPosix) + " -- \"$cur\")";
    case ValueKind::kList:
      return "local before=''\n      [[ $cur == *,* ]] && before=${cur%,*},\n      mapfile -t COMPREPLY < <(compgen -P "
             "\"$before\" -W " +
             Quoted(Join(option.words), Shell::kPosix) + " -- \"${cur##*,}\")\n      compopt -o nospace 2>/dev/null";
    case ValueKind::kFiles:
      return "_decant_files -f";
    case ValueKind::kFolders:
      return "_decant_files -d";
    case ValueKind::kModels:
      return "_decant_models\n      _decant_files -f";
  }
  return "";
}

std::string BashScript(const std::vector<CommandOptions>& commands) {
  // What to do by option, and by command where commands differ.
  std::map<std::string, std::map<std::string, std::vector<std::string>>> actions;  // by name, by action: the commands
  for (const CommandOptions& command : commands) {
    for (const OptionText& option : command.options) {
      for (const std::string& name : option.names) actions[name][BashAction(option)].push_back(command.name);
    }
  }
  std::map<std::string, std::vector<std::string>> patterns;
  for (const auto& [name, by_action] : actions) {
    for (const auto& [action, where] : by_action) {
      if (action.empty()) continue;
      if (by_action.size() == 1) {
        patterns[action].push_back("*:" + name);
      } else {
        for (const std::string& command : where) patterns[action].push_back(command + ":" + name);
      }
    }
  }
  std::string script(kBashHead);
  script += "  case $command:$prev in\n";
  for (const auto& [action, names] : patterns) AppendCase(script, names, action);
  script += "  esac\n  case $command in\n    '')\n      mapfile -t COMPREPLY < <(compgen -W '";
  for (const CommandOptions& command : commands) script += command.name + " ";
  script += "--help --version' -- \"$cur\")\n      return\n      ;;\n";
  for (const CommandOptions& command : commands) {
    std::vector<std::string> names;
    for (const OptionText& option : command.options) {
      for (const std::string& name : option.names) {
        if (name.starts_with("--")) names.push_back(name);
      }
    }
    script += "    " + command.name +
              ")\n      if [[ $cur == -* ]]; then\n        mapfile -t COMPREPLY < <(compgen -W " +
              Quoted(Join(names), Shell::kPosix) + " -- \"$cur\")\n        return\n      fi\n";
    if (!command.words.empty()) {
      script +=
          "      mapfile -t COMPREPLY < <(compgen -W " + Quoted(Join(command.words), Shell::kPosix) + " -- \"$cur\")\n";
    }
    script += "      ;;\n";
  }
  return script + "  esac\n}\ncomplete -o default -F _decant decant\n";
}

constexpr std::string_view kZshHead = R"ZSH(#compdef decant
# Completion of decant for zsh: decant completion zsh
_decant_models() {
  local folder file
  local -a folders names
  folders=(${(s.:.)DECANT_MODELS} ./models ${XDG_DATA_HOME:-$HOME/.local/share}/decant/models)
  for folder in $folders; do
    for file in $folder/*.gguf(N:t:r) $folder/*.tiny(N:t) $folder/*/config.json(N:h:t); do
      [[ $file == *[[:cntrl:]]* ]] || names+=($file)
    done
  done
  compadd -a names
  _files
}

)ZSH";

// In a spec of _arguments, brackets, colons and backslashes have a meaning.
std::string ZshPlain(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (std::string_view("[]:\\").contains(c)) plain += '\\';
    plain += c;
  }
  return plain;
}

std::string ZshSpec(const OptionText& option, const std::string& name) {
  std::string spec = "*" + name + (name.starts_with("--") && option.kind != ValueKind::kNone ? "=" : "") + "[" +
                     ZshPlain(option.help) + "]";
  if (option.kind == ValueKind::kNone) return Quoted(spec, Shell::kPosix);
  spec += ":" + ZshPlain(option.placeholder) + ":";
  switch (option.kind) {
    case ValueKind::kNone:
    case ValueKind::kAny:
      break;
    case ValueKind::kWords:
      spec += "(" + Join(option.words) + ")";
      break;
    case ValueKind::kList:
      spec += "_sequence compadd - " + Join(option.words);
      break;
    case ValueKind::kFiles:
      spec += "_files";
      break;
    case ValueKind::kFolders:
      spec += "_files -/";
      break;
    case ValueKind::kModels:
      spec += "_decant_models";
      break;
  }
  return Quoted(spec, Shell::kPosix);
}

std::string ZshScript(const std::vector<CommandOptions>& commands) {
  std::string script(kZshHead);
  script += "_decant() {\n  local -a commands\n  commands=(\n";
  for (const CommandOptions& command : commands) {
    script += "    " + Quoted(command.name + ":" + command.summary, Shell::kPosix) + "\n";
  }
  script +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandOptions& command : commands) {
    script += "    " + command.name + ")\n      _arguments -S";
    for (const OptionText& option : command.options) {
      for (const std::string& name : option.names) script += " \\\n        " + ZshSpec(option, name);
    }
    const std::string rest = command.words.empty() ? "*:file:_files" : "1:word:(" + Join(command.words) + ")";
    script += " \\\n        " + Quoted(rest, Shell::kPosix);
    if (!command.words.empty()) script += " \\\n        " + Quoted("*:file:_files", Shell::kPosix);
    script += "\n      ;;\n";
  }
  return script +
         "  esac\n}\n\nif [[ $funcstack[1] == _decant ]]; then\n  _decant \"$@\"\nelse\n  compdef _decant decant\nfi\n";
}

constexpr std::string_view kFishHead = R"FISH(# Completion of decant for fish: decant completion fish
function __decant_models
    set -l data $XDG_DATA_HOME
    test -n "$data"; or set data $HOME/.local/share
    for folder in (string split -n : -- "$DECANT_MODELS") ./models $data/decant/models
        for file in $folder/*.gguf $folder/*.tiny
            string match -qr '[[:cntrl:]]' -- $file; and continue
            string replace -r '\.gguf$' '' -- (string replace -r '.*/' '' -- $file)
        end
        for file in $folder/*/config.json
            string match -qr '[[:cntrl:]]' -- $file; and continue
            string replace -r '.*/' '' -- (string replace -r '/config\.json$' '' -- $file)
        end
    end
end

# The words given so far, with each of another continued.
function __decant_list
    set -l before (string replace -r '[^,]*$' '' -- (commandline -ct | string replace -r '^--[a-z-]*=' ''))
    printf '%s\n' $before$argv
end

complete -c decant -f
complete -c decant -n __fish_use_subcommand -l version -d 'what this build is'
complete -c decant -n __fish_use_subcommand -l help -d 'the commands'
)FISH";

std::string FishScript(const std::vector<CommandOptions>& commands) {
  std::string script(kFishHead);
  for (const CommandOptions& command : commands) {
    script += "complete -c decant -n __fish_use_subcommand -a " + command.name + " -d " +
              Quoted(command.summary, Shell::kFish) + "\n";
  }
  for (const CommandOptions& command : commands) {
    const std::string where =
        "complete -c decant -n " + Quoted("__fish_seen_subcommand_from " + command.name, Shell::kFish);
    if (command.words.empty()) {
      script += where + " -F\n";
    } else {
      script += where + " -a " + Quoted(Join(command.words), Shell::kFish) + "\n";
    }
    for (const OptionText& option : command.options) {
      script += where;
      for (const std::string& name : option.names) {
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      switch (option.kind) {
        case ValueKind::kNone:
          break;
        case ValueKind::kAny:
          script += " -x";
          break;
        case ValueKind::kWords:
          script += " -x -a " + Quoted(Join(option.words), Shell::kFish);
          break;
        case ValueKind::kList:
          script += " -x -a " + Quoted("(__decant_list " + Join(option.words) + ")", Shell::kFish);
          break;
        case ValueKind::kFiles:
          script += " -r -F";
          break;
        case ValueKind::kFolders:
          script += " -x -a '(__fish_complete_directories)'";
          break;
        case ValueKind::kModels:
          script += " -r -F -a '(__decant_models)'";
          break;
      }
      script += " -d " + Quoted(option.help, Shell::kFish) + "\n";
    }
  }
  return script;
}

}  // namespace

Result<int> CompletionCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  line.AllowWords();
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  const std::string shell = line.words().size() == 1 ? line.words().front() : "";
  if (shell != "bash" && shell != "zsh" && shell != "fish") {
    return UsageError("completion takes one of bash, zsh, fish", "decant completion bash");
  }
  std::vector<CommandOptions> commands;
  for (const Command& command : Commands()) commands.push_back(OptionsOf(command));
  session.Write(shell == "bash" ? BashScript(commands) : shell == "zsh" ? ZshScript(commands) : FishScript(commands));
  return 0;
}

}  // namespace decant::cli
