// Other programs: found on the PATH, run without a shell, interrupted with us.
#ifndef DECANT_CLI_PROCESS_H_
#define DECANT_CLI_PROCESS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decant/error.h"

namespace decant::cli {

// The path of an executable file on the PATH; a name with a '/' is a path. "" = there is none.
std::string FindProgram(std::string_view name);

enum class ProgramOutput : std::uint8_t {
  kToStandardError,  // both its streams: standard output is ours alone
  kDiscarded,        // both its streams
};

struct ProgramCall {
  std::string path;
  std::vector<std::string> arguments = {};
  std::string input = {};  // its standard input; at most 4096 bytes
  ProgramOutput output = ProgramOutput::kToStandardError;
  int shared = -1;                // a descriptor that it inherits: a lock on it holds while either of us lives
  std::string* answer = nullptr;  // takes its standard output, which must fit into a pipe
};

// Runs it to its end. Returns its exit code, or 128 + the signal that ended it. The first Ctrl-C is passed on, and is
// kCancelled once the program has ended. kCannotRead: it cannot be started.
Result<int> RunProgram(const ProgramCall& call);

}  // namespace decant::cli

#endif  // DECANT_CLI_PROCESS_H_
