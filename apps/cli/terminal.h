// What may be written to a stream that is, or is not, a terminal: colour, rewritten lines, progress.
//
// Each stream is judged alone: standard error may be a terminal while standard output is a pipe, and the reverse.
#ifndef DECANT_CLI_TERMINAL_H_
#define DECANT_CLI_TERMINAL_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace decant::cli {

enum class ColorChoice : std::uint8_t { kAuto, kAlways, kNever };
std::optional<ColorChoice> ParseColorChoice(std::string_view text);

// What decides about one stream.
struct StreamFacts {
  bool is_terminal = false;
  std::string term = {};            // TERM
  std::string no_color = {};        // NO_COLOR: any text = no colour
  std::string clicolor_force = {};  // CLICOLOR_FORCE: any text but "0" = colour
};
StreamFacts FactsOf(int descriptor);

// Colour: --color always and CLICOLOR_FORCE ask for it anywhere; else a capable terminal that nobody objected to.
bool MayColor(const StreamFacts& facts, ColorChoice choice);
// Rewriting a line: such a terminal only.
bool MayRewrite(const StreamFacts& facts, ColorChoice choice);

class Paint {
 public:
  explicit Paint(bool colored) : colored_(colored) {}
  std::string Bold(std::string_view text) const { return Wrapped("1", text); }
  std::string Dim(std::string_view text) const { return Wrapped("2", text); }
  std::string Red(std::string_view text) const { return Wrapped("1;31", text); }

 private:
  std::string Wrapped(std::string_view code, std::string_view text) const;
  bool colored_;
};

// Writes all of it to a descriptor; false, with errno set, when that fails.
bool WriteAll(int descriptor, std::string_view bytes);

enum class ProgressStyle : std::uint8_t {
  kRewritten,  // one line, rewritten at most ten times a second and erased at the end
  kPlain,      // a line of its own at most every ten seconds
  kSilent,
};

// How far something is, on standard error.
class ProgressLine {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  using Sink = std::function<void(std::string_view)>;
  explicit ProgressLine(ProgressStyle style);
  ProgressLine(ProgressStyle style, Sink sink, Clock clock);
  ~ProgressLine() { Finish(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Update(std::string_view text);
  void Finish();  // erases the line; may be called again

 private:
  ProgressStyle style_;
  Sink sink_;
  Clock clock_;
  std::optional<std::chrono::steady_clock::time_point> last_;
  bool drawn_ = false;
};

// Erases a progress line that stands on the terminal, for exits that run no destructor. Async-signal-safe.
void EraseProgressLine();

// "████████░░░░", `columns` wide.
std::string ProgressBar(std::size_t done, std::size_t total, std::size_t columns);

}  // namespace decant::cli

#endif  // DECANT_CLI_TERMINAL_H_
