// Preset `reference`: a small, textbook sampler in double precision that shows every intermediate figure.
//
// f64 max-shifted softmax over the top-k set, compensated sums, ascending-id half-open intervals and SplitMix64
// (Steele, Lea, Flood 2014). It is the arithmetic of a published course chapter, reproduced digit by digit; its rules
// are stricter than native ones: -inf and top_k outside 1..V are errors. Everything is validated before the
// generator's state moves.
#ifndef DECANT_REFERENCE_H_
#define DECANT_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "decant/error.h"
#include "decant/language_model.h"
#include "decant/token.h"

namespace decant::reference {

// The stream: state += 0x9e3779b97f4a7c15, then two xor-multiply rounds.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t state) : state_(state) {}
  std::uint64_t state() const { return state_; }
  std::uint64_t Next();
  double NextUnit();  // Next() >> 11, times 2^-53

 private:
  std::uint64_t state_;
};

struct Greedy {
  bool operator==(const Greedy&) const = default;
};
struct TemperatureTopK {
  double temperature = 1;  // finite, > 0
  std::size_t top_k = 1;   // 1..V
  bool operator==(const TemperatureTopK&) const = default;
};
using Mode = std::variant<Greedy, TemperatureTopK>;

struct Candidate {
  TokenId token = 0;
  double logit = 0;
  std::size_t rank = 0;  // 1-based: logit descending, then id ascending
  bool retained = false;
  double probability = 0;  // 0 for removed ones; may be 0 for a retained one too (underflow)
  bool operator==(const Candidate&) const = default;
};
struct Distribution {
  Mode mode;
  std::vector<Candidate> candidates;             // by token id
  std::vector<TokenId> retained;                 // by rank
  std::vector<TokenId> PositiveSupport() const;  // ids ascending
  double ProbabilitySum() const;                 // compensated, id ascending
  bool operator==(const Distribution&) const = default;
};
struct SampledToken {
  TokenId token = 0;
  std::optional<double> draw;  // nothing for greedy
  double interval_start = 0, interval_end = 1;
  bool operator==(const SampledToken&) const = default;
};
struct Decision {
  SampledToken sampled;
  Distribution distribution;
};

// The distribution, without randomness.
Result<Distribution> DistributionOf(std::span<const double> logits, const Mode& mode);
// One token: one draw for TemperatureTopK (k = 1 included), none for Greedy. On failure `rng` is as it was.
Result<SampledToken> SampleNext(std::span<const double> logits, const Mode& mode, SplitMix64& rng);
Result<Decision> SampleNextWithTrace(std::span<const double> logits, const Mode& mode, SplitMix64& rng);

struct GenerationConfig {
  Mode mode;
  std::optional<TokenId> eos;
  std::size_t max_new_tokens = 0;
};
enum class Stop : std::uint8_t { kEos, kTokenLimit, kContextLimit };
std::string_view NameOf(Stop stop);  // "eos", "token-limit", "context-limit"
struct GenerationStep {
  std::size_t prefix_length = 0;
  TokenId token = 0;
  std::optional<double> draw;
  double interval_start = 0, interval_end = 1;
  bool operator==(const GenerationStep&) const = default;
};
struct Generation {
  std::vector<TokenId> prompt, generated;
  std::vector<GenerationStep> steps;
  Stop stop = Stop::kTokenLimit;
  std::size_t full_prefix_calls = 0;
  bool operator==(const Generation&) const = default;
};

// Evaluates the whole prefix for every token. A full context may emit one more token. Errors: kEmptyPrompt,
// kPromptTooLong, kTokenOutOfRange (prompt and eos), the sampler's, the model's, kLogitCountMismatch; they are found
// before the generator moves, and a failure part way leaves `rng` as it was before the call.
Result<Generation> GenerateUncached(const LanguageModel& model, std::span<const TokenId> prompt,
                                    const GenerationConfig& config, SplitMix64& rng);

// The seven lines of the chapter's report, from live computation; `checkpoint` is the bytes of a tiny checkpoint
// (docs/formats/tiny.md).
Result<std::string> Report(std::span<const std::byte> checkpoint);
// The built-in checkpoint: 5 tokens, context 2.
std::span<const std::byte> BuiltInCheckpoint();

}  // namespace decant::reference

#endif  // DECANT_REFERENCE_H_
