// A chain is planned once; each row then runs stage by stage over shrinking candidates.
#include "decode/native_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/math.h"
#include "core/philox.h"
#include "core/wide.h"
#include "decant/candidates.h"
#include "decode/stages.h"
#include "draw/categorical.h"
#include "filter/min_p.h"
#include "filter/top_k.h"
#include "filter/top_p.h"
#include "presets/chain_parts.h"
#include "process/bad_words.h"
#include "process/count_penalty.h"
#include "process/dry.h"
#include "process/logit_bias.h"
#include "process/min_tokens.h"
#include "process/no_repeat_ngram.h"
#include "process/repetition_penalty.h"
#include "process/row.h"
#include "process/temperature.h"
#include "process/token_lists.h"
#include "simd/weigh.h"

namespace decant::decode {
namespace {

using process::kBanned;

// What a chain comes to: the stages that do something, in order.
struct Plan {
  std::vector<StageSpec> stages;  // without off stages and the drawer
  StageId drawer = StageId::kCategorical;
  double temperature = 1;       // the product; 0 = the first of the canonical order wins
  bool changes_scores = false;  // some stage writes scores: work on a copy
  bool has_end_bans = false, has_other_bans = false;
  std::optional<StageId> looks_back;  // the first stage that needs the sequence's tokens
};

// Which bans give way, in the order in which that is tried when nothing is left.
struct Yielding {
  bool end = false, other = false;
  bool Covers(const StageSpec& stage) const {
    const BanClass bans = BansOf(stage);
    return (bans == BanClass::kEnd && end) || (bans == BanClass::kOther && other);
  }
};

Result<Plan> MakePlan(const Chain& chain, std::size_t vocabulary) {
  Plan plan;
  for (const StageSpec& stage : chain) {
    DECANT_CHECKED(Validate(stage, vocabulary));
    if (KindOf(stage.id) == StageKind::kDrawer) {
      plan.drawer = stage.id;
      continue;
    }
    if (IsOff(stage)) continue;
    if (stage.id == StageId::kTemperature) {
      const double temperature = std::get<TemperatureParams>(stage.params).temperature;
      DECANT_TRY(plan.temperature, process::MultiplyTemperature(plan.temperature, temperature));
    }
    plan.changes_scores |= KindOf(stage.id) == StageKind::kProcessor && stage.id != StageId::kTemperature;
    plan.has_end_bans |= BansOf(stage) == BanClass::kEnd;
    plan.has_other_bans |= BansOf(stage) == BanClass::kOther;
    if (LooksBack(stage.id) && !plan.looks_back.has_value()) plan.looks_back = stage.id;
    plan.stages.push_back(stage);
    if (auto* dry = std::get_if<DryParams>(&plan.stages.back().params)) process::SortBreakers(*dry);
  }
  DECANT_CHECKED(presets::CheckDrawerIsLast(chain));
  return plan;
}

Error BadLogit(std::size_t index, float value) {
  const std::string shown = std::isnan(value) ? "NaN" : "Infinity";
  return {.code = ErrorCode::kNonFiniteLogit,
          .message = "logit of token " + std::to_string(index) + " is " + shown +
                     "; expected a finite number or -Infinity (a ban)",
          .subject = "logits",
          .allowed = "finite numbers and -Infinity"};
}

Result<void> CheckVocabulary(std::size_t vocabulary) {
  if (vocabulary == 0) return Fail(ErrorCode::kEmptyLogits, "there are no logits; expected at least one");
  if (vocabulary > simd::kMaxVocabulary) {
    return Fail(ErrorCode::kVocabularyTooLarge,
                "the vocabulary has " + std::to_string(vocabulary) + " tokens; the arithmetic is exact up to " +
                    std::to_string(simd::kMaxVocabulary),
                {.subject = "logits", .allowed = "1.." + std::to_string(simd::kMaxVocabulary)});
  }
  return {};
}

// The natural logarithm of the share that a token at this gap has of the total.
double LogShare(double gap, std::uint64_t total) {
  return (gap - (core::Log2(static_cast<double>(total)) - simd::kWeightBits)) * core::kLn2;
}

bool Allowed(const std::uint32_t* mask, std::size_t token) {
  return mask == nullptr || ((mask[token / 32] >> (token % 32)) & 1u) != 0;
}

// What is left of a stage whose bans give way: finite biases stay.
StageSpec WithoutBans(const StageSpec& stage) {
  StageSpec rest{.id = stage.id, .params = std::monostate()};
  if (const auto* bias = std::get_if<LogitBiasParams>(&stage.params)) {
    LogitBiasParams finite = *bias;
    std::erase_if(finite.biases, [](const TokenBias& entry) { return std::isinf(entry.bias); });
    rest.params = std::move(finite);
  }
  return rest;
}

// One step's work on one row.
class Step {
 public:
  Step(const Plan& plan, const RowView& view, SamplerState& state)
      : plan_(plan),
        given_(static_cast<const float*>(view.data), view.vocabulary),
        mask_(view.mask),
        structural_(view.structural),
        state_(state),
        candidates_(given_, {}, CandidateOrder::kIdAscending, 1.0) {}

  Result<Choice> Run(StepRecord* record) {
    DECANT_CHECKED(RunStages(record));
    if (record != nullptr) {
      record->temperature = plan_.temperature;
      record->scores.assign(row_.begin(), row_.end());
      Candidates sorted = candidates_;
      sorted.SortCanonical();
      record->kept.assign(sorted.ids().begin(), sorted.ids().end());
    }
    return plan_.temperature == 0 ? ChooseFirst(record) : Draw(record);
  }

 private:
  // A state that was given a position alone cannot serve a stage that looks back.
  Result<void> CheckHistory() const {
    const std::size_t known = state_.history().tokens().size();
    if (!plan_.looks_back.has_value() || known == state_.position()) return {};
    const std::string name(NameOf(*plan_.looks_back));
    return Fail(ErrorCode::kConflict,
                name + " looks back; the state is at position " + std::to_string(state_.position()) + " and holds " +
                    std::to_string(known) + " tokens",
                {.subject = name, .hint = "give SamplerStateOptions the prompt and the output"});
  }

  // All stages. Bans that leave nothing give way: first those that are no end bans, then the end bans, then both; a
  // mask never does, and only what was there to meet makes anything give way.
  Result<void> RunStages(StepRecord* record) {
    const bool masked = mask_ != nullptr;
    std::vector<Yielding> attempts = {{}};
    if (plan_.has_other_bans && (masked || plan_.has_end_bans)) attempts.push_back({.other = true});
    if (plan_.has_end_bans && masked) attempts.push_back({.end = true});
    if (plan_.has_end_bans && plan_.has_other_bans && masked) attempts.push_back({.end = true, .other = true});
    Result<void> done;
    for (const Yielding& yielding : attempts) {
      if (record != nullptr) record->stages.clear();
      done = Attempt(yielding, record);
      if (done.has_value() || done.error().code != ErrorCode::kEmptySupport) break;
    }
    return done;
  }

  Result<void> Attempt(const Yielding& yielding, StepRecord* record) {
    DECANT_CHECKED(Start());
    DECANT_CHECKED(CheckHistory());
    DECANT_CHECKED(RequireSupport());
    for (const StageSpec& stage : plan_.stages) {
      if (!yielding.Covers(stage)) {
        DECANT_CHECKED(RunStage(stage, record));
        continue;
      }
      DECANT_CHECKED(RunStage(WithoutBans(stage), record));
      if (record != nullptr) record->stages.back().yielded = true;
    }
    return {};
  }

  // Validates the row, lists the tokens that are not banned, and takes a copy if scores will change.
  Result<void> Start() {
    row_ = given_;
    std::vector<TokenId> ids;
    ids.reserve(row_.size());
    for (std::size_t id = 0; id < row_.size(); ++id) {
      if (!(row_[id] <= std::numeric_limits<float>::max())) return std::unexpected(BadLogit(id, row_[id]));
      if (row_[id] != kBanned && Allowed(mask_, id)) ids.push_back(static_cast<TokenId>(id));
    }
    if (plan_.changes_scores || mask_ != nullptr) {
      copy_.assign(row_.begin(), row_.end());
      for (std::size_t id = 0; id < row_.size() && mask_ != nullptr; ++id) {
        if (!Allowed(mask_, id)) copy_[id] = kBanned;
      }
      row_ = copy_;
    }
    candidates_ = Candidates(row_, std::move(ids), CandidateOrder::kIdAscending, 1.0);
    return {};
  }

  Result<void> RequireSupport() const {
    if (candidates_.size() > 0) return {};
    return Fail(ErrorCode::kEmptySupport, "every token is banned; none can be chosen",
                {.subject = "logits", .allowed = "at least one token that is not -Infinity"});
  }

  Result<void> RunStage(const StageSpec& stage, StepRecord* record) {
    const bool skipped = plan_.temperature == 0 && KindOf(stage.id) == StageKind::kFilter;
    const std::size_t before = candidates_.size();
    double removed_mass = 0;
    if (KindOf(stage.id) == StageKind::kProcessor) {
      DECANT_CHECKED(Process(stage));
    } else if (!skipped && record == nullptr) {
      Filter(stage);
    } else if (!skipped) {
      const float max = simd::MaxScore(candidates_);
      const std::uint64_t total = simd::TotalWeight(candidates_, max);
      Filter(stage);
      removed_mass = core::Ratio(total - simd::TotalWeight(candidates_, max), total);
    }
    if (record != nullptr) {
      const double entropy = plan_.temperature == 0 ? 0.0 : Entropy();
      record->stages.push_back({.id = stage.id,
                                .kept = static_cast<std::uint32_t>(candidates_.size()),
                                .removed = static_cast<std::uint32_t>(before - candidates_.size()),
                                .removed_mass = removed_mass,
                                .entropy_bits = entropy,
                                .skipped = skipped});
    }
    return {};
  }

  Result<void> Process(const StageSpec& stage) {
    double temperature = candidates_.temperature();
    if (stage.id == StageId::kTemperature) {
      // In range: the plan checked every product. A later factor may be 0; then no weight is ever formed.
      temperature *= std::get<TemperatureParams>(stage.params).temperature;
      candidates_ = Candidates(row_, Ids(), candidates_.order(), temperature);
      return {};
    }
    DECANT_CHECKED(ChangeScores(stage));
    std::vector<TokenId> ids = Ids();
    std::erase_if(ids, [this](TokenId id) { return copy_[id] == kBanned; });
    if (!std::ranges::is_sorted(ids)) std::ranges::sort(ids);
    candidates_ = Candidates(copy_, std::move(ids), CandidateOrder::kIdAscending, temperature);
    return RequireSupport();
  }

  Result<void> ChangeScores(const StageSpec& stage) {
    if (std::holds_alternative<std::monostate>(stage.params)) return {};  // its bans gave way
    process::Row row{.scores = copy_, .history = state_.history(), .structural = structural_};
    switch (stage.id) {
      case StageId::kLogitBias:
        return process::ApplyLogitBias(std::get<LogitBiasParams>(stage.params), copy_);
      case StageId::kRepetitionPenalty:
        return process::ApplyRepetitionPenalty(std::get<RepetitionPenaltyParams>(stage.params), row);
      case StageId::kFrequencyPenalty:
      case StageId::kPresencePenalty:
        return process::ApplyCountPenalty(stage.id, std::get<CountPenaltyParams>(stage.params), row);
      case StageId::kDry:
        return process::ApplyDry(std::get<DryParams>(stage.params), row);
      case StageId::kNoRepeatNgram:
        return process::ApplyNoRepeatNgram(std::get<NoRepeatNgramParams>(stage.params), row);
      case StageId::kBadWords:
        process::ApplyBadWords(std::get<BadWordsParams>(stage.params), row);
        return {};
      case StageId::kAllowedTokens:
      case StageId::kBannedTokens:
      case StageId::kBeginSuppress:
      case StageId::kForcedTokens:
        process::ApplyTokenList(stage.id, std::get<TokenListParams>(stage.params), row);
        return {};
      case StageId::kMinTokens:
        process::ApplyMinTokens(std::get<MinTokensParams>(stage.params), row);
        return {};
      default:
        return {};
    }
  }

  void Filter(const StageSpec& stage) {
    switch (stage.id) {
      case StageId::kTopK:
        return filter::ApplyTopK(std::get<TopKParams>(stage.params), candidates_);
      case StageId::kTopP:
        return filter::ApplyTopP(std::get<TopPParams>(stage.params), candidates_);
      case StageId::kMinP:
        return filter::ApplyMinP(std::get<MinPParams>(stage.params), candidates_);
      default:
        return;
    }
  }

  double Entropy() const {
    const simd::Weights weights = simd::Weigh(candidates_);
    return simd::EntropyBits(weights.values, weights.total);
  }

  std::vector<TokenId> Ids() const { return {candidates_.ids().begin(), candidates_.ids().end()}; }

  // Temperature 0: the first of the canonical order, with certainty.
  Result<Choice> ChooseFirst(StepRecord* record) const {
    const TokenId token = candidates_.First();
    const Choice choice{.token = token, .rank = presets::RankOf(row_, token), .probability = 1, .log_probability = 0};
    if (record != nullptr) {
      record->choice = choice;
      record->support = {token};
      record->probabilities = {1.0};
      record->weights = {std::uint64_t{1} << simd::kWeightBits};
    }
    return choice;
  }

  Result<Choice> Draw(StepRecord* record) {
    candidates_.SortById();
    const simd::Weights weights = simd::Weigh(candidates_);
    draw::Drawn drawn;
    if (plan_.drawer == StageId::kGreedy) {
      const auto found = std::ranges::lower_bound(candidates_.ids(), candidates_.First());
      drawn.index = static_cast<std::size_t>(found - candidates_.ids().begin());
    } else {
      const std::uint64_t r =
          core::RandomBits53({.seed = state_.seed(), .position = state_.position(), .sequence = state_.sequence()});
      drawn = draw::DrawCategorical(weights.values, weights.total, r);
    }
    const TokenId token = candidates_.ids()[drawn.index];
    const double gap = simd::Gap(candidates_.score(token), weights.max, simd::GapScale(candidates_.temperature()));
    const Choice choice{.token = token,
                        .rank = presets::RankOf(row_, token),
                        .probability = core::Ratio(weights.values[drawn.index], weights.total),
                        .log_probability = LogShare(gap, weights.total),
                        .drawn_by = drawn.record.kind};
    if (record != nullptr) WriteDraw(weights, drawn.record, choice, *record);
    return choice;
  }

  void WriteDraw(const simd::Weights& weights, const DrawRecord& draw, const Choice& choice, StepRecord& record) {
    record.choice = choice;
    record.draw = draw;
    for (std::size_t i = 0; i < weights.values.size(); ++i) {
      if (weights.values[i] == 0) continue;
      record.support.push_back(candidates_.ids()[i]);
      record.weights.push_back(weights.values[i]);
      record.probabilities.push_back(core::Ratio(weights.values[i], weights.total));
    }
  }

  const Plan& plan_;
  std::span<const float> given_;
  const std::uint32_t* mask_;
  const std::uint32_t* structural_;
  SamplerState& state_;
  std::span<const float> row_;  // given_, or copy_ once scores may change
  std::vector<float> copy_;
  Candidates candidates_;
};

class NativeSampler final : public Sampler {
 public:
  NativeSampler(Chain chain, Plan plan, std::size_t vocabulary)
      : chain_(std::move(chain)), plan_(std::move(plan)), vocabulary_(vocabulary) {}

  const Chain& chain() const override { return chain_; }
  Preset preset() const override { return Preset::kNative; }
  std::size_t vocabulary() const override { return vocabulary_; }

  Result<Choice> Sample(const RowView& row, SamplerState& state, StepRecord* record) const override {
    if (row.vocabulary != vocabulary_) {
      return Fail(ErrorCode::kLogitCountMismatch,
                  "the row has " + std::to_string(row.vocabulary) + " logits; the sampler was made for " +
                      std::to_string(vocabulary_),
                  {.subject = "logits", .allowed = std::to_string(vocabulary_)});
    }
    if (row.type != ElementType::kF32) {
      return Fail(ErrorCode::kWrongType, "preset native takes f32, f16 and bf16 logits; the row is f64",
                  {.subject = "logits", .allowed = "f32, f16, bf16", .hint = "preset reference takes f64"});
    }
    const core::FloatingPointGuard guard;
    StepRecord fresh;
    auto choice = Step(plan_, row, state).Run(record == nullptr ? nullptr : &fresh);
    if (choice.has_value() && record != nullptr) *record = std::move(fresh);
    return choice;
  }

 private:
  Chain chain_;
  Plan plan_;
  std::size_t vocabulary_;
};

}  // namespace

Result<std::shared_ptr<const Sampler>> MakeNativeSampler(Chain chain, std::size_t vocabulary) {
  DECANT_CHECKED(CheckVocabulary(vocabulary));
  DECANT_TRY(Plan plan, MakePlan(chain, vocabulary));
  return std::make_shared<const NativeSampler>(std::move(chain), std::move(plan), vocabulary);
}

}  // namespace decant::decode

namespace decant {

Result<RawDistribution> RawDistributionOf(std::span<const float> logits) {
  DECANT_CHECKED(decode::CheckVocabulary(logits.size()));
  const core::FloatingPointGuard guard;
  std::vector<TokenId> ids;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (!(logits[id] <= std::numeric_limits<float>::max())) return std::unexpected(decode::BadLogit(id, logits[id]));
    if (logits[id] != decode::kBanned) ids.push_back(static_cast<TokenId>(id));
  }
  if (ids.empty()) return Fail(ErrorCode::kEmptySupport, "every token is banned; there is no distribution");
  const Candidates candidates(logits, ids, CandidateOrder::kIdAscending, 1.0);
  const simd::Weights weights = simd::Weigh(candidates);
  RawDistribution raw{
      .weights = std::vector<std::uint64_t>(logits.size()), .total = weights.total, .maximum = weights.max};
  raw.entropy_bits = simd::EntropyBits(weights.values, weights.total);
  for (std::size_t i = 0; i < ids.size(); ++i) raw.weights[ids[i]] = weights.values[i];
  return raw;
}

double RawLogProbability(const RawDistribution& raw, float logit) {
  const core::FloatingPointGuard guard;
  return decode::LogShare(simd::Gap(logit, raw.maximum, simd::GapScale(1.0)), raw.total);
}

}  // namespace decant
