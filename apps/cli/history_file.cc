// What was typed, kept for the next chat.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <system_error>

#include "core/mapped_file.h"
#include "environment.h"
#include "json/value.h"
#include "json/writer.h"
#include "line_editor.h"
#include "terminal.h"

namespace decant::cli {
namespace {

constexpr std::size_t kMostEntries = 1000;
constexpr mode_t kOwnerOnly = 0600;

std::string AsLine(const std::string& entry) {
  json::Writer writer;
  writer.String(entry);
  return writer.Take() + "\n";
}

// Opens for writing, readable for the owner only, whatever the file was before.
int Open(const std::string& path, int flags) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, kOwnerOnly);
  if (descriptor >= 0) static_cast<void>(fchmod(descriptor, kOwnerOnly));
  return descriptor;
}

bool Write(const std::string& path, int flags, const std::string& text) {
  const int descriptor = Open(path, flags);
  if (descriptor < 0) return false;
  const bool written = WriteAll(descriptor, text);
  return close(descriptor) == 0 && written;
}

}  // namespace

std::string HistoryFile::DefaultPath() {
  const std::string state = Environment("XDG_STATE_HOME"), home = Environment("HOME");
  if (!state.empty()) return state + "/decant/history";
  return home.empty() ? "" : home + "/.local/state/decant/history";
}

std::vector<std::string> HistoryFile::Load() {
  std::vector<std::string> entries;
  if (path_.empty()) return entries;
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored)) return entries;
  // A pipe would never end, nor begin.
  const auto regular = core::MappedFile::Open(path_);
  const auto text = regular.has_value() ? core::ReadFile(path_) : std::unexpected(regular.error());
  if (!text.has_value()) {
    fault_ = text.error().message;
    path_.clear();
    return entries;
  }
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const auto value = json::Read(line, {});
    if (value.has_value() && value->if_string() != nullptr) entries.push_back(*value->if_string());
  }
  if (entries.size() <= kMostEntries) return entries;
  const std::size_t grown = entries.size();
  entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(kMostEntries));
  if (grown > 2 * kMostEntries) {
    std::string kept;
    for (const std::string& entry : entries) kept += AsLine(entry);
    const std::string beside = path_ + ".part";
    if (Write(beside, O_TRUNC, kept)) rename(beside.c_str(), path_.c_str());
  }
  return entries;
}

bool HistoryFile::Append(const std::string& entry) {
  if (path_.empty()) return true;
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  std::filesystem::create_directories(folder.parent_path(), ignored);
  mkdir(folder.c_str(), 0700);
  if (Write(path_, O_APPEND, AsLine(entry))) return true;
  path_.clear();
  return false;
}

}  // namespace decant::cli
