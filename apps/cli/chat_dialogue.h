// The messages of a chat, and which of them the model sees.
#ifndef DECANT_CLI_CHAT_DIALOGUE_H_
#define DECANT_CLI_CHAT_DIALOGUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chat_transcript.h"
#include "decant/generate.h"
#include "decant/model.h"

namespace decant::cli {

// A turn is a user's message and what follows it up to the next.
class Dialogue {
 public:
  // The model must outlive this.
  explicit Dialogue(const Model& model) : model_(&model) {}

  // Nothing: the template's own; "": none.
  const std::optional<std::string>& system() const { return system_; }
  void set_system(std::optional<std::string> text) { system_ = std::move(text); }
  const std::vector<ChatEntry>& entries() const { return entries_; }
  // The system message, if one was set, and the rest: what is saved.
  std::vector<ChatEntry> All() const;

  void Add(ChatEntry entry) { entries_.push_back(std::move(entry)); }
  void Clear() { entries_.clear(); }
  // Takes the last turn away; what the user had written, nothing when there is no turn.
  std::optional<std::string> Undo();
  // Takes the answers after the last user's message away; false when there are none.
  bool TakeAnswerBack();
  // Takes the messages over; a first one of the system becomes the system message. The numbers, from 1, of those
  // whose ids do not spell their content in this model: their content is encoded anew.
  std::vector<std::size_t> Replace(std::vector<ChatEntry> entries);

  // The tokens of what has not been dropped, up to the header of the next answer.
  Result<std::vector<TokenId>> Encode() const;

  struct Fitted {
    std::vector<TokenId> tokens = {};
    std::size_t dropped_turns = 0, dropped_tokens = 0;  // by this call
  };
  // Drops turns until the context has room, as the options say: the oldest, or for kTruncateMiddle the oldest but the
  // first. The system message and the last turn stay. kPromptTooLong drops nothing.
  Result<Fitted> Fit(const FitOptions& options);

 private:
  // Where the turns that are not dropped begin.
  std::vector<std::size_t> Turns() const;
  void SetDropped(std::size_t begin, std::size_t end);

  const Model* model_;
  std::optional<std::string> system_;
  std::vector<ChatEntry> entries_;
};

}  // namespace decant::cli

#endif  // DECANT_CLI_CHAT_DIALOGUE_H_
