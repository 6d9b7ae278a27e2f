// The prompt: from a flag, a file, standard input or token ids.
#ifndef DECANT_CLI_PROMPT_H_
#define DECANT_CLI_PROMPT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "decant/generate.h"
#include "decant/model.h"
#include "decant/parameters.h"
#include "json/writer.h"

namespace decant::cli {

enum class ChatFlags : std::uint8_t {
  kWithout,
  kWith,
  kTextOnly,  // not as token ids either
};

class PromptFlags {
 public:
  // The line must outlive this.
  PromptFlags(CommandLine& line, ChatFlags chat);

  // After parsing: the names of what was given, as a person would say them.
  std::vector<std::string> Given() const;
  // After parsing: reads the text, byte for byte; nothing yet happens with a model. Without -p, -f, ids or words,
  // standard input is read unless it is a terminal.
  Result<void> Read();
  // REQUIRES: Read succeeded, and the prompt is no list of ids.
  const std::string& text() const { return text_; }
  // The file that Read read, "-" for standard input, "" for none.
  const std::string& file() const { return read_file_; }
  // The tokens: BOS first if the model wants one, texts of special tokens read as such (not inside --chat content).
  // kUnsupportedTokenizer: --chat with a template that decant does not know, or text for a model without tokenizer.
  Result<std::vector<TokenId>> Encode(const Model& model) const;
  // The same, cut as the parameter ctx_overflow says where the context has no room for it and what is to be generated.
  Result<FittedPrompt> EncodeToFit(const Model& model, const ParameterSet& parameters) const;
  // What a person should know of how the text became tokens: that there was none, or that bytes of it have no token.
  // Empty when there is nothing to say. REQUIRES: Encode succeeded.
  std::string NoteOn(const Model& model) const;

 private:
  Result<std::vector<TokenId>> EncodeAll(const Model& model) const;
  Result<std::vector<TokenId>> EncodeText(const Model& model) const;

  const CommandLine& line_;
  CLI::Option *prompt_, *file_, *ids_;
  CLI::Option *chat_ = nullptr, *system_ = nullptr;
  std::string text_, read_file_;
  std::optional<std::vector<TokenId>> given_ids_;
  std::optional<std::string> system_text_;
  bool is_chat_ = false;
};

// What ctx_overflow says; kError when it is absent.
ContextOverflow OverflowOf(const ParameterSet& parameters);
// The model's context and what the parameters want of it.
FitOptions FitOptionsOf(const Model& model, const ParameterSet& parameters);
// The error of a prompt that does not fit, with the flags that help.
std::unexpected<Error> SayWaysOut(Error error, const Model& model);

// What a person should know of how the prompt was made to fit: tokens that left it, or an answer that the context will
// cut. Empty when there is nothing to say.
std::string NoteOn(const FittedPrompt& fitted, const Model& model, const ParameterSet& parameters);
// The member "truncated":{"removed":n,"side":"left"}, when anything was.
void WriteTruncated(json::Writer& writer, const FittedPrompt& fitted, const ParameterSet& parameters);

// How many bytes of the text its tokens do not have: the vocabulary has no token for them (docs/tokenizer.md).
std::size_t LostBytes(const Tokenizer& tokenizer, std::string_view text, std::span<const TokenId> tokens);
// "2 bytes of the prompt have no token in this model and were left out"; empty for none.
std::string LostBytesText(std::size_t lost, std::string_view what);

// The chat template of the model over the messages. `system`: the template's own system message, or another where that
// is given; "" leaves it out. kUnsupportedTokenizer: the model has no template that decant knows, or no tokenizer.
Result<std::vector<TokenId>> EncodeChat(const Model& model, std::span<const ChatMessage> messages,
                                        const std::optional<std::string>& system);

}  // namespace decant::cli

#endif  // DECANT_CLI_PROMPT_H_
