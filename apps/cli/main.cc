// The decant program: finds the command, runs it, and turns what comes back into an exit code.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "commands.h"
#include "session.h"
#include "signals.h"

namespace decant::cli {
namespace {

Result<int> Dispatch(Session& session, std::span<const std::string> arguments) {
  if (arguments.empty()) {
    session.Write(Overview());
    return 0;
  }
  const std::string& first = arguments.front();
  if (first == "--version" || first == "-V") {
    DECANT_TRY(const std::string text, VersionText());
    session.Write(text);
    return 0;
  }
  if (first == "--help" || first == "-h") {
    session.Write(Overview());
    return 0;
  }
  const auto command = std::ranges::find(Commands(), first, &Command::name);
  if (command == Commands().end()) return UnknownCommand(first);
  session.set_command(command->name);
  return command->run(session, arguments.subspan(1));
}

// Options that every command has may also stand before it: they move behind it.
std::vector<std::string> CommandFirst(std::vector<std::string> arguments) {
  std::size_t skipped = 0;
  while (skipped < arguments.size()) {
    const std::string& argument = arguments[skipped];
    if (argument == "--color" || argument == "--error-format") {
      skipped += 2;
    } else if (argument.starts_with("--color=") || argument.starts_with("--error-format=")) {
      skipped += 1;
    } else {
      break;
    }
  }
  if (skipped == 0 || skipped >= arguments.size()) return arguments;
  const auto middle = arguments.begin() + static_cast<std::ptrdiff_t>(skipped);
  std::rotate(arguments.begin(), middle, middle + 1);
  return arguments;
}

int Main(std::vector<std::string> arguments) {
  Session session(arguments);
  arguments = CommandFirst(std::move(arguments));
  const Result<int> result = Dispatch(session, arguments);
  session.Flush();
  if (result.has_value()) return *result;
  session.ReportError(result.error());
  return RowOf(result.error().code).exit_code;
}

}  // namespace
}  // namespace decant::cli

int main(int argc, char** argv) {
  decant::cli::PrepareSignals();
  const int code = decant::cli::Main(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  // The thread that waits for signals is still there: no static may be destroyed under it.
  _exit(code);
}
