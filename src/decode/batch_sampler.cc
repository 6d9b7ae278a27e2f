// Rows are shared out to the threads; each is sampled as it would be alone.
#include <utility>

#include "core/check.h"
#include "decant/sampler.h"

namespace decant {

struct BatchSampler::Parts {
  std::shared_ptr<Runtime> runtime;  // null = the caller's thread
};

BatchSampler::BatchSampler(std::shared_ptr<Runtime> runtime)
    : parts_(std::make_unique<Parts>(Parts{.runtime = std::move(runtime)})) {}
BatchSampler::~BatchSampler() = default;

void BatchSampler::Sample(std::span<const SampleRequest> requests, Detail detail, std::span<Result<Choice>> out) {
  DECANT_DCHECK(requests.size() == out.size());
  const auto sample = [&](int i) {
    const SampleRequest& request = requests[static_cast<std::size_t>(i)];
    out[static_cast<std::size_t>(i)] = request.sampler->Choose(request.row, *request.state, detail);
  };
  const int rows = static_cast<int>(requests.size());
  if (parts_->runtime != nullptr) {
    parts_->runtime->Parallel(rows, sample);
  } else {
    for (int i = 0; i < rows; ++i) sample(i);
  }
}

}  // namespace decant
