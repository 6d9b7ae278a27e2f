// Preset `reference`, generation: the whole prefix is evaluated anew for every token, with no cache between calls.
#include <algorithm>
#include <string>
#include <utility>

#include "core/math.h"
#include "decode/reference_generation.h"
#include "presets/reference.h"

namespace decant::decode {
namespace {

using reference::Generation;
using reference::GenerationConfig;
using reference::Stop;

Result<void> CheckToken(const std::string& what, TokenId token, std::size_t vocabulary) {
  if (token < vocabulary) return {};
  const std::string allowed = "an id below " + std::to_string(vocabulary);
  return Fail(ErrorCode::kTokenOutOfRange, what + " is " + std::to_string(token) + "; expected " + allowed,
              {.subject = what, .allowed = allowed});
}

Result<void> CheckRequest(const PrefixModel& model, std::span<const TokenId> prompt, const GenerationConfig& config) {
  if (prompt.empty()) {
    return Fail(ErrorCode::kEmptyPrompt, "the prompt has 0 tokens; expected at least 1",
                {.subject = "prompt", .allowed = "at least 1 token"});
  }
  if (prompt.size() > model.context) {
    const std::string allowed = "at most " + std::to_string(model.context);
    return Fail(ErrorCode::kPromptTooLong,
                "the prompt has " + std::to_string(prompt.size()) + " tokens; expected " + allowed + ", the context",
                {.subject = "prompt", .allowed = allowed});
  }
  for (std::size_t position = 0; position < prompt.size(); ++position) {
    DECANT_CHECKED(
        CheckToken("the prompt token at position " + std::to_string(position), prompt[position], model.vocabulary));
  }
  if (config.eos.has_value()) DECANT_CHECKED(CheckToken("the eos token", *config.eos, model.vocabulary));
  return presets::CheckMode(config.mode, model.vocabulary);
}

}  // namespace

Result<Generation> GenerateWith(const PrefixModel& model, std::span<const TokenId> prompt,
                                const GenerationConfig& config, reference::SplitMix64& rng) {
  DECANT_CHECKED(CheckRequest(model, prompt, config));
  Generation run;
  run.prompt.assign(prompt.begin(), prompt.end());
  std::vector<TokenId> prefix = run.prompt;
  reference::SplitMix64 stream = rng;  // committed at the end only
  while (run.generated.size() < config.max_new_tokens) {
    DECANT_TRY(const std::vector<double> logits, model.last_logits(prefix));
    ++run.full_prefix_calls;
    if (logits.size() != model.vocabulary) {
      return Fail(ErrorCode::kLogitCountMismatch,
                  "the model returned " + std::to_string(logits.size()) + " logits after " +
                      std::to_string(prefix.size()) + " tokens; expected " + std::to_string(model.vocabulary),
                  {.subject = "logits", .allowed = std::to_string(model.vocabulary)});
    }
    DECANT_TRY(const reference::SampledToken sampled, reference::SampleNext(logits, config.mode, stream));
    run.steps.push_back({.prefix_length = prefix.size(),
                         .token = sampled.token,
                         .draw = sampled.draw,
                         .interval_start = sampled.interval_start,
                         .interval_end = sampled.interval_end});
    prefix.push_back(sampled.token);
    run.generated.push_back(sampled.token);
    if (config.eos == sampled.token) {
      run.stop = Stop::kEos;
      break;
    }
    if (run.generated.size() == config.max_new_tokens) break;
    if (prefix.size() > model.context) {
      run.stop = Stop::kContextLimit;
      break;
    }
  }
  rng = stream;
  return run;
}

}  // namespace decant::decode

namespace decant::reference {

std::string_view NameOf(Stop stop) {
  switch (stop) {
    case Stop::kEos:
      return "eos";
    case Stop::kTokenLimit:
      return "token-limit";
    case Stop::kContextLimit:
      return "context-limit";
  }
  return "";
}

Result<Generation> GenerateUncached(const LanguageModel& model, std::span<const TokenId> prompt,
                                    const GenerationConfig& config, SplitMix64& rng) {
  const core::FloatingPointGuard guard;
  const std::size_t vocabulary = model.vocabulary_size();
  const auto last_logits = [&model, vocabulary](std::span<const TokenId> prefix) -> Result<std::vector<double>> {
    KvSequence sequence = model.Start();
    std::vector<Row> rows;
    rows.reserve(prefix.size());
    for (const TokenId token : prefix) {
      rows.push_back({.sequence = &sequence,
                      .token = token,
                      .position = rows.size(),
                      .wants_logits = rows.size() + 1 == prefix.size()});
    }
    std::vector<float> logits(vocabulary);
    DECANT_TRY(std::vector<RowError> failures, model.Forward(rows, logits));
    if (!failures.empty()) return std::unexpected(std::move(failures.front().error));
    return std::vector<double>(logits.begin(), logits.end());
  };
  return decode::GenerateWith({.vocabulary = vocabulary, .context = model.context_length(), .last_logits = last_logits},
                              prompt, config, rng);
}

}  // namespace decant::reference
