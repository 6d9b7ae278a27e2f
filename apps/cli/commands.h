// The commands of the program, one file each.
#ifndef DECANT_CLI_COMMANDS_H_
#define DECANT_CLI_COMMANDS_H_

#include <span>
#include <string>
#include <string_view>

#include "decant/error.h"
#include "session.h"

namespace decant::cli {

using Arguments = std::span<const std::string>;  // after the command's name

// Each returns the exit code, or the error that main reports.
Result<int> RunCommand(Session& session, Arguments arguments);
Result<int> ChatCommand(Session& session, Arguments arguments);
Result<int> StepCommand(Session& session, Arguments arguments);
Result<int> DrawsCommand(Session& session, Arguments arguments);
Result<int> SampleCommand(Session& session, Arguments arguments);
Result<int> ReferenceCommand(Session& session, Arguments arguments);
Result<int> ReplayCommand(Session& session, Arguments arguments);
Result<int> SamplesCommand(Session& session, Arguments arguments);
Result<int> EvalCommand(Session& session, Arguments arguments);
Result<int> CompareCommand(Session& session, Arguments arguments);
Result<int> TokenizeCommand(Session& session, Arguments arguments);
Result<int> DetokenizeCommand(Session& session, Arguments arguments);
Result<int> TemplateCommand(Session& session, Arguments arguments);
Result<int> GrammarCommand(Session& session, Arguments arguments);
Result<int> SchemaCommand(Session& session, Arguments arguments);
Result<int> ParamsCommand(Session& session, Arguments arguments);
Result<int> ModelCommand(Session& session, Arguments arguments);
Result<int> BenchCommand(Session& session, Arguments arguments);
Result<int> DoctorCommand(Session& session, Arguments arguments);
Result<int> CompletionCommand(Session& session, Arguments arguments);
Result<int> HelpCommand(Session& session, Arguments arguments);

struct Command {
  std::string_view name;
  std::string_view summary;
  Result<int> (*run)(Session&, Arguments);
};
std::span<const Command> Commands();

// "there is no …": with a did-you-mean among the commands.
std::unexpected<Error> UnknownCommand(const std::string& name);
// What `decant` alone says.
std::string Overview();
// What `decant --version` says. kUnsupportedMachine.
Result<std::string> VersionText();

}  // namespace decant::cli

#endif  // DECANT_CLI_COMMANDS_H_
