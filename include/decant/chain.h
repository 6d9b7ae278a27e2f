// A chain is data: the list of stages, with their parameters, that turns a row of logits into a token.
#ifndef DECANT_CHAIN_H_
#define DECANT_CHAIN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "decant/error.h"
#include "decant/history.h"
#include "decant/token.h"

namespace decant {

// In the default order of a chain.
enum class StageId : std::uint8_t {
  kLogitBias,          // processor: l + b
  kRepetitionPenalty,  // processor: l / θ above 0, else l · θ, for tokens that occurred (Keskar et al. 2019)
  kFrequencyPenalty,   // processor: l − α · count (OpenAI)
  kPresencePenalty,    // processor: l − α for tokens that occurred (OpenAI)
  kDry,                // processor: l − m · bᵉ for tokens that would lengthen a repeat (text-generation-webui)
  kNoRepeatNgram,      // processor: bans what would repeat an n-gram (Paulus et al. 2017)
  kBadWords,           // processor: bans the last token of listed sequences
  kAllowedTokens,      // processor: bans all but the listed
  kBannedTokens,       // processor: bans the listed
  kBeginSuppress,      // processor: bans the listed as the first generated token (Whisper)
  kForcedTokens,       // processor: the i-th generated token is the i-th listed
  kMinTokens,          // processor: bans end tokens until so many were generated
  kTemperature,        // processor: multiplies the row's temperature
  kTopK,               // filter: the k best (Fan et al. 2018)
  kTopP,               // filter: the nucleus (Holtzman et al. 2020)
  kMinP,               // filter: at least p times the best (Nguyen et al. 2024)
  kGreedy,             // drawer: the first of what the filters left
  kCategorical,        // drawer: one random number against the cumulative weights, ids ascending
  kCustomProcessor,    // processor: the caller's own, anywhere in the chain
  kCustomFilter,       // filter: the caller's own, anywhere in the chain
};
enum class StageKind : std::uint8_t { kProcessor, kFilter, kDrawer };

std::string_view NameOf(StageId id);  // "top_k"
StageKind KindOf(StageId id);
std::optional<StageId> FindStage(std::string_view name);  // canonical names only; none for custom stages

class Candidates;  // decant/candidates.h

// A stage of the caller's own (docs/sampling.md, "Custom stages"). A chain that holds one runs stage by stage, and the
// stage shows in records, traces and plans under its name. Preset native only. Immutable: called from any number of
// threads at once. An error that it returns fails the step as it is. It does not throw, and does not call Parallel of
// the Runtime that runs it.
class CustomStage {
 public:
  virtual ~CustomStage() = default;
  // 1 to 64 of a-z, 0-9 and _; none of decant's own names. The same at every call, and valid as long as the stage.
  virtual std::string_view name() const = 0;
};
class CustomProcessor : public CustomStage {
 public:
  // scores: one a token, -inf = banned. A finite score may become another finite one, or -inf, a ban that never gives
  // way. Lifting a ban, NaN and +inf fail the step: kOutOfRange, kNonFiniteLogit, naming the stage and the token.
  virtual Result<void> Process(std::span<float> scores, const History& history) const = 0;
};
class CustomFilter : public CustomStage {
 public:
  // Drops candidates, in any arrangement (Candidates::order), but not the last. Adding one, or changing a score or the
  // temperature, fails the step: kOutOfRange, naming the stage. Not called at temperature 0.
  virtual Result<void> Filter(Candidates& candidates, const History& history) const = 0;
};

struct TokenBias {
  TokenId token = 0;
  double bias = 0;  // finite, or -inf for a ban
  bool operator==(const TokenBias&) const = default;
};
struct LogitBiasParams {
  std::vector<TokenBias> biases;  // each token at most once; empty = off
  bool operator==(const LogitBiasParams&) const = default;
};
// Of prompt and output; see decant/history.h.
struct RepetitionPenaltyParams {
  double penalty = 1;        // finite, > 0; 1 = off
  std::int64_t window = -1;  // the last tokens of prompt and output looked at; -1 = all, 0 = off
  bool operator==(const RepetitionPenaltyParams&) const = default;
};
// Of frequency_penalty (for each occurrence) and presence_penalty (once).
struct CountPenaltyParams {
  double penalty = 0;                          // finite; below 0 rewards; 0 = off
  PenaltyScope scope = PenaltyScope::kOutput;  // whether the prompt counts
  std::int64_t window = -1;                    // the last tokens looked at; -1 = all, 0 = off
  bool operator==(const CountPenaltyParams&) const = default;
};
using TokenSequence = std::vector<TokenId>;
struct DryParams {
  double multiplier = 0;            // [0, 1e6]; 0 = off
  double base = 1.75;               // [1, 100]
  std::int64_t allowed_length = 2;  // 1..: repeats shorter than this are free
  std::int64_t window = -1;         // the last tokens of prompt and output looked at; -1 = all, 0 = off
  // No match reaches over one of these; a breaker of one token is never penalized. None empty.
  std::vector<TokenSequence> breakers = {};
  bool operator==(const DryParams&) const = default;
};
struct NoRepeatNgramParams {
  std::int64_t size = 0;  // 1..; 0 = off
  bool operator==(const NoRepeatNgramParams&) const = default;
};
struct BadWordsParams {
  std::vector<TokenSequence> words;  // none empty; empty list = off
  bool operator==(const BadWordsParams&) const = default;
};
// Of allowed_token_ids, banned_token_ids, begin_suppress_tokens and forced_token_ids.
struct TokenListParams {
  std::vector<TokenId> tokens;  // empty = off
  bool operator==(const TokenListParams&) const = default;
};
struct MinTokensParams {
  std::int64_t count = 0;       // generated tokens; 0 = off
  std::vector<TokenId> tokens;  // the end tokens banned until then; empty = off
  bool operator==(const MinTokensParams&) const = default;
};
struct TemperatureParams {
  double temperature = 1;  // 0 (greedy) or [DBL_MIN, 1e6]; 1 = off
  bool operator==(const TemperatureParams&) const = default;
};
struct TopKParams {
  std::int64_t k = 0;  // 1..; 0 and -1 = off; above the vocabulary = all
  bool operator==(const TopKParams&) const = default;
};
struct TopPParams {
  double p = 1;  // (0, 1]; 1 = off
  bool operator==(const TopPParams&) const = default;
};
struct MinPParams {
  double p = 0;  // [0, 1]; 0 = off
  bool operator==(const MinPParams&) const = default;
};
// Never off. Equal to itself alone.
struct CustomProcessorParams {
  std::shared_ptr<const CustomProcessor> stage;  // not null
  bool operator==(const CustomProcessorParams&) const = default;
};
struct CustomFilterParams {
  std::shared_ptr<const CustomFilter> stage;  // not null
  bool operator==(const CustomFilterParams&) const = default;
};
using StageParams =
    std::variant<std::monostate, LogitBiasParams, TemperatureParams, TopKParams, TopPParams, MinPParams,
                 RepetitionPenaltyParams, CountPenaltyParams, DryParams, NoRepeatNgramParams, BadWordsParams,
                 TokenListParams, MinTokensParams, CustomProcessorParams, CustomFilterParams>;

// Stages run in the order of the list; a drawer, if given, comes last (none = categorical).
struct StageSpec {
  StageId id;
  StageParams params;  // the struct named for the stage; monostate for drawers
  bool operator==(const StageSpec&) const = default;
};
using Chain = std::vector<StageSpec>;

// "top_k"; a custom stage's own name.
std::string_view NameOf(const StageSpec& stage);

}  // namespace decant

#endif  // DECANT_CHAIN_H_
