// What a sequence remembers between steps, and what a sampler does unless its preset knows better.
#include "core/check.h"
#include "decant/sampler.h"

namespace decant {

std::string_view NameOf(ElementType type) {
  constexpr std::string_view kNames[] = {"f32", "f64", "f16", "bf16"};
  return kNames[static_cast<std::size_t>(type)];
}

SamplerState::SamplerState(SamplerStateOptions options)
    : seed_(options.seed),
      sequence_(options.sequence),
      position_(options.position.value_or(options.prompt.size() + options.output.size())),
      history_(options.prompt, options.output),
      stream_{.word = options.seed},
      pending_stream_(stream_) {}

void SamplerState::Accept(TokenId token) {
  streams_before_.push_back(stream_);
  stream_ = pending_stream_;
  history_.Append(token);
  ++position_;
}

void SamplerState::RollBack(std::size_t n) {
  DECANT_DCHECK(n <= streams_before_.size());
  if (n == 0) return;
  stream_ = pending_stream_ = streams_before_[streams_before_.size() - n];
  streams_before_.resize(streams_before_.size() - n);
  history_.RollBack(n);
  position_ -= n;
}

Result<Choice> Sampler::Choose(const RowView& row, SamplerState& state, Detail) const {
  return Sample(row, state, nullptr);
}

std::string Sampler::PlanText() const {
  std::string text;
  for (const StageSpec& stage : chain()) text += std::string(NameOf(stage.id)) + ": a pass of its own\n";
  return text;
}

void Sampler::SampleBatch(std::span<const RowView> rows, std::span<SamplerState* const> states,
                          std::span<Result<Choice>> out) const {
  DECANT_DCHECK(rows.size() == states.size() && rows.size() == out.size());
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = Sample(rows[i], *states[i], nullptr);
}

}  // namespace decant
