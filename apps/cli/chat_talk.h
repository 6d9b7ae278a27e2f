// A chat at work: messages in, answers out as they come, and the commands between them.
#ifndef DECANT_CLI_CHAT_TALK_H_
#define DECANT_CLI_CHAT_TALK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "chat_dialogue.h"
#include "chat_input.h"
#include "decant/generate.h"
#include "decant/trace.h"
#include "line_editor.h"
#include "session.h"
#include "terminal_modes.h"

namespace decant::cli {

enum class Typed : std::uint8_t { kMessage, kLine };  // a line of its own may be a command

enum class ChatNotes : std::uint8_t { kAll, kAskedFor };  // asked for: no banner, no summaries

struct ChatSetup {
  std::shared_ptr<const Model> model = {};
  ParameterSet parameters = {};                 // seed included
  std::shared_ptr<const Grammar> grammar = {};  // what they come to; null = none
  Preset preset = Preset::kNative;
  std::optional<std::string> system = {};  // nothing: the template's own
  std::string history_path = {};           // "" = none is kept
  ChatNotes notes = ChatNotes::kAll;
  int threads = 1;
};

// The session must outlive it. Standard output gets the answers, standard error all else.
class ChatTalk {
 public:
  ChatTalk(Session& session, ChatSetup setup);

  // Until the person leaves: the exit code.
  int Loop();
  Result<void> Load(const std::string& path);

 private:
  struct Totals {
    std::size_t answers = 0, tokens = 0, prompt_tokens = 0, reused_tokens = 0;
    double seconds = 0, decode_seconds = 0;
    std::size_t decoded = 0;  // tokens after the first of each answer
  };

  void Banner() const;
  void Say(const std::string& line) const;     // always
  void Remark(const std::string& line) const;  // dim, unless quiet
  void Report(const Error& error) const;

  // A whole message or command. False: the person leaves.
  bool Handle(const std::string& text, Typed typed);
  Result<void> Obey(const TypedCommand& command);

  // An answer to the last message. When none comes, the dialogue is as it was in `before`.
  Result<void> Answer(Dialogue before);
  Result<Generation> Write(PreparedRun& run, const std::vector<TokenId>& prompt);
  Result<Dialogue::Fitted> Fit();
  void Keep(const Generation& generation);
  void Summarize(const Generation& generation, std::size_t prompt_tokens, std::size_t reused);

  Result<void> Set(const std::string& name, const std::string& value);
  Result<void> SetOrShow(const std::string& rest);
  Result<void> Retry();
  Result<void> Save(const std::string& path) const;
  void System(const std::string& rest);
  void ShowHelp() const;
  void ShowParameters() const;
  void ShowTokens() const;
  void ShowStats() const;

  Session& session_;
  ChatSetup setup_;
  ParameterSet start_;  // as the chat began
  Dialogue dialogue_;
  TerminalModes modes_;  // before the editor: it changes them
  HistoryFile history_;
  std::unique_ptr<LineEditor> editor_;
  PrefixCache cache_;
  std::optional<RandomStream> stream_;  // of a preset with a sequential generator: where the next answer goes on
  std::uint32_t retries_ = 0;           // of the last message; the number of the sequence
  Totals totals_;
};

}  // namespace decant::cli

#endif  // DECANT_CLI_CHAT_TALK_H_
