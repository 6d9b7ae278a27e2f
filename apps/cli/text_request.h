// Random texts of a grammar, as grammar sample and schema example write them.
#ifndef DECANT_CLI_TEXT_REQUEST_H_
#define DECANT_CLI_TEXT_REQUEST_H_

#include <cstdint>
#include <string_view>

#include "command_line.h"
#include "constraint_walk.h"
#include "decant/constraint.h"
#include "session.h"

namespace decant::cli {

// -n, --seed and --max-bytes of a command.
struct TextFlags {
  TextFlags(CommandLine& line, std::string_view command);

  CLI::Option *count, *seed, *most_bytes;
};

struct TextRequest {
  std::uint32_t count = 1;
  TextMakerOptions options = {};
};
Result<TextRequest> TextRequestOf(const TextFlags& flags);

// The texts, a line each; or with kJson one object with that "schema".
Result<int> WriteTexts(Session& session, const Grammar& grammar, const TextRequest& request, OutputFormat format,
                       std::string_view schema);

}  // namespace decant::cli

#endif  // DECANT_CLI_TEXT_REQUEST_H_
