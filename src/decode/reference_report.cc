// The report of preset `reference`: seven lines, every figure computed when asked for.
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "core/number_text.h"
#include "decant/reference.h"
#include "decode/tiny_model.h"
#include "model/tiny_checkpoint.h"

namespace decant::reference {
namespace {

constexpr double kLogits[] = {0, 1, 1, 2};
constexpr double kUnderflowLogits[] = {2, 2, 1};
constexpr std::uint64_t kSeed = 36;
constexpr std::size_t kBoundary = 2;
constexpr std::size_t kKept = 3;
constexpr std::size_t kDraws = 8;
constexpr TokenId kPrompt[] = {0};
constexpr std::size_t kMaxNewTokens = 4;

std::string Fixed(double value) { return core::FixedText(value, 12); }
std::string_view Truth(bool value) { return value ? "true" : "false"; }

// "[1,2,3]"
template <class Range, class Text>
std::string ListOf(const Range& range, Text text) {
  std::string list = "[";
  for (const auto& item : range) {
    if (list.size() > 1) list += ',';
    list += text(item);
  }
  return list + "]";
}
std::string ListOf(const std::vector<TokenId>& tokens) {
  return ListOf(tokens, [](TokenId token) { return std::to_string(token); });
}

Result<std::string> TopKLine() {
  DECANT_TRY(const Distribution distribution,
             DistributionOf(kLogits, TemperatureTopK{.temperature = 1, .top_k = kBoundary}));
  std::string removed = "none";
  for (const Candidate& candidate : distribution.candidates) {
    if (candidate.rank == kBoundary + 1) removed = std::to_string(candidate.token);
  }
  return "top_k=k:" + std::to_string(kBoundary) + " retained:" + ListOf(distribution.retained) +
         " tied_boundary:keep:" + std::to_string(distribution.retained.back()) + " remove:" + removed +
         " sum:" + Fixed(distribution.ProbabilitySum()) + "\n";
}

Result<std::string> SupportLine() {
  const TemperatureTopK mode{.temperature = std::numeric_limits<double>::min(), .top_k = kKept};
  DECANT_TRY(const Distribution distribution, DistributionOf(kUnderflowLogits, mode));
  const std::string probabilities =
      ListOf(distribution.candidates, [](const Candidate& candidate) { return Fixed(candidate.probability); });
  return "support=tau:" + core::ShortestText(mode.temperature) + " top_k:" + std::to_string(mode.top_k) +
         " retained:" + ListOf(distribution.retained) + " positive_support:" + ListOf(distribution.PositiveSupport()) +
         " probabilities:" + probabilities + "\n";
}

Result<std::string> SampleLine() {
  SplitMix64 rng(kSeed);
  std::vector<TokenId> sequence;
  std::size_t draws = 0;
  for (std::size_t i = 0; i < kDraws; ++i) {
    DECANT_TRY(const SampledToken sampled, SampleNext(kLogits, TemperatureTopK{.temperature = 1, .top_k = kKept}, rng));
    sequence.push_back(sampled.token);
    if (sampled.draw.has_value()) ++draws;
  }
  DECANT_TRY(const SampledToken greedy, SampleNext(kLogits, Greedy{}, rng));
  return "sample=seed:" + std::to_string(kSeed) + " top_k:" + std::to_string(kKept) + " sequence:" + ListOf(sequence) +
         " draws:" + std::to_string(draws) + " greedy_token:" + std::to_string(greedy.token) +
         " greedy_draw:" + (greedy.draw.has_value() ? Fixed(*greedy.draw) : "none") + "\n";
}

// Both lines about the loaded model: to the end of its context, and with its own first token as eos.
Result<std::string> ModelLines(std::span<const std::byte> bytes) {
  DECANT_TRY(const model::TinyCheckpoint checkpoint, model::ParseTinyCheckpoint(bytes));
  DECANT_TRY(const std::shared_ptr<const LanguageModel> model, decode::LoadTinyModel(checkpoint));
  GenerationConfig config{
      .mode = TemperatureTopK{.temperature = 1, .top_k = kKept}, .eos = {}, .max_new_tokens = kMaxNewTokens};

  SplitMix64 rng(checkpoint.random_state), replay_rng(checkpoint.random_state), eos_rng(checkpoint.random_state);
  DECANT_TRY(const Generation run, GenerateUncached(*model, kPrompt, config, rng));
  DECANT_TRY(const Generation replay, GenerateUncached(*model, kPrompt, config, replay_rng));
  config.eos = run.generated.front();
  DECANT_TRY(const Generation ended, GenerateUncached(*model, kPrompt, config, eos_rng));

  char state[19];
  std::snprintf(state, sizeof(state), "0x%016llx", static_cast<unsigned long long>(checkpoint.random_state));
  const std::string sizes =
      "vocabulary:" + std::to_string(model->vocabulary_size()) + " context:" + std::to_string(model->context_length());
  const std::string limit = " max_new_tokens:" + std::to_string(kMaxNewTokens);
  return "checkpoint=loaded_bytes:" + std::to_string(bytes.size()) + " rng_state:" + state + " " + sizes + " eos:none" +
         limit + " prompt:" + ListOf(run.prompt) + " generated:" + ListOf(run.generated) + " prefixes:" +
         ListOf(run.steps, [](const GenerationStep& step) { return std::to_string(step.prefix_length); }) +
         " stop:" + std::string(NameOf(run.stop)) + " full_prefix_calls:" + std::to_string(run.full_prefix_calls) +
         " replay_identical:" + std::string(Truth(run == replay && rng.state() == replay_rng.state())) + "\n" +
         "eos=" + sizes + " eos_token:" + std::to_string(*config.eos) + limit +
         " generated:" + ListOf(ended.generated) + " stop:" + std::string(NameOf(ended.stop)) +
         " full_prefix_calls:" + std::to_string(ended.full_prefix_calls) + "\n";
}

std::string ErrorsLine() {
  SplitMix64 rng(kSeed);
  const auto fails = [&rng](std::span<const double> logits, TemperatureTopK mode, ErrorCode code) {
    const auto sampled = SampleNext(logits, mode, rng);
    return Truth(!sampled.has_value() && sampled.error().code == code);
  };
  constexpr double kBroken[] = {0, std::numeric_limits<double>::quiet_NaN(), 1, 2};
  std::string line = "errors=temperature_zero:";
  line += fails(kLogits, {.temperature = 0, .top_k = kKept}, ErrorCode::kInvalidTemperature);
  line += " top_k_zero:";
  line += fails(kLogits, {.temperature = 1, .top_k = 0}, ErrorCode::kInvalidTopK);
  line += " nonfinite_logit:";
  line += fails(kBroken, {.temperature = 1, .top_k = kKept}, ErrorCode::kNonFiniteLogit);
  line += " rng_unchanged:";
  line += Truth(rng.state() == kSeed);
  return line + "\n";
}

Result<std::string> HistoryLine() {
  DECANT_TRY(const Distribution full,
             DistributionOf(kLogits, TemperatureTopK{.temperature = 1, .top_k = std::size(kLogits)}));
  DECANT_TRY(const Distribution cut, DistributionOf(kLogits, TemperatureTopK{.temperature = 1, .top_k = kKept}));
  double retained_mass = 0, removed_mass = 0;
  for (const Candidate& candidate : full.candidates) {
    (cut.candidates[candidate.token].retained ? retained_mass : removed_mass) += candidate.probability;
  }
  SplitMix64 rng(kSeed);
  DECANT_TRY(const SampledToken greedy, SampleNext(kLogits, Greedy{}, rng));
  return "history=greedy_token:" + std::to_string(greedy.token) +
         " greedy_rng_advanced:" + std::string(Truth(rng.state() != kSeed)) + " top_k:" + std::to_string(kKept) +
         " retained:" + ListOf(cut.retained) + " retained_full_mass:" + Fixed(retained_mass) +
         " removed_full_mass:" + Fixed(removed_mass) + "\n";
}

}  // namespace

Result<std::string> Report(std::span<const std::byte> checkpoint) {
  DECANT_TRY(std::string report, TopKLine());
  DECANT_TRY(const std::string support, SupportLine());
  DECANT_TRY(const std::string sample, SampleLine());
  DECANT_TRY(const std::string model_lines, ModelLines(checkpoint));
  DECANT_TRY(const std::string history, HistoryLine());
  report += support + sample + model_lines + ErrorsLine() + history;
  return report;
}

}  // namespace decant::reference
