// Rows are shared out to the threads in runs: a run takes a thread's memory once.
#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/check.h"
#include "decant/sampler.h"
#include "decode/native_sampler.h"
#include "decode/work.h"

namespace decant {
namespace {

// So many runs a thread: a thread that is held up leaves the rest to the others.
constexpr std::size_t kRunsPerThread = 4;

}  // namespace

struct BatchSampler::Parts {
  explicit Parts(std::shared_ptr<Runtime> with) : runtime(std::move(with)) {
    const int threads = runtime == nullptr ? 1 : runtime->threads();
    for (int i = 0; i < threads; ++i) idle.push_back(std::make_unique<decode::Work>());
  }

  // Every thread may get the largest row, and none may allocate then.
  void Reserve(std::size_t vocabulary) {
    if (vocabulary <= reserved) return;
    for (const auto& work : idle) work->Reserve(vocabulary);
    reserved = vocabulary;
  }

  std::unique_ptr<decode::Work> Take() {
    const std::lock_guard lock(mutex);
    DECANT_CHECK(!idle.empty());
    std::unique_ptr<decode::Work> work = std::move(idle.back());
    idle.pop_back();
    return work;
  }

  // One thread's memory, for as long as it is held.
  class Held {
   public:
    explicit Held(Parts& parts) : parts_(parts), work_(parts.Take()) {}
    ~Held() {
      const std::lock_guard lock(parts_.mutex);
      parts_.idle.push_back(std::move(work_));
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    decode::Work& work() { return *work_; }

   private:
    Parts& parts_;
    std::unique_ptr<decode::Work> work_;
  };

  std::shared_ptr<Runtime> runtime;  // null = the caller's thread
  std::mutex mutex;
  std::vector<std::unique_ptr<decode::Work>> idle;  // one a thread
  std::size_t reserved = 0;                         // tokens of a row that each has memory for
};

BatchSampler::BatchSampler(std::shared_ptr<Runtime> runtime) : parts_(std::make_unique<Parts>(std::move(runtime))) {}
BatchSampler::~BatchSampler() = default;

void BatchSampler::Sample(std::span<const SampleRequest> requests, Detail detail, std::span<Result<Choice>> out) {
  DECANT_DCHECK(requests.size() == out.size());
  const std::size_t rows = requests.size();
  for (const SampleRequest& request : requests) {
    if (request.sampler->preset() == Preset::kNative) parts_->Reserve(request.sampler->vocabulary());
  }
  const auto sample = [&](std::size_t first, std::size_t end, Runtime* for_blocks) {
    Parts::Held held(*parts_);
    for (std::size_t i = first; i < end; ++i) {
      const SampleRequest& request = requests[i];
      if (const auto* native = dynamic_cast<const decode::NativeSampler*>(request.sampler)) {
        out[i] = native->ChooseWith(request.row, *request.state, detail, held.work(), for_blocks);
      } else {
        out[i] = request.sampler->Choose(request.row, *request.state, detail);
      }
    }
  };
  Runtime* const runtime = parts_->runtime.get();
  const std::size_t threads = runtime == nullptr ? 1 : static_cast<std::size_t>(runtime->threads());
  if (threads == 1 || rows < threads) return sample(0, rows, threads == 1 ? nullptr : runtime);
  const std::size_t runs = std::min(rows, threads * kRunsPerThread);
  std::exception_ptr thrown;  // the first; none may leave a task
  const auto body = [&](int run) {
    const auto i = static_cast<std::size_t>(run);
    try {
      sample(rows * i / runs, rows * (i + 1) / runs, nullptr);
    } catch (...) {
      const std::lock_guard lock(parts_->mutex);
      if (thrown == nullptr) thrown = std::current_exception();
    }
  };
  runtime->Parallel(static_cast<int>(runs), std::ref(body));  // a function of a reference needs no memory
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace decant
