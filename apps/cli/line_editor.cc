// Signals come through a pipe that the reading loop watches beside the terminal: nothing runs in signal context.
#include "line_editor.h"

#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <optional>
#include <stop_token>
#include <utility>

#ifdef DECANT_HAVE_LIBEDIT
#include <histedit.h>
#endif

#include "environment.h"
#include "signals.h"
#include "terminal.h"

namespace decant::cli {
namespace {

constexpr char kInterrupt = 'I', kResize = 'W', kSuspend = 'T', kContinue = 'C';

std::atomic<int> wake_descriptor = -1;  // where handlers write; one reader at a time

void Wake(char what) {
  const int saved_errno = errno;
  static_cast<void>(!write(wake_descriptor, &what, 1));
  errno = saved_errno;
}
void OnSignal(int number) { Wake(number == SIGWINCH ? kResize : number == SIGTSTP ? kSuspend : kContinue); }

// While it lives, Ctrl-C, a new window size and job control become bytes in a pipe.
class Wakes {
 public:
  Wakes() {
    if (pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) != 0) ends_ = {-1, -1};
    wake_descriptor = ends_[1];
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action{};
      action.sa_handler = OnSignal;
      sigaction(kSignals[i], nullptr, &before_[i]);
      // A shell without job control ignores SIGTSTP, and so do we then.
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
    interrupted_.emplace(interrupt_.token(), [] { Wake(kInterrupt); });
  }
  ~Wakes() {
    interrupted_.reset();
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    wake_descriptor = -1;
    for (const int end : ends_) {
      if (end >= 0) close(end);
    }
  }
  Wakes(const Wakes&) = delete;
  Wakes& operator=(const Wakes&) = delete;

  // The next wake, or nothing when a byte of input (or its end) is there.
  std::optional<char> Wait() {
    while (true) {
      char what = 0;
      if (read(ends_[0], &what, 1) == 1) return what;
      std::array<pollfd, 2> watched = {{{STDIN_FILENO, POLLIN, 0}, {ends_[0], POLLIN, 0}}};
      if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return std::nullopt;
      if ((watched[1].revents & POLLIN) == 0 && watched[0].revents != 0) return std::nullopt;
    }
  }
  // Stops as Ctrl-Z asks, and returns when the shell goes on with us.
  void Suspend() {
    sigaction(SIGTSTP, &before_[1], nullptr);
    raise(SIGTSTP);
    struct sigaction action{};
    action.sa_handler = OnSignal;
    sigaction(SIGTSTP, &action, nullptr);
  }

 private:
  static constexpr std::array<int, 3> kSignals = {SIGWINCH, SIGTSTP, SIGCONT};
  std::array<int, 2> ends_{};
  std::array<struct sigaction, 3> before_{};
  InterruptScope interrupt_;
  std::optional<std::stop_callback<void (*)()>> interrupted_;
};

int PromptDescriptor() { return isatty(STDOUT_FILENO) == 1 ? STDOUT_FILENO : STDERR_FILENO; }

// The terminal's own line editing: backspace and no more.
class PlainLineEditor final : public LineEditor {
 public:
  LineReading Read(const std::string& prompt) override {
    Wakes wakes;
    WriteAll(PromptDescriptor(), prompt);
    while (true) {
      if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
        std::string line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return {.event = LineReading::Event::kLine, .text = std::move(line)};
      }
      if (const auto wake = wakes.Wait()) {
        if (*wake == kInterrupt) {
          WriteAll(PromptDescriptor(), "\n");
          return {.event = LineReading::Event::kInterrupted, .text = std::exchange(pending_, {})};
        }
        if (*wake == kSuspend) wakes.Suspend();
        if (*wake == kContinue) WriteAll(PromptDescriptor(), prompt);
        continue;
      }
      std::array<char, 4096> bytes{};
      const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        const LineReading::Event event = pending_.empty() ? LineReading::Event::kEnd : LineReading::Event::kLine;
        return {.event = event, .text = std::exchange(pending_, {})};
      }
      pending_.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }
  void Remember(const std::string&) override {}
  bool CanEdit() const override { return false; }

 private:
  std::string pending_;
};

#ifdef DECANT_HAVE_LIBEDIT

// libedit reads wide characters by the locale: it must be one of UTF-8.
bool ChooseUtf8Locale() {
  const auto is_utf8 = [] { return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0; };
  if (std::setlocale(LC_CTYPE, "") != nullptr && is_utf8()) return true;
  return std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr && is_utf8();
}

class EditLineEditor final : public LineEditor {
 public:
  explicit EditLineEditor(LineEditorOptions options)
      : complete_(std::move(options.complete)), history_(history_init()) {
    std::FILE* const out = PromptDescriptor() == STDOUT_FILENO ? stdout : stderr;
    line_ = el_init("decant", stdin, out, stderr);
    if (line_ == nullptr || history_ == nullptr) return;
    HistEvent event;
    history(history_, &event, H_SETSIZE, 1000);
    history(history_, &event, H_SETUNIQUE, 1);
    for (const std::string& entry : options.history) history(history_, &event, H_ENTER, entry.c_str());
    el_set(line_, EL_CLIENTDATA, this);
    el_set(line_, EL_PROMPT, Prompt);
    el_set(line_, EL_EDITOR, "emacs");
    el_set(line_, EL_SIGNAL, 0);
    el_set(line_, EL_HIST, history, history_);
    el_set(line_, EL_GETCFN, ReadCharacter);
    el_set(line_, EL_ADDFN, "decant-complete", "Completes commands and parameter names", Complete);
    el_set(line_, EL_BIND, "^I", "decant-complete", static_cast<char*>(nullptr));
    el_set(line_, EL_BIND, "^R", "em-inc-search-prev", static_cast<char*>(nullptr));
    el_source(line_, nullptr);  // ~/.editrc
  }
  ~EditLineEditor() override {
    if (line_ != nullptr) el_end(line_);
    if (history_ != nullptr) history_end(history_);
  }
  EditLineEditor(const EditLineEditor&) = delete;
  EditLineEditor& operator=(const EditLineEditor&) = delete;

  bool IsReady() const { return line_ != nullptr && history_ != nullptr; }
  bool CanEdit() const override { return true; }

  LineReading Read(const std::string& prompt) override {
    Wakes wakes;
    wakes_ = &wakes;
    prompt_ = prompt;
    was_interrupted_ = false;
    int count = 0;
    // libedit itself does so after the prompt is out: a Ctrl-D in between would be the old mode's and be lost.
    el_set(line_, EL_PREP_TERM, 1);
    const char* const read = el_gets(line_, &count);
    wakes_ = nullptr;
    if (was_interrupted_) {
      WriteAll(PromptDescriptor(), "^C\n");
      el_reset(line_);
      return {.event = LineReading::Event::kInterrupted, .text = std::exchange(interrupted_text_, {})};
    }
    if (read == nullptr || count <= 0) {
      WriteAll(PromptDescriptor(), "\n");
      return {.event = LineReading::Event::kEnd};
    }
    std::string text(read, static_cast<std::size_t>(count));
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    return {.event = LineReading::Event::kLine, .text = std::move(text)};
  }

  void Remember(const std::string& entry) override {
    HistEvent event;
    history(history_, &event, H_ENTER, entry.c_str());
  }

 private:
  static EditLineEditor& Of(EditLine* line) {
    void* self = nullptr;
    el_get(line, EL_CLIENTDATA, &self);
    return *static_cast<EditLineEditor*>(self);
  }
  static char* Prompt(EditLine* line) { return Of(line).prompt_.data(); }
  static int ReadCharacter(EditLine* line, wchar_t* character) { return Of(line).NextCharacter(*character); }
  static unsigned char Complete(EditLine* line, int) { return Of(line).CompleteHere(); }

  void Handle(char wake) {
    if (wake == kResize) el_resize(line_);
    if (wake == kSuspend) {
      el_set(line_, EL_PREP_TERM, 0);
      wakes_->Suspend();
      el_set(line_, EL_PREP_TERM, 1);
      el_set(line_, EL_REFRESH);
    }
    if (wake == kContinue) {
      el_set(line_, EL_PREP_TERM, 0);
      el_set(line_, EL_PREP_TERM, 1);
      el_set(line_, EL_REFRESH);
    }
  }

  // 1 = a character; 0 = the end of the input, or an interruption.
  int NextCharacter(wchar_t& character) {
    std::mbstate_t state{};
    while (true) {
      if (const auto wake = wakes_->Wait()) {
        if (*wake == kInterrupt) {
          const LineInfo* const info = el_line(line_);
          interrupted_text_ = std::string(info->buffer, info->lastchar);
          was_interrupted_ = true;
          return 0;
        }
        Handle(*wake);
        continue;
      }
      char byte = 0;
      const ssize_t got = read(STDIN_FILENO, &byte, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return 0;
      const std::size_t used = std::mbrtowc(&character, &byte, 1, &state);
      if (used == static_cast<std::size_t>(-2)) continue;  // more bytes of it follow
      if (used == static_cast<std::size_t>(-1)) character = L'\uFFFD';
      return 1;
    }
  }

  unsigned char CompleteHere() {
    const LineInfo* const info = el_line(line_);
    const std::string text(info->buffer, info->cursor);
    const std::vector<std::string> lines = complete_ ? complete_(text) : std::vector<std::string>();
    if (lines.empty()) return CC_ERROR;
    const std::string common = CommonStart(lines);
    if (common.size() > text.size()) {
      el_insertstr(line_, common.substr(text.size()).c_str());
      return CC_REFRESH;
    }
    if (lines.size() == 1) return CC_ERROR;
    std::string list = "\n";
    const std::size_t word = text.find_last_of(' ') == std::string::npos ? 0 : text.find_last_of(' ') + 1;
    for (const std::string& line : lines) list += (list.size() > 1 ? "  " : "") + line.substr(word);
    WriteAll(PromptDescriptor(), list + "\n");
    return CC_REDISPLAY;
  }

  std::function<std::vector<std::string>(std::string_view)> complete_;
  History* history_;
  EditLine* line_ = nullptr;
  Wakes* wakes_ = nullptr;  // during Read
  std::string prompt_;
  std::string interrupted_text_;
  bool was_interrupted_ = false;
};

#endif

}  // namespace

std::string WhyNoEditing() {
#ifdef DECANT_HAVE_LIBEDIT
  const std::string terminal = Environment("TERM");
  if (terminal.empty() || terminal == "dumb") return "this terminal cannot move its cursor (TERM)";
  return ChooseUtf8Locale() ? "" : "no locale of UTF-8 is installed";
#else
  return "this build has no libedit";
#endif
}

std::unique_ptr<LineEditor> MakeLineEditor(LineEditorOptions options) {
#ifdef DECANT_HAVE_LIBEDIT
  if (WhyNoEditing().empty()) {
    auto editor = std::make_unique<EditLineEditor>(std::move(options));
    if (editor->IsReady()) return editor;
  }
#endif
  return std::make_unique<PlainLineEditor>();
}

std::string CommonStart(const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string common = lines.front();
  for (const std::string& line : lines) {
    const auto differs = std::ranges::mismatch(common, line).in1;
    common.erase(differs, common.end());
  }
  // A code point that only began is no beginning.
  while (!common.empty() && common.size() < lines.front().size() &&
         (static_cast<unsigned char>(lines.front()[common.size()]) & 0xC0) == 0x80) {
    common.pop_back();
  }
  return common;
}

}  // namespace decant::cli
