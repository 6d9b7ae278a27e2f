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

#include "decant/error.h"
#include "decant/language_model.h"
#include "decant/sampler.h"
#include "decant/step.h"
#include "decant/token.h"
#include "decant/tokenizer.h"

namespace decant {

// What is looked at after each token, in this order.
enum class StopReason : std::uint8_t {
  kEos,         // the model's end token; it stays in the tokens, not in the text
  kStopToken,   // one of stop_token_ids; the same
  kStopString,  // the text is cut where it starts, the tokens stay
  kTokenLimit,  // max_tokens
  kContext,     // the context is full (a full context of c tokens may emit one more)
  kTime,        // max_time
  kCancelled,
};
std::string_view NameOf(
    StopReason reason);  // "eos", "stop_token", "stop_string", "token_limit", "context", "time", "cancelled"

enum class KvCacheUse : std::uint8_t { kOn, kOff };  // off = the whole prefix anew for every token; the same bits

struct GenerateOptions {
  std::optional<std::size_t> max_tokens = {};  // absent = until something else stops it; 0 = nothing is generated
  std::optional<TokenId> eos = {};
  std::vector<TokenId> stop_token_ids = {};
  std::vector<std::string> stop_strings = {};             // bytes; none may be empty
  std::optional<std::chrono::nanoseconds> max_time = {};  // from the call on
  std::size_t prefill_chunk = 512;                        // prompt tokens a model call, at least 1
  KvCacheUse kv_cache = KvCacheUse::kOn;
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
  std::size_t model_calls = 0;
  std::chrono::nanoseconds prefill_time{}, decode_time{};  // the first token belongs to prefill
};

// Generates from a prompt. `state` must be at position prompt.size(); it advances with every token. Without a
// tokenizer there is no text, and stop strings are an error. Errors before the first token leave `state` as it was:
// kEmptyPrompt, kPromptTooLong, kTokenOutOfRange, kOutOfRange. The model's and the sampler's errors end it.
Result<Generation> Generate(const LanguageModel& model, const Tokenizer* tokenizer, std::span<const TokenId> prompt,
                            const Sampler& sampler, SamplerState& state, const GenerateOptions& options,
                            const GenerateEvents& events);

}  // namespace decant

#endif  // DECANT_GENERATE_H_
