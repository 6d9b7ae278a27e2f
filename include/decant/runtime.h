// The threads decant may use. There are no globals: whoever loads a model passes a Runtime in.
#ifndef DECANT_RUNTIME_H_
#define DECANT_RUNTIME_H_

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "decant/error.h"

namespace decant {

struct RuntimeOptions {
  // Threads that work on one call, the caller's included. 1 = only the caller's thread; 0 = the same.
  // Range 0..256. Results never depend on it (docs/determinism.md, D1).
  int threads = 1;
};

// Owns the worker threads; idle workers sleep. May be shared by models; one parallel call runs at a time.
class Runtime {
 public:
  static Result<std::shared_ptr<Runtime>> Make(RuntimeOptions options);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  int threads() const { return threads_; }

  // Calls body(i) once for every i in [0, tasks), on any thread in any order, and returns when all are done.
  // Not reentrant: body must not call Parallel. May be called from several threads; calls take turns.
  void Parallel(int tasks, const std::function<void(int)>& body);

 private:
  explicit Runtime(int threads);
  struct Pool;
  int threads_;
  std::unique_ptr<Pool> pool_;
};

// The instruction set that the kernels run on: "avx512", "avx2", "sse4", "neon" or "scalar". Chosen once, from the
// machine and the environment variable DECANT_SIMD; a level that the machine lacks is kUnsupportedMachine.
// Results never depend on it (D5).
Result<std::string_view> SimdLevel();
// Those that this machine and this build have, best first. Never empty.
std::vector<std::string_view> SimdLevels();

}  // namespace decant

#endif  // DECANT_RUNTIME_H_
