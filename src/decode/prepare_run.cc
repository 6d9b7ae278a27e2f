// What a run's spec comes to for a model.
#include <algorithm>
#include <chrono>
#include <utility>

#include "decant/trace.h"
#include "decode/constrain_after.h"
#include "decode/token_healing.h"

namespace decant {
namespace {

struct PreparedConstraint {
  std::shared_ptr<const Grammar> grammar = {};
  std::unique_ptr<Constraint> constraint = {};
};

// A mask needs the native sampler, and bytes of tokens.
Result<void> CheckCanConstrain(const Model& model, Preset preset, const std::string& what, const std::string& subject) {
  if (preset != Preset::kNative) {
    return Fail(ErrorCode::kUnsupportedStage,
                what + " is not in preset " + std::string(NameOf(preset)) + "; preset native has it",
                {.subject = subject, .allowed = "native"});
  }
  if (model.tokenizer() == nullptr) {
    return Fail(ErrorCode::kUnsupportedTokenizer, what + " needs a tokenizer; this model has none",
                {.subject = subject});
  }
  return {};
}

// Tokens that end a text: the model's own, and those of stop_token_ids that are no text.
std::vector<TokenId> EndTokens(const Tokenizer& tokenizer, const ParameterSet& parameters) {
  std::vector<TokenId> end;
  if (tokenizer.eos().has_value()) end.push_back(*tokenizer.eos());
  for (const TokenId id : parameters.Get<std::vector<TokenId>>("stop_token_ids").value_or(std::vector<TokenId>())) {
    const bool is_control = id < tokenizer.vocabulary_size() && tokenizer.kind(id) == TokenKind::kControl;
    if (is_control && std::ranges::find(end, id) == end.end()) end.push_back(id);
  }
  return end;
}

Result<PreparedConstraint> PrepareConstraint(const Model& model, const RunSpec& spec) {
  const std::size_t vocabulary = model.language_model().vocabulary_size();
  PreparedConstraint made{.grammar = spec.grammar};
  const bool has_grammar = spec.grammar != nullptr || HasConstraint(spec.parameters);
  if (!spec.healed.empty()) {
    if (has_grammar) {
      return Fail(ErrorCode::kConflict, "token healing and a constraint exclude each other", {.subject = "healed"});
    }
    DECANT_CHECKED(CheckCanConstrain(model, spec.preset, "token healing", "healed"));
    made.constraint = decode::MakePrefixConstraint(*model.tokenizer(), vocabulary, spec.healed);
  }
  if (!has_grammar) return made;
  DECANT_CHECKED(CheckCanConstrain(model, spec.preset, "a constraint", "constraint"));
  if (made.grammar == nullptr) {
    DECANT_TRY(auto tokens, MakeConstraintVocabulary(model, spec.parameters));
    DECANT_TRY(made.grammar, CompileConstraint(std::move(tokens), spec.parameters));
  }
  made.constraint = made.grammar->Start();
  if (auto marker = spec.parameters.Get<std::string>("constrain_after"); marker.has_value()) {
    made.constraint = decode::MakeConstrainAfter({.tokenizer = model.tokenizer(),
                                                  .vocabulary = vocabulary,
                                                  .marker = *std::move(marker),
                                                  .end_tokens = EndTokens(*model.tokenizer(), spec.parameters)},
                                                 std::move(made.constraint));
  }
  return made;
}

}  // namespace

Result<std::shared_ptr<const ConstraintVocabulary>> MakeConstraintVocabulary(const Model& model,
                                                                             const ParameterSet& parameters) {
  DECANT_CHECKED(CheckCanConstrain(model, Preset::kNative, "a constraint", "constraint"));
  return ConstraintVocabulary::Of(*model.tokenizer(), EndTokens(*model.tokenizer(), parameters),
                                  model.language_model().vocabulary_size());
}

Result<PreparedRun> PrepareRun(const Model& model, const RunSpec& spec) {
  const ParameterSet& parameters = spec.parameters;
  GenerateOptions options;
  if (const auto limit = parameters.Get<std::int64_t>("max_tokens")) {
    options.max_tokens = static_cast<std::size_t>(*limit);
  }
  if (model.tokenizer() != nullptr && !parameters.Get<bool>("ignore_eos").value_or(false)) {
    options.eos = model.tokenizer()->eos();
  }
  std::vector<TokenId> end_tokens;
  if (options.eos.has_value()) end_tokens.push_back(*options.eos);
  DECANT_TRY(Chain chain,
             BuildChain(parameters, {.preset = spec.preset, .tokenizer = model.tokenizer(), .end_tokens = end_tokens}));
  if (spec.chain.has_value()) chain = *spec.chain;
  DECANT_TRY(auto sampler,
             MakeSampler(std::move(chain), model.language_model().vocabulary_size(), {.preset = spec.preset}));
  options.min_tokens = static_cast<std::size_t>(parameters.Get<std::int64_t>("min_tokens").value_or(0));
  if (parameters.Get<std::string>("at_context_end") == "slide") options.at_context_end = ContextEnd::kSlide;
  options.stop_token_ids = parameters.Get<std::vector<TokenId>>("stop_token_ids").value_or(std::vector<TokenId>());
  options.stop_strings = parameters.Get<std::vector<std::string>>("stop").value_or(std::vector<std::string>());
  if (const auto seconds = parameters.Get<double>("max_time")) {
    options.max_time = std::chrono::nanoseconds(static_cast<std::int64_t>(*seconds * 1e9));
  }
  DECANT_TRY(PreparedConstraint constrained, PrepareConstraint(model, spec));
  options.close_on_budget = constrained.grammar != nullptr && parameters.Get<bool>("close_on_budget").value_or(false);
  options.constraint = constrained.constraint.get();
  options.healed_bytes = spec.healed.size();
  const SamplerState state(
      {.seed = parameters.Get<std::uint64_t>("seed").value_or(0), .sequence = spec.sequence, .prompt = spec.prompt});
  return PreparedRun{.sampler = std::move(sampler),
                     .state = state,
                     .options = std::move(options),
                     .grammar = std::move(constrained.grammar),
                     .constraint = std::move(constrained.constraint)};
}

}  // namespace decant
