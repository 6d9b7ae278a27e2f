// What a command must not destroy by writing a file: its own inputs, and a file of another kind.
#ifndef DECANT_CLI_OUTPUT_FILE_H_
#define DECANT_CLI_OUTPUT_FILE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models.h"

namespace decant::cli {

struct InputFile {
  std::string_view what;  // "the prompt file"
  std::string path;       // "-" is standard input; of a folder, every file in it; "" = none
};

enum class OutputKind : std::uint8_t { kTrace, kSamples, kSvg, kNpy };

struct OutputFile {
  std::string_view flag;  // "--trace"
  std::string path;
  OutputKind kind;
};

// Files are told apart by device and inode, so other spellings and links do not matter. What does not exist, is empty,
// or is no regular file can be written. kConflict: the output is one of the inputs; both are named. kCannotWrite: there
// is a file that does not begin as one of this kind does.
Result<void> CheckOutput(const OutputFile& output, std::span<const InputFile> inputs);

// The same, where there is an output: also against the model and the files of settings of its line.
Result<void> CheckOutput(const ModelFlags& model, const std::optional<OutputFile>& output,
                         std::vector<InputFile> inputs);

}  // namespace decant::cli

#endif  // DECANT_CLI_OUTPUT_FILE_H_
