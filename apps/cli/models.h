// Which model a command works on, and how it is loaded.
#ifndef DECANT_CLI_MODELS_H_
#define DECANT_CLI_MODELS_H_

#include <memory>
#include <string>
#include <vector>

#include "command_line.h"
#include "decant/model.h"

namespace decant::cli {

// $DECANT_MODELS (separated by colons), ./models, and $XDG_DATA_HOME/decant/models.
std::vector<std::string> ModelFolders();

class ModelFlags {
 public:
  explicit ModelFlags(CommandLine& line);  // -m, --threads, --context

  // Whether -m was given.
  bool IsGiven() const { return !model_->empty(); }
  // Which of its flags were given.
  std::vector<std::string> Given() const;
  Result<std::string> FindPath() const;
  // REQUIRES: called after parsing. Threads: one a core unless told otherwise.
  Result<std::shared_ptr<const Model>> Load() const;
  Result<std::shared_ptr<const Model>> Load(const std::string& path) const;
  Result<int> Threads() const;

 private:
  CLI::Option *model_, *threads_, *context_;
};

// "SmolLM2-135M-Instruct.Q4_1.gguf · 135M Q4_1 · context 8192 · 2 threads, avx2"
std::string ModelLine(const Model& model, int threads);
// "135M"
std::string ShortCount(std::uint64_t count);

}  // namespace decant::cli

#endif  // DECANT_CLI_MODELS_H_
