// The rules about streams, and the progress line that obeys them.
#include "terminal.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "environment.h"

namespace decant::cli {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";
constexpr std::chrono::milliseconds kRewriteEvery{100};
constexpr std::chrono::seconds kPlainEvery{10};

std::atomic<bool> line_stands{false};

bool IsCapable(const StreamFacts& facts) {
  return facts.is_terminal && !facts.term.empty() && facts.term != "dumb" && facts.no_color.empty();
}

}  // namespace

std::optional<ColorChoice> ParseColorChoice(std::string_view text) {
  if (text == "auto") return ColorChoice::kAuto;
  if (text == "always") return ColorChoice::kAlways;
  if (text == "never") return ColorChoice::kNever;
  return std::nullopt;
}

StreamFacts FactsOf(int descriptor) {
  return {.is_terminal = isatty(descriptor) == 1,
          .term = Environment("TERM"),
          .no_color = Environment("NO_COLOR"),
          .clicolor_force = Environment("CLICOLOR_FORCE")};
}

bool MayColor(const StreamFacts& facts, ColorChoice choice) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  if (!facts.clicolor_force.empty() && facts.clicolor_force != "0") return true;
  return IsCapable(facts);
}

bool MayRewrite(const StreamFacts& facts, ColorChoice choice) {
  return choice != ColorChoice::kNever && IsCapable(facts);
}

std::string Paint::Wrapped(std::string_view code, std::string_view text) const {
  if (!colored_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

ProgressLine::ProgressLine(ProgressStyle style)
    : ProgressLine(
          style, [](std::string_view text) { WriteAll(STDERR_FILENO, text); },
          [] { return std::chrono::steady_clock::now(); }) {}

ProgressLine::ProgressLine(ProgressStyle style, Sink sink, Clock clock)
    : style_(style), sink_(std::move(sink)), clock_(std::move(clock)) {
  // A plain line comes only after the first interval: short work stays silent.
  if (style_ == ProgressStyle::kPlain) last_ = clock_();
}

void ProgressLine::Update(std::string_view text) {
  if (style_ == ProgressStyle::kSilent) return;
  const auto now = clock_();
  const bool rewrites = style_ == ProgressStyle::kRewritten;
  if (last_.has_value() && now - *last_ < (rewrites ? kRewriteEvery : kPlainEvery)) return;
  last_ = now;
  if (!rewrites) return sink_(std::string(text) + "\n");
  drawn_ = true;
  line_stands = true;
  sink_(std::string(kEraseLine) + std::string(text));
}

void ProgressLine::Finish() {
  if (!drawn_) return;
  drawn_ = false;
  line_stands = false;
  sink_(kEraseLine);
}

void EraseProgressLine() {
  if (line_stands.exchange(false)) WriteAll(STDERR_FILENO, kEraseLine);
}

std::string ProgressBar(std::size_t done, std::size_t total, std::size_t columns) {
  const std::size_t full = total == 0 ? columns : done * columns / total;
  std::string bar;
  for (std::size_t i = 0; i < columns; ++i) bar += i < full ? "█" : "░";
  return bar;
}

}  // namespace decant::cli
