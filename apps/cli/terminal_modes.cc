// The saved modes are global: a signal handler must reach them.
#include "terminal_modes.h"

#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>

namespace decant::cli {
namespace {

constexpr int kCrashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGQUIT};

termios saved;
std::atomic<bool> is_saved{false};

void OnCrash(int signal_number) {
  RestoreTerminalModes();
  // SA_RESETHAND has put the default action back.
  raise(signal_number);
}

void WatchCrashes() {
  for (const int number : kCrashes) {
    struct sigaction before{};
    if (sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action{};
    action.sa_handler = OnCrash;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    sigaction(number, &action, nullptr);
  }
}

void ForgetCrashes() {
  for (const int number : kCrashes) {
    struct sigaction now{};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == OnCrash) signal(number, SIG_DFL);
  }
}

}  // namespace

TerminalModes::TerminalModes() {
  if (tcgetattr(STDIN_FILENO, &saved) != 0) return;
  is_saved = true;
  WatchCrashes();
}

TerminalModes::~TerminalModes() {
  RestoreTerminalModes();
  is_saved = false;
  ForgetCrashes();
}

void TerminalModes::HideTyping() {
  if (!is_saved) return;
  termios modes = saved;
  // Not by lines: what is typed meanwhile, Ctrl-D too, then waits for the editor as it was typed.
  modes.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON);
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
}

void TerminalModes::ShowTyping() {
  if (is_saved) tcsetattr(STDIN_FILENO, TCSADRAIN, &saved);
}

void RestoreTerminalModes() {
  // From the background the terminal is somebody else's.
  if (is_saved && tcgetpgrp(STDIN_FILENO) == getpgrp()) tcsetattr(STDIN_FILENO, TCSANOW, &saved);
}

}  // namespace decant::cli
