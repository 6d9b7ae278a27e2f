// A pool of worker threads for short, frequent calls: decoding makes hundreds of calls a token.
//
// One 64-bit word, the ticket, holds the number of the call and how many of its tasks nobody has taken yet. Taking a
// task is one compare-and-swap on it. A swap that succeeds proves that the call was still open, so that the body and
// the task count read before it belong to that call, however late the worker was. A call therefore never waits
// for a worker that took no task. Idle workers watch the ticket briefly and then sleep.
#include "decant/runtime.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "core/math.h"

namespace decant {
namespace {

constexpr int kMaxThreads = 256;
// Longer than the gap between two kernels of a layer, shorter than anybody minds a busy core.
constexpr std::chrono::microseconds kWatch(20);

inline void Relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

// Watches until the predicate holds or the time is over.
template <class Predicate>
bool Watch(Predicate holds) {
  const auto deadline = std::chrono::steady_clock::now() + kWatch;
  do {
    for (int i = 0; i < 16; ++i) {
      if (holds()) return true;
      Relax();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  return holds();
}

constexpr std::uint32_t OpenTasks(std::uint64_t ticket) { return static_cast<std::uint32_t>(ticket); }

}  // namespace

struct Runtime::Pool {
  explicit Pool(bool watch) : watches(watch) {}

  ~Pool() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    work.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  bool HasWork() const { return OpenTasks(ticket.load()) != 0 || stop.load(); }

  // Takes and does tasks until none is open.
  void DoTasks() {
    std::uint64_t seen = ticket.load();
    while (OpenTasks(seen) != 0) {
      const std::function<void(int)>* const call_body = body.load(std::memory_order_relaxed);
      const int call_tasks = tasks.load(std::memory_order_relaxed);
      if (!ticket.compare_exchange_weak(seen, seen - 1)) continue;
      (*call_body)(call_tasks - static_cast<int>(OpenTasks(seen)));
      if (finished.fetch_add(1) + 1 == call_tasks && caller_sleeps.load()) {
        const std::lock_guard lock(mutex);
        done.notify_one();
      }
      seen = ticket.load();
    }
  }

  void Work() {
    // A new thread inherits the control register of the thread that made it.
    const core::FloatingPointGuard guard;
    while (!stop.load()) {
      DoTasks();
      if (watches && Watch([this] { return HasWork(); })) continue;
      std::unique_lock lock(mutex);
      // The count rises before the ticket is read, and Open writes the ticket before it reads the count: one of the
      // two sees the other.
      sleepers.fetch_add(1);
      work.wait(lock, [this] { return HasWork(); });
      sleepers.fetch_sub(1);
    }
  }

  void Open(int count, const std::function<void(int)>& call) {
    body.store(&call, std::memory_order_relaxed);
    tasks.store(count, std::memory_order_relaxed);
    finished.store(0, std::memory_order_relaxed);
    ++calls;
    ticket.store((static_cast<std::uint64_t>(calls) << 32) | static_cast<std::uint32_t>(count));
    const int wanted = std::min(count - 1, sleepers.load());
    if (wanted <= 0) return;
    {
      const std::lock_guard lock(mutex);
    }  // nobody is between reading the ticket and sleeping
    for (int i = 0; i < wanted; ++i) work.notify_one();
  }

  void WaitUntilFinished(int count) {
    const auto all_done = [&] { return finished.load() == count; };
    if (all_done() || (watches && Watch(all_done))) return;
    std::unique_lock lock(mutex);
    caller_sleeps = true;
    done.wait(lock, all_done);
    caller_sleeps = false;
  }

  const bool watches;  // pointless where there is one processor
  std::vector<std::thread> workers;
  std::mutex turn;  // held for the length of a call

  alignas(64) std::atomic<std::uint64_t> ticket = 0;
  std::atomic<const std::function<void(int)>*> body = nullptr;
  std::atomic<int> tasks = 0;
  alignas(64) std::atomic<int> finished = 0;
  std::atomic<bool> caller_sleeps = false;

  alignas(64) std::mutex mutex;  // guards both kinds of sleep
  std::condition_variable work;
  std::condition_variable done;
  std::atomic<int> sleepers = 0;
  std::atomic<bool> stop = false;
  std::uint32_t calls = 0;
};

Runtime::Runtime(int threads)
    : threads_(threads), pool_(std::make_unique<Pool>(std::thread::hardware_concurrency() != 1)) {}
Runtime::~Runtime() = default;

Result<std::shared_ptr<Runtime>> Runtime::Make(RuntimeOptions options) {
  if (options.threads < 0 || options.threads > kMaxThreads) {
    return Fail(ErrorCode::kOutOfRange,
                "threads is " + std::to_string(options.threads) + "; expected an integer in 0..256",
                {.subject = "threads", .allowed = "an integer in 0..256"});
  }
  const int threads = std::max(options.threads, 1);
  std::shared_ptr<Runtime> runtime(new Runtime(threads));  // the constructor is private to make_shared
  Pool& pool = *runtime->pool_;
  pool.workers.reserve(static_cast<std::size_t>(threads - 1));
  for (int i = 1; i < threads; ++i) {
    try {
      pool.workers.emplace_back([&pool] { pool.Work(); });
    } catch (const std::system_error& error) {
      return Fail(ErrorCode::kOutOfRange,
                  "threads is " + std::to_string(threads) + "; this system let " + std::to_string(i) +
                      " be started: " + error.what(),
                  {.subject = "threads", .allowed = "at most " + std::to_string(i) + " on this system, now"});
    }
  }
  return runtime;
}

void Runtime::Parallel(int tasks, const std::function<void(int)>& body) {
  if (tasks <= 0) return;
  const core::FloatingPointGuard guard;  // the caller computes as the workers do
  const std::lock_guard turn(pool_->turn);
  if (pool_->workers.empty() || tasks == 1) {
    for (int i = 0; i < tasks; ++i) body(i);
    return;
  }
  pool_->Open(tasks, body);
  pool_->DoTasks();
  pool_->WaitUntilFinished(tasks);
}

}  // namespace decant
