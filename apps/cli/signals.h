// Ctrl-C, the signals that end a program, and broken pipes.
//
// One thread waits for SIGINT. While an InterruptScope lives, the first SIGINT asks its work to stop; the next one, or
// one outside any scope, ends the program at once with exit code 130. SIGTERM and SIGHUP end it as ever, after the
// terminal has been left in order. Writing to a closed pipe is an error of the
// write (EPIPE), not a signal.
#ifndef DECANT_CLI_SIGNALS_H_
#define DECANT_CLI_SIGNALS_H_

#include <stop_token>

namespace decant::cli {

inline constexpr int kExitInterrupted = 130;
inline constexpr int kExitPipeClosed = 141;

// REQUIRES: called first in main, before any other thread exists. Also makes sure that descriptors 0 to 2 are taken,
// so that no file that is opened later becomes standard output.
void PrepareSignals();

class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  bool interrupted() const { return source_.stop_requested(); }

 private:
  std::stop_source source_;
};

}  // namespace decant::cli

#endif  // DECANT_CLI_SIGNALS_H_
