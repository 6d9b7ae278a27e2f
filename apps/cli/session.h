// What every command shares: standard output with its failures, and how errors reach a person or a program.
#ifndef DECANT_CLI_SESSION_H_
#define DECANT_CLI_SESSION_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "decant/error.h"
#include "json/writer.h"
#include "terminal.h"

namespace decant::cli {

inline constexpr int kExitIncomplete = 6;  // a text that something cut before it was whole

enum class ErrorFormat : std::uint8_t { kText, kJson };

// One run of the program.
class Session {
 public:
  // Arguments are looked through for --color and --error-format, so that even a fault in them is reported as asked.
  explicit Session(std::span<const std::string> arguments);

  // Standard output. A write that fails ends the program: quietly with 141 for a closed pipe, else with a message
  // and 1.
  void Write(std::string_view text);      // buffered
  void WriteLine(std::string_view text);  // the same, and a newline
  void WriteNow(std::string_view text);   // at once
  void Flush();
  // From here on, what is written is kept instead, until it is taken.
  void Capture() { captures_ = true; }
  std::string TakeCaptured() { return std::exchange(buffer_, {}); }

  // Standard error. Failures are passed over: there is nowhere to tell of them.
  void Note(std::string_view line) const;
  void ReportError(const Error& error) const;

  void set_command(std::string_view name) { command_ = "decant " + std::string(name); }
  const std::string& command() const { return command_; }

  // On standard error: rewritten where that is a terminal that may be.
  ProgressStyle progress_style() const {
    return MayRewrite(error_facts_, color_) ? ProgressStyle::kRewritten : ProgressStyle::kPlain;
  }
  bool errors_on_terminal() const { return error_facts_.is_terminal; }
  bool streams_are_one() const;  // standard output and error go to the same place
  bool output_on_terminal() const { return output_facts_.is_terminal; }
  Paint output_paint() const { return Paint(MayColor(output_facts_, color_)); }
  Paint error_paint() const { return Paint(MayColor(error_facts_, color_)); }

 private:
  [[noreturn]] void FailWrite(int error_number) const;

  std::string command_ = "decant";
  ColorChoice color_ = ColorChoice::kAuto;
  ErrorFormat error_format_ = ErrorFormat::kText;
  StreamFacts output_facts_, error_facts_;
  std::string buffer_;
  bool captures_ = false;
};

// An error of how the program was called, exit code 2.
std::unexpected<Error> UsageError(std::string message, std::string hint = "");

// The message as one harmless line for a person, with the position unless the message names its line already.
std::string MessageText(const Error& error);

// {"code":…,"message":…,…}: the fields that are not empty.
void WriteError(json::Writer& writer, const Error& error);

}  // namespace decant::cli

#endif  // DECANT_CLI_SESSION_H_
