// The generation loop: prompt tokens in, text out, one step at a time, until something stops it.
#ifndef DECANT_GENERATE_H_
#define DECANT_GENERATE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "decant/constraint.h"
#include "decant/error.h"
#include "decant/language_model.h"
#include "decant/sampler.h"
#include "decant/step.h"
#include "decant/token.h"
#include "decant/tokenizer.h"

namespace decant {

// What is looked at after each token, in this order.
enum class StopReason : std::uint8_t {
  kEos,             // the model's end token; it stays in the tokens, not in the text
  kStopToken,       // one of stop_token_ids; the same
  kStopString,      // the text is cut where it starts, the tokens stay
  kGrammarEnd,      // the constraint's text is whole, and nothing may follow
  kGrammarDeadEnd,  // no token may follow, and the text is not whole
  kTokenLimit,      // max_tokens
  kContext,         // the context is full (a full context of c tokens may emit one more)
  kTime,            // max_time
  kCancelled,
};
// "eos", "stop_token", "stop_string", "grammar_end", "grammar_dead_end", "token_limit", "context", "time", "cancelled"
std::string_view NameOf(StopReason reason);

enum class KvCacheUse : std::uint8_t { kOn, kOff };  // off = the whole prefix anew for every token; the same bits

// What to do when the context is full and nothing else stops.
enum class ContextEnd : std::uint8_t {
  kStop,   // StopReason::kContext
  kSlide,  // the model sees the last context_length() tokens, at positions from 0 on: all computed anew at every token
};

// The tokens that the last run left in a KV cache, for the next run to start from: a chat's next turn.
struct PrefixCache {
  std::optional<KvSequence> sequence = {};  // of the same model; holds `tokens`
  std::vector<TokenId> tokens = {};
};

struct GenerateOptions {
  std::optional<std::size_t> max_tokens = {};  // absent = until something else stops it; 0 = nothing is generated
  std::optional<TokenId> eos = {};
  std::vector<TokenId> stop_token_ids = {};
  std::vector<std::string> stop_strings = {};             // bytes; none may be empty
  std::optional<std::chrono::nanoseconds> max_time = {};  // from the call on
  std::size_t prefill_chunk = 512;                        // prompt tokens a model call, at least 1
  KvCacheUse kv_cache = KvCacheUse::kOn;
  ContextEnd at_context_end = ContextEnd::kStop;
  // Tokens before which stop strings are not looked for; the chain's stage min_tokens bans end tokens as long.
  std::size_t min_tokens = 0;
  // Says which tokens may come; moves with the tokens. Not owned; null = none.
  Constraint* constraint = nullptr;
  // With a constraint that knows its shortest end: a token after which the tokens left of max_tokens or the context
  // would not do for a whole text gives way to the first one of the shortest end. Needs a tokenizer.
  bool close_on_budget = false;
  // Reused as far as its tokens begin the prompt, and left holding what this run computed. Not owned; null = none. The
  // same bits with or without. After an error of the model or the sampler it is empty.
  PrefixCache* cache = nullptr;
  // Token healing: the answer's first bytes, that the prompt has already; they are left out of the text, and stop
  // strings are not looked for in them.
  std::size_t healed_bytes = 0;
  std::stop_token cancel = {};
};

// One step as it happened; views are valid during the callback only.
struct StepEvidence {
  std::size_t index = 0;          // 1-based
  std::size_t prefix_length = 0;  // tokens before this one
  std::span<const float> logits = {};
  const StepRecord* record = nullptr;  // null unless records are asked for
  std::string_view bytes = {};         // of the token; empty without a tokenizer
};

struct GenerateEvents {
  // Prompt tokens processed so far, of how many.
  std::function<void(std::size_t done, std::size_t total)> on_prefill = {};
  // Text that can no longer change: whole code points, stop strings held back.
  std::function<void(std::string_view text)> on_text = {};
  // With records (slower); an error ends the generation and is returned.
  std::function<Result<void>(const StepEvidence&)> on_step = {};
};

struct Generation {
  std::vector<TokenId> tokens = {};
  std::string text = {};  // the bytes, up to the cut of a stop string; eos and stop tokens left out
  StopReason stop = StopReason::kTokenLimit;
  std::optional<TokenId> stop_token = {};       // for kEos, kStopToken
  std::optional<std::string> stop_string = {};  // for kStopString
  // With a constraint that is not token healing's: whether the text is a whole one of it; cut at a stop string it is
  // not.
  std::optional<bool> complete = {};
  // Of a text that something cut before it was whole: tokens that its shortest end would take, where that is known.
  std::optional<std::size_t> missing_tokens = {};
  std::size_t closing_tokens = 0;  // those that close_on_budget put in the place of others
  std::size_t model_calls = 0;
  std::chrono::nanoseconds prefill_time{}, decode_time{};  // the first token belongs to prefill
};

// What to do with a prompt for which the context has no room.
enum class ContextOverflow : std::uint8_t {
  kError,           // kPromptTooLong
  kTruncateLeft,    // tokens leave from the start
  kTruncateMiddle,  // tokens leave from the middle: of what fits, half is the prompt's start and half its end
};
std::string_view NameOf(ContextOverflow overflow);  // "error", "truncate_left", "truncate_middle"
std::optional<ContextOverflow> FindContextOverflow(std::string_view name);

struct FitOptions {
  std::size_t context = 1;                     // tokens a sequence may hold, at least 1
  std::optional<std::size_t> max_tokens = {};  // to be generated; a cut makes room for them, or for one if absent
  ContextOverflow overflow = ContextOverflow::kError;
  ContextEnd at_context_end = ContextEnd::kStop;  // when it slides, a cut makes room for one token only
  std::optional<TokenId> bos = {};                // stays in front when the prompt begins with it and two tokens fit
};
struct FittedPrompt {
  std::vector<TokenId> tokens = {};
  std::size_t removed = 0;  // tokens that left
  std::size_t missing = 0;  // of max_tokens, those that will not come because the context is full before
};
// The prompt as it fits into the context: the cut leaves prompt + max_tokens <= context. With kError nothing is cut,
// and only a prompt longer than the context is kPromptTooLong; so is, with the others, a max_tokens that leaves no room
// for any prompt.
Result<FittedPrompt> FitPrompt(std::span<const TokenId> prompt, const FitOptions& options);

// Token healing: the prompt without its last token, and that token's bytes, which the answer then must begin with
// (RunSpec::healed). `bytes` is empty and nothing taken back when the prompt has one token or ends in a special one.
struct HealedPrompt {
  std::vector<TokenId> tokens = {};
  std::string bytes = {};
};
HealedPrompt HealPrompt(const Tokenizer& tokenizer, std::span<const TokenId> prompt);

// Generates from a prompt. `state` must be at position prompt.size(); it advances with every token. Without a
// tokenizer there is no text, and stop strings are an error. Errors before the first token leave `state` as it was:
// kEmptyPrompt, kPromptTooLong, kTokenOutOfRange, kOutOfRange (also a limit too small for the shortest text, with
// close_on_budget). The model's and the sampler's errors end it.
Result<Generation> Generate(const LanguageModel& model, const Tokenizer* tokenizer, std::span<const TokenId> prompt,
                            const Sampler& sampler, SamplerState& state, const GenerateOptions& options,
                            const GenerateEvents& events);

}  // namespace decant

#endif  // DECANT_GENERATE_H_
