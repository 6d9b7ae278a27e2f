// decant reference: the report of preset reference, from live computation.
#include "decant/reference.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
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
    .usage = "[--checkpoint FILE] | --write FILE",
    .details =
        "Every figure is computed when asked for. Without a file, the built-in checkpoint is used.\n"
        "It can be written to a file: a model of 5 tokens that every command with -m runs.",
    .example =
        "decant reference\n"
        "decant reference --write tiny-5.tiny && decant run -m tiny-5.tiny --prompt-ids 0 --seed 1"};

// The built-in checkpoint, as a file.
Result<void> WriteBuiltIn(const std::string& path) {
  const std::span<const std::byte> bytes = reference::BuiltInCheckpoint();
  if (path == "-") {
    return Fail(ErrorCode::kCannotWrite, "--write is \"-\"; expected a file: a checkpoint is no text",
                {.subject = "--write"});
  }
  const auto failed = [&path] {
    return Fail(ErrorCode::kCannotWrite, path + ": " + std::strerror(errno), {.subject = path});
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (file == nullptr) return failed();
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return failed();
  if (std::fflush(file.get()) != 0) return failed();
  return {};
}

}  // namespace

Result<int> ReferenceCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const CLI::Option* const checkpoint =
      line.Value("input", "--checkpoint", "FILE", "a tiny checkpoint instead of the built-in one");
  const CLI::Option* const write =
      line.Value("output", "--write", "FILE", "writes the built-in checkpoint to FILE instead of reporting on it");
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  DECANT_TRY(const auto path, TextOf(checkpoint));
  DECANT_TRY(const auto target, TextOf(write));
  if (target.has_value()) {
    if (path.has_value()) {
      return UsageError("--write writes the built-in checkpoint; --checkpoint names another one",
                        "leave out one of the two");
    }
    DECANT_CHECKED(WriteBuiltIn(*target));
    session.Note("wrote " + *target + ", a model of 5 tokens: decant run -m " + *target + " --prompt-ids 0");
    return 0;
  }
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
