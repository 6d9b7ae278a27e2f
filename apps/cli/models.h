// Which model a command works on, and how it is loaded.
#ifndef DECANT_CLI_MODELS_H_
#define DECANT_CLI_MODELS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.h"
#include "config.h"
#include "decant/model.h"

namespace decant::cli {

// $DECANT_MODELS (separated by colons), ./models, and $XDG_DATA_HOME/decant/models.
std::vector<std::string> ModelFolders();
// The SHA-256 of a file, 64 hex digits, read part by part. kCannotRead, kCancelled.
Result<std::string> Sha256OfFile(const std::string& path, const std::stop_token& stop);

class ModelFlags {
 public:
  // -m, --threads, --context, and the files that may say the same (config.h). The line must outlive this.
  explicit ModelFlags(CommandLine& line);

  // Whether -m was given.
  bool IsGiven() const { return cli::IsGiven(model_); }
  // Which of its flags were given.
  std::vector<std::string> Given() const;
  Result<std::string> FindPath() const;
  // The files of settings of its line.
  const ConfigFlags& config() const { return config_; }
  // REQUIRES: called after parsing. Threads: one a core unless told otherwise.
  Result<std::shared_ptr<const Model>> Load() const;
  // `context`: of a sequence, where --context says nothing; 0 = the file's own.
  Result<std::shared_ptr<const Model>> Load(const std::string& path, std::uint64_t context = 0) const;
  Result<int> Threads() const;

 private:
  Result<std::optional<std::uint64_t>> Count(const CLI::Option* flag, std::string_view name, Bounds bounds) const;
  const CommandLine& line_;
  const ConfigFlags& config_;
  CLI::Option *model_, *threads_, *context_;
};

// What the files say of a setting that is no parameter, highest precedence first: "smol.gguf", its source and its
// place.
struct FileSetting {
  std::string value;
  ParameterSource source;
  std::string where;
};
// `setting`: "model", "threads", "context" or "preset".
std::vector<FileSetting> SettingsOf(std::span<const ConfigLayer> layers, std::string_view command,
                                    std::string_view setting);
// FindModel, which also takes the alias of a model that decant knows ("smollm2-135m").
Result<std::string> FindNamedModel(const std::string& name);
// The model that -m names, else the files, else the one there is.
Result<std::string> FindModelPath(const ConfigFlags& config, std::string_view command);

// "SmolLM2-135M-Instruct.Q4_1.gguf · 135M Q4_1 · context 8192 · 2 threads, avx2"
std::string ModelLine(const Model& model, int threads);
// "135M"
std::string ShortCount(std::uint64_t count);

}  // namespace decant::cli

#endif  // DECANT_CLI_MODELS_H_
