// What a person types into a chat: messages of one or more lines, and commands.
#ifndef DECANT_CLI_CHAT_INPUT_H_
#define DECANT_CLI_CHAT_INPUT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decant/error.h"
#include "decant/parameters.h"

namespace decant::cli {

// Puts lines together: a backslash at the end of a line, or """ until the next """, goes on with the next line.
class MessageLines {
 public:
  // The message, when it is complete with this line.
  std::optional<std::string> Add(std::string_view line);
  bool IsOpen() const { return is_open_; }
  void Clear();

 private:
  std::string text_;
  bool is_open_ = false;    // lines are missing
  bool is_quoted_ = false;  // inside """
};

enum class ChatCommandId : std::uint8_t {
  kHelp,
  kReset,
  kSystem,
  kUndo,
  kRetry,
  kSave,
  kLoad,
  kSet,
  kParams,
  kSeed,
  kTokens,
  kStats,
  kModel,
  kQuit
};
struct ChatCommandRow {
  ChatCommandId id;
  std::string_view name;       // "/reset"
  std::string_view alias;      // "/clear"; may be empty
  std::string_view arguments;  // "NAME VALUE"; may be empty
  std::string_view help;
};
std::span<const ChatCommandRow> ChatCommands();

struct TypedCommand {
  ChatCommandId id;
  std::string rest;  // after the name, white space at both ends left out
};
// REQUIRES: text begins with '/'. kUnknownParameter has a did-you-mean; kWrongType: an argument is missing, or one too
// many.
Result<TypedCommand> ParseChatCommand(std::string_view text);

// What the line up to the cursor may become: commands, and after /set parameters.
std::vector<std::string> CompleteChatLine(std::string_view line);

// The set with one value replaced, by /set; "default" puts back what `start` has. Ranges are checked.
Result<ParameterSet> Changed(const ParameterSet& now, const ParameterSet& start, std::string_view name,
                             std::string_view value, Preset preset);

}  // namespace decant::cli

#endif  // DECANT_CLI_CHAT_INPUT_H_
