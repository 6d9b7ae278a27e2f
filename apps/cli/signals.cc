// The thread that waits for signals: with a thread instead of a handler, nothing runs in signal context.
#include "signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <mutex>
#include <thread>

#include "terminal.h"
#include "terminal_modes.h"

namespace decant::cli {
namespace {

std::mutex mutex;
std::stop_source* current = nullptr;  // of the scope that lives, guarded by mutex

// Dies of the signal, as if it had not been caught, and leaves the terminal in order.
[[noreturn]] void EndBy(int number) {
  EraseProgressLine();
  RestoreTerminalModes();
  signal(number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  raise(number);
  _exit(128 + number);
}

[[noreturn]] void WaitForInterrupts(sigset_t signals) {
  while (true) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (signal != SIGINT) EndBy(signal);
    const std::lock_guard lock(mutex);
    if (current != nullptr && current->request_stop()) continue;
    EraseProgressLine();
    RestoreTerminalModes();
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
  sigset_t signals;
  sigemptyset(&signals);
  bool has_any = false;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before{};
    // A background job of a shell without job control ignores SIGINT, one under nohup SIGHUP, and goes on doing so.
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaddset(&signals, number);
    has_any = true;
  }
  if (!has_any || pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0) return;
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
