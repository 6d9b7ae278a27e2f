// The plan of a chain, and the choice of how a row is sampled.
#include "decode/native_sampler.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/math.h"
#include "decode/bounded_step.h"
#include "decode/stage_by_stage.h"
#include "process/row_scores.h"
#include "simd/weigh.h"

namespace decant::decode {
namespace {

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

}  // namespace

NativeSampler::NativeSampler(Chain chain, Plan plan, std::size_t vocabulary)
    : chain_(std::move(chain)), plan_(std::move(plan)), vocabulary_(vocabulary) {}
NativeSampler::~NativeSampler() = default;

Result<void> NativeSampler::CheckRow(const RowView& row) const {
  if (row.vocabulary != vocabulary_) {
    return Fail(ErrorCode::kLogitCountMismatch,
                "the row has " + std::to_string(row.vocabulary) + " logits; the sampler was made for " +
                    std::to_string(vocabulary_),
                {.subject = "logits", .allowed = std::to_string(vocabulary_)});
  }
  if (row.type == ElementType::kF64) {
    return Fail(ErrorCode::kWrongType, "preset native takes f32, f16 and bf16 logits; the row is f64",
                {.subject = "logits", .allowed = "f32, f16, bf16", .hint = "preset reference takes f64"});
  }
  return {};
}

Result<Choice> NativeSampler::Sample(const RowView& row, SamplerState& state, StepRecord* record) const {
  if (record == nullptr) return Choose(row, state, Detail::kFull);
  DECANT_CHECKED(CheckRow(row));
  const core::FloatingPointGuard guard;
  StepRecord fresh;
  Work work;
  auto choice = SampleStageByStage(plan_, row, state, work, &fresh);
  if (choice.has_value()) *record = std::move(fresh);
  return choice;
}

Result<Choice> NativeSampler::Choose(const RowView& row, SamplerState& state, Detail detail) const {
  std::unique_ptr<Work> work;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      work = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (work == nullptr) work = std::make_unique<Work>();
  auto choice = ChooseWith(row, state, detail, *work, nullptr);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(work));
  return choice;
}

Result<Choice> NativeSampler::ChooseWith(const RowView& row, SamplerState& state, Detail detail, Work& work,
                                         Runtime* runtime) const {
  DECANT_CHECKED(CheckRow(row));
  const core::FloatingPointGuard guard;
  if (const auto proven = SampleBounded(plan_, row, state, detail, work, runtime); proven.has_value()) return *proven;
  auto choice = SampleStageByStage(plan_, row, state, work, nullptr);
  if (!choice.has_value()) return choice;
  if (plan_.head != Head::kStageByStage) falls_.fetch_add(1, std::memory_order_relaxed);
  if (detail == Detail::kToken) return Choice{.token = choice->token, .drawn_by = choice->drawn_by};
  return choice;
}

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
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (!(logits[id] <= std::numeric_limits<float>::max())) return std::unexpected(decode::BadLogit(id, logits[id]));
  }
  const float max = simd::MaxScore(logits);
  if (max == process::kBanned) return Fail(ErrorCode::kEmptySupport, "every token is banned; there is no distribution");
  RawDistribution raw{.weights = std::vector<std::uint64_t>(logits.size()), .maximum = max};
  raw.total = simd::WeighScores(logits, max, simd::GapScale(1.0), raw.weights.data());
  raw.entropy_bits = simd::EntropyBits(raw.weights, raw.total);
  return raw;
}

double RawLogProbability(const RawDistribution& raw, float logit) {
  const core::FloatingPointGuard guard;
  return decode::LogShare(simd::Gap(logit, raw.maximum, simd::GapScale(1.0)), raw.total);
}

}  // namespace decant
