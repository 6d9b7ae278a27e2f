// posix_spawn: nothing of ours runs between fork and exec, so threads do not matter.
#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <system_error>

#include "core/check.h"
#include "environment.h"
#include "signals.h"
#include "terminal.h"

extern char** environ;  // NOLINT: the C library's

namespace decant::cli {
namespace {

bool IsExecutable(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// What a new program starts with: no blocked signals, as its user expects, and the descriptors it may use.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_init(&actions_);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawnattr_t* attributes() { return &attributes_; }
  posix_spawn_file_actions_t* actions() { return &actions_; }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

std::unexpected<Error> CannotStart(const std::string& path, int error_number) {
  return Fail(ErrorCode::kCannotRead, path + " cannot be started: " + std::strerror(error_number), {.subject = path});
}

// A pipe that already holds the input and then ends; -1 = it cannot be made.
int InputOf(const std::string& input) {
  DECANT_CHECK(input.size() <= 4096);  // fits into any pipe
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const bool written = WriteAll(ends[1], input);
  close(ends[1]);
  if (written) return ends[0];
  close(ends[0]);
  return -1;
}

// What an ended program left in a pipe.
std::string Drained(int pipe_end) {
  std::string text;
  char part[4096];
  fcntl(pipe_end, F_SETFL, O_NONBLOCK);  // a program of its own may hold the other end still
  for (;;) {
    const ssize_t got = read(pipe_end, part, sizeof part);
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

// Waits until it has ended, passing an interrupt on.
int WaitFor(pid_t child, std::stop_token stop) {
  {
    const std::stop_callback pass_on(std::move(stop), [child] { kill(child, SIGINT); });
    siginfo_t ended{};
    // It is left unreaped while an interrupt may still be sent to it, so its number stays its own.
    while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::string FindProgram(std::string_view name) {
  if (name.contains('/')) return IsExecutable(std::string(name)) ? std::string(name) : "";
  const std::string folders = Environment("PATH");
  for (std::size_t begin = 0; begin < folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    std::string path = folders.substr(begin, end - begin);
    path = (path.empty() ? "." : path) + "/" + std::string(name);
    if (IsExecutable(path)) return path;
    begin = end + 1;
  }
  return "";
}

Result<int> RunProgram(const ProgramCall& call) {
  SpawnSettings settings;
  const int input = call.input.empty() ? open("/dev/null", O_RDONLY | O_CLOEXEC) : InputOf(call.input);
  if (input < 0) return CannotStart(call.path, errno);
  posix_spawn_file_actions_adddup2(settings.actions(), input, STDIN_FILENO);
  if (call.output == ProgramOutput::kDiscarded) {
    posix_spawn_file_actions_addopen(settings.actions(), STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  int answer[2] = {-1, -1};
  if (call.answer != nullptr && pipe2(answer, O_CLOEXEC) != 0) {
    const int failed = errno;
    close(input);
    return CannotStart(call.path, failed);
  }
  posix_spawn_file_actions_adddup2(settings.actions(), call.answer != nullptr ? answer[1] : STDERR_FILENO,
                                   STDOUT_FILENO);
  // Onto itself: takes the close-on-exec flag away, in the program alone.
  if (call.shared >= 0) posix_spawn_file_actions_adddup2(settings.actions(), call.shared, call.shared);

  std::vector<std::string> words = {call.path};
  words.insert(words.end(), call.arguments.begin(), call.arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const InterruptScope interrupt;
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, call.path.c_str(), settings.actions(), settings.attributes(), pointers.data(), environ);
  close(input);
  if (call.answer != nullptr) close(answer[1]);
  const int code = failed == 0 ? WaitFor(child, interrupt.token()) : 0;
  if (call.answer != nullptr) {
    if (failed == 0) *call.answer = Drained(answer[0]);
    close(answer[0]);
  }
  if (failed != 0) return CannotStart(call.path, failed);
  if (interrupt.interrupted()) return Fail(ErrorCode::kCancelled, "interrupted");
  return code;
}

}  // namespace decant::cli
