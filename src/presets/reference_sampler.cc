// Preset `reference` as a Sampler. A record shows at each filter the mass it removed from the softmax over what it
// received, at the temperature of that point of the chain.
#include "presets/reference_sampler.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/math.h"
#include "presets/chain_parts.h"
#include "presets/reference.h"

namespace decant::presets {
namespace {

using reference::SampledToken;
using reference::SplitMix64;

std::unexpected<Error> NotInThisPreset(const std::string& name) {
  return Fail(
      ErrorCode::kUnsupportedStage,
      name + " is not in preset reference; expected temperature, top_k, greedy or categorical",
      {.subject = name, .allowed = "temperature, top_k, greedy, categorical", .hint = name + " is in preset native"});
}

// What the chain comes to at one of its stages.
struct Step {
  StageId id{};
  double temperature = 1;  // the product so far
  std::size_t keep = 0;    // the smallest top_k so far, or the vocabulary
};

struct Plan {
  std::vector<Step> steps;  // the drawer excluded
  double temperature = 1;
  std::size_t keep = 0;
  bool greedy = false;
};

Result<Plan> MakePlan(const Chain& chain, std::size_t vocabulary) {
  DECANT_CHECKED(CheckVocabulary(vocabulary));
  Plan plan{.steps = {}, .temperature = 1, .keep = vocabulary, .greedy = false};
  for (const StageSpec& stage : chain) {
    switch (stage.id) {
      case StageId::kTemperature: {
        DECANT_TRY(const TemperatureParams params, ParamsOf<TemperatureParams>(stage));
        DECANT_CHECKED(CheckTemperature(params.temperature));
        plan.temperature *= params.temperature;
        DECANT_CHECKED(CheckTemperature(plan.temperature));
        break;
      }
      case StageId::kTopK: {
        DECANT_TRY(const TopKParams params, ParamsOf<TopKParams>(stage));
        if (params.k < 1 || static_cast<std::uint64_t>(params.k) > vocabulary) {
          return InvalidTopK(std::to_string(params.k), vocabulary);
        }
        plan.keep = std::min(plan.keep, static_cast<std::size_t>(params.k));
        break;
      }
      case StageId::kGreedy:
      case StageId::kCategorical:
        plan.greedy = stage.id == StageId::kGreedy;
        continue;
      default:
        return NotInThisPreset(std::string(NameOf(stage)));
    }
    plan.steps.push_back({.id = stage.id, .temperature = plan.temperature, .keep = plan.keep});
  }
  DECANT_CHECKED(CheckDrawerIsLast(chain));
  return plan;
}

std::vector<double> ReadRow(const RowView& row) {
  std::vector<double> logits(row.vocabulary);
  if (row.type == ElementType::kF64) {
    std::memcpy(logits.data(), row.data, row.vocabulary * sizeof(double));
  } else {
    const auto* values = static_cast<const float*>(row.data);
    std::copy(values, values + row.vocabulary, logits.begin());
  }
  return logits;
}

// One record a stage: how many of the `before` best tokens it removed, and their share of the softmax over those.
Result<std::vector<StageRecord>> DescribeStages(const Plan& plan, std::span<const double> logits,
                                                std::span<const TokenId> ranked) {
  std::vector<StageRecord> records;
  std::size_t before = ranked.size();
  for (const Step& step : plan.steps) {
    StageRecord record{.id = step.id,
                       .kept = static_cast<std::uint32_t>(step.keep),
                       .removed = static_cast<std::uint32_t>(before - step.keep)};
    if (record.removed > 0) {
      DECANT_TRY(const Softmax softmax, SoftmaxOf(logits, ranked.first(before), step.temperature));
      std::vector<TokenId> removed(ranked.begin() + static_cast<std::ptrdiff_t>(step.keep),
                                   ranked.begin() + static_cast<std::ptrdiff_t>(before));
      std::sort(removed.begin(), removed.end());
      for (const TokenId token : removed) record.removed_mass += softmax.probabilities[token];
    }
    records.push_back(record);
    before = step.keep;
  }
  return records;
}

class ReferenceSampler final : public Sampler {
 public:
  ReferenceSampler(Chain chain, std::size_t vocabulary, Plan plan)
      : chain_(std::move(chain)), vocabulary_(vocabulary), plan_(std::move(plan)) {}

  const Chain& chain() const override { return chain_; }
  Preset preset() const override { return Preset::kReference; }
  std::size_t vocabulary() const override { return vocabulary_; }
  Result<Choice> Sample(const RowView& row, SamplerState& state, StepRecord* record) const override;

 private:
  Result<void> CheckRow(const RowView& row) const;
  // The evidence of a step; the caller has filled in choice and draw.
  Result<void> Describe(std::span<const double> logits, std::span<const TokenId> ranked, const Softmax& softmax,
                        StepRecord& record) const;

  Chain chain_;
  std::size_t vocabulary_;
  Plan plan_;
};

Result<void> ReferenceSampler::CheckRow(const RowView& row) const {
  DECANT_CHECKED(CheckVocabulary(row.vocabulary));
  if (row.vocabulary != vocabulary_) {
    return Fail(ErrorCode::kLogitCountMismatch,
                "the row has " + std::to_string(row.vocabulary) + " logits; expected " + std::to_string(vocabulary_),
                {.subject = "logits", .allowed = std::to_string(vocabulary_)});
  }
  if (row.type != ElementType::kF64 && row.type != ElementType::kF32) {
    return Fail(ErrorCode::kWrongType,
                "preset reference takes f64 and f32 logits; the row is " + std::string(NameOf(row.type)),
                {.subject = "logits", .allowed = "f64, f32", .hint = "preset native takes halves"});
  }
  if (row.mask != nullptr) return NotInThisPreset("constraint");
  return {};
}

Result<void> ReferenceSampler::Describe(std::span<const double> logits, std::span<const TokenId> ranked,
                                        const Softmax& softmax, StepRecord& record) const {
  record.temperature = plan_.temperature;
  DECANT_TRY(record.stages, DescribeStages(plan_, logits, ranked));
  if (plan_.greedy) {
    record.kept = record.support = {ranked.front()};
    record.probabilities = {1.0};
    return {};
  }
  const std::span<const TokenId> kept = ranked.first(plan_.keep);
  record.kept.assign(kept.begin(), kept.end());
  for (std::size_t token = 0; token < softmax.probabilities.size(); ++token) {
    if (!(softmax.probabilities[token] > 0)) continue;
    record.support.push_back(static_cast<TokenId>(token));
    record.probabilities.push_back(softmax.probabilities[token]);
  }
  return {};
}

Result<Choice> ReferenceSampler::Sample(const RowView& row, SamplerState& state, StepRecord* record) const {
  const core::FloatingPointGuard guard;
  DECANT_CHECKED(CheckRow(row));
  const std::vector<double> logits = ReadRow(row);
  DECANT_CHECKED(CheckLogits(logits));
  const std::vector<TokenId> ranked = RankOrder(logits);

  SplitMix64 stream(state.stream().word);
  StepRecord step;
  Softmax softmax;
  if (plan_.greedy) {
    step.choice = {.token = ranked.front(), .rank = 1, .probability = 1, .drawn_by = DrawKind::kGreedy};
  } else {
    DECANT_TRY(softmax, SoftmaxOf(logits, std::span<const TokenId>(ranked).first(plan_.keep), plan_.temperature));
    const std::uint64_t r = stream.Next() >> 11;
    step.draw = {.kind = DrawKind::kInverseCdf, .r = r, .u = static_cast<double>(r) * 0x1p-53};
    const SampledToken sampled = SelectByInterval(softmax.probabilities, step.draw.u);
    step.draw.interval[0] = sampled.interval_start;
    step.draw.interval[1] = sampled.interval_end;
    const double gap = ScaledGap(logits[sampled.token], logits[ranked.front()], plan_.temperature);
    step.choice = {.token = sampled.token,
                   .rank = static_cast<std::uint32_t>(std::ranges::find(ranked, sampled.token) - ranked.begin()) + 1,
                   .probability = softmax.probabilities[sampled.token],
                   .log_probability = gap - core::Log(softmax.weight_sum),
                   .drawn_by = DrawKind::kInverseCdf};
  }
  if (record != nullptr) {
    DECANT_CHECKED(Describe(logits, ranked, softmax, step));
    *record = step;
  }
  state.set_pending_stream({.word = stream.state()});
  return step.choice;
}

}  // namespace

Result<std::shared_ptr<const Sampler>> MakeReferenceSampler(Chain chain, std::size_t vocabulary) {
  DECANT_TRY(Plan plan, MakePlan(chain, vocabulary));
  return std::make_shared<const ReferenceSampler>(std::move(chain), vocabulary, std::move(plan));
}

}  // namespace decant::presets
