// The modes of the terminal on standard input (echo, line editing): changed for a while, and put back on every way out.
#ifndef DECANT_CLI_TERMINAL_MODES_H_
#define DECANT_CLI_TERMINAL_MODES_H_

namespace decant::cli {

// Remembers the modes as they are and puts them back at its end, and before a crash or a signal ends the program. At
// most one at a time.
class TerminalModes {
 public:
  TerminalModes();
  ~TerminalModes();
  TerminalModes(const TerminalModes&) = delete;
  TerminalModes& operator=(const TerminalModes&) = delete;

  // What is typed while the program writes does not show among its text; it is kept for the next line.
  void HideTyping();
  void ShowTyping();
};

// Puts the modes of the TerminalModes that lives back, if one does: for exits that run no destructor.
// Async-signal-safe.
void RestoreTerminalModes();

}  // namespace decant::cli

#endif  // DECANT_CLI_TERMINAL_MODES_H_
