// The generation loop.
#include "decant/generate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "decode/shortest_end.h"
#include "decode/stop_strings.h"

namespace decant {
namespace {

using Clock = std::chrono::steady_clock;

Result<void> Check(const LanguageModel& model, const Tokenizer* tokenizer, std::span<const TokenId> prompt,
                   const GenerateOptions& options) {
  const std::size_t vocabulary = model.vocabulary_size();
  const std::string last = std::to_string(vocabulary - 1);
  if (prompt.empty()) {
    return Fail(ErrorCode::kEmptyPrompt, "the prompt has no tokens; expected at least one", {.subject = "prompt"});
  }
  if (prompt.size() > model.context_length()) {
    return Fail(ErrorCode::kPromptTooLong,
                "the prompt has " + std::to_string(prompt.size()) + " tokens; the context holds " +
                    std::to_string(model.context_length()),
                {.subject = "prompt", .allowed = "1.." + std::to_string(model.context_length()) + " tokens"});
  }
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    if (prompt[i] < vocabulary) continue;
    return Fail(ErrorCode::kTokenOutOfRange,
                "prompt token " + std::to_string(prompt[i]) + " at position " + std::to_string(i) +
                    " is outside the vocabulary; expected 0.." + last,
                {.subject = "prompt", .allowed = "0.." + last});
  }
  std::vector<TokenId> stops = options.stop_token_ids;
  if (options.eos) stops.push_back(*options.eos);
  for (const TokenId id : stops) {
    if (id < vocabulary) continue;
    return Fail(ErrorCode::kTokenOutOfRange,
                "stop token " + std::to_string(id) + " is outside the vocabulary; expected 0.." + last,
                {.subject = "stop_token_ids", .allowed = "0.." + last});
  }
  if (std::ranges::any_of(options.stop_strings, &std::string::empty)) {
    return Fail(ErrorCode::kOutOfRange, "a stop text is empty; expected at least one byte", {.subject = "stop"});
  }
  if (!options.stop_strings.empty() && tokenizer == nullptr) {
    return Fail(ErrorCode::kUnsupportedTokenizer, "stop texts need a tokenizer; this model has none",
                {.subject = "stop", .hint = "use stop_token_ids"});
  }
  if (options.close_on_budget && tokenizer == nullptr) {
    return Fail(ErrorCode::kUnsupportedTokenizer, "close_on_budget needs a tokenizer; this model has none",
                {.subject = "close_on_budget"});
  }
  if (options.prefill_chunk == 0) {
    return Fail(ErrorCode::kOutOfRange, "prefill_chunk is 0; expected at least 1", {.subject = "prefill_chunk"});
  }
  return {};
}

// One call of Generate.
class Run {
 public:
  Run(const LanguageModel& model, const Tokenizer* tokenizer, const Sampler& sampler, SamplerState& state,
      const GenerateOptions& options, const GenerateEvents& events)
      : model_(model),
        tokenizer_(tokenizer),
        sampler_(sampler),
        state_(state),
        options_(options),
        events_(events),
        stops_(options.stop_strings),
        sequence_(model.Start()),
        unhealed_(options.healed_bytes),
        logits_(model.vocabulary_size()) {
    if (options_.constraint == nullptr) return;
    mask_.resize((logits_.size() + 31) / 32);
    structural_.resize(mask_.size());
  }

  Result<Generation> Go(std::span<const TokenId> prompt) {
    prefix_.assign(prompt.begin(), prompt.end());
    TakeCache();
    const Clock::time_point start = Clock::now();
    started_ = start;
    if (options_.max_tokens == 0) return Finish(StopReason::kTokenLimit);
    if (const auto reason = ConstraintStop()) return Finish(*reason);
    DECANT_CHECKED(CheckBudget());
    for (;;) {
      DECANT_TRY(const bool evaluated, Evaluate());
      if (!evaluated) return Finish(StopReason::kCancelled);
      if (!FillMasks()) return Finish(StopReason::kGrammarDeadEnd);
      DECANT_CHECKED(Choose());
      if (out_.tokens.size() == 1) out_.prefill_time = Clock::now() - start;
      out_.decode_time = Clock::now() - start - out_.prefill_time;
      if (const auto reason = StopNow()) return Finish(*reason);
      Show(text_.size() - stops_.HeldBytes(text_));
    }
  }

 private:
  // Starts from what the cache holds of the prompt; the last token is computed anew, for its logits.
  void TakeCache() {
    if (options_.cache == nullptr || options_.kv_cache == KvCacheUse::kOff) return;
    PrefixCache cache = std::exchange(*options_.cache, {});
    if (!cache.sequence.has_value()) return;
    const std::size_t most = std::min({cache.tokens.size(), cache.sequence->size(), prefix_.size() - 1});
    std::size_t shared = 0;
    while (shared < most && cache.tokens[shared] == prefix_[shared]) ++shared;
    sequence_ = *std::move(cache.sequence);
    sequence_.Truncate(shared);
  }
  void LeaveCache() {
    if (options_.cache == nullptr || options_.kv_cache == KvCacheUse::kOff || window_begin_ > 0) return;
    options_.cache->tokens.assign(prefix_.begin(), prefix_.begin() + static_cast<std::ptrdiff_t>(sequence_.size()));
    options_.cache->sequence = std::move(sequence_);
  }

  // Logits of the last token of the prefix. False when cancelled on the way.
  Result<bool> Evaluate() {
    // The tokens that the model sees: all, or the last ones that fit, at positions from 0 on.
    const std::size_t most = model_.context_length();
    const std::size_t begin_now = prefix_.size() > most ? prefix_.size() - most : 0;
    if (options_.kv_cache == KvCacheUse::kOff || begin_now != window_begin_) sequence_ = model_.Start();
    window_begin_ = begin_now;
    const std::span<const TokenId> window = std::span(prefix_).subspan(window_begin_);
    const std::size_t total = window.size();
    const bool is_prompt = out_.tokens.empty();
    while (sequence_.size() < total) {
      if (options_.cancel.stop_requested()) return false;
      const std::size_t begin = sequence_.size();
      const std::size_t end = std::min(total, begin + options_.prefill_chunk);
      std::vector<Row> rows;
      for (std::size_t i = begin; i < end; ++i) {
        rows.push_back({.sequence = &sequence_, .token = window[i], .position = i, .wants_logits = i + 1 == total});
      }
      DECANT_TRY(const std::vector<RowError> failed,
                 model_.Forward(rows, end == total ? std::span<float>(logits_) : std::span<float>()));
      if (!failed.empty()) return std::unexpected(failed.front().error);
      ++out_.model_calls;
      if (is_prompt && events_.on_prefill) events_.on_prefill(end, total);
    }
    return true;
  }

  // What the constraint says of the next token; false when it allows none.
  bool FillMasks() {
    if (options_.constraint == nullptr) return true;
    options_.constraint->FillMask(mask_);
    options_.constraint->FillStructural(structural_);
    return std::ranges::any_of(mask_, [](std::uint32_t word) { return word != 0; });
  }

  RowView View() const {
    RowView row = RowView::F32(logits_);
    if (options_.constraint == nullptr) return row;
    if (MaskForbids()) row.mask = mask_.data();
    row.structural = structural_.data();
    return row;
  }

  // A mask of every token is none: it costs a copy of the row, and bans would give way to it.
  bool MaskForbids() const {
    for (std::size_t word = 0; word < mask_.size(); ++word) {
      const std::size_t tokens = std::min<std::size_t>(logits_.size() - word * 32, 32);
      if (mask_[word] != std::uint32_t{0xFFFFFFFF} >> (32 - tokens)) return true;
    }
    return false;
  }

  // The tokens that may still come; nothing = no limit.
  std::optional<std::size_t> TokensLeft() const {
    std::optional<std::size_t> left;
    if (options_.max_tokens) left = *options_.max_tokens - out_.tokens.size();
    if (options_.at_context_end == ContextEnd::kStop) {
      const std::size_t room = model_.context_length() + 1 - prefix_.size();
      left = std::min(left.value_or(room), room);
    }
    return left;
  }

  Result<void> CheckBudget() const {
    const auto left = TokensLeft();
    if (!options_.close_on_budget || options_.constraint == nullptr || !left.has_value()) return {};
    const auto shortest = decode::ShortestEndTokens(*options_.constraint, *tokenizer_);
    if (!shortest.has_value() || shortest->size() <= *left) return {};
    return Fail(ErrorCode::kOutOfRange,
                "the shortest text of the constraint has " + std::to_string(shortest->size()) +
                    " tokens; there is room for " + std::to_string(*left),
                {.subject = "max_tokens", .allowed = "at least " + std::to_string(shortest->size())});
  }

  // What close_on_budget has to say of a choice: the token to take instead; nothing when the choice may stand. Ends
  // that were found stay known: one found later may be longer.
  std::optional<TokenId> Closer(TokenId chosen) {
    const auto left = TokensLeft();
    if (!options_.close_on_budget || options_.constraint == nullptr || !left.has_value()) return std::nullopt;
    const auto ahead = options_.constraint->Fork();
    if (chosen == options_.eos || !ahead->Accept(chosen)) return std::nullopt;
    if (decode::IsWhole(ahead->state())) {
      known_end_.emplace();
      return std::nullopt;
    }
    auto rest = decode::ShortestEndTokens(*ahead, *tokenizer_);
    if (known_end_.has_value() && !known_end_->empty() && known_end_->front() == chosen &&
        (!rest.has_value() || rest->size() >= known_end_->size())) {
      rest.emplace(known_end_->begin() + 1, known_end_->end());
    }
    if (rest.has_value() && rest->size() < *left) {
      known_end_ = std::move(rest);
      return std::nullopt;
    }
    auto shortest = decode::ShortestEndTokens(*options_.constraint, *tokenizer_);
    if (known_end_.has_value() && (!shortest.has_value() || shortest->size() > known_end_->size())) {
      shortest = known_end_;
    }
    known_end_ = std::move(rest);
    if (!shortest.has_value()) return std::nullopt;
    if (shortest->empty()) return options_.eos == chosen ? std::nullopt : options_.eos;
    known_end_.emplace(shortest->begin() + 1, shortest->end());
    return shortest->front() == chosen ? std::nullopt : std::optional(shortest->front());
  }

  Result<Choice> Sample(StepRecord* record) {
    RowView row = View();
    DECANT_TRY(const Choice choice, sampler_.Sample(row, state_, record));
    const auto closer = Closer(choice.token);
    if (!closer.has_value()) return choice;
    ++out_.closing_tokens;
    std::ranges::fill(mask_, 0U);
    mask_[*closer / 32] |= 1U << (*closer % 32);
    row.mask = mask_.data();
    return sampler_.Sample(row, state_, record);
  }

  Result<void> Choose() {
    StepRecord record;
    const bool wants_record = static_cast<bool>(events_.on_step);
    DECANT_TRY(const Choice choice, Sample(wants_record ? &record : nullptr));
    if (wants_record) {
      DECANT_CHECKED(events_.on_step({.index = out_.tokens.size() + 1,
                                      .prefix_length = prefix_.size(),
                                      .logits = logits_,
                                      .record = &record,
                                      .bytes = tokenizer_ ? tokenizer_->Bytes(choice.token) : std::string_view()}));
    }
    if (options_.constraint != nullptr) {
      was_whole_ = decode::IsWhole(options_.constraint->state());
      DECANT_CHECKED(options_.constraint->Accept(choice.token));
    }
    state_.Accept(choice.token);
    prefix_.push_back(choice.token);
    out_.tokens.push_back(choice.token);
    return {};
  }

  // The stop conditions in their order (docs/sampling.md, "Stops"); appends the token's bytes to the text on the way.
  std::optional<StopReason> StopNow() {
    const TokenId token = out_.tokens.back();
    if (options_.eos == token) {
      out_.stop_token = token;
      return StopReason::kEos;
    }
    if (std::ranges::find(options_.stop_token_ids, token) != options_.stop_token_ids.end()) {
      out_.stop_token = token;
      return StopReason::kStopToken;
    }
    if (tokenizer_ != nullptr) {
      const std::size_t old_size = text_.size();
      std::string_view bytes = tokenizer_->Bytes(token);
      const std::size_t known = std::min(unhealed_, bytes.size());
      unhealed_ -= known;
      text_ += bytes.substr(known);
      const bool may_stop = out_.tokens.size() >= options_.min_tokens;
      if (const auto match = may_stop ? stops_.Find(text_, old_size) : std::nullopt) {
        out_.stop_string = std::string(match->string);
        text_.resize(match->begin);
        return StopReason::kStopString;
      }
    }
    if (const auto reason = ConstraintStop()) return reason;
    if (options_.max_tokens && out_.tokens.size() >= *options_.max_tokens) return StopReason::kTokenLimit;
    const bool is_full = prefix_.size() > model_.context_length();
    if (is_full && options_.at_context_end == ContextEnd::kStop) return StopReason::kContext;
    if (options_.max_time && Clock::now() - started_ >= *options_.max_time) return StopReason::kTime;
    if (options_.cancel.stop_requested()) return StopReason::kCancelled;
    return std::nullopt;
  }

  std::optional<StopReason> ConstraintStop() const {
    if (options_.constraint == nullptr) return std::nullopt;
    const ConstraintState state = options_.constraint->state();
    if (state == ConstraintState::kMustEnd) return StopReason::kGrammarEnd;
    if (state == ConstraintState::kDead) return StopReason::kGrammarDeadEnd;
    return std::nullopt;
  }

  void SayWhetherWhole(StopReason reason) {
    // The token that ended it is no part of the text; what a stop text cut is not what the constraint saw.
    const bool by_token = reason == StopReason::kEos || reason == StopReason::kStopToken;
    const bool by_text = reason == StopReason::kStopString;
    const ConstraintState state = options_.constraint->state();
    out_.complete = by_token ? was_whole_ : !by_text && decode::IsWhole(state);
    if (*out_.complete || by_token || by_text || tokenizer_ == nullptr) return;
    const auto end = decode::ShortestEndTokens(*options_.constraint, *tokenizer_);
    if (end.has_value()) out_.missing_tokens = end->size();
  }

  // Passes the text up to `end` on, as far as it is whole code points.
  void Show(std::size_t end) {
    if (end <= shown_) return;
    const std::string ready = detokenizer_.Push(std::string_view(text_).substr(shown_, end - shown_));
    shown_ = end;
    if (!ready.empty() && events_.on_text) events_.on_text(ready);
  }

  Generation Finish(StopReason reason) {
    out_.stop = reason;
    if (options_.constraint != nullptr && options_.healed_bytes == 0) SayWhetherWhole(reason);
    LeaveCache();
    Show(text_.size());
    const std::string rest = detokenizer_.Flush();
    if (!rest.empty() && events_.on_text) events_.on_text(rest);
    out_.text = std::move(text_);
    return std::move(out_);
  }

  const LanguageModel& model_;
  const Tokenizer* tokenizer_;
  const Sampler& sampler_;
  SamplerState& state_;
  const GenerateOptions& options_;
  const GenerateEvents& events_;
  decode::StopStrings stops_;
  KvSequence sequence_;
  std::size_t unhealed_;          // bytes still to come that the prompt has already
  std::size_t window_begin_ = 0;  // of prefix_: the first token that the model sees
  std::vector<float> logits_;
  std::vector<std::uint32_t> mask_, structural_;   // with a constraint
  bool was_whole_ = false;                         // the text before the last token was whole
  std::optional<std::vector<TokenId>> known_end_;  // of close_on_budget: tokens that would end the text from here
  std::vector<TokenId> prefix_;
  std::string text_;
  std::size_t shown_ = 0;
  StreamingDetokenizer detokenizer_;
  Generation out_;
  Clock::time_point started_;
};

}  // namespace

std::string_view NameOf(StopReason reason) {
  constexpr std::string_view kNames[] = {"eos",         "stop_token", "stop_string", "grammar_end", "grammar_dead_end",
                                         "token_limit", "context",    "time",        "cancelled"};
  return kNames[static_cast<std::size_t>(reason)];
}

Result<Generation> Generate(const LanguageModel& model, const Tokenizer* tokenizer, std::span<const TokenId> prompt,
                            const Sampler& sampler, SamplerState& state, const GenerateOptions& options,
                            const GenerateEvents& events) {
  DECANT_CHECKED(Check(model, tokenizer, prompt, options));
  return Run(model, tokenizer, sampler, state, options, events).Go(prompt);
}

}  // namespace decant
