// What a sequence remembers between steps, and the batch that every preset runs row by row.
#include "core/check.h"
#include "decant/sampler.h"

namespace decant {
SamplerState::SamplerState(SamplerStateOptions options)
    : seed_(options.seed),
      sequence_(options.sequence),
      position_(options.position),
      stream_(options.seed),
      pending_stream_(options.seed) {}

void SamplerState::Accept(TokenId) {
  streams_before_.push_back(stream_);
  stream_ = pending_stream_;
  ++position_;
}

void SamplerState::RollBack(std::size_t n) {
  DECANT_DCHECK(n <= streams_before_.size());
  if (n == 0) return;
  stream_ = pending_stream_ = streams_before_[streams_before_.size() - n];
  streams_before_.resize(streams_before_.size() - n);
  position_ -= n;
}

void Sampler::SampleBatch(std::span<const RowView> rows, std::span<SamplerState* const> states,
                          std::span<Result<Choice>> out) const {
  DECANT_DCHECK(rows.size() == states.size() && rows.size() == out.size());
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = Sample(rows[i], *states[i], nullptr);
}

}  // namespace decant
