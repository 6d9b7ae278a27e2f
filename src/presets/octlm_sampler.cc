// Preset `octlm` as a Sampler. Records measure masses and entropies in f64 beside the f32 arithmetic that decides.
#include "presets/octlm_sampler.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/math.h"
#include "core/number_text.h"
#include "presets/chain_parts.h"
#include "presets/octlm.h"
#include "presets/reference.h"
#include "presets/torch_generator.h"

namespace decant::presets {
namespace {

constexpr float kBanned = -std::numeric_limits<float>::infinity();
constexpr std::size_t kMostTokens = std::size_t{1} << 24;

std::unexpected<Error> NotInThisPreset(const std::string& name) {
  return Fail(ErrorCode::kUnsupportedStage,
              name + " is not in preset octlm; expected temperature, top_k, top_p, greedy or categorical",
              {.subject = name,
               .allowed = "temperature, top_k, top_p, greedy, categorical",
               .hint = name + " is in preset native"});
}

Result<void> CheckShape(const Chain& chain) {
  DECANT_CHECKED(CheckDrawerIsLast(chain));
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::string name = std::string(NameOf(chain[i].id));
    const auto same = [&](const StageSpec& stage) { return stage.id == chain[i].id; };
    if (std::any_of(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(i), same)) {
      return Fail(ErrorCode::kConflict, "stage " + name + " stands twice in the chain; preset octlm has one of each",
                  {.subject = name});
    }
  }
  return {};
}

struct Plan {
  OctlmSettings settings;
  std::vector<StageId> stages;  // those that are on, in the order in which they run; the drawer excluded
};

Result<Plan> MakePlan(const Chain& chain, std::size_t vocabulary) {
  DECANT_CHECKED(CheckVocabulary(vocabulary));
  if (vocabulary > kMostTokens) {
    return Fail(ErrorCode::kVocabularyTooLarge,
                "the vocabulary has " + std::to_string(vocabulary) + " tokens; preset octlm takes at most " +
                    std::to_string(kMostTokens),
                {.subject = "logits", .allowed = "at most " + std::to_string(kMostTokens)});
  }
  Plan plan;
  bool has_temperature = false, greedy_drawer = false;
  for (const StageSpec& stage : chain) {
    switch (stage.id) {
      case StageId::kTemperature: {
        DECANT_TRY(const TemperatureParams params, ParamsOf<TemperatureParams>(stage));
        plan.settings.temperature = params.temperature;
        has_temperature = true;
        break;
      }
      case StageId::kTopK: {
        DECANT_TRY(const TopKParams params, ParamsOf<TopKParams>(stage));
        plan.settings.top_k = params.k;
        break;
      }
      case StageId::kTopP: {
        DECANT_TRY(const TopPParams params, ParamsOf<TopPParams>(stage));
        plan.settings.top_p = params.p;
        break;
      }
      case StageId::kGreedy:
        greedy_drawer = true;
        break;
      case StageId::kCategorical:
        break;
      default:
        return NotInThisPreset(std::string(NameOf(stage)));
    }
  }
  DECANT_CHECKED(CheckShape(chain));
  DECANT_CHECKED(CheckOctlmSettings(plan.settings));
  if (greedy_drawer) plan.settings.temperature = 0;
  if (plan.settings.has_top_k()) plan.stages.push_back(StageId::kTopK);
  if (has_temperature) plan.stages.push_back(StageId::kTemperature);
  if (plan.settings.has_top_p()) plan.stages.push_back(StageId::kTopP);
  return plan;
}

// exp(gap) of some tokens of a row in f64, for what a record tells.
class Shares {
 public:
  Shares(std::span<const float> logits, std::span<const TokenId> tokens, double temperature) {
    float maximum = kBanned;
    for (const TokenId token : tokens) maximum = std::max(maximum, logits[token]);
    for (const TokenId token : tokens) {
      const double gap = (static_cast<double>(logits[token]) - static_cast<double>(maximum)) / temperature;
      weights_.push_back(core::Exp(gap));
      total_ += weights_.back();
    }
  }
  // Of the tokens that `kept` (ascending too) does not hold.
  double RemovedMass(std::span<const TokenId> tokens, std::span<const TokenId> kept) const {
    double removed = 0;
    auto next = kept.begin();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (next != kept.end() && *next == tokens[i]) {
        ++next;
      } else {
        removed += weights_[i];
      }
    }
    return removed / total_;
  }
  double EntropyBits() const {
    double bits = 0;
    for (const double weight : weights_) {
      const double share = weight / total_;
      if (share > 0) bits -= share * core::Log2(share);
    }
    return std::max(bits, 0.0);
  }

 private:
  std::vector<double> weights_;
  double total_ = 0;
};

struct Race {
  TokenId winner = 0;
  float score = 0;
  float runner_up = 0;
};

// argmax(probabilities / exponentials), every token taking its number.
Race RunRace(std::span<const float> probabilities, TorchGenerator& generator) {
  Race race{.winner = 0, .score = -1, .runner_up = -1};
  for (std::size_t token = 0; token < probabilities.size(); ++token) {
    if (!(probabilities[token] > 0)) {
      generator.SkipExponential();
      continue;
    }
    const float score = probabilities[token] / generator.NextExponential();
    if (score > race.score) {
      race = {.winner = static_cast<TokenId>(token), .score = score, .runner_up = race.score};
    } else {
      race.runner_up = std::max(race.runner_up, score);
    }
  }
  race.runner_up = std::max(race.runner_up, 0.0F);
  return race;
}

class OctlmSampler final : public Sampler {
 public:
  OctlmSampler(Chain chain, std::size_t vocabulary, Plan plan)
      : chain_(std::move(chain)), vocabulary_(vocabulary), plan_(std::move(plan)) {}

  const Chain& chain() const override { return chain_; }
  Preset preset() const override { return Preset::kOctlm; }
  std::size_t vocabulary() const override { return vocabulary_; }
  Result<Choice> Sample(const RowView& row, SamplerState& state, StepRecord* record) const override;

 private:
  Result<void> CheckRow(const RowView& row) const;
  Result<Choice> ChooseBest(std::span<const float> logits, StepRecord* record) const;
  void Describe(std::span<const float> logits, const OctlmDistribution& distribution, StepRecord& record) const;

  Chain chain_;
  std::size_t vocabulary_;
  Plan plan_;
};

Result<void> OctlmSampler::CheckRow(const RowView& row) const {
  if (row.vocabulary != vocabulary_) {
    return Fail(ErrorCode::kLogitCountMismatch,
                "the row has " + std::to_string(row.vocabulary) + " logits; expected " + std::to_string(vocabulary_),
                {.subject = "logits", .allowed = std::to_string(vocabulary_)});
  }
  if (row.type != ElementType::kF32) {
    return Fail(ErrorCode::kWrongType, "preset octlm takes f32 logits; the row is " + std::string(NameOf(row.type)),
                {.subject = "logits", .allowed = "f32", .hint = "preset reference takes f64"});
  }
  if (row.mask != nullptr) return NotInThisPreset("constraint");
  const auto* logits = static_cast<const float*>(row.data);
  for (std::size_t token = 0; token < row.vocabulary; ++token) {
    if (logits[token] <= std::numeric_limits<float>::max()) continue;
    return Fail(ErrorCode::kNonFiniteLogit,
                "logit of token " + std::to_string(token) + " is " +
                    core::NumberText(static_cast<double>(logits[token])) + "; expected a finite number or -Infinity",
                {.subject = "logits", .allowed = "finite numbers, or -Infinity to ban a token"});
  }
  return {};
}

// Temperature 0: the first of the largest logits. The stream stays.
Result<Choice> OctlmSampler::ChooseBest(std::span<const float> logits, StepRecord* record) const {
  const auto best = std::ranges::max_element(logits);
  if (*best == kBanned) {
    return Fail(ErrorCode::kEmptySupport, "every token is banned; none can be chosen",
                {.subject = "logits", .allowed = "at least one token that is not -Infinity"});
  }
  const Choice choice{.token = static_cast<TokenId>(best - logits.begin()), .rank = 1, .probability = 1};
  if (record == nullptr) return choice;
  StepRecord step{.choice = choice, .temperature = 0};
  for (std::size_t token = 0; token < logits.size(); ++token) {
    if (logits[token] != kBanned) step.kept.push_back(static_cast<TokenId>(token));
  }
  for (const StageId id : plan_.stages) {
    step.stages.push_back(
        {.id = id, .kept = static_cast<std::uint32_t>(step.kept.size()), .skipped = KindOf(id) == StageKind::kFilter});
  }
  step.support = {choice.token};
  step.probabilities = {1.0};
  *record = std::move(step);
  return choice;
}

void OctlmSampler::Describe(std::span<const float> logits, const OctlmDistribution& distribution,
                            StepRecord& record) const {
  std::vector<TokenId> kept_by_id = distribution.kept;
  std::ranges::sort(kept_by_id);
  std::vector<TokenId> tokens;
  for (std::size_t token = 0; token < logits.size(); ++token) {
    if (logits[token] != kBanned) tokens.push_back(static_cast<TokenId>(token));
  }
  double temperature = 1;
  for (const StageId id : plan_.stages) {
    if (id == StageId::kTemperature) temperature = plan_.settings.temperature;
    const std::span<const TokenId> kept = id == StageId::kTopK   ? distribution.after_top_k
                                          : id == StageId::kTopP ? std::span<const TokenId>(kept_by_id)
                                                                 : std::span<const TokenId>(tokens);
    StageRecord stage{.id = id,
                      .kept = static_cast<std::uint32_t>(kept.size()),
                      .removed = static_cast<std::uint32_t>(tokens.size() - kept.size())};
    if (stage.removed > 0) stage.removed_mass = Shares(logits, tokens, temperature).RemovedMass(tokens, kept);
    tokens.assign(kept.begin(), kept.end());
    stage.entropy_bits = Shares(logits, tokens, temperature).EntropyBits();
    record.stages.push_back(stage);
  }
  record.temperature = plan_.settings.temperature;
  record.kept = distribution.kept;
  for (const TokenId token : kept_by_id) {
    if (!(distribution.probabilities[token] > 0)) continue;
    record.support.push_back(token);
    record.probabilities.push_back(static_cast<double>(distribution.probabilities[token]));
  }
}

Result<Choice> OctlmSampler::Sample(const RowView& row, SamplerState& state, StepRecord* record) const {
  const core::FloatingPointGuard guard;
  DECANT_CHECKED(CheckRow(row));
  const std::span<const float> logits(static_cast<const float*>(row.data), row.vocabulary);
  if (plan_.settings.greedy()) {
    DECANT_TRY(const Choice best, ChooseBest(logits, record));
    state.set_pending_stream(state.stream());
    return best;
  }
  DECANT_TRY(const OctlmDistribution distribution, OctlmDistributionOf(logits, plan_.settings));
  TorchGenerator generator(state.stream());
  const Race race = RunRace(distribution.probabilities, generator);
  const double probability = static_cast<double>(distribution.probabilities[race.winner]);
  const Choice choice{.token = race.winner,
                      .rank = RankOf(logits, race.winner),
                      .probability = probability,
                      .log_probability = core::Log(probability),
                      .drawn_by = DrawKind::kRace};
  if (record != nullptr) {
    StepRecord step{.choice = choice};
    step.draw = {.kind = DrawKind::kRace,
                 .score = static_cast<double>(race.score),
                 .runner_up = static_cast<double>(race.runner_up)};
    Describe(logits, distribution, step);
    *record = std::move(step);
  }
  state.set_pending_stream(generator.ToStream());
  return choice;
}

}  // namespace

Result<std::shared_ptr<const Sampler>> MakeOctlmSampler(Chain chain, std::size_t vocabulary) {
  DECANT_TRY(Plan plan, MakePlan(chain, vocabulary));
  return std::make_shared<const OctlmSampler>(std::move(chain), vocabulary, std::move(plan));
}

}  // namespace decant::presets
