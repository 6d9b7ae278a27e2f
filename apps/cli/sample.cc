// decant sample: cases in, tokens out, line by line, without a model.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "environment.h"
#include "flags.h"
#include "sample_case.h"

namespace decant::cli {
namespace {

constexpr CommandText kText = {
    .name = "sample",
    .summary = "tokens from rows of logits: a JSON line in, a JSON line out",
    .usage = "[--preset P] [--seed S] [sampling] < cases.jsonl",
    .details =
        "A line: {\"logits\":[...],\"prompt_ids\":[...],\"output_ids\":[...],\"params\":{...},\"preset\":\"native\",\n"
        "\"seed\":0,\"draws\":1,\"id\":...}; all but logits may be left out, and a line overrides the flags.\n"
        "A bad line is answered with its error, and the next one still runs. The exit code says only whether\n"
        "the stream was read to its end and answered: look for \"error\" in the answers. See decant help formats.",
    .example = "echo '{\"logits\":[0,1,1,2],\"params\":{\"top_k\":3},\"seed\":7}' | decant sample"};

// Lines of standard input.
class LineReader {
 public:
  // Whether the next line has to be waited for.
  bool MustRead() const { return !ended_ && buffer_.find('\n', searched_) == std::string::npos; }

  // The next line, without its end; nothing at the end. Valid until the next call.
  Result<std::optional<std::string_view>> Next() {
    buffer_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
    ++number_;
    while (true) {
      const std::size_t end = buffer_.find('\n', searched_);
      if (end != std::string::npos) {
        begin_ = searched_ = end + 1;
        return std::string_view(buffer_).substr(0, end);
      }
      searched_ = buffer_.size();
      if (ended_) {
        if (buffer_.empty()) return std::nullopt;
        begin_ = searched_;
        return std::string_view(buffer_);
      }
      DECANT_CHECKED(ReadMore());
    }
  }

 private:
  static constexpr std::size_t kPart = std::size_t{1} << 18;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // of a line

  Result<void> ReadMore() {
    const std::size_t size = buffer_.size();
    if (size > kMostBytes) {
      return Fail(ErrorCode::kCannotRead,
                  fmt::format("standard input: line {} has more than {} bytes", number_, kMostBytes),
                  {.subject = "standard input", .allowed = fmt::format("lines of at most {} bytes", kMostBytes)});
    }
    buffer_.resize(size + kPart);
    ssize_t got = 0;
    do {
      got = read(STDIN_FILENO, buffer_.data() + size, kPart);
    } while (got < 0 && errno == EINTR);
    buffer_.resize(size + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0) {
      return Fail(ErrorCode::kCannotRead, "standard input: " + std::string(std::strerror(errno)),
                  {.subject = "standard input"});
    }
    ended_ = got == 0;
    return {};
  }

  std::string buffer_;
  std::size_t begin_ = 0;     // where the next line starts
  std::size_t searched_ = 0;  // no end of line before this
  std::uint64_t number_ = 0;  // of the line
  bool ended_ = false;
};

}  // namespace

Result<int> SampleCommand(Session& session, Arguments arguments) {
  CommandLine line(kText);
  const ParameterFlags parameters(line, ParameterScope::kSampling);
  DECANT_TRY(const bool go, line.Parse(arguments));
  if (!go) {
    session.Write(line.Help());
    return 0;
  }
  SampleDefaults defaults;
  DECANT_TRY(defaults.parameters, parameters.Collect(Environment));
  DECANT_TRY(const auto preset, parameters.ReadPreset(Environment));
  defaults.preset = preset.value_or(Preset::kNative);
  // A wrong flag is told at once, not in every answer.
  DECANT_CHECKED(CheckChain(defaults.parameters, defaults.preset));

  if (isatty(STDIN_FILENO) == 1) session.Note("reading JSON lines from the keyboard; Ctrl-D ends them");
  LineReader reader;
  for (std::uint64_t number = 1;; ++number) {
    // Whoever waits for an answer before the next question has it by then.
    if (reader.MustRead()) session.Flush();
    DECANT_TRY(const auto next, reader.Next());
    if (!next.has_value()) return 0;
    if (next->find_first_not_of(" \t\r") == std::string_view::npos) continue;
    session.WriteLine(AnswerSampleLine({.text = *next, .number = number}, defaults));
  }
}

}  // namespace decant::cli
