// SamplerState, and the parts of Sampler that every preset shares.
#include <string>

#include "core/check.h"
#include "core/number_text.h"
#include "decant/sampler.h"

namespace decant {
namespace {

constexpr std::string_view kPresetNames[] = {"native", "reference"};

}  // namespace

std::string_view NameOf(Preset preset) { return kPresetNames[static_cast<std::size_t>(preset)]; }

Result<Preset> FindPreset(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kPresetNames); ++i) {
    if (kPresetNames[i] == name) return static_cast<Preset>(i);
  }
  const auto close = core::Closest(name, kPresetNames);
  return Fail(
      ErrorCode::kUnknownPreset, "preset is \"" + std::string(name) + "\"; expected native or reference",
      {.subject = "preset", .allowed = "native, reference", .hint = close ? "did you mean \"" + *close + "\"?" : ""});
}

std::string_view NameOf(DrawKind kind) { return kind == DrawKind::kGreedy ? "greedy" : "inverse_cdf"; }

SamplerState::SamplerState(SamplerStateOptions options)
    : seed_(options.seed),
      sequence_(options.sequence),
      position_(options.position),
      stream_(options.seed),
      pending_stream_(options.seed) {}

void SamplerState::Accept(TokenId token) {
  accepted_.push_back({token, stream_});
  stream_ = pending_stream_;
  ++position_;
}

void SamplerState::RollBack(std::size_t n) {
  DECANT_DCHECK(n <= accepted_.size());
  if (n == 0) return;
  stream_ = pending_stream_ = accepted_[accepted_.size() - n].stream_before;
  accepted_.resize(accepted_.size() - n);
  position_ -= n;
}

void Sampler::SampleBatch(std::span<const RowView> rows, std::span<SamplerState* const> states,
                          std::span<Result<Choice>> out) const {
  DECANT_DCHECK(rows.size() == states.size() && rows.size() == out.size());
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = Sample(rows[i], *states[i], nullptr);
}

}  // namespace decant
