// Buffered output that notices failures, and errors as lines or as JSON.
#include "session.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "signals.h"
#include "table.h"
#include "terminal_modes.h"

namespace decant::cli {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

// The value of the last --name=value or --name value.
std::string ValueOf(std::span<const std::string> arguments, std::string_view name) {
  std::string value;
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == name && i + 1 < arguments.size()) value = arguments[i + 1];
    if (arguments[i].starts_with(name) && arguments[i].substr(name.size()).starts_with('=')) {
      value = arguments[i].substr(name.size() + 1);
    }
  }
  return value;
}

}  // namespace

Session::Session(std::span<const std::string> arguments)
    : output_facts_(FactsOf(STDOUT_FILENO)), error_facts_(FactsOf(STDERR_FILENO)) {
  color_ = ParseColorChoice(ValueOf(arguments, "--color")).value_or(ColorChoice::kAuto);
  const bool json = ValueOf(arguments, "--error-format") == "json" || ValueOf(arguments, "--error_format") == "json";
  error_format_ = json ? ErrorFormat::kJson : ErrorFormat::kText;
}

void Session::Write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) Flush();
}

void Session::WriteLine(std::string_view text) {
  buffer_ += text;
  Write("\n");
}

void Session::WriteNow(std::string_view text) {
  buffer_ += text;
  Flush();
}

void Session::Flush() {
  if (captures_) return;
  const std::string bytes = std::exchange(buffer_, {});
  if (!WriteAll(STDOUT_FILENO, bytes)) FailWrite(errno);
}

void Session::FailWrite(int error_number) const {
  EraseProgressLine();
  RestoreTerminalModes();
  if (error_number == EPIPE) _exit(kExitPipeClosed);
  ReportError({.code = ErrorCode::kCannotWrite,
               .message = "cannot write to standard output: " + std::string(std::strerror(error_number)),
               .subject = "standard output"});
  _exit(1);
}

bool Session::streams_are_one() const {
  struct stat output{}, error{};
  return fstat(STDOUT_FILENO, &output) == 0 && fstat(STDERR_FILENO, &error) == 0 && output.st_dev == error.st_dev &&
         output.st_ino == error.st_ino;
}

void Session::Note(std::string_view line) const { WriteAll(STDERR_FILENO, std::string(line) + "\n"); }

void Session::ReportError(const Error& error) const {
  if (error_format_ == ErrorFormat::kJson) {
    json::Writer writer;
    writer.BeginObject();
    writer.Key("command");
    writer.String(command_);
    writer.Key("error");
    WriteError(writer, error);
    writer.EndObject();
    return Note(writer.text());
  }
  Note(error_paint().Red(command_ + ":") + " " + MessageText(error));
  if (!error.hint.empty()) Note("  " + HarmlessText(error.hint));
}

std::unexpected<Error> UsageError(std::string message, std::string hint) {
  return Fail(ErrorCode::kWrongType, std::move(message), {.hint = std::move(hint)});
}

std::string MessageText(const Error& error) {
  std::string text = HarmlessText(error.message);
  if (!error.at.has_value() || error.at->line == 0) return text;
  const std::string line = "line " + std::to_string(error.at->line), column = std::to_string(error.at->column);
  if (text.contains(":" + std::to_string(error.at->line) + ":" + column + ":")) return text;
  const std::size_t named = text.find(line);
  const bool is_named = named != std::string::npos && text.substr(named + line.size()).find_first_of("0123456789") != 0;
  return is_named ? text : text + " (" + line + ", column " + column + ")";
}

void WriteError(json::Writer& writer, const Error& error) {
  writer.BeginObject();
  writer.Key("code");
  writer.String(RowOf(error.code).name);
  writer.Key("message");
  writer.String(error.message);
  const std::pair<std::string_view, const std::string&> texts[] = {
      {"subject", error.subject}, {"allowed", error.allowed}, {"hint", error.hint}};
  for (const auto& [key, text] : texts) {
    if (text.empty()) continue;
    writer.Key(key);
    writer.String(text);
  }
  if (error.at.has_value()) {
    writer.Key("at");
    writer.BeginObject();
    writer.Key("offset");
    writer.Uint(error.at->offset);
    if (error.at->line > 0) {
      writer.Key("line");
      writer.Uint(error.at->line);
      writer.Key("column");
      writer.Uint(error.at->column);
    }
    writer.EndObject();
  }
  writer.EndObject();
}

}  // namespace decant::cli
