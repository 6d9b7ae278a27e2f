// Reads lines that a person types: with editing and history over libedit where it is built in and the terminal can,
// else plainly. Ctrl-C arrives as an event, in both.
#ifndef DECANT_CLI_LINE_EDITOR_H_
#define DECANT_CLI_LINE_EDITOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace decant::cli {

struct LineReading {
  enum class Event : std::uint8_t {
    kLine,
    kInterrupted,  // Ctrl-C; `text` is what stood there, as far as is known
    kEnd,          // Ctrl-D on an empty line, or the terminal went away
  };
  Event event = Event::kEnd;
  std::string text = {};  // without the newline at its end
};

// Used by one thread.
class LineEditor {
 public:
  virtual ~LineEditor() = default;
  virtual LineReading Read(const std::string& prompt) = 0;
  // The newest entry for the arrow keys; may have several lines.
  virtual void Remember(const std::string& entry) = 0;
  virtual bool CanEdit() const = 0;
};

struct LineEditorOptions {
  std::vector<std::string> history = {};  // oldest first
  // What the line up to the cursor may become: whole lines that begin with it.
  std::function<std::vector<std::string>(std::string_view line)> complete = {};
};

// REQUIRES: standard input is a terminal. Prompts go to standard output, or to standard error if that alone is one.
std::unique_ptr<LineEditor> MakeLineEditor(LineEditorOptions options);

// "" = editing is there; else why it is not.
std::string WhyNoEditing();

// The longest beginning that all have; whole code points.
std::string CommonStart(const std::vector<std::string>& lines);

// Entries in a file, for the next chat: one JSON string a line, so that an entry may have several lines. Only the owner
// may read it. The newest 1000 are kept.
class HistoryFile {
 public:
  // $XDG_STATE_HOME/decant/history, else ~/.local/state/decant/history; "" when neither is known.
  static std::string DefaultPath();
  // "" = keeps nothing.
  explicit HistoryFile(std::string path) : path_(std::move(path)) {}

  // Oldest first; lines that are no entries are passed over. A file that has grown is cut to the newest. What is there
  // but cannot be read is given up: see fault().
  std::vector<std::string> Load();
  // Why Load gave the file up; "" when it did not.
  const std::string& fault() const { return fault_; }
  // False the first time that the file cannot be written; then it is given up.
  bool Append(const std::string& entry);
  const std::string& path() const { return path_; }

 private:
  std::string path_, fault_;
};

}  // namespace decant::cli

#endif  // DECANT_CLI_LINE_EDITOR_H_
