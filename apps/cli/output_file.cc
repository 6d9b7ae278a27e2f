// Looks at what stands where an output is to go.
#include "output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "config.h"
#include "environment.h"

namespace decant::cli {
namespace {

bool StatOf(const std::string& path, struct stat& seen) {
  return (path == "-" ? fstat(STDIN_FILENO, &seen) : stat(path.c_str(), &seen)) == 0;
}

bool IsSame(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

// The input's file that the output is; "" = none.
std::string FileThatIs(const struct stat& output, const std::string& input) {
  struct stat seen{};
  if (input.empty() || !StatOf(input, seen)) return "";
  if (S_ISREG(seen.st_mode)) return IsSame(output, seen) ? (input == "-" ? "standard input" : input) : "";
  if (!S_ISDIR(seen.st_mode)) return "";
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(input, error), end; !error && it != end; it.increment(error)) {
    const std::string path = it->path().string();
    if (StatOf(path, seen) && S_ISREG(seen.st_mode) && IsSame(output, seen)) return path;
  }
  return "";
}

struct KindText {
  std::string_view name;                   // "trace"
  std::array<std::string_view, 2> starts;  // of a file of this kind
};

KindText TextOfKind(OutputKind kind) {
  switch (kind) {
    case OutputKind::kTrace:
      return {.name = "trace", .starts = {R"({"type":"header")", R"({"type":"header")"}};
    case OutputKind::kSamples:
      return {.name = "file of samples", .starts = {R"({"schema":"decant.samples/)", R"({"schema":"decant.samples/)"}};
    case OutputKind::kSvg:
      return {.name = "SVG", .starts = {"<svg", "<?xml"}};
    case OutputKind::kNpy:
      return {.name = ".npy file", .starts = {"\x93NUMPY", "\x93NUMPY"}};
  }
  return {};
}

}  // namespace

Result<void> CheckOutput(const OutputFile& output, std::span<const InputFile> inputs) {
  struct stat seen{};
  // "-" is refused by who writes.
  if (output.path == "-" || !StatOf(output.path, seen) || !S_ISREG(seen.st_mode)) return {};
  for (const InputFile& input : inputs) {
    const std::string file = FileThatIs(seen, input.path);
    if (file.empty()) continue;
    return Fail(ErrorCode::kConflict,
                std::string(output.flag) + " " + output.path + " would replace " + std::string(input.what) +
                    (file == output.path ? std::string() : ", " + file),
                {.subject = std::string(output.flag), .hint = "name another file for " + std::string(output.flag)});
  }
  if (seen.st_size == 0) return {};
  const KindText text = TextOfKind(output.kind);
  std::ifstream file(output.path, std::ios::binary);
  std::string start(64, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  if (start.starts_with(text.starts[0]) || start.starts_with(text.starts[1])) return {};
  return Fail(ErrorCode::kCannotWrite,
              std::string(output.flag) + " " + output.path + " is a file already, and no " + std::string(text.name) +
                  " that can be replaced",
              {.subject = std::string(output.flag), .hint = "remove it first, or name another file"});
}

Result<void> CheckOutput(const ModelFlags& model, const std::optional<OutputFile>& output,
                         std::vector<InputFile> inputs) {
  if (!output.has_value()) return {};
  DECANT_TRY(std::string model_path, model.FindPath());
  inputs.push_back({.what = "the model", .path = std::move(model_path)});
  DECANT_TRY(const auto layers, model.config().Layers(Environment));
  for (const ConfigLayer& layer : layers) inputs.push_back({.what = "a file of settings", .path = layer.file.path()});
  return CheckOutput(*output, inputs);
}

}  // namespace decant::cli
