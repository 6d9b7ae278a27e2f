// The prompt: from a flag, a file, standard input or token ids.
#ifndef DECANT_CLI_PROMPT_H_
#define DECANT_CLI_PROMPT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line.h"
#include "decant/model.h"

namespace decant::cli {

enum class ChatFlags : std::uint8_t { kWithout, kWith };

class PromptFlags {
 public:
  // The line must outlive this.
  PromptFlags(CommandLine& line, ChatFlags chat);

  // After parsing: the names of what was given, as a person would say them.
  std::vector<std::string> Given() const;
  // After parsing: reads the text, byte for byte; nothing yet happens with a model. Without -p, -f, ids or words,
  // standard input is read unless it is a terminal.
  Result<void> Read();
  // The tokens: BOS first if the model wants one, texts of special tokens read as such (not inside --chat content).
  // kUnsupportedTokenizer: --chat with a template that decant does not know, or text for a model without tokenizer.
  Result<std::vector<TokenId>> Encode(const Model& model) const;
  // What a person should know of how the text became tokens: that there was none, or that bytes of it have no token.
  // Empty when there is nothing to say. REQUIRES: Encode succeeded.
  std::string NoteOn(const Model& model) const;

 private:
  Result<std::vector<TokenId>> EncodeText(const Tokenizer& tokenizer, const ModelDescription& about) const;

  const CommandLine& line_;
  CLI::Option *prompt_, *file_, *ids_;
  CLI::Option *chat_ = nullptr, *system_ = nullptr;
  std::string text_;
  std::optional<std::vector<TokenId>> given_ids_;
  std::optional<std::string> system_text_;
  bool is_chat_ = false;
};

}  // namespace decant::cli

#endif  // DECANT_CLI_PROMPT_H_
