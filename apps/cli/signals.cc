// The thread that waits for SIGINT: with a thread instead of a handler, nothing runs in signal context.
#include "signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <mutex>
#include <thread>

#include "terminal.h"

namespace decant::cli {
namespace {

std::mutex mutex;
std::stop_source* current = nullptr;  // of the scope that lives, guarded by mutex

[[noreturn]] void WaitForInterrupts(sigset_t signals) {
  while (true) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    const std::lock_guard lock(mutex);
    if (current != nullptr && current->request_stop()) continue;
    EraseProgressLine();
    _exit(kExitInterrupted);
  }
}

void OccupyStandardDescriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    // The wrong way round on purpose: using the closed stream stays an error.
    const int opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != descriptor) close(opened);
  }
}

}  // namespace

void PrepareSignals() {
  OccupyStandardDescriptors();
  signal(SIGPIPE, SIG_IGN);
  struct sigaction before{};
  // A background job of a shell without job control ignores SIGINT, and goes on doing so.
  if (sigaction(SIGINT, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  if (pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0) return;
  std::thread(WaitForInterrupts, signals).detach();
}

InterruptScope::InterruptScope() {
  const std::lock_guard lock(mutex);
  current = &source_;
}

InterruptScope::~InterruptScope() {
  const std::lock_guard lock(mutex);
  current = nullptr;
}

}  // namespace decant::cli
