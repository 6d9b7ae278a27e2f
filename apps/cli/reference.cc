// decant reference: the report of preset reference, from live computation.
#include "decant/reference.h"

#include <span>
#include <string>

#include "command_line.h"
#include "commands.h"
#include "core/mapped_file.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "reference",
    .summary = "the report of preset reference, digit by digit",
    .usage = "[--checkpoint FILE]",
    .details = "Every figure is computed when asked for. Without a file, the built-in checkpoint is used.",
    .example = "decant reference"};

}  // namespace

Result<int> ReferenceCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const CLI::Option* const checkpoint =
      line.Value("input", "--checkpoint", "FILE", "a tiny checkpoint instead of the built-in one");
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const auto path, TextOf(checkpoint));
  std::string bytes;
  std::span<const std::byte> view = reference::BuiltInCheckpoint();
  if (path.has_value()) {
    DECANT_TRY(bytes, core::ReadFile(*path));
    view = std::as_bytes(std::span(bytes));
  }
  DECANT_TRY(const std::string report, reference::Report(view));
  session.Write(report);
  return 0;
}

}  // namespace decant::cli
