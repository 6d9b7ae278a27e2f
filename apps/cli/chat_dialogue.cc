// Answers keep the tokens that the model wrote: the next turn begins with the very tokens that are in the cache.
#include "chat_dialogue.h"

#include <algorithm>
#include <utility>

#include "prompt.h"

namespace decant::cli {
namespace {

constexpr std::string_view kUser = "user";

bool IsUser(const ChatEntry& entry) { return entry.message.role == kUser; }

}  // namespace

std::vector<ChatEntry> Dialogue::All() const {
  std::vector<ChatEntry> all;
  if (system_.has_value()) all.push_back({.message = {.role = "system", .content = *system_}});
  all.insert(all.end(), entries_.begin(), entries_.end());
  return all;
}

std::optional<std::string> Dialogue::Undo() {
  const auto last = std::find_if(entries_.rbegin(), entries_.rend(), IsUser);
  if (last == entries_.rend()) return std::nullopt;
  std::string text = last->message.content;
  entries_.erase(std::prev(last.base()), entries_.end());
  return text;
}

bool Dialogue::TakeAnswerBack() {
  const auto last = std::find_if(entries_.rbegin(), entries_.rend(), IsUser);
  if (last == entries_.rend() || last == entries_.rbegin()) return false;
  entries_.erase(last.base(), entries_.end());
  return true;
}

std::vector<std::size_t> Dialogue::Replace(std::vector<ChatEntry> entries) {
  system_.reset();
  std::size_t number = 0;
  if (!entries.empty() && entries.front().message.role == "system") {
    system_ = std::move(entries.front().message.content);
    entries.erase(entries.begin());
    ++number;
  }
  std::vector<std::size_t> strange;
  for (ChatEntry& entry : entries) {
    ++number;
    if (entry.message.tokens.empty()) continue;
    const auto bytes = model_->tokenizer()->Decode(entry.message.tokens);
    if (bytes.has_value() && *bytes == entry.message.content) continue;
    entry.message.tokens.clear();
    strange.push_back(number);
  }
  entries_ = std::move(entries);
  return strange;
}

Result<std::vector<TokenId>> Dialogue::Encode() const {
  std::vector<ChatMessage> messages;
  for (const ChatEntry& entry : entries_) {
    if (!entry.dropped) messages.push_back(entry.message);
  }
  return EncodeChat(*model_, messages, system_);
}

std::vector<std::size_t> Dialogue::Turns() const {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].dropped) continue;
    // What stands before the first user's message goes with it.
    if (begins.empty() || IsUser(entries_[i])) begins.push_back(i);
  }
  return begins;
}

void Dialogue::SetDropped(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) entries_[i].dropped = true;
}

Result<Dialogue::Fitted> Dialogue::Fit(const FitOptions& options) {
  const std::vector<ChatEntry> before = entries_;
  Fitted fitted;
  DECANT_TRY(std::vector<TokenId> tokens, Encode());
  const std::size_t size = tokens.size();
  while (true) {
    auto fits = FitPrompt(tokens, options);
    if (!fits.has_value()) {
      entries_ = before;
      return SayWaysOut(std::move(fits).error(), *model_);
    }
    if (fits->removed == 0) break;
    const std::vector<std::size_t> turns = Turns();
    const std::size_t first = options.overflow == ContextOverflow::kTruncateMiddle ? 1 : 0;
    if (first + 1 >= turns.size()) {
      entries_ = before;
      return Fail(ErrorCode::kPromptTooLong,
                  "the system message and this turn alone have " + std::to_string(tokens.size()) +
                      " tokens, the context holds " + std::to_string(options.context),
                  {.subject = "prompt", .hint = "use a shorter message, a smaller max_tokens, or a larger --context"});
    }
    SetDropped(turns[first], turns[first + 1]);
    ++fitted.dropped_turns;
    DECANT_TRY(tokens, Encode());
  }
  fitted.dropped_tokens = size - tokens.size();
  fitted.tokens = std::move(tokens);
  return fitted;
}

}  // namespace decant::cli
