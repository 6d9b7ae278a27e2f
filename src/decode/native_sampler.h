// The native sampler: a planned chain in decant's own arithmetic (docs/determinism.md).
#ifndef DECANT_DECODE_NATIVE_SAMPLER_H_
#define DECANT_DECODE_NATIVE_SAMPLER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "decant/chain.h"
#include "decant/error.h"
#include "decant/sampler.h"
#include "decode/plan.h"
#include "decode/work.h"

namespace decant::decode {

class NativeSampler final : public Sampler {
 public:
  NativeSampler(Chain chain, Plan plan, std::size_t vocabulary);
  ~NativeSampler() override;

  const Chain& chain() const override { return chain_; }
  Preset preset() const override { return Preset::kNative; }
  std::size_t vocabulary() const override { return vocabulary_; }
  std::string PlanText() const override { return decode::PlanText(plan_); }
  std::uint64_t exact_falls() const override { return falls_.load(std::memory_order_relaxed); }

  Result<Choice> Sample(const RowView& row, SamplerState& state, StepRecord* record) const override;
  Result<Choice> Choose(const RowView& row, SamplerState& state, Detail detail) const override;
  // Choose with the caller's own working memory, and with threads for the blocks of the row (null = none).
  Result<Choice> ChooseWith(const RowView& row, SamplerState& state, Detail detail, Work& work, Runtime* runtime) const;

 private:
  Result<void> CheckRow(const RowView& row) const;

  Chain chain_;
  Plan plan_;
  std::size_t vocabulary_;
  mutable std::atomic<std::uint64_t> falls_ = 0;
  // Working memory that no call uses now: one for each call that ran at once.
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Work>> idle_;
};

Result<std::shared_ptr<const Sampler>> MakeNativeSampler(Chain chain, std::size_t vocabulary);

}  // namespace decant::decode

#endif  // DECANT_DECODE_NATIVE_SAMPLER_H_
