// Candidates shrink from stage to stage; bans that would leave nothing give way and the chain runs again.
#include "decode/stage_by_stage.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/math.h"
#include "core/philox.h"
#include "core/wide.h"
#include "decant/candidates.h"
#include "decode/custom_stage.h"
#include "decode/stage_run.h"
#include "decode/stages.h"
#include "draw/categorical.h"
#include "presets/chain_parts.h"
#include "process/row.h"
#include "simd/row_scan.h"
#include "simd/weigh.h"

namespace decant::decode {
namespace {

using process::kBanned;

// Which bans give way, in the order in which that is tried when nothing is left.
struct Yielding {
  bool end = false, other = false;
  bool Covers(const StageSpec& stage) const {
    const BanClass bans = BansOf(stage);
    return (bans == BanClass::kEnd && end) || (bans == BanClass::kOther && other);
  }
};

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
  Step(const Plan& plan, const RowView& view, SamplerState& state, Work& work)
      : plan_(plan),
        mask_(view.mask),
        structural_(view.structural),
        state_(state),
        work_(work),
        copy_(work.copy),
        candidates_(work.candidates),
        weights_(work.weights) {
    if (view.type == ElementType::kF32) {
      given_ = {static_cast<const float*>(view.data), view.vocabulary};
      return;
    }
    work.widened.resize(view.vocabulary);
    const std::span<const std::uint16_t> halves(static_cast<const std::uint16_t*>(view.data), view.vocabulary);
    view.type == ElementType::kF16 ? simd::WidenF16(halves, work.widened.data())
                                   : simd::WidenBF16(halves, work.widened.data());
    given_ = work.widened;
  }

  Result<Choice> Run(StepRecord* record) {
    DECANT_CHECKED(RunStages(record));
    if (record != nullptr) {
      record->temperature = plan_.temperature;
      record->scores.assign(row_.begin(), row_.end());
      for (const std::uint64_t key : candidates_.BestKeys(candidates_.size())) record->kept.push_back(IdOfKey(key));
    }
    return plan_.temperature == 0 ? ChooseFirst(record) : Draw(record);
  }

 private:
  // All stages. Bans that leave nothing give way: first those that are no end bans, then the end bans, then both; a
  // mask never does, and only what was there to meet makes anything give way.
  Result<void> RunStages(StepRecord* record) {
    const bool masked = mask_ != nullptr;
    const bool end = plan_.has_end_bans, other = plan_.has_other_bans;
    const struct {
      bool possible;
      Yielding yielding;
    } attempts[] = {{true, {}},
                    {other && (masked || end), {.other = true}},
                    {end && masked, {.end = true}},
                    {end && other && masked, {.end = true, .other = true}}};
    Result<void> done;
    for (const auto& attempt : attempts) {
      if (!attempt.possible) continue;
      if (record != nullptr) record->stages.clear();
      done = Attempt(attempt.yielding, record);
      if (done.has_value() || done.error().code != ErrorCode::kEmptySupport) break;
    }
    return done;
  }

  Result<void> Attempt(const Yielding& yielding, StepRecord* record) {
    DECANT_CHECKED(Start());
    DECANT_CHECKED(CheckHistory(plan_, state_));
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
    candidates_.Clear(1.0);
    for (std::size_t id = 0; id < row_.size(); ++id) {
      if (!(row_[id] <= std::numeric_limits<float>::max())) return std::unexpected(BadLogit(id, row_[id]));
      if (row_[id] != kBanned && Allowed(mask_, id)) candidates_.Add(static_cast<TokenId>(id), row_[id]);
    }
    if (plan_.changes_scores || mask_ != nullptr) {
      copy_.assign(row_.begin(), row_.end());
      for (std::size_t id = 0; id < row_.size() && mask_ != nullptr; ++id) {
        if (!Allowed(mask_, id)) copy_[id] = kBanned;
      }
      row_ = copy_;
    }
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
      DECANT_CHECKED(Filter(stage));
    } else if (!skipped) {
      const float max = simd::MaxScore(candidates_.scores());
      const std::uint64_t total = simd::TotalWeight(candidates_, max);
      DECANT_CHECKED(Filter(stage));
      removed_mass = core::Ratio(total - simd::TotalWeight(candidates_, max), total);
    }
    if (record != nullptr) {
      const double entropy = plan_.temperature == 0 ? 0.0 : Entropy();
      record->stages.push_back({.id = stage.id,
                                .kept = static_cast<std::uint32_t>(candidates_.size()),
                                .removed = static_cast<std::uint32_t>(before - candidates_.size()),
                                .removed_mass = removed_mass,
                                .entropy_bits = entropy,
                                .skipped = skipped,
                                .custom = IsCustom(stage) ? std::string(NameOf(stage)) : std::string()});
    }
    return {};
  }

  Result<void> Process(const StageSpec& stage) {
    if (stage.id == StageId::kTemperature) {
      // In range: the plan checked every product. A later factor may be 0; then no weight is ever formed.
      candidates_.set_temperature(candidates_.temperature() * std::get<TemperatureParams>(stage.params).temperature);
      return {};
    }
    work_.scores.StartWhole(copy_);
    process::Row row{.scores = work_.scores, .history = state_.history(), .structural = structural_, .dry = &work_.dry};
    if (const auto* custom = std::get_if<CustomProcessorParams>(&stage.params)) {
      DECANT_CHECKED(RunCustomProcessor(*custom->stage, state_.history(), copy_));
    } else {
      DECANT_CHECKED(RunProcessor(stage, row));
    }
    candidates_.Rescore(copy_);
    return RequireSupport();
  }

  Result<void> Filter(const StageSpec& stage) {
    if (const auto* custom = std::get_if<CustomFilterParams>(&stage.params)) {
      return RunCustomFilter(*custom->stage, state_.history(), candidates_);
    }
    RunFilter(stage, candidates_);
    return {};
  }

  double Entropy() {
    simd::Weigh(candidates_, weights_);
    return simd::EntropyBits(weights_.values, weights_.total);
  }

  // Temperature 0: the first of the canonical order, with certainty.
  Result<Choice> ChooseFirst(StepRecord* record) const {
    const TokenId token = candidates_.ids()[candidates_.FirstPlace()];
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
    simd::Weigh(candidates_, weights_);
    const draw::Drawn drawn = RunDrawer(plan_, candidates_, weights_, state_);
    Choice choice = ChoiceOf(drawn, candidates_, weights_);
    choice.rank = presets::RankOf(row_, choice.token);
    if (record != nullptr) WriteDraw(drawn.record, choice, *record);
    return choice;
  }

  void WriteDraw(const DrawRecord& draw, const Choice& choice, StepRecord& record) {
    record.choice = choice;
    record.draw = draw;
    for (std::size_t i = 0; i < weights_.values.size(); ++i) {
      if (weights_.values[i] == 0) continue;
      record.support.push_back(candidates_.ids()[i]);
      record.weights.push_back(weights_.values[i]);
      record.probabilities.push_back(core::Ratio(weights_.values[i], weights_.total));
    }
  }

  const Plan& plan_;
  std::span<const float> given_;
  const std::uint32_t* mask_;
  const std::uint32_t* structural_;
  SamplerState& state_;
  std::span<const float> row_;  // given_, or copy_ once scores may change
  Work& work_;
  std::vector<float>& copy_;
  Candidates& candidates_;
  simd::Weights& weights_;
};

}  // namespace

Error BadLogit(std::size_t index, float value) {
  const std::string shown = std::isnan(value) ? "NaN" : "Infinity";
  return {.code = ErrorCode::kNonFiniteLogit,
          .message = "logit of token " + std::to_string(index) + " is " + shown +
                     "; expected a finite number or -Infinity (a ban)",
          .subject = "logits",
          .allowed = "finite numbers and -Infinity"};
}

Result<void> CheckHistory(const Plan& plan, const SamplerState& state) {
  const std::size_t known = state.history().tokens().size();
  const std::string& name = plan.looks_back;
  if (name.empty() || known == state.position()) return {};
  return Fail(ErrorCode::kConflict,
              name + " looks back; the state is at position " + std::to_string(state.position()) + " and holds " +
                  std::to_string(known) + " tokens",
              {.subject = name, .hint = "give SamplerStateOptions the prompt and the output"});
}

std::uint64_t DrawBits(const SamplerState& state) {
  return core::RandomBits53({.seed = state.seed(), .position = state.position(), .sequence = state.sequence()});
}

draw::Drawn RunDrawer(const Plan& plan, const Candidates& candidates, const simd::Weights& weights,
                      const SamplerState& state) {
  if (plan.drawer == StageId::kGreedy) return {.index = candidates.FirstPlace(), .record = {}};
  return draw::DrawCategorical(weights.values, weights.total, DrawBits(state));
}

Choice ChoiceOf(const draw::Drawn& drawn, const Candidates& candidates, const simd::Weights& weights) {
  const double scale = simd::GapScale(candidates.temperature());
  const double gap = simd::Gap(candidates.scores()[drawn.index], weights.max, scale);
  return {.token = candidates.ids()[drawn.index],
          .probability = core::Ratio(weights.values[drawn.index], weights.total),
          .log_probability = LogShare(gap, weights.total),
          .drawn_by = drawn.record.kind};
}

double LogShare(double gap, std::uint64_t total) {
  return (gap - (core::Log2(static_cast<double>(total)) - simd::kWeightBits)) * core::kLn2;
}

Result<Choice> SampleStageByStage(const Plan& plan, const RowView& row, SamplerState& state, Work& work,
                                  StepRecord* record) {
  return Step(plan, row, state, work).Run(record);
}

}  // namespace decant::decode
